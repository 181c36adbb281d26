"""The board of Hi-Q in 56 bits, and the jumps on it as tables for the engine.

Each row takes eight bits, one of which no hole uses, so that a shifted board does not run round the edge. The last hole
is the lowest bit: the statement prefers jumps to it.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.batch import Bytes, Numbers
from dealmill.pipeline.games.hi_q.layout import ROWS

Boards = NDArray[np.uint64]

ROW = 8
BITS = 64
DIRECTIONS = ((1, 0), (0, 1), (0, -1), (-1, 0))
"""Rows and columns from the target of a jump to the hole it goes over, in the order that the statement prefers. A jump
is ``BITS * direction + bit of its target``."""
NAME_ROOM = 8
"""For the name of a jump, ``33-33`` at the longest: rows of eight bytes are copied fastest."""


def _bits() -> dict[tuple[int, int], int]:
    widest = max(ROWS)
    return {
        (row, column): ROW * (len(ROWS) - 1 - row) + widest - 1 - column
        for row, length in enumerate(ROWS)
        for column in range((widest - length) // 2, (widest + length) // 2)
    }


BIT_OF = _bits()
"""The bit of each hole by row and column, hole by hole."""
BOARD = sum(1 << bit for bit in BIT_OF.values())


def hole_numbers() -> Numbers:
    """The number of the hole of each bit; 0 where there is none."""
    holes = np.zeros(BITS, dtype=np.int64)
    for number, bit in enumerate(BIT_OF.values(), start=1):
        holes[bit] = number
    return holes


def sign_bits() -> Boards:
    """The bit of the hole that each sign of a layout stands for; none for a stroke."""
    holes = iter(BIT_OF.values())
    signs = "/".join("O" * length for length in ROWS)
    return np.array([0 if sign == "/" else 1 << next(holes) for sign in signs], dtype=np.uint64)


def jumps() -> Iterator[tuple[int, int, int, int]]:
    """All jumps: the number of each, and the bits of source, jumped and target hole."""
    for direction, (down, right) in enumerate(DIRECTIONS):
        for (row, column), target in BIT_OF.items():
            over, source = BIT_OF.get((row + down, column + right)), BIT_OF.get((row + 2 * down, column + 2 * right))
            if over is not None and source is not None:
                yield BITS * direction + target, source, over, target


def jump_holes() -> Boards:
    """The three holes of each jump; flipping them plays it."""
    concerned = np.zeros(len(DIRECTIONS) * BITS, dtype=np.uint64)
    for jump, *bits in jumps():
        concerned[jump] = sum(1 << bit for bit in bits)
    return concerned


def jump_names() -> tuple[Bytes, NDArray[np.uint64]]:
    """Each jump as it is written, with blanks behind it, and its length with one of them."""
    holes = hole_numbers()
    names = np.full((len(DIRECTIONS) * BITS, NAME_ROOM), ord(" "), dtype=np.uint8)
    lengths = np.zeros(len(names), dtype=np.uint64)
    for jump, source, _, target in jumps():
        name = f"{holes[source]}-{holes[target]} ".encode()
        names[jump, : len(name)] = list(name)
        lengths[jump] = len(name)
    return names, lengths
