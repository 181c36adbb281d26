"""The search of patiences in which each card has one place to go, such as Scorpion: see docs/proofs/waiting.md.

Positions are those of `spider_words`; the words that it does not use are here. All positions that can
be reached are searched, the best ones first, but nothing after those that have a pair or a set of waiting cards: they
are lost. So if no position is won, their number proves the loss.
"""

from dealmill.kernels import Fields, inlined, int64, kernel, pointer_to, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of
from dealmill.pipeline.games.patience.engine.whole_suits import spider_words as k
from dealmill.pipeline.games.patience.engine.whole_suits.spider_moves import do, finish, is_whole, may_deal, movable
from dealmill.pipeline.games.patience.engine.whole_suits.spider_rows import ROW, pop, push, read_row, store
from dealmill.pipeline.games.patience.engine.whole_suits.spider_words import (
    MAX_CARDS,
    NO_CARD,
    NO_COLUMN,
    SUIT,
    Rows,
    Words,
    card_at,
    top_card,
)
from dealmill.rules_files import MAX_COLUMNS

ARRAY = Fields(k.END)
JOINED, IN_COLUMNS, IN_STOCK, WAITING, PAIR = ARRAY.words(5)
"""Sets of cards: joined ones, those in columns and in the stock, and waiting ones; and the card of a pair, or none."""
ON, HEIGHT, COLUMN = ARRAY.rows(3, 64)
"""For each card, the one that lies on it, and where it lies; of a card in no column, the column is `NO_COLUMN`."""
MOVABLE = ARRAY.row(MAX_COLUMNS)
"""How many cards on top of each column can move together."""
END = ARRAY.size


@routine
def _locate(s: Words) -> None:
    """Write where the cards are, and the card of a pair."""
    joined, in_columns, last_rank = int64(0), int64(0), s[k.RANKS] - 1
    s[PAIR] = NO_CARD
    for card in range(52):
        s[ON + card], s[COLUMN + card] = NO_CARD, NO_COLUMN
    for column in range(s[k.COLUMNS]):
        under = int64(NO_CARD)
        for height in range(s[k.LENGTH + column]):
            card = card_at(s, int64(column), int64(height))
            in_columns |= bit_of(card)
            s[HEIGHT + card], s[COLUMN + card] = height, column
            if under != NO_CARD:
                s[ON + under] = card
                if card + 1 == under and card % 13 != last_rank:
                    joined |= bit_of(card)
                    if height <= s[k.DOWN + column]:
                        s[PAIR] = card
            under = card
    stock = int64(0)
    for at in range(s[k.DEALT], s[k.STOCK_SIZE]):
        stock |= bit_of(s[k.STOCK_CARDS + at])
    s[JOINED], s[IN_COLUMNS], s[IN_STOCK] = joined, in_columns, stock


@routine
def _kings_stay(s: Words, waiting: int) -> bool:
    """Return whether no king can go to an empty column before a waiting card has moved."""
    kings, cards = int64(0), s[IN_COLUMNS] | s[IN_STOCK]
    for suit in range(4):
        kings |= bit_of(13 * suit + s[k.RANKS] - 1)
    for suit in range(4):
        own = int64(SUIT) << 13 * suit
        if cards & own and not waiting & own & ~kings:
            return False
    for column in range(s[k.COLUMNS]):
        if s[k.LENGTH + column] == 0:
            return False
        if not (waiting | kings) & bit_of(card_at(s, int64(column), int64(0))):
            return False
    return True


@routine
def _wait(s: Words, waiting: int) -> int:
    """Return the largest set of cards within these that wait for one another; 0 if it would have no card but kings."""
    last_rank, before = s[k.RANKS] - 1, int64(0)
    while waiting != before:
        before, others, kings_stay = waiting, int64(0), _kings_stay(s, waiting)
        for column in range(s[k.COLUMNS]):
            leaves = int64(MAX_CARDS)  # the height of the lowest card above that may leave
            for height in range(s[k.LENGTH + column] - 1, -1, -1):
                card = card_at(s, int64(column), int64(height))
                if s[JOINED] & bit_of(card):
                    continue
                if waiting & bit_of(card):
                    if card % 13 == last_rank:
                        others |= bit_of(card)
                        waits = kings_stay and height > 0
                    else:
                        onto, on = card + 1, s[ON + card + 1]
                        waits = on != NO_CARD and waiting & bit_of(on) != 0
                        waits |= s[COLUMN + onto] == column and height < s[HEIGHT + onto] < leaves
                    if not waits and (height >= s[k.DOWN + column] or leaves == height + 1):
                        waiting &= ~bit_of(card)
                if not waiting & bit_of(card):
                    leaves = int64(height)
        if waiting & ~others == 0:
            return int64(0)
    return waiting


@routine
def _is_stuck(s: Words) -> bool:
    """Write the pair of the position, and its largest set of waiting cards; return whether there is one."""
    _locate(s)
    s[WAITING] = _wait(s, s[IN_COLUMNS] & ~s[JOINED])
    return bool(s[PAIR] != NO_CARD or s[WAITING])


@inlined
def _list_move(s: Words, count: int, card: int, target: int) -> int:
    """List the move of a card, with those on it, to a column where it fits, if it can move; return the number of moves.
    A whole column goes to an empty one only if cards will be dealt to them."""
    column, height = s[COLUMN + card], s[HEIGHT + card]
    differs = height or s[k.LENGTH + target] or s[k.DEALT] < s[k.STOCK_SIZE]
    if differs and column not in (NO_COLUMN, target) and s[k.LENGTH + column] - height <= s[MOVABLE + column]:
        s[k.MOVES + count] = column | target << 6 | (s[k.LENGTH + column] - height) << 12
        count += 1
    return count


@routine
def _list_moves(s: Words) -> int:
    """List all moves of the position; return their number."""
    _locate(s)
    for column in range(s[k.COLUMNS]):
        s[MOVABLE + column] = movable(s, int64(column))
    count = int64(0)
    for target in range(s[k.COLUMNS]):
        top = top_card(s, int64(target))
        if top != NO_CARD and top % 13:
            count = _list_move(s, count, top - 1, int64(target))
        elif top == NO_CARD:
            for suit in range(4):
                king = 13 * suit + s[k.RANKS] - 1
                if s[k.SPACES] >> king & 1:
                    count = _list_move(s, count, king, int64(target))
        elif is_whole(s, int64(target)):
            s[k.MOVES + count] = target | k.TO_FOUNDATION << 6
            count += 1
    if may_deal(s):
        s[k.MOVES + count] = k.DEAL << 6
        count += 1
    return count


@kernel
def wait(words: Words, rows: Rows) -> bool:
    """Return whether the layout, which is the first row, has a pair or a set of waiting cards, and write a set from
    which no card can be left out."""
    s = pointer_to(words)
    read_row(s, rows, int64(0))
    if not _is_stuck(s):
        return False
    for card in range(52):
        if s[WAITING] & bit_of(card):
            fewer = _wait(s, s[WAITING] & ~bit_of(card))
            if fewer:
                s[WAITING] = fewer
    return True


@kernel
def search(words: Words, rows: Rows, table: Words, links: Words, heap: Words) -> int:
    """Search all positions, but none that follow one with waiting cards: the game is lost if none is won, and `COUNT`
    is their number. Of a win, the last row is the one in which the game is won."""
    s = pointer_to(words)
    table[:] = 0
    s[k.COUNT] = 0
    read_row(s, rows, int64(0))
    for column in range(s[k.COLUMNS]):
        finish(s, int64(column), True)
    heap[0] = store(s, rows, table, links, int64(0))
    size = int64(heap[0] > 0)
    if s[k.LEFT] == 0:
        return int64(k.WON if size else k.OPEN)
    while size:
        size -= 1
        row = heap[0] & ROW
        pop(heap, size)
        read_row(s, rows, row)
        for number in range(_list_moves(s)):
            if number:
                read_row(s, rows, row)
            do(s, s[k.MOVES + number], True)
            entry = store(s, rows, table, links, row << 32 | s[k.MOVES + number])
            if entry < 0:
                return int64(k.OPEN)
            if entry:
                if s[k.LEFT] == 0:
                    return int64(k.WON)
                if not _is_stuck(s):
                    push(heap, size, entry)
                    size += 1
    return int64(k.LOST if s[k.COUNT] else k.OPEN)
