"""The rules of Hi-Q and its referee, which plays one jump at a time."""

import re
from typing import NamedTuple

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

BOARD = (
    "      1  2  3      ",
    "      4  5  6      ",
    "7  8  9  10 11 12 13",
    "14 15 16 17 18 19 20",
    "21 22 23 24 25 26 27",
    "      28 29 30      ",
    "      31 32 33      ",
)
"""The board as shown in the problem statement; a hole is three characters wide."""

PLACE_OF = {
    int(line[start : start + 3]): (row, start // 3)
    for row, line in enumerate(BOARD)
    for start in range(0, 21, 3)
    if line[start : start + 3].strip()
}
HOLE_AT = {place: hole for hole, place in PLACE_OF.items()}
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


class Jump(NamedTuple):
    """A jump of a peg. Jumps compare by the preference in the problem statement, the preferred one being greater."""

    target: int
    source: int

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


OVER = dict(
    sorted(
        (
            (Jump(HOLE_AT[row + 2 * down, column + 2 * right], source), HOLE_AT[row + down, column + right])
            for source, (row, column) in PLACE_OF.items()
            for down, right in STEPS
            if (row + 2 * down, column + 2 * right) in HOLE_AT
        ),
        reverse=True,
    )
)
"""All jumps on the board, in order of preference, each with the hole that it passes over."""
NAMED = {str(jump): jump for jump in OVER}
JUMPS = tuple((jump.target, jump.source, over, jump) for jump, over in OVER.items())
"""The same as tuples of target, source, hole passed over and jump, which are quicker to go through."""
LAYOUT = re.compile("([XO]{3}/){2}([XO]{7}/){3}[XO]{3}/[XO]{3}")
WORD = re.compile(r"([1-9]\d?)-([1-9]\d?)", re.ASCII)


def start(layout: str) -> set[int]:
    """Return the holes with pegs of a layout."""
    signs = layout.replace("/", "")
    return {hole for hole, sign in enumerate(signs, start=1) if sign == "X"}


def best_jump(pegs: set[int]) -> Jump | None:
    """Return the preferred one of the possible jumps (over a neighbouring peg into the empty hole beyond), or None."""
    for target, source, over, jump in JUMPS:
        if over in pegs and source in pegs and target not in pegs:
            return jump
    return None


def play(pegs: set[int], jump: Jump, step: int) -> None:
    """Make a jump.

    Raises
    ------
    IllegalMove
        If the jump is not possible.
    """
    over = OVER.get(jump)
    if over not in pegs or jump.source not in pegs or jump.target in pegs:
        raise IllegalMove(step, f"the jump {jump} is not possible here")
    pegs.remove(jump.source)
    pegs.remove(over)
    pegs.add(jump.target)


def read_trace(evidence: str) -> list[Jump]:
    """Return the jumps of a trace such as ``12-26 25-27``.

    Raises
    ------
    InvalidEvidence
        If a word is not a jump.
    """
    trace = []
    for step, word in enumerate(evidence.split(" ") if evidence else [], start=1):
        jump = NAMED.get(word)
        if jump is None:  # a jump that no board allows is left to the rules
            match = WORD.fullmatch(word)
            if not match:
                raise InvalidEvidence(step, f"{word!r} is not a jump; write FROM-TO, as in 12-26")
            jump = Jump(int(match[2]), int(match[1]))
        trace.append(jump)
    return trace


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play the trace and check that every jump is the prescribed one, that no jump is left, and that the sum is right.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict and its value.
    """
    if engine != "greedy" or verdict is not Verdict.SCORED:
        raise InvalidEvidence(0, f"{engine} cannot prove that a board is {verdict.word}")
    if not LAYOUT.fullmatch(layout):
        raise InvalidEvidence(0, "the layout is not a board of 33 holes in seven rows")
    pegs = start(layout)
    trace = read_trace(evidence)
    for step, jump in enumerate(trace, start=1):
        best = best_jump(pegs)
        play(pegs, jump, step)
        if jump != best:
            raise IllegalMove(step, f"the prescribed jump is {best}, not {jump}")
    if best := best_jump(pegs):
        raise InvalidEvidence(len(trace) + 1, f"the play is not over: the jump {best} is possible")
    if sum(pegs) != value:
        raise InvalidEvidence(len(trace), f"the pegs that are left add up to {sum(pegs)}, not {value}")
