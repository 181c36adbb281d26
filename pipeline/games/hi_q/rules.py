"""The rules of Hi-Q and its referee, which plays one jump at a time.

That no play leaves fewer pegs than a certain number is proved in one of two ways. The diagonals of the board have three
colours in turn. A jump flips a hole of each colour, so the numbers of pegs on the three colours stay all odd or all
even, if they are; and a single peg is on only one of them. This *class* holds for the diagonals of each direction.
Otherwise, the boards that can be reached are visited.
"""

import re
from collections.abc import Iterator
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
DIAGONALS = (1, -1)
"""The directions of the diagonals: the holes of a diagonal have the same row plus, or minus, column."""
COLOURS = {way: {hole: (row + way * column) % 3 for hole, (row, column) in PLACE_OF.items()} for way in DIAGONALS}
"""For each direction of diagonals, the colour of each hole."""

ROW = 9
"""The bits of a row of a board: two more than columns, so that no jump leads around the edge."""
BIT_OF = {hole: 1 << ROW * row + column for hole, (row, column) in PLACE_OF.items()}
ALL_HOLES = sum(BIT_OF.values())
MAX_BOARDS = 4_000_000
"""The referee refuses a certificate that counts more boards. To visit so many takes about five seconds."""

CLASS = "class"
FEWEST = re.compile(f"({CLASS}|[1-9][0-9]{{0,6}})(?: (.+))?", re.ASCII)
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
    """Play the trace. For `greedy`, check that every jump is the prescribed one, that no jump is left, and that the sum
    is right; for `fewest`, that no play leaves fewer pegs.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict and its value.
    """
    if engine not in ("greedy", "fewest") or verdict is not Verdict.SCORED:
        raise InvalidEvidence(0, f"{engine} cannot prove that a board is {verdict.word}")
    if not LAYOUT.fullmatch(layout):
        raise InvalidEvidence(0, "the layout is not a board of 33 holes in seven rows")
    if engine == "greedy":
        _check_greedy(start(layout), value, evidence)
    else:
        _check_fewest(start(layout), value, evidence)


def _check_greedy(pegs: set[int], value: int | None, evidence: str) -> None:
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


def _check_fewest(pegs: set[int], value: int | None, evidence: str) -> None:
    certificate, trace = read_fewest(evidence)
    if value != len(pegs) - len(trace):
        raise InvalidEvidence(0, f"{len(trace)} jumps leave {len(pegs) - len(trace)} pegs, not {value}")
    board, least = sum(BIT_OF[hole] for hole in pegs), least_of_class(pegs)
    for step, jump in enumerate(trace, start=1):
        play(pegs, jump, step)
    if certificate == CLASS:
        if value != least:
            raise InvalidEvidence(0, f"the class of the board allows {least} pegs, and the play leaves {value}")
        return
    stated = int(certificate)
    if stated > MAX_BOARDS:
        raise InvalidEvidence(0, f"{stated:,} boards are more than the referee visits, {MAX_BOARDS:,}")
    boards, fewest = reachable(board, stated)
    if boards > stated:
        raise InvalidEvidence(0, f"more than {stated:,} boards can be reached")
    if boards != stated:
        raise InvalidEvidence(0, f"{boards:,} boards that can be reached were visited, not {stated:,}")
    if value != fewest:
        raise InvalidEvidence(0, f"another play leaves {fewest} pegs, and this one {value}")


def read_fewest(evidence: str) -> tuple[str, list[Jump]]:
    """Return the certificate, `CLASS` or a number of boards, and the jumps: ``7 12-26 25-27``.

    Raises
    ------
    InvalidEvidence
        If the evidence has another form.
    """
    match = FEWEST.fullmatch(evidence)
    if not match:
        raise InvalidEvidence(0, f"{evidence[:20]!a} does not begin with {CLASS} or the number of boards")
    return match[1], read_trace(match[2])


def pegs_by_colour(pegs: set[int], way: int) -> list[int]:
    """Return the numbers of pegs on the holes of each colour, for a direction of diagonals."""
    return [sum(COLOURS[way][hole] == colour for hole in pegs) for colour in range(3)]


def least_of_class(pegs: set[int]) -> int:
    """Return a number of pegs that every play leaves: 2 if the pegs on three colours are all odd or all even."""
    if any(len({count % 2 for count in pegs_by_colour(pegs, way)}) == 1 for way in DIAGONALS):
        return min(2, len(pegs))
    return 1


def reachable(board: int, limit: int) -> tuple[int, int]:
    """Return the number of boards that can be reached, this one among them, and the fewest pegs on one of them.

    Stops at the first board after which there are more than `limit` boards. A board has the bits `BIT_OF` of its pegs.
    """
    boards, pegs, layer = 1, board.bit_count(), {board}
    while True:
        following = set[int]()
        for reached in layer:
            following.update(after_jumps(reached))
            if boards + len(following) > limit:
                return boards + len(following), pegs
        if not following:
            return boards, pegs
        boards, pegs, layer = boards + len(following), pegs - 1, following


def after_jumps(board: int) -> Iterator[int]:
    """Yield the boards after each jump: of three holes in a line, the middle one and one of the others have pegs."""
    holes = ALL_HOLES ^ board
    for step in (1, ROW):
        three = 1 | 1 << step | 1 << 2 * step
        lowest = board >> step & (board & holes >> 2 * step | holes & board >> 2 * step)
        while lowest:
            low = lowest & -lowest
            lowest ^= low
            yield board ^ low * three
