"""Positions of patiences whose cards exist more than once, or of which only whole suits leave, such as Spider and Forty
Thieves.

Cards are numbers, 13 for each suit, counted from the base of the foundations. Since they are not unique, a position is
its columns card by card, and is hashed column by column. The waste is one more column, on which no card is put. If the
stock may be gone through again, that column has all cards of waste and stock, in the order of turning. All words of a
search are in one array, `s`, with their offsets in capitals.

`spider_moves` lists and makes moves, `spider_values` compares positions, and `spider_rows` stores them. With these,
`spider_beam` looks for a win, `spider_counting` counts, `waits_kernel` searches games in which each card has one place,
and `chances_of_copies` plays.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Fields, inlined, int64
from dealmill.rules_files import MAX_COLUMNS

Words = NDArray[np.int64]
Rows = NDArray[np.uint8]

MAX_CARDS, MAX_PLACES, MAX_PILES = 104, MAX_COLUMNS + 2, 32
"""Places are columns, the waste, and the reserve."""
MAX_MOVES = MAX_PLACES * MAX_COLUMNS * MAX_CARDS // 4
ARRAY = Fields()
# Rules and the layout
COLUMNS, RANKS, MOVES_RUNS, MOVES_ANY, SPACES, FULL_COLUMNS, STOCK_SIZE = ARRAY.words(7)
COMPLETE, COPIES, PILES, PLACES, TO_WASTE, DRAW, REMOVABLE, FIXED = ARRAY.words(8)
"""`PILES` are the foundations to which cards go one by one: each of the four suits has `COPIES` of them. If they are
`REMOVABLE`, they come back, but for those that are `FIXED`, none or the first one of each foundation."""
AGAIN, LIMITED, WASTE_FILLS, WHOLE_COLUMNS, NO_SINGLE_CARDS = ARRAY.words(5)
HAS_RESERVE, RESERVE_FILLS, ONLY_WASTE_FILLS = ARRAY.words(3)
"""Whether the stock may be gone through again, and whether only as often as `PASSES` says; whether an empty column is
filled from waste and stock before anything else moves; whether runs move only if they are whole columns, and whether
single cards that leave others in theirs do not move to another one."""
PARENTS, RUNS, STOCK_CARDS = ARRAY.row(52), ARRAY.row(52), ARRAY.row(MAX_CARDS)
# A position
POSITION = ARRAY.coming()
LEFT, DEALT, TURNED, PASSES = ARRAY.words(4)
UP = ARRAY.row(MAX_PILES)
LENGTH, DOWN, KEYS, VALUES = ARRAY.rows(4, MAX_PLACES)
POSITION_SIZE = ARRAY.coming() - POSITION
CARDS = ARRAY.row(MAX_PLACES * MAX_CARDS)
# The search: nodes of all searches and their limit, a number that disturbs values, the positions of this search, and
# whether it ended since there was no further move
NODES, LIMIT, NOISE, COUNT, DIED = ARRAY.words(5)
WEIGHTS = ARRAY.coming()
IN_RUN, PER_RUN_CARD, FITTING, LOWER, HIGHER, SPACE = ARRAY.words(6)
"""What the value of a position counts in a beam: a card that moves with the one below it, also for each card of its
run; one that only fits, is lower, or is not; an empty column."""
MOVES = ARRAY.row(MAX_MOVES)
TOPS = ARRAY.word()
"""The top cards of the columns as a set, in which `NO_CARD` stands for empty columns, while moves are listed."""
BEFORE = ARRAY.row(POSITION_SIZE)
"""The position from which moves are made, without its cards."""
TAKEN, COVERED = ARRAY.words(2)
"""The card that was taken from a stock that may be gone through again, and the one that was in the place of that which
filled a column from the reserve, before their moves are taken back."""
END = ARRAY.size

NO_CARD = NO_COLUMN = 63
SUIT = (1 << 13) - 1
"""The first suit, as a set of cards."""
DEAL, TO_FOUNDATION = 62, 63
"""Targets of moves that are no columns: the stock is dealt, and a card or a whole suit goes up."""
FROM_FOUNDATION = 61
"""The column of a move of a card that comes back; its number of cards is one more than that card."""
WON, LOST, OPEN = 1, 2, 3


@inlined
def reserve_of(s: Words) -> int:
    """Return the place of the reserve, behind that of the waste."""
    return int64(s[COLUMNS] + 1)


@inlined
def card_at(s: Words, column: int, height: int) -> int:
    card: int = s[CARDS + MAX_CARDS * column + height]
    return card


@inlined
def top_card(s: Words, column: int) -> int:
    return card_at(s, column, s[LENGTH + column] - 1) if s[LENGTH + column] else int64(NO_CARD)
