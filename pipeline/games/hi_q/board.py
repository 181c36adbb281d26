"""The board of Hi-Q in 56 bits, and tables of its jumps for the engine.

Each row takes eight bits, one of which is unused, so that a shifted board does not wrap around at the edge. The last
hole is the lowest bit, since the problem statement prefers jumps to the largest hole.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Bytes, Numbers
from dealmill.pipeline.games.hi_q.layout import ROWS

Boards = NDArray[np.uint64]

ROW = 8
BITS = 64
DIRECTIONS = ((1, 0), (0, 1), (0, -1), (-1, 0))
"""Rows and columns from the target of a jump to the hole it passes over, in the order of preference in the problem
statement. The number of a jump is ``BITS * direction + bit of its target``."""
NAME_ROOM = 8
"""Bytes for the name of a jump (``33-33`` at most): rows of eight bytes are copied fastest."""


def _bits() -> dict[tuple[int, int], int]:
    widest = max(ROWS)
    return {
        (row, column): ROW * (len(ROWS) - 1 - row) + widest - 1 - column
        for row, length in enumerate(ROWS)
        for column in range((widest - length) // 2, (widest + length) // 2)
    }


BIT_OF = _bits()
"""The bit of each hole by row and column, in the order of the holes."""
BOARD = sum(1 << bit for bit in BIT_OF.values())


def hole_numbers() -> Numbers:
    """Return the number of the hole of each bit; 0 for an unused bit."""
    holes = np.zeros(BITS, dtype=np.int64)
    for number, bit in enumerate(BIT_OF.values(), start=1):
        holes[bit] = number
    return holes


def sign_bits() -> Boards:
    """Return a word for each character of a layout, with the bit of its hole set; 0 for a slash."""
    holes = iter(BIT_OF.values())
    signs = "/".join("O" * length for length in ROWS)
    return np.array([0 if sign == "/" else 1 << next(holes) for sign in signs], dtype=np.uint64)


def jumps() -> Iterator[tuple[int, int, int, int]]:
    """Yield all jumps: the number of each, and the bits of its source, jumped and target hole."""
    for direction, (down, right) in enumerate(DIRECTIONS):
        for (row, column), target in BIT_OF.items():
            over, source = BIT_OF.get((row + down, column + right)), BIT_OF.get((row + 2 * down, column + 2 * right))
            if over is not None and source is not None:
                yield BITS * direction + target, source, over, target


def jump_holes() -> Boards:
    """Return the three holes of each jump, as bits; flipping them plays the jump."""
    concerned = np.zeros(len(DIRECTIONS) * BITS, dtype=np.uint64)
    for jump, *bits in jumps():
        concerned[jump] = sum(1 << bit for bit in bits)
    return concerned


def jump_names() -> tuple[Bytes, NDArray[np.uint64]]:
    """Return the name of each jump, padded with spaces, and its length including one space."""
    holes = hole_numbers()
    names = np.full((len(DIRECTIONS) * BITS, NAME_ROOM), ord(" "), dtype=np.uint8)
    lengths = np.zeros(len(names), dtype=np.uint64)
    for jump, source, _, target in jumps():
        name = f"{holes[source]}-{holes[target]} ".encode()
        names[jump, : len(name)] = list(name)
        lengths[jump] = len(name)
    return names, lengths
