"""The array of 64-bit words that holds a layout and a position of the quotient: the offsets of its fields, in capitals.

Cards are numbers, 13 for each suit, counted from the base of the foundations; sets of cards are the bits of a word. The
cards of a column are divided into *blocks*, see docs/proofs/klondike.md. A card *waits* if it has never moved: those of
the stock and the reserve, and the lowest ones of blocks, but not those that count as moved. `WAITING_IN` are those of
each column in the layout, and `BLOCKS` is the index of its first row in two tables with a row for each number of them
that wait: `LOWEST`, the bit of the uppermost one, and `HIDDEN`, the cards of the blocks below.

If spaces take any card, `BEGINNING` are the cards that begin a column in turn: first the lowest ones of columns, then
those of a reserve that fills spaces. `BEGUN_COLUMN` is the column, or -1 for cards of the reserve.

A position is one number, its key. For each suit, it has 14 bits, of which the lowest one that is set has the number of
cards on the foundation, and those above it are the cards that wait. Above them come how many cards of the stock are
turned, and the further passes.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Fields, inlined, int64
from dealmill.pipeline.games.patience.coverage import BITS_OF_SUIT
from dealmill.rules_files import MAX_COLUMNS

Words = NDArray[np.int64]

MAX_MOVES = 130
"""A position has fewer moves."""
MAX_ROWS = 52 + MAX_COLUMNS
FIELD, CARD_FIELDS = BITS_OF_SUIT, 4 * BITS_OF_SUIT
"""The bits of a suit in a key, and those of all suits."""
SEARCH = range(5)
SIZE, STORED, TOP, TABLE_ROOM, STACK_ROOM = SEARCH
"""The fields of a search, from `FULL` or `PROBE` on."""
ARRAY = Fields()
# Rules and layout
RANKS, COLUMNS, TO_SPACES, REMOVABLE, LEAST_UP, DRAW, PASSES, DECK, FIRST_KEY = ARRAY.words(9)
STOCK_SIZE, STOCK_CARDS, OPEN_RESERVE, BEGINNING_COUNT = ARRAY.words(4)
STOCK_ORDER = ARRAY.row(52)
BEGINNING, BEGUN_COLUMN = ARRAY.rows(2, 52)
WAITING_IN, BLOCKS = ARRAY.rows(2, MAX_COLUMNS)
LOWEST, HIDDEN = ARRAY.rows(2, MAX_ROWS)
# A position
KEY, WAITING, TURNED, FURTHER_PASSES = ARRAY.words(4)
HEIGHTS, ROWS = ARRAY.row(4), ARRAY.row(MAX_COLUMNS)
SHOWN, DEALT, MOVED, UP, HIDING, NEXT, FREE, BARE, STOCK, RESERVE, OFFERED, SAFE = ARRAY.words(12)
"""Sets of cards: face up in columns; those of them that wait, and the others; on foundations; below others in a column
or a stacked reserve; next on a foundation; that have a free place; that can be bared; in the stock; that can be taken
from the reserve; offered by these two; safe."""
SETTLED_COUNT, SETTLED = ARRAY.word(), ARRAY.row(52)
"""The cards that went up without a move."""
CHILD_COUNT = ARRAY.word()
CHILD_KEYS, CHILD_MOVES, CHILD_SCORES = ARRAY.rows(3, MAX_MOVES)
# The search
NOISE, NODES, LIMIT, ROUND, STOP, PROBED = ARRAY.words(6)
FULL, PROBE = ARRAY.rows(2, len(SEARCH))
BEGUN, UNCOVERED, BURIED, EMPTIED = ARRAY.words(4)
REACHED, AFTER_KEYS = ARRAY.row(MAX_COLUMNS), ARRAY.row(MAX_MOVES)
END = ARRAY.size

NO_CARD = 63
NO_CARDS, KINGS, ANY_CARD = 0, 1, 2
"""What goes to spaces."""
TO_FOUNDATION, TO_PLACE = 0, 1
"""Kinds of moves: a move is a card, and its kind from bit 6 on."""
WON, LOST, OPEN, OUT_OF_NODES, OUT_OF_TABLE, OUT_OF_STACK = 1, 2, 3, 4, 5, 6
SUIT = (1 << 13) - 1
LOWEST_CARDS = 1 | 1 << 13 | 1 << 26 | 1 << 39
BLACK, RED = 1 | 1 << 26, 1 << 13 | 1 << 39
"""The lowest cards of the suits of a colour."""


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
    return black * int64(BLACK) | red * int64(RED)
