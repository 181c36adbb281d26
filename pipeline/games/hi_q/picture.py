"""Hi-Q as text: the cross-shaped board with its pegs, and the last jump."""

from collections.abc import Iterator

from dealmill.pipeline.games.hi_q.rules import HOLE_AT, OVER, play, read_trace, start
from dealmill.pipeline.games.scene import Scene, plain
from dealmill.pipeline.games.verdict import Verdict

PEG, HOLE, LEFT, JUMPED, LANDED = "●", "·", "○", "×", "◉"
SIZE = 7


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the board, then the board after each jump: `○` marks its source, `×` the hole jumped over, `◉` its target.

    Raises
    ------
    InvalidEvidence
        If the jumps in `evidence` cannot be read or played.
    """
    pegs = start(layout)
    yield f"{_board(pegs, {})}\n\n{len(pegs)} pegs; the holes with pegs add up to {sum(pegs)}."
    if verdict is not Verdict.SCORED or evidence is None:
        return
    trace = read_trace(evidence)
    for number, jump in enumerate(trace, start=1):
        pegs = play(pegs, jump, number)
        jumped = OVER[jump]
        ending = f"; the end: {len(pegs)} pegs that add up to {sum(pegs)}" if number == len(trace) else ""
        caption = f"Jump {number}: from {jump.source} over {jumped} to {jump.target}{ending}."
        yield f"{_board(pegs, {jump.source: LEFT, jumped: JUMPED, jump.target: LANDED})}\n\n{caption}"
    if not trace:
        yield f"{_board(pegs, {})}\n\nNo jump is possible."


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the pictures of the layout and of each step.

    Raises
    ------
    InvalidEvidence
        If the evidence cannot be read or proves nothing.
    """
    return plain(frames(layout, verdict, evidence))


def _board(pegs: frozenset[int], marks: dict[int, str]) -> str:
    """Return the board, each row preceded by the number of its first hole."""
    lines = []
    for row in range(SIZE):
        holes = [HOLE_AT.get((row, column)) for column in range(SIZE)]
        signs = [" " if hole is None else marks.get(hole, PEG if hole in pegs else HOLE) for hole in holes]
        first = next(hole for hole in holes if hole is not None)
        lines.append(f"{first:>4}   {' '.join(signs)}".rstrip())
    return "\n".join(lines)
