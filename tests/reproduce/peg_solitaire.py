"""All positions of peg solitaire from the central start, jump by jump, with the number of ways to play to them.

Positions that turn or mirror into each other count as one, which the least of their eight bitboards stands for. The
start looks the same from all sides, so each of them is reached in equally many ways; the ways to reach any of them are
the sum, over the jumps that lead there from the representatives before, of the ways to reach those.

In a bitboard hole h is bit h - 1, and flipping the three bits of a jump plays it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.batch import Numbers
from dealmill.pipeline.games.hi_q.layout import HOLES
from dealmill.pipeline.games.kernels import kernel
from tests.games.hi_q.naive import LINES, NUMBERS

Boards = NDArray[np.uint64]

PEGS_BEFORE = np.array([1 << source - 1 | 1 << over - 1 for source, over, _ in LINES], dtype=np.uint64)
CONCERNED = PEGS_BEFORE | np.array([1 << target - 1 for _, _, target in LINES], dtype=np.uint64)

MOST_JUMPS = HOLES - 2
ALL_PEGS = (1 << HOLES) - 1
CENTRE = 1 << (HOLES // 2)

LIMB = 40
"""Ways are counted up to 2⁶⁹, in a low number of so many bits and a high one for the rest."""
LOW = (1 << LIMB) - 1

MOST_SLOTS = 1 << 23
"""So a table is less than half full with the 3,626,632 positions of the largest level."""
SPREADER = np.uint64(0x9E3779B97F4A7C15)
BEST_BITS = np.uint64(41)
"""The 23 highest bits of a product are its best mixed ones."""

PARTS, PART = 3, 11
"""A board is mirrored part by part, each of so many holes, from tables."""
PART_BITS = np.uint64(PART)
PART_MASK = np.uint64((1 << PART) - 1)


class Level(NamedTuple):
    """Positions after the same number of jumps, and the ways to play to each."""

    boards: Boards
    low: Numbers
    high: Numbers

    def ways(self, chosen: NDArray[np.bool_]) -> int:
        """To all of the chosen positions together."""
        return (int(self.high[chosen].sum()) << LIMB) + int(self.low[chosen].sum())


@dataclass(frozen=True)
class Spread:
    """The positions after 0, 1, 2, … jumps, the games that end there, and the solutions if it went that far."""

    boards: list[Boards]
    ended: list[int]
    solutions: int

    def counts(self) -> tuple[int, ...]:
        """How many positions there are after each number of jumps."""
        return tuple(map(len, self.boards))


@cache
def spread(jumps: int) -> Spread:
    """Play everything, up to a number of jumps."""
    images = _image_tables()
    level = Level(np.array([ALL_PEGS ^ CENTRE], dtype=np.uint64), np.ones(1, np.int64), np.zeros(1, np.int64))
    boards, ended, solutions = [], [], 0
    for _ in range(jumps + 1):
        table = _empty_table(len(level.boards))
        dead = _play_each(level, images, table)
        boards.append(level.boards)
        ended.append(level.ways(dead))
        solutions += level.ways(level.boards == CENTRE)
        used = np.flatnonzero(table.boards)
        level = Level(table.boards[used], table.low[used], table.high[used])
    return Spread(boards, ended, solutions)


def still_winnable(boards: Sequence[Boards], jumps: int) -> int:
    """How many of the positions after so many jumps can be played to one peg in the centre.

    A jump played backwards is a jump when pegs and holes change places. So these are the positions which, with pegs
    and holes exchanged, can be reached from the start, in as many jumps as are left.
    """
    exchanged = boards[jumps] ^ np.uint64(ALL_PEGS)
    _stand_in(exchanged, _image_tables())
    return len(np.intersect1d(exchanged, boards[MOST_JUMPS - jumps], assume_unique=True))


def _empty_table(positions: int) -> Level:
    """Room for the positions after these; none has more jumps than the board."""
    slots = min(MOST_SLOTS, 1 << (positions * len(CONCERNED)).bit_length())
    return Level(np.zeros(slots, np.uint64), np.zeros(slots, np.int64), np.zeros(slots, np.int64))


@cache
def _image_tables() -> Boards:
    """For each part of the board and all pegs it can have, where the eight symmetries lay them.

    The symmetries come last: so the eight images of a part lie in one line of the processor's cache.
    """
    tables = np.zeros((PARTS, 1 << PART, 8), dtype=np.uint64)
    for symmetry, holes in enumerate(_symmetries()):
        for bit, hole in enumerate(holes):
            part, place = divmod(bit, PART)
            with_peg = np.arange(1 << PART) >> place & 1 == 1
            tables[part, with_peg, symmetry] |= np.uint64(1 << (hole - 1))
    return tables


def _symmetries() -> list[list[int]]:
    """The holes in the order in which the board is read from each side, and in a mirror."""
    grid = NUMBERS
    orders = []
    for _ in range(4):
        grid = [list(column) for column in zip(*grid[::-1], strict=True)]
        orders += [[hole for row in view for hole in row if hole] for view in (grid, grid[::-1])]
    return orders


@kernel
def _play_each(level: Level, images: Boards, table: Level) -> NDArray[np.bool_]:
    """Enter all positions one jump later, with their ways, into the table; return which ones have no jump."""
    dead = np.ones(len(level.boards), dtype=np.bool_)
    for i in range(len(level.boards)):
        board = level.boards[i]
        for jump in range(len(CONCERNED)):
            if board & CONCERNED[jump] == PEGS_BEFORE[jump]:
                dead[i] = False
                slot = _slot(table.boards, _representative(board ^ CONCERNED[jump], images))
                low = table.low[slot] + level.low[i]
                table.low[slot] = low & LOW
                table.high[slot] += level.high[i] + (low >> LIMB)
    return dead


@kernel
def _slot(boards: Boards, board: np.uint64) -> int:
    """Where a board stands in the table, or is entered now."""
    slot = np.int64((board * SPREADER) >> BEST_BITS) & (len(boards) - 1)
    while boards[slot] != board:
        if boards[slot] == 0:
            boards[slot] = board
            break
        slot = (slot + 1) & (len(boards) - 1)
    return int(slot)


@kernel
def _representative(board: np.uint64, images: Boards) -> np.uint64:
    first = board & PART_MASK
    second = board >> PART_BITS & PART_MASK
    third = board >> PART_BITS >> PART_BITS
    least = board
    for symmetry in range(8):
        image = images[0, first, symmetry] | images[1, second, symmetry] | images[2, third, symmetry]
        least = min(least, image)
    return least


@kernel
def _stand_in(boards: Boards, images: Boards) -> None:
    """Put the representative in the place of each board."""
    for i in range(len(boards)):
        boards[i] = _representative(boards[i], images)
