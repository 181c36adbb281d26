"""Peg row as text and as pictures: the row before the first jump and after each."""

from collections.abc import Iterator

from dealmill.game import BACKED, CARD, CHOSEN, Scene, circle, scene
from dealmill.verdicts import Verdict
from dealmill_peg_row.rules import check, jump

CELL = 40
FIRST = "The row before the first jump."


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the row, then the row after each jump, or the reason why it is lost.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    for row, _, caption in _positions(layout, verdict, evidence):
        yield f"{' '.join(row)}\n\n{caption}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the same as pictures; a ring marks the peg that has jumped.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    for row, jumped, caption in _positions(layout, verdict, evidence):
        holes = [_hole(number, symbol, jumped) for number, symbol in enumerate(row, start=1)]
        yield scene(CELL * len(row), CELL, holes, caption, f"The row {row}. {caption}")


def _hole(number: int, symbol: str, jumped: int) -> str:
    x, y = CELL * (number - 0.5), CELL / 2
    ring = circle(x, y, 14, CHOSEN) if number == jumped else ""
    return circle(x, y, 12, BACKED if symbol == "o" else CARD) + ring


def _positions(layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[tuple[str, int, str]]:
    """Yield rows, each with the hole in which a jump has ended, or 0, and a caption."""
    yield layout, 0, FIRST
    if evidence is None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        return
    check("winnable", layout, verdict, None, evidence)
    if verdict is Verdict.UNWINNABLE:
        yield layout, 0, f"Lost: {evidence} positions can be reached, and none has a single peg."
        return
    row = layout
    for step, word in enumerate(evidence.split(" "), start=1):
        start, end = map(int, word.split("-"))
        row = jump(row, start, end) or row
        yield row, end, f"Jump {step}: {start} to {end}."
