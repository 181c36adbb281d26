"""The pictures of a small game to the letter."""

from dealmill.pipeline.games.hi_q.picture import frames, scenes
from dealmill.pipeline.games.pictures import Point, Scene
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.drawn import Box, letters, lines, words
from tests.games.hi_q import naive

deal = dealer("hi-q")
greedy = solver("hi-q/greedy")

LAYOUT = "OOO/OOO/OOOXOXO/OOOXOXO/OOOOXOO/OOO/OOO"
EMPTY = LAYOUT.replace("X", "O")
BOARDS = """
   1       · · ·
   4       · · ·
   7   · · · ● · ● ·
  14   · · · ● · ● ·
  21   · · · · ● · ·
  28       · · ·
  31       · · ·

5 pegs; the holes with pegs add up to 83.
---
   1       · · ·
   4       · · ·
   7   · · · ● · ○ ·
  14   · · · ● · × ·
  21   · · · · ● ◉ ·
  28       · · ·
  31       · · ·

Jump 1: from 12 over 19 to 26, the largest target (also possible: 10-24,
17-5).
---
   1       · · ·
   4       · · ·
   7   · · · ● · · ·
  14   · · · ● · · ·
  21   · · · · ○ × ◉
  28       · · ·
  31       · · ·

Jump 2: from 25 over 26 to 27, the largest target (also possible: 26-24,
10-24, 17-5).
---
   1       · · ·
   4       · · ·
   7   · · · ○ · · ·
  14   · · · × · · ·
  21   · · · ◉ · · ●
  28       · · ·
  31       · · ·

Jump 3: from 10 over 17 to 24, the largest target (also possible: 17-5). The
end: 2 pegs that add up to 51.
"""


def test_boards_jump_by_jump() -> None:
    shown = list(frames(LAYOUT, Verdict.SCORED, "12-26 25-27 10-24"))
    assert shown == [board.strip("\n") for board in BOARDS.split("---")]


def test_a_board_without_a_jump() -> None:
    assert list(frames(EMPTY, Verdict.SCORED, ""))[1].endswith("No jump is possible.")


def played(seed: int) -> list[tuple[str, str, list[Scene]]]:
    layouts = deal(seed, 1, 12)
    batch = greedy(layouts)
    return [
        (layout, evidence, list(scenes(layout, verdict, evidence)))
        for layout, verdict, evidence in zip(layouts, batch.verdicts, batch.evidence, strict=True)
        if evidence
    ]


def test_a_caption_names_every_other_jump_and_the_reason() -> None:
    for layout, evidence, (_, *steps) in played(3):
        pegs = {hole for hole, sign in enumerate(layout.replace("/", ""), start=1) if sign == "X"}
        for jump, scene in zip(evidence.split(), steps, strict=True):
            source, target = map(int, jump.split("-"))
            possible = [three for three in naive.LINES if {*three[:2]} <= pegs and three[2] not in pegs]
            others = {f"{three[0]}-{three[2]}" for three in possible} - {jump}
            _, _, listed = scene.caption.partition("also possible: ")
            assert set(listed.partition(")")[0].split(", ")) - {""} == others
            rivals = any(three[2] == target for three in possible if three[0] != source)
            assert ("only possible" in scene.caption) == (not others)
            assert ("from the largest hole" in scene.caption) == rivals
            [over] = [three[1] for three in possible if (three[0], three[2]) == (source, target)]
            pegs = pegs - {source, over} | {target}


def test_a_jump_shows_every_number_but_that_of_the_peg_it_removes() -> None:
    for layout, evidence, (first, *steps) in played(4):
        pegs = layout.count("X")
        assert len(words(first, "light")) == pegs and len(words(first, "ink")) == 33 - pegs
        for number, (jump, scene) in enumerate(zip(evidence.split(), steps, strict=True)):
            shown = words(scene, "light")
            assert len(shown) == pegs - number - 1
            assert jump.split("-")[0] in shown
            assert jump.split("-")[1] in words(scene, "ink")


def test_an_arc_covers_no_number() -> None:
    for _, _, (_, *steps) in played(5):
        for scene in steps:
            [arc], boxes = lines(scene, "chosen"), [box for _, box in letters(scene)]
            for x, y in curve(arc):
                assert not any(inside(x, y, box) for box in boxes)


def curve(points: list[Point]) -> list[Point]:
    """Points on a quadratic curve."""
    (x, y), (over_x, over_y), (to_x, to_y) = points
    shares = [number / 50 for number in range(51)]
    return [
        (
            (1 - t) ** 2 * x + 2 * t * (1 - t) * over_x + t**2 * to_x,
            (1 - t) ** 2 * y + 2 * t * (1 - t) * over_y + t**2 * to_y,
        )
        for t in shares
    ]


def inside(x: float, y: float, box: Box) -> bool:
    left, top, right, bottom = box
    return left <= x <= right and top <= y <= bottom
