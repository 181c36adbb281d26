"""The pictures: a loop as it grows, and the gentle curves of a loss."""

from dealmill.pipeline.games.tantrix.loop.picture import HEIGHT, WIDTH, frames, scenes
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.drawn import count, words
from tests.games.tantrix.loop.test_rules import EVEN, LOOP, ODD, WON

TILES = r"""
  __B__     __B__     __B__     __G__
 R     B   G     B   Y     R   R     G
/       \ /       \ /       \ /       \
R       G R       G B       Y Y       Y
 \__G__/   \__R__/   \__R__/   \__R__/

4 tiles, for one closed loop in red.
"""


def test_a_loop_grows_tile_by_tile() -> None:
    first, *steps = scenes(WON, Verdict.WINNABLE, LOOP)
    assert first.caption == "4 tiles, for one closed loop in red."
    assert [step.caption for step in steps[1:]] == [
        "Tile 2 of 4: YRBYBR on -1,0.",
        "Tile 3 of 4: GRRGBB on -2,1.",
        "Tile 4 of 4: GYRYRG on -1,1. The loop is closed.",
    ]
    assert [count(step, "path", "tile") for step in steps] == [1, 2, 3, 4]
    assert [count(step, "path", "ghost") for step in steps] == [3, 2, 1, 0]
    assert all(count(step, "path", "chosen") == 1 for step in steps)
    assert steps[1].alt == "Field: BBGGRR on 0,0, YRBYBR on -1,0."


def test_gentle_curves_have_rings_and_the_reason_is_given() -> None:
    first, reason = scenes(ODD, Verdict.UNWINNABLE, "gentle 1")
    assert count(first, "path", "chosen") == 0 and count(reason, "path", "chosen") == 1
    assert words(reason, "light") == ["1"]
    assert reason.caption.endswith("so a loop has an even number of gentle curves. 1 is odd: there is no loop.")
    assert "Rings mark the tiles with a gentle curve in red: 1, an odd number." in reason.proves
    assert "Gentle curves: BBGRGR." in reason.alt
    _, reason = scenes(EVEN, Verdict.UNWINNABLE, "chains 6")
    assert reason.caption == "Chains of tiles that can be laid from the first tile on: 6. None of them is a loop."
    assert count(reason, "path", "chosen") == 0 and reason.proves


def test_text_boards() -> None:
    tiles, field = frames(WON, Verdict.WINNABLE, LOOP)
    assert tiles == TILES.strip("\n")
    assert field.endswith("The loop in red, from #1 to #4.")
    for number, word in enumerate(LOOP.split(), start=1):
        assert word.partition(":")[0] in field and f"#{number}" in field
    _, reason = frames(ODD, Verdict.UNWINNABLE, "gentle 1")
    assert "Tiles with a gentle curve in red: 1." in reason


def test_every_tile_is_inside_the_picture() -> None:
    for tiles in (3, 16, 42):
        layouts = dealer("tantrix-loop")(8, 1, 6, tiles=tiles)
        solved = solver("tantrix-loop/winnable")(layouts)
        for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
            for scene in scenes(layout, verdict, evidence):
                assert (scene.width, scene.height) == (WIDTH, HEIGHT)
