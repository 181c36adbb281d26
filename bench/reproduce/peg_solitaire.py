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
from dealmill.pipeline.games.kernels import inlined, kernel
from tests.games.hi_q.naive import LINES, NUMBERS

Boards = NDArray[np.uint64]

PEGS_BEFORE = np.array([1 << source - 1 | 1 << over - 1 for source, over, _ in LINES], dtype=np.uint64)
CONCERNED = PEGS_BEFORE | np.array([1 << target - 1 for _, _, target in LINES], dtype=np.uint64)

SOURCES = np.array([source for source, _, _ in LINES])
TARGETS = np.array([target for _, _, target in LINES])

MAX_JUMPS = HOLES - 2
ALL_PEGS = (1 << HOLES) - 1
CENTRE = 1 << (HOLES // 2)

LIMB = 40
"""Ways are counted up to 2⁶⁹, in a low number of so many bits and a high one for the rest."""
LOW = (1 << LIMB) - 1

MAX_SLOTS = 1 << 23
"""So a table is less than half full with the 3,626,632 positions of the largest level."""
ALL_SLOTS = 1 << 26
"""As many as are needed for all 23,475,688 positions at once, or for the largest level from `VACANCIES` of a class."""
VACANCIES = ((2, 17), (4, 9), (1, 5, 10))
"""A hole of each kind, up to the symmetries, in groups. Vacancies of two groups are in different classes, so no
board can be reached from both."""
SPREADER = np.uint64(0x9E3779B97F4A7C15)
BEST_BITS = np.uint64(38)
"""The 26 highest bits of a product are its best mixed ones."""

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
    return len(np.intersect1d(exchanged, boards[MAX_JUMPS - jumps], assume_unique=True))


def reducible_boards() -> int:
    """How many boards can be reduced to at most one peg, the empty one among them; all symmetric ones are counted.

    With pegs and holes exchanged, these are those that can be reached from a vacancy, and the full one.
    """
    images = _image_tables()
    total = 1
    for holes in VACANCIES:
        boards = np.array([ALL_PEGS ^ 1 << hole - 1 for hole in holes], dtype=np.uint64)
        _stand_in(boards, images)
        while len(boards):
            total += _count_images(boards, images)
            table = np.zeros(min(ALL_SLOTS, 1 << (len(boards) * len(CONCERNED)).bit_length()), dtype=np.uint64)
            _jump_each(boards, images, table)
            boards = table[table != 0]
    return total


def fewest_moves() -> int:
    """The moves to one peg in the centre, from the start; a move is one or more jumps by one peg."""
    images = _image_tables()
    seen, reached = np.zeros(ALL_SLOTS, dtype=np.uint64), np.empty(ALL_SLOTS, dtype=np.uint64)
    boards = np.array([ALL_PEGS ^ CENTRE], dtype=np.uint64)
    moves = 0
    while CENTRE not in boards:
        moves += 1
        boards = reached[: _move_each(boards, images, seen, reached)].copy()
    return moves


def _empty_table(positions: int) -> Level:
    """Room for the positions after these; none has more jumps than the board."""
    slots = min(MAX_SLOTS, 1 << (positions * len(CONCERNED)).bit_length())
    return Level(np.zeros(slots, np.uint64), np.zeros(slots, np.int64), np.zeros(slots, np.int64))


@cache
def _image_tables() -> Boards:
    """For each part of the board and all pegs it can have, where the eight symmetries lay them.

    The symmetries come last: so the eight images of a part lie in one line of the processor's cache.
    """
    tables = np.zeros((PARTS, 1 << PART, 8), dtype=np.uint64)
    for symmetry, holes in enumerate(_symmetries()):
        for bit, hole in enumerate(holes):
            part, offset = divmod(bit, PART)
            with_peg = np.arange(1 << PART) >> offset & 1 == 1
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
def _count_images(boards: Boards, images: Boards) -> int:
    """How many boards turn or mirror into one of these representatives."""
    count = 0
    for board in boards:
        fixed = 0
        for symmetry in range(8):
            fixed += _image(board, images, symmetry) == board
        count += 8 // fixed
    return count


@kernel
def _jump_each(boards: Boards, images: Boards, table: Boards) -> None:
    """Enter all boards one jump later into the table."""
    for board in boards:
        for jump in range(len(CONCERNED)):
            if board & CONCERNED[jump] == PEGS_BEFORE[jump]:
                _slot(table, _representative(board ^ CONCERNED[jump], images))


@kernel
def _move_each(boards: Boards, images: Boards, seen: Boards, reached: Boards) -> int:
    """Enter all boards one move later among those seen; set `reached` to the new ones, and return how many they are."""
    later, movers = np.empty(1_000, dtype=np.uint64), np.empty(1_000, dtype=np.int64)
    count = 0
    for first in boards:
        later[0], movers[0], waiting = first, 0, 1
        while waiting:
            waiting -= 1
            board, mover = later[waiting], movers[waiting]
            for jump in range(len(CONCERNED)):
                if mover in (0, SOURCES[jump]) and board & CONCERNED[jump] == PEGS_BEFORE[jump]:
                    after = board ^ CONCERNED[jump]
                    later[waiting], movers[waiting] = after, TARGETS[jump]
                    waiting += 1
                    representative = _representative(after, images)
                    if _is_new(seen, representative):
                        reached[count] = representative
                        count += 1
    return count


@kernel
def _is_new(boards: Boards, board: np.uint64) -> bool:
    """Whether a board was not in the table; it is now."""
    slot = np.int64((board * SPREADER) >> BEST_BITS) & (len(boards) - 1)
    while boards[slot] != board and boards[slot] != 0:
        slot = (slot + 1) & (len(boards) - 1)
    new = boards[slot] == 0
    boards[slot] = board
    return bool(new)


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
    least = board
    for symmetry in range(8):
        least = min(least, _image(board, images, symmetry))
    return least


@inlined
def _image(board: np.uint64, images: Boards, symmetry: int) -> np.uint64:
    first = images[0, board & PART_MASK, symmetry]
    second = images[1, board >> PART_BITS & PART_MASK, symmetry]
    third = images[2, board >> PART_BITS >> PART_BITS, symmetry]
    return np.uint64(first | second | third)


@kernel
def _stand_in(boards: Boards, images: Boards) -> None:
    """Put the representative in the place of each board."""
    for i in range(len(boards)):
        boards[i] = _representative(boards[i], images)
