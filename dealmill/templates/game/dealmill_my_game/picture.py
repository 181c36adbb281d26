"""Boards as text and as pictures: the layout, and one for each step of its evidence."""

from collections.abc import Iterator

from dealmill.game import CHOSEN, Scene, box, card, scene
from dealmill.verdicts import Verdict

from .rules import check, read_squares

CELL = 40
FIRST = "The token stands on the first square."


def frames(
    layout: str, verdict: Verdict | None = None, evidence: str | None = None
) -> Iterator[str]:
    """Yield text boards.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    for marked, caption in _steps(layout, verdict, evidence):
        marks = ["^" if square in marked else " " for square in _squares(layout)]
        yield f"{' '.join(layout)}\n{' '.join(marks).rstrip()}\n\n{caption}"


def scenes(
    layout: str, verdict: Verdict | None = None, evidence: str | None = None
) -> Iterator[Scene]:
    """Yield the same as pictures.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    for marked, caption in _steps(layout, verdict, evidence):
        parts = [_square(layout, square, marked) for square in _squares(layout)]
        yield scene(CELL * len(layout), CELL, parts, caption, f"{layout}. {caption}")


def _squares(row: str) -> range:
    return range(1, len(row) + 1)


def _square(row: str, square: int, marked: list[int]) -> str:
    left, size = CELL * (square - 1) + 2, CELL - 4
    frame = box(left, 2, size, size, CHOSEN) if square in marked else ""
    return card(left, 2, size, size, row[square - 1]) + frame


def _steps(
    layout: str, verdict: Verdict | None, evidence: str | None
) -> Iterator[tuple[list[int], str]]:
    """Yield the marked squares of each step, and a caption."""
    yield [1], FIRST
    if evidence is None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        return
    check("winnable", layout, verdict, None, evidence)
    squares = read_squares(layout, evidence)
    if verdict is Verdict.UNWINNABLE:
        yield squares, "Lost: no jump leads out of the marked squares."
        return
    for step, square in enumerate(squares[1:], start=1):
        yield [square], f"Jump {step}: to square {square}."
