"""The array of 64-bit words that holds a layout and a position of the quotient: the offsets of its fields, in capitals.

Cards are numbers, 13 for each suit, counted from the base of the foundations; sets of cards are the bits of a word. The
cards of a column are divided into *blocks*, see docs/proofs/klondike.md. `BLOCKS` is, for each column, the index of its
first row in two tables with a row for each number of blocks that are left: `LOWEST`, the bit of the card that lies on
the other blocks, or nothing if it counts as moved, and `HIDDEN`, the cards of the blocks below.

A position is one number, its key: its lowest bits are *slots*, those of the stock and those of the reserve, that still
have their card; then come, as digits with the bases in `BASES`, how many cards of the stock are turned, the further
passes, the heights of the foundations and the blocks that are left in each column. `UNITS` are the values of these
digits.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Fields, count_bits, inlined, lowest_bit
from dealmill.rules_files import MOST_COLUMNS

Words = NDArray[np.int64]
word = cast(Callable[[int], int], np.int64)
"""Makes a variable of a constant: a function would be compiled again for each constant that it is called with."""

MOST_MOVES = 130
"""A position has fewer moves."""
MOST_ROWS = 52 + MOST_COLUMNS
TURNED_DIGIT, PASSES_DIGIT, UP_DIGIT, COLUMN_DIGIT = 0, 1, 2, 6
MOST_DIGITS = COLUMN_DIGIT + MOST_COLUMNS
"""Digits: the turned cards, the passes, four foundations, and then each column."""
SEARCH = range(5)
SIZE, STORED, TOP, TABLE_ROOM, STACK_ROOM = SEARCH
"""The fields of a search, from `FULL` or `PROBE` on."""
ARRAY = Fields()
# Rules and layout
RANKS, COLUMNS, TO_SPACES, REMOVABLE, LEAST_UP, DRAW, PASSES, DECK, FIRST_KEY, DIGITS = ARRAY.words(10)
SLOTS, STOCK_SLOTS = ARRAY.words(2)
"""The number of slots, and those of the stock as a set."""
SLOT_CARDS, BLOCKS = ARRAY.row(52), ARRAY.row(MOST_COLUMNS)
LOWEST, HIDDEN = ARRAY.rows(2, MOST_ROWS)
BASES, UNITS = ARRAY.rows(2, MOST_DIGITS)
# A position
KEY, FULL_SLOTS = ARRAY.words(2)
VALUES = ARRAY.row(MOST_DIGITS)
SHOWN, DEALT, MOVED, UP, HIDING, NEXT, FREE, BARE, STOCK, RESERVE, OFFERED, SAFE = ARRAY.words(12)
"""Sets of cards: face up in columns; those of them on the other blocks of a column, and the others; on foundations;
below other blocks; next on a foundation; that have a free place; that can be bared; in the stock; in the reserve;
offered by these two; safe."""
SETTLED_COUNT, SETTLED = ARRAY.word(), ARRAY.row(52)
"""The cards that went up without a move."""
CHILD_COUNT = ARRAY.word()
CHILD_KEYS, CHILD_MOVES, CHILD_SCORES = ARRAY.rows(3, MOST_MOVES)
# The search
NOISE, NODES, LIMIT, ROUND, STOP, PROBED = ARRAY.words(6)
FULL, PROBE = ARRAY.rows(2, len(SEARCH))
REACHED, AFTER_KEYS = ARRAY.row(MOST_COLUMNS), ARRAY.row(MOST_MOVES)
END = ARRAY.size

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
