"""The rules and the referee. It imports nothing but `dealmill.verdicts`."""

import re
from itertools import pairwise

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict


def check(
    engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str
) -> None:
    """Check that the evidence proves the verdict.

    Raises
    ------
    InvalidEvidence
        If it does not; the step at fault is 0 for the layout and the verdict.
    """
    if not re.fullmatch(r"[1-9]{4,60}", layout, re.ASCII):
        raise InvalidEvidence(0, "the layout is not a row of 4 to 60 digits")
    if value is not None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        raise InvalidEvidence(0, f"{engine} does not give this verdict")
    squares = read_squares(layout, evidence)
    if verdict is Verdict.WINNABLE:
        _check_win(layout, squares)
    else:
        _check_loss(layout, squares)


def read_squares(row: str, evidence: str) -> list[int]:
    """Read numbers of squares, counted from 1.

    Raises
    ------
    InvalidEvidence
        If the text is something else.
    """
    words = evidence.split(" ")
    for step, word in enumerate(words, start=1):
        if not re.fullmatch(r"[1-9]\d?", word, re.ASCII) or int(word) > len(row):
            raise InvalidEvidence(step, f"{word!r} is not a square of the row")
    return [int(word) for word in words]


def jumps(row: str, square: int) -> list[int]:
    """Return the squares to which the token can jump."""
    length = int(row[square - 1])
    return [to for to in (square - length, square + length) if 1 <= to <= len(row)]


def _check_win(row: str, squares: list[int]) -> None:
    """The token visits these squares, the first one first and the last one last."""
    if squares[0] != 1:
        raise InvalidEvidence(1, "the token starts on square 1")
    for step, (square, to) in enumerate(pairwise(squares), 2):
        if to not in jumps(row, square):
            raise IllegalMove(step, f"the token cannot jump from {square} to {to}")
    if squares[-1] != len(row):
        raise InvalidEvidence(len(squares), "the token does not reach the last square")


def _check_loss(row: str, squares: list[int]) -> None:
    """No jump leads out of these squares, and the last one is not among them."""
    if squares[0] != 1 or squares != sorted(set(squares)):
        raise InvalidEvidence(1, "the squares are not in order, or 1 is missing")
    for step, square in enumerate(squares, start=1):
        if square == len(row):
            raise InvalidEvidence(step, "the token reaches the last square")
        for to in jumps(row, square):
            if to not in squares:
                raise InvalidEvidence(step, f"a jump leads from {square} to {to}")
