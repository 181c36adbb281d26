"""The count of positions of patiences such as Spider, and where cards exist once, of those without a move in positions
that are lost since cards wait for one another: see docs/proofs/waiting.md.

Positions are those of `spider_words`; the words that it does not use are here.
"""

from dealmill.kernels import Fields, inlined, int64, kernel, pointer_to, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of
from dealmill.pipeline.games.patience.engine.whole_suits import spider_words as k
from dealmill.pipeline.games.patience.engine.whole_suits.spider_moves import do, finish, list_moves
from dealmill.pipeline.games.patience.engine.whole_suits.spider_rows import read_row, store
from dealmill.pipeline.games.patience.engine.whole_suits.spider_words import NO_COLUMN, SUIT, Rows, Words, card_at

ARRAY = Fields(k.END)
CARDS_WAIT, WAITING, IN_STOCK = ARRAY.words(3)
"""Whether losses are counted with waiting cards; and sets of cards."""
ON, COLUMN, HEIGHT = ARRAY.rows(3, 52)
"""For each card in columns, the one that lies on it, or `NO_CARD`, and where it lies."""
END = ARRAY.size


@inlined
def _waits(s: Words, card: int) -> bool:
    return bool(card != k.NO_CARD and (s[WAITING] >> card) & 1)


@routine
def _locate(s: Words) -> None:
    """Write where the cards are; all those in columns wait, for now."""
    s[WAITING] = s[IN_STOCK] = 0
    for card in range(52):
        s[ON + card], s[COLUMN + card] = k.NO_CARD, NO_COLUMN
    for column in range(s[k.COLUMNS]):
        for height in range(s[k.LENGTH + column]):
            card = card_at(s, int64(column), int64(height))
            s[COLUMN + card], s[HEIGHT + card] = column, height
            s[WAITING] |= bit_of(card)
            if height:
                s[ON + card_at(s, int64(column), int64(height - 1))] = card
    for at in range(s[k.DEALT], s[k.STOCK_SIZE]):
        s[IN_STOCK] |= bit_of(s[k.STOCK_CARDS + at])


@routine
def _suits_that_stay(s: Words) -> int:
    """Return the cards of suits of which a waiting card has to move by itself."""
    suits = int64(0)
    for card in range(52):
        if _waits(s, int64(card)) and card % 13 != s[k.RANKS] - 1:
            column, height = s[COLUMN + card], s[HEIGHT + card]
            is_joined = height > s[k.DOWN + column] and card_at(s, column, height - 1) == card + 1
            if not is_joined:
                suits |= int64(SUIT) << 13 * (card // 13)
    return suits


@routine
def _columns_stay(s: Words) -> bool:
    """Return whether no column is empty, and the lowest card of each waits."""
    for column in range(s[k.COLUMNS]):
        if s[k.LENGTH + column] == 0 or not _waits(s, card_at(s, int64(column), int64(0))):
            return False
    return True


@routine
def _stays(s: Words, card: int, columns_stay: bool) -> bool:
    """Return whether a card cannot be the first of the waiting ones to move by itself, if its suit stays."""
    column, height = s[COLUMN + card], s[HEIGHT + card]
    under = card
    for at in range(height + 1, s[k.LENGTH + column]):
        above = card_at(s, column, int64(at))
        if not _waits(s, above):
            break
        if at <= s[k.DOWN + column] or not s[k.MOVES_RUNS] or not (s[k.RUNS + above] >> under) & 1:
            return True
        under = above
    if (s[k.SPACES] >> card) & 1 and not columns_stay:
        return False
    for suit in range(4):
        parent = 13 * suit + card % 13 + 1
        if card % 13 == s[k.RANKS] - 1 or not (s[k.PARENTS + card] >> parent) & 1:
            continue
        if s[IN_STOCK] & bit_of(parent):
            return False
        if s[COLUMN + parent] != NO_COLUMN and not _waits(s, s[ON + parent]):
            return False
    return True


@routine
def is_lost(s: Words) -> bool:
    """Return whether there are waiting cards."""
    _locate(s)
    before = int64(0)
    while s[WAITING] != before:
        before, columns_stay = s[WAITING], _columns_stay(s)
        s[WAITING] &= _suits_that_stay(s)
        for card in range(52):
            if _waits(s, int64(card)) and not _stays(s, int64(card), columns_stay):
                s[WAITING] &= ~bit_of(card)
    return bool(s[WAITING] != 0)


@kernel
def count(words: Words, rows: Rows, table: Words, links: Words) -> int:
    """Visit all positions, by all moves, as the referee does: the game is lost if none is won, and `COUNT` is their
    number. It is `OPEN` if there are more than rows."""
    s = pointer_to(words)
    table[:] = 0
    s[k.COUNT] = 0
    read_row(s, rows, int64(0))
    for column in range(s[k.COLUMNS]):
        finish(s, int64(column), True)
    if store(s, rows, table, links, int64(0)) < 0:
        return int64(k.OPEN)
    visited = int64(0)
    while visited < s[k.COUNT]:
        read_row(s, rows, visited)
        for number in range(0 if s[CARDS_WAIT] and is_lost(s) else list_moves(s, True, True)):
            if number:
                read_row(s, rows, visited)
            do(s, s[k.MOVES + number], True)
            entry = store(s, rows, table, links, visited << 32 | s[k.MOVES + number])
            if entry < 0:
                return int64(k.OPEN)
            if entry and s[k.LEFT] == 0:
                return int64(k.WON)
        visited += 1
    return int64(k.LOST)
