"""The array of 64-bit words that holds a layout and a position of the quotient: the offsets of its fields, in capitals.

Cards are numbers, 13 for each suit, counted from the base of the foundations; sets of cards are the bits of a word. The
cards of a column are divided into *blocks*, see docs/proofs/klondike.md. `BLOCKS` is, for each column, the index of its
first row in two tables with a row for each number of blocks that are left: `LOWEST`, the bit of the card that lies on
the other blocks, or nothing if it counts as moved, and `HIDDEN`, the cards of the blocks below.

A position is one number, its key: the cards that are left in the stock are its lowest bits; then come, as digits with
the bases in `BASES`, how many of them are turned, the further passes, the heights of the foundations and the blocks
that are left in each column. `UNITS` are the values of these digits.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import count_bits, inlined, lowest_bit

Words = NDArray[np.int64]
word = cast(Callable[[int], int], np.int64)
"""Makes a variable of a constant: a function would be compiled again for each constant that it is called with."""

# Rules and layout
RANKS, COLUMNS, TO_SPACES, REMOVABLE, LEAST_UP, DRAW, PASSES, STOCK_SIZE, DECK, FIRST_KEY, DIGITS = range(11)
STOCK_CARDS, BLOCKS, LOWEST, HIDDEN = 16, 68, 88, 168
BASES, UNITS = 248, 276
"""Digits: the turned cards, the passes, four foundations, and then each column."""
TURNED_DIGIT, PASSES_DIGIT, UP_DIGIT, COLUMN_DIGIT = 0, 1, 2, 6
# A position
KEY, STOCK, VALUES = 304, 305, 308
SHOWN, DEALT, MOVED, UP, HIDING, NEXT, FREE, BARE, OFFERED, SAFE = range(336, 346)
"""Sets of cards: face up in columns; those of them on the other blocks of a column, and the others; on foundations;
below other blocks; next on a foundation; that have a free place; that can be bared; offered by the stock; safe."""
SETTLED_COUNT, SETTLED = 350, 352
"""The cards that went up without a move."""
CHILD_COUNT, CHILD_KEYS, CHILD_MOVES, CHILD_SCORES = 410, 412, 540, 670
# The search
NOISE, NODES, LIMIT, ROUND, STOP, PROBED = range(800, 806)
FULL, PROBE = 806, 816
"""The fields of both searches; see `search`."""
REACHED, AFTER_KEYS = 830, 850
END = 980

NO_CARD = 63
TO_FOUNDATION, TO_PLACE = 0, 1
"""Kinds of moves: a move is a card, and its kind from bit 6 on."""
WON, LOST, OPEN, OUT_OF_NODES, OUT_OF_TABLE, OUT_OF_STACK = 1, 2, 3, 4, 5, 6
SUIT = (1 << 13) - 1
LOWEST_CARDS = 1 | 1 << 13 | 1 << 26 | 1 << 39
BLACK, RED = 1 | 1 << 26, 1 << 13 | 1 << 39
"""The lowest cards of the suits of a colour."""


@inlined
def bit_of(card: int) -> int:
    return word(1) << card


@inlined
def first_of(cards: int) -> int:
    return word(lowest_bit(cards))  # type: ignore[arg-type]


@inlined
def count_of(cards: int) -> int:
    return word(count_bits(cards))  # type: ignore[arg-type]


@inlined
def black_ranks(cards: int) -> int:
    """Return the ranks of which at least one black card is among these."""
    return (cards | cards >> 26) & SUIT


@inlined
def red_ranks(cards: int) -> int:
    return (cards >> 13 | cards >> 39) & SUIT


@inlined
def both_black(cards: int) -> int:
    """Return the ranks of which both black cards are among these."""
    return cards & cards >> 26 & SUIT


@inlined
def both_red(cards: int) -> int:
    return cards >> 13 & cards >> 39 & SUIT


@inlined
def cards_of(black: int, red: int) -> int:
    """Return all cards of these ranks."""
    return black * word(BLACK) | red * word(RED)
