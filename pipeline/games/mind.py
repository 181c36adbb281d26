"""What the careful player of docs/chances.md has in mind, for the kernels of `chances`.

`p` is one array of all this, with the offsets below: the tables in the order in which they were found, and a hash table
of their keys. `lots` are the lots of the moves that led to them.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.batch import Batch, Solved, Texts, to_solved, to_strings
from dealmill.pipeline.games.bits import int64
from dealmill.pipeline.games.careful import PLAYS
from dealmill.pipeline.games.fields import Fields
from dealmill.pipeline.games.kernels import inlined, routine
from dealmill.pipeline.games.rules_files import MAX_COLUMNS
from dealmill.pipeline.games.verdict import Verdict

Words = NDArray[np.int64]
Lots = NDArray[np.uint64]

MILLION = 1_000_000
DIGITS = "0123456789abcdefghijklmnopqrstuv"
MAX_TABLES = 1_000
"""The player looks no further once there are so many tables in mind."""
MAX_MOVES = 1_500
"""No position of any game has more moves."""
TABLES = MAX_TABLES + MAX_MOVES

SEEN_SIZE = 8_192
ARRAY = Fields()
SEED, LOOKED, COUNT, BEGUN = ARRAY.words(4)
COLUMN_COST = ARRAY.row(MAX_COLUMNS)
ORIGIN, MOVE, COST, OPEN_COST, NEXT, SLOT = ARRAY.rows(6, TABLES)
SEEN = ARRAY.row(SEEN_SIZE)
END = ARRAY.size
CLOSED = 1 << 32
"""The open cost of a table from which the player does not look."""
CARD_LEFT, FACE_DOWN = 4, 20
"""How bad a table is, see docs/chances.md: the points for each card that is left, and for each that lies face down."""
IN_STOCK, CELLS_SQUARED, ABOVE_NEXT = 1, 4, 2
COVERING, MISFIT, BROKEN_RUN, EMPTY_COLUMN = (4, 2), (2, 10), (1, 10), (-4, -12)
"""The other points of patiences. Of two numbers, the second one counts if only whole suits go to foundations."""

ERROR_SHIFT = np.uint64(59)
"""The highest five bits of a lot are the error with which the player judges a table."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FACTOR_1, FACTOR_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT_1, SHIFT_2, SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


def play_layouts(layouts: Texts, max_nodes: int, play: Callable[[str, Words, Lots, Words], None]) -> Solved:
    """Play layouts; a node is a play. With fewer than 1,000, a layout is undecided.

    `play` gets a layout, the two arrays of the mind, and an array in which it writes 1 for each play that is won.
    """
    p, lots = np.zeros(END, dtype=np.int64), np.empty(TABLES, dtype=np.uint64)
    wins = np.empty(min(PLAYS, max_nodes), dtype=np.int64)
    batch = Batch([], [], [], [])
    for layout in to_strings(layouts):
        play(layout, p, lots, wins)
        scored = len(wins) == PLAYS
        batch.verdicts.append(Verdict.SCORED if scored else Verdict.UNDECIDED)
        batch.values.append(int(wins.sum()) * MILLION // PLAYS if scored else None)
        batch.nodes.append(len(wins))
        batch.evidence.append(_digits(wins.tolist()) if scored else None)
    return to_solved(batch)


def _digits(wins: list[int]) -> str:
    """Return a digit for every five plays, of which the first is the highest bit."""
    bits = "".join(map(str, wins))
    return "".join(DIGITS[int(bits[at : at + 5], 2)] for at in range(0, PLAYS, 5))


@inlined
def mixed(number: np.uint64) -> np.uint64:
    """Return 64 bits that look random, others for each number: the last step of SplitMix64."""
    number = (number ^ (number >> SHIFT_1)) * FACTOR_1
    number = (number ^ (number >> SHIFT_2)) * FACTOR_2
    return number ^ (number >> SHIFT_3)


@inlined
def begin(p: Words, number: int) -> None:
    """Begin a play, the first one with number 0."""
    p[SEED] = np.int64(mixed(np.uint64(number + 1) * GOLDEN))
    p[LOOKED] = 0


@inlined
def forget(p: Words) -> None:
    """Have no table in mind."""
    for table in range(p[COUNT]):
        p[SEEN + p[SLOT + table]] = 0
    p[COUNT] = 0


@inlined
def is_new(p: Words, key: int) -> bool:
    """Return whether there is no table with this key in mind; the next table has it then."""
    at = (key >> 20) & (SEEN_SIZE - 1)
    while p[SEEN + at] != 0 and p[SEEN + at] != key:
        at = (at + 1) & (SEEN_SIZE - 1)
    new = p[SEEN + at] != key
    p[SEEN + at], p[SLOT + p[COUNT]] = key, at
    return bool(new)


@inlined
def add(p: Words, lots: Lots, cost: int, lot: np.uint64, closed: bool) -> None:
    """Add a table that a move leads to; the player does not look from one that is `closed`."""
    count = p[COUNT]
    lots[count], p[COST + count] = lot, cost + np.int64(lot >> ERROR_SHIFT)
    p[OPEN_COST + count] = CLOSED if closed else p[COST + count]
    p[COUNT] += 1


@inlined
def precedes(p: Words, lots: Lots, left: int, right: int) -> bool:
    """Return whether a table seems better than another one, or as good with a higher lot; any is better than none,
    -1."""
    if right < 0 or p[COST + left] != p[COST + right]:
        return bool(right < 0 or p[COST + left] < p[COST + right])
    return bool(lots[left] > lots[right])


@routine
def least_bad(p: Words, lots: Lots) -> int:
    """Return the table that seems least bad of those from which he has not looked, or -1."""
    lowest, table = int64(CLOSED), int64(-1)
    for at in range(p[COUNT]):
        lowest = min(lowest, p[OPEN_COST + at])
    for at in range(p[COUNT]):
        if p[OPEN_COST + at] == lowest and lowest < CLOSED and (table < 0 or lots[at] > lots[table]):
            table = int64(at)
    return table
