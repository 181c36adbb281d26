"""The rules of Peg row and its referee."""

import re

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play the jumps of a win, or count the positions that can be reached in a loss.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    if not re.fullmatch(r"[o.]{4,20}", layout, re.ASCII) or layout.count("o") < 2:
        raise InvalidEvidence(0, "the layout is not a row of 4 to 20 holes with two pegs or more")
    if engine != "winnable" or value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    if verdict is Verdict.WINNABLE:
        _check_win(layout, evidence)
    elif verdict is Verdict.UNWINNABLE:
        _check_loss(layout, evidence)
    else:
        raise InvalidEvidence(0, f"{engine} cannot prove that a row is {verdict.word}")


def jump(row: str, start: int, end: int) -> str | None:
    """Return the row after a jump between holes, counted from 1; None if the rules do not allow it."""
    low, high = sorted((start - 1, end - 1))
    if high - low != 2 or low < 0 or high >= len(row):
        return None
    if row[low : high + 1] != ("oo." if start < end else ".oo"):
        return None
    return f"{row[:low]}{'..o' if start < end else 'o..'}{row[high + 1 :]}"


def _check_win(row: str, evidence: str) -> None:
    words = evidence.split(" ")
    for step, word in enumerate(words, start=1):
        holes = re.fullmatch(r"([1-9]\d?)-([1-9]\d?)", word, re.ASCII)
        if not holes:
            raise InvalidEvidence(step, f"{word!r} is not a jump")
        after = jump(row, int(holes[1]), int(holes[2]))
        if after is None:
            raise IllegalMove(step, f"no peg can jump from hole {holes[1]} to hole {holes[2]}")
        row = after
    if row.count("o") != 1:
        raise InvalidEvidence(len(words), f"{row.count('o')} pegs are left, expected 1")


def _check_loss(row: str, evidence: str) -> None:
    """Visit all positions that can be reached: none has a single peg, and their number is the evidence."""
    reached, waiting = {row}, [row]
    while waiting:
        position = waiting.pop()
        if position.count("o") == 1:
            raise InvalidEvidence(1, "the row can be won")
        ends = [(hole, hole + way) for hole in range(1, len(row) + 1) for way in (-2, 2)]
        after = {found for start, end in ends if (found := jump(position, start, end))} - reached
        reached |= after
        waiting += after
    if evidence != str(len(reached)):
        raise InvalidEvidence(1, f"{len(reached)} positions can be reached, not {evidence}")
