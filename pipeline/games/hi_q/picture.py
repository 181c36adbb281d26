"""Hi-Q as text and as pictures: the cross-shaped board with its pegs, one board per jump."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill

from dealmill.game import (
    BACKED,
    CARD,
    CHOSEN,
    INKED,
    LIGHT,
    MOVER,
    WHITE,
    Point,
    Scene,
    Style,
    at,
    circle,
    cross,
    element,
    head,
    scene,
    text,
)
from dealmill.pipeline.games.hi_q.rules import HOLE_AT, OVER, PLACE_OF, Jump, play, read_trace, start
from dealmill.verdicts import IllegalMove, Verdict

PEG, HOLE, LEFT, JUMPED, LANDED = "●", "·", "○", "×", "◉"
SIZE = 7
WIDTH = 76

Pegs = frozenset[int]

PITCH, RADIUS, MARGIN = 58, 21, 36
PICTURE = 2 * MARGIN + (SIZE - 1) * PITCH
CROSS: Style = {"class_": "light", "fill": "none", "stroke": WHITE, "stroke_width": 5}
TARGET: Style = CHOSEN | {"stroke_width": 4, "stroke_dasharray": "7 5"}


@dataclass(frozen=True, slots=True)
class Step:
    """A jump with the pegs before and after it and its caption; without a jump, a board."""

    before: Pegs
    after: Pegs
    jump: Jump | None
    caption: str


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the board, then the board after each jump: `○` marks its source, `×` the hole jumped over, `◉` its target.

    Raises
    ------
    InvalidEvidence
        If the jumps in `evidence` cannot be read or played, or are not those that the rule prescribes.
    """
    for step in _steps(layout, verdict, evidence):
        jump = step.jump
        marks = {jump.source: LEFT, OVER[jump]: JUMPED, jump.target: LANDED} if jump else {}
        yield f"{_board(step.after, marks)}\n\n{fill(step.caption, WIDTH)}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the board, then each jump as it is made.

    Raises
    ------
    InvalidEvidence
        If the jumps in `evidence` cannot be read or played, or are not those that the rule prescribes.
    """
    for step in _steps(layout, verdict, evidence):
        pegs = ", ".join(map(str, sorted(step.before))) or "none"
        yield scene(PICTURE, PICTURE, _drawing(step), step.caption, f"Holes with pegs: {pegs}.")


def _steps(layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Step]:
    pegs = frozenset(start(layout))
    yield Step(pegs, pegs, None, f"{len(pegs)} pegs; the holes with pegs add up to {sum(pegs)}.")
    if verdict is not Verdict.SCORED or evidence is None:
        return
    trace = read_trace(evidence)
    for number, jump in enumerate(trace, start=1):
        on_board = set(pegs)
        play(on_board, jump, number)
        after = frozenset(on_board)
        caption = (
            f"Jump {number}: from {jump.source} over {OVER[jump]} to {jump.target}, {_reason(pegs, jump, number)}."
        )
        if number == len(trace):
            caption += f" The end: {len(after)} pegs that add up to {sum(after)}."
        yield Step(pegs, after, jump, caption)
        pegs = after
    if not trace:
        yield Step(pegs, pegs, None, "No jump is possible.")


def _reason(pegs: Pegs, jump: Jump, step: int) -> str:
    """Return why the rule chooses a jump: the largest target, and from the largest hole if several jumps have it.

    Raises
    ------
    IllegalMove
        If the rule chooses another jump.
    """
    best, *others = [
        found for found, over in OVER.items() if over in pegs and found.source in pegs and found.target not in pegs
    ]
    if jump != best:
        raise IllegalMove(step, f"the prescribed jump is {best}, not {jump}")
    if not others:
        return "the only possible jump"
    same = any(other.target == jump.target for other in others)
    why = "from the largest hole of the jumps to the largest target" if same else "the largest target"
    return f"{why} (also possible: {', '.join(map(str, others))})"


def _board(pegs: Pegs, marks: dict[int, str]) -> str:
    """Return the board, each row preceded by the number of its first hole."""
    lines = []
    for row in range(SIZE):
        holes = [HOLE_AT.get((row, column)) for column in range(SIZE)]
        signs = [" " if hole is None else marks.get(hole, PEG if hole in pegs else HOLE) for hole in holes]
        first = next(hole for hole in holes if hole is not None)
        lines.append(f"{first:>4}   {' '.join(signs)}".rstrip())
    return "\n".join(lines)


def _drawing(step: Step) -> Iterator[str]:
    jump = step.jump
    for hole in PLACE_OF:
        middle = _middle(hole)
        pegged = hole in step.before
        yield circle(*middle, RADIUS, MOVER if jump and hole == jump.source else BACKED if pegged else CARD)
        if jump and hole == OVER[jump]:
            yield cross(*middle, RADIUS - 7, CROSS)
        else:
            yield text(*middle, str(hole), 20, LIGHT if pegged else INKED, bold=pegged)
    if jump:
        yield circle(*_middle(jump.target), RADIUS, TARGET)
        yield _arc(_middle(jump.source), _middle(jump.target))


def _middle(hole: int) -> Point:
    row, column = PLACE_OF[hole]
    return MARGIN + column * PITCH, MARGIN + row * PITCH


def _arc(source: Point, target: Point) -> str:
    """Return an arrow that runs above the row of a jump, or to the right of its column, between the holes."""
    across, down = ((end > begin) - (end < begin) for begin, end in zip(source, target, strict=True))
    aside = abs(down), -abs(across)
    start, middle, end = (
        (x + along * across + out * aside[0], y + along * down + out * aside[1])
        for (x, y), along, out in ((source, 16, 18), (source, PITCH, 44), (target, -16, 18))
    )
    return element("path", d=f"M{at(start)}Q{at(middle)} {at(end)}", **CHOSEN) + head(end, middle, MOVER)
