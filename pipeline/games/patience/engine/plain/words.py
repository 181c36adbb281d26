"""The array of 64-bit words in which a patience is searched, `S`: the offsets of its fields, in capitals.

Routines get a pointer to its first word, see `pointer_to`.

Cards are numbers, 13 for each suit, counted from the base of the foundations; the last rank lies on the first one only
if `LAST_ON_FIRST`. `UP` is the rank for which the foundation of each suit waits, and `DOWN` that for which another one
waits, which is built from the last rank down; 13 if there is none.

Columns are linked lists: `TOP` of each, and `UNDER` of each card; `COLUMN_OF` is the column of a top card. Sets of
cards (`TOPS`) and of columns (`EMPTY`) are the bits of a word. What is left of a stock is `STOCK_LEFT`, a set of cards,
and in their order `REST`, a set of indices of `STOCK_CARDS`; `TURNS` are the numbers of cards after whole turns of it.
A position is hashed as the place of each card (the card on which it lies, or one of the places below), so the order of
columns, and of cells, makes no difference. If cards will be dealt to the columns, their order matters, see `ORDERED`.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Fields, inlined, int64
from dealmill.rules_files import MAX_COLUMNS

Words = NDArray[np.int64]

ONE_CARD, RUN, ANY_CARDS, CARD_OR_COLUMN, COLUMN_ONLY = range(5)
"""What moves between columns, `MOVING`: a card; also a run; any card with those on it; a card or a whole column that is
a run; or only such a column."""

MAX_WINS = 100
ARRAY = Fields()
# Rules of the game
MOVING, SPACES, CELLS, FILLS, DRAW, PASSES, REMOVABLE, COLUMNS, HOLE, WRAP, RANKS = ARRAY.words(11)
STACKED, TO_HOLE, INITIAL, PARTIAL, RELAXED, STOCK_IS_OPEN, PROBE_NODES, DISORDER = ARRAY.words(8)
# What is searched
LITERAL, NOISE, NODES = ARRAY.words(3)
FRAMES, TRAIL, MOVES, TABLE, TABLE_SIZE, MAX_FRAMES, MAX_MOVES, OTHER_TABLE, STORED = ARRAY.words(9)
# A position
POSITION = ARRAY.coming()
HASH, CELL_CARDS, CELL_COUNT, RESERVE, RESERVE_COUNT, REST, STOCK_COUNT, TURNED, PASSES_LEFT = ARRAY.words(9)
UP, DOWN = ARRAY.rows(2, 4)
TOPS, HOLE_TOP, LEFT, DONE, ABSENT, ORDERED, WAITING, EMPTY, FACE_DOWN, STOCK_LEFT = ARRAY.words(10)
TOP = ARRAY.row(MAX_COLUMNS)
UNDER, COLUMN_OF, RESERVE_CARDS = ARRAY.rows(3, 52)
POSITION_SIZE, POSITION_END = ARRAY.coming() - POSITION, ARRAY.size
# The easier game that is searched, and the best list of cards
IDLE, OWN_DRAW, OWN_PASSES, LISTS, CANDIDATES, IN_STOCK, LISTED, LISTED_COUNT = ARRAY.words(8)
LIMIT, WIN_COUNT, LIFTED, EARLY_LISTS = ARRAY.words(4)
# Constants of a layout
STOCK_CARDS, STOCK_INDEX, PARENTS, RUNS = ARRAY.rows(4, 52)
SUITS_THAT_FIT, LAGS = ARRAY.row(4), ARRAY.row(16)
# More rules of the game
TO_COLUMNS, FULL_COLUMNS, COMPLETE, SAFE, ROOM, FIRST_NODES, TURNS, OWN_TURNS = ARRAY.words(8)
WASTE_FILLS, ONLY_WASTE_FILLS, LAST_ON_FIRST, BUILDS_UP, DOWNWARD = ARRAY.words(5)
# In plays: the cards in the waste at the beginning of a look, and those of waste and stock
FIRST_WASTE, FIRST_STOCK = ARRAY.words(2)
# The position from which searches start, easier games that were won, and cards that were dropped
START, WINS, DROPPED = ARRAY.row(POSITION_SIZE), ARRAY.row(MAX_WINS), ARRAY.row(52)
# How far a layout is decided, for a search that goes on with more room; see `solving`
ROUND, PROVED, DEEPER, COUNTS, TOO_DEEP, POSITIONS_NEEDED, TABLE_LIMIT, SHALLOW_NODES = ARRAY.words(8)
# Whether the positions of a search prove a loss, and how many do; the widest beam, whether it comes before a full
# search, and where the words of beams are; whether the positions with safe cards prove a loss, also of a list; whether
# narrow beams come in place of probes, and how many times as much later rounds spend on probes before a long search
CUTS, CUT, WIDEST, WIDE_FIRST, BEAM, SAFE_COUNTS, NARROW, LONG_PROBES = ARRAY.words(8)
# A win that is shortened: the places of cards before and after some of its moves, and how many shortcuts to try
HOMES, PLACES = ARRAY.rows(2, 52)
TRIES = ARRAY.word()
# Random words for the hash of a position, for each card and each place
Z = ARRAY.row(64 * 64)
END = ARRAY.size

NO_CARD = 63
CELL, FOUNDATION, RESERVED, STOCK, IN_HOLE, TURNED_UP, AWAY, DEALT = range(52, 60)
"""Places of cards, besides other cards; `TURNED_UP` is only hashed, absent cards are `AWAY`, and a row of the stock is
`DEALT`."""
FIRST_COLUMN_LIMIT = MAX_COLUMNS
"""Places below this are columns."""
WON, LOST, OPEN, OUT_OF_NODES, CONTRADICTION, OUT_OF_ROOM = 1, 2, 3, 4, 5, 6
FRAME, STEP = 4, 3
MOVES_OF_POSITION = 500
"""A position has fewer moves: each of 52 cards to 4 others, a space, a cell, its foundation, and out of the game."""
MOVES_IN_ORDER = 1_500
"""The same where each card may go to any of 19 spaces."""
FIRST_TABLE, LARGER_TABLE, SHORT_SEARCH = 256, 16_384, 1_000
"""The slots of the table at first, in a search of at most so many nodes and in a longer one. A table grows to four
times its size, and so to the room that it has."""
SCORE = 40
BARE = (1 << 38) - 1
"""The bits of a move without its score."""
TURNED_BIT, AUTOMATIC_BIT = 38, 39
SUIT = (1 << 13) - 1
EVERY = (1 << 52) - 1
"""The bits of all cards."""
LOWEST = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""The bits of the cards of the lowest rank."""


@inlined
def that_fit(s: Words, cards: int) -> int:
    """Return the cards that may lie on one of these by the rules for building; see `PARENTS`."""
    lower = (cards & ~LOWEST) >> 1
    if s[LAST_ON_FIRST]:
        lower |= (cards & LOWEST) << (s[RANKS] - 1)
    if s[BUILDS_UP]:
        highest = LOWEST << (s[RANKS] - 1)
        lower |= (cards & ~highest) << 1 | s[LAST_ON_FIRST] * ((cards & highest) >> (s[RANKS] - 1))
    fitting = (lower & SUIT) * s[SUITS_THAT_FIT + 0] | (lower >> 13 & SUIT) * s[SUITS_THAT_FIT + 1]
    return int64(fitting | (lower >> 26 & SUIT) * s[SUITS_THAT_FIT + 2] | (lower >> 39) * s[SUITS_THAT_FIT + 3])


@inlined
def first_slot(key: int, size: int) -> int:
    """Return where a key is looked for first in a hash table of this size, a power of two."""
    return ((key * int64(-7046029254386353131)) >> 20) & (size - 1)
