"""Hi-Q as text and as pictures: the cross-shaped board with its pegs, one board per jump."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
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
from dealmill.pipeline.games.hi_q.rules import (
    CLASS,
    COLOURS,
    DIAGONALS,
    FEWEST,
    HOLE_AT,
    OVER,
    PLACE_OF,
    Jump,
    check,
    pegs_by_colour,
    play,
    read_fewest,
    read_trace,
    start,
)
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
    """A jump with the pegs before and after it and its caption; without a jump, a board.

    `letters` replace the numbers of the holes.
    """

    before: Pegs
    after: Pegs
    jump: Jump | None
    caption: str
    letters: Mapping[int, str] = field(default_factory=dict)


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the board, then the board after each jump: `○` marks its source, `×` the hole jumped over, `◉` its target.

    Raises
    ------
    InvalidEvidence
        If the jumps in `evidence` cannot be read or played, are not those that the rule prescribes, or do not leave the
        fewest pegs.
    """
    for step in _steps(layout, verdict, evidence):
        jump = step.jump
        marks = {jump.source: LEFT, OVER[jump]: JUMPED, jump.target: LANDED} if jump else {}
        marks |= {hole: letter.upper() if hole in step.after else letter for hole, letter in step.letters.items()}
        yield f"{_board(step.after, marks)}\n\n{fill(step.caption, WIDTH)}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the board, then each jump as it is made.

    Raises
    ------
    InvalidEvidence
        If the jumps in `evidence` cannot be read or played, are not those that the rule prescribes, or do not leave the
        fewest pegs.
    """
    for step in _steps(layout, verdict, evidence):
        pegs = ", ".join(map(str, sorted(step.before))) or "none"
        yield scene(PICTURE, PICTURE, _drawing(step), step.caption, f"Holes with pegs: {pegs}.")


def _steps(layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Step]:
    pegs = frozenset(start(layout))
    yield Step(pegs, pegs, None, f"{_counted(pegs)}; the holes with pegs add up to {sum(pegs)}.")
    if verdict is not Verdict.SCORED or evidence is None:
        return
    if FEWEST.fullmatch(evidence):
        certificate, trace = read_fewest(evidence)
        check("fewest", layout, verdict, len(pegs) - len(trace), evidence)
        yield from _played(pegs, trace, None)
        yield _proof(pegs, certificate, len(pegs) - len(trace))
        return
    trace = read_trace(evidence)
    yield from _played(pegs, trace, _reason)
    if not trace:
        yield Step(pegs, pegs, None, "No jump is possible.")


def _counted(pegs: Pegs) -> str:
    return f"{len(pegs)} peg{'' if len(pegs) == 1 else 's'}"


def _played(pegs: Pegs, trace: list[Jump], reason: Callable[[Pegs, Jump, int], str] | None) -> Iterator[Step]:
    """Yield the jumps of a trace, each with the reason for it."""
    for number, jump in enumerate(trace, start=1):
        on_board = set(pegs)
        play(on_board, jump, number)
        after = frozenset(on_board)
        why = f", {reason(pegs, jump, number)}" if reason else ""
        caption = f"Jump {number}: from {jump.source} over {OVER[jump]} to {jump.target}{why}."
        if number == len(trace):
            caption += f" The end: {_counted(after)}{f' that add up to {sum(after)}' if reason else ''}."
        yield Step(pegs, after, jump, caption)
        pegs = after


def _proof(pegs: Pegs, certificate: str, left: int) -> Step:
    """Return the reason why no play leaves fewer than `left` pegs; for a class of two, the board with its colours."""
    if certificate != CLASS:
        caption = f"Boards that can be reached, with this one: {int(certificate):,}. None has fewer pegs than {left}."
        return Step(pegs, pegs, None, caption)
    ways = ((way, pegs_by_colour(set(pegs), way)) for way in DIAGONALS)
    for way, counts in ways if left > 1 else ():
        parities = {count % 2 for count in counts}
        if len(parities) == 1:
            caption = (
                "The diagonals have three colours in turn, a, b and c. The numbers of pegs on them, "
                f"{counts[0]}, {counts[1]} and {counts[2]}, are all {'odd' if 1 in parities else 'even'}. Each jump "
                "changes all three by one, so they stay all odd or all even. A single peg is on one colour only: two "
                "pegs must stay."
            )
            return Step(pegs, pegs, None, caption, {hole: "abc"[colour] for hole, colour in COLOURS[way].items()})
    return Step(pegs, pegs, None, f"No play can leave fewer pegs than {left}.")


def _reason(pegs: Pegs, jump: Jump, step: int) -> str:
    """Return why the rule chooses a jump: the largest target, and from the largest hole if several jumps have it.

    Raises
    ------
    IllegalMove
        If the rule chooses another jump.
    """
    best, *others = [
        possible
        for possible, over in OVER.items()
        if over in pegs and possible.source in pegs and possible.target not in pegs
    ]
    if jump != best:
        raise IllegalMove(step, f"the prescribed jump is {best}, not {jump}")
    if not others:
        return "the only possible jump"
    same = any(alternative.target == jump.target for alternative in others)
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
            yield text(*middle, step.letters.get(hole, str(hole)), 20, LIGHT if pegged else INKED, bold=pegged)
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
