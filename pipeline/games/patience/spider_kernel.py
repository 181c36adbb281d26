"""The search of patiences whose cards exist more than once, and of which only whole suits leave, such as Spider.

Cards are numbers, 13 for each suit, counted from the base of the foundations. Since they are not unique, a position is
its columns card by card, and is hashed column by column. All positions of a search are kept, as rows of bytes; `links`
has the row from which each was reached, and the move: the column, the target and the number of cards, six bits each.
The other fields are in one array, `s`, with their offsets in capitals.

`probe` looks for a win: the best positions first, by `_value`, until their number is reached; then a row of the stock
is dealt to the best ones, which are searched in the same way. Whole suits leave at once. `count` visits all positions,
by all moves, as the referee does.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import inlined, kernel, pointer_to, routine

Words = NDArray[np.int64]
Rows = NDArray[np.uint8]
word = cast(Callable[[int], int], np.int64)
"""Makes a variable of a constant: a function would be compiled again for each constant that it is called with."""

MOST_CARDS = 104
# Rules and the layout
COLUMNS, RANKS, MOVES_RUNS, SPACES, FULL_COLUMNS, STOCK_SIZE = range(6)
PARENTS, RUNS, STOCK_CARDS = 10, 62, 114
# A position
LEFT, DEALT = 220, 221
LENGTH, DOWN, KEYS, VALUES = 230, 250, 270, 290
CARDS = 310
# The search: nodes of all searches and their limit, a number that disturbs values, and the rows of this search
NODES, LIMIT, NOISE, COUNT = range(2390, 2394)
BEST, MOVES = 2400, 2600
MOST_MOVES = 20 * 19 * 104 // 4
END = MOVES + MOST_MOVES

NO_CARD = 63
DEAL, UP = 62, 63
"""Targets of moves that are no columns: a row of the stock is dealt, and a whole suit leaves."""
WON, LOST, OPEN = 1, 2, 3
IN_RUN, PER_RUN_CARD, FITTING, MISFIT, FACE_DOWN, SPACE, KING_BELOW, WHOLE_SUIT = 10, 1, 3, 6, 20, 40, 5, 400
"""What the value of a position counts: a card that moves with the one below it, also for each card of its run; one that
only fits, or does not; a card that lies face down; an empty column; a last rank at the bottom; a suit that has left."""
LEAST_VALUE = 1 << 20
"""Values are greater than its negative."""
ROW = (1 << 32) - 1
"""The bits of an entry for its row; those above are for the value."""
LAST_STAGE = 4
"""How many times as many positions are searched after the last row is dealt."""
MIX = -7046029254386353131


@inlined
def card_at(s: Words, column: int, height: int) -> int:
    card: int = s[CARDS + MOST_CARDS * column + height]
    return card


@inlined
def _top(s: Words, column: int) -> int:
    return card_at(s, column, s[LENGTH + column] - 1) if s[LENGTH + column] else word(NO_CARD)


@routine
def _weigh(s: Words, column: int) -> None:
    """Write the key and the value of a column."""
    length, down = s[LENGTH + column], s[DOWN + column]
    key, under, value, size = word(down + 1) << 6, word(NO_CARD), -FACE_DOWN * down, word(1)
    for height in range(length):
        card = card_at(s, column, word(height))
        key = (key ^ (card + 1)) * word(MIX)
        key ^= key >> 29
        if height > down:
            if (s[RUNS + card] >> under) & 1:
                size += 1
                value += IN_RUN + PER_RUN_CARD * size
            else:
                size = word(1)
                value += FITTING if (s[PARENTS + card] >> under) & 1 else -MISFIT
        under = card
    if length == 0:
        value += SPACE
    elif down == 0 and card_at(s, column, word(0)) % 13 == s[RANKS] - 1:
        value += KING_BELOW
    s[KEYS + column], s[VALUES + column] = key, value


@inlined
def position_key(s: Words) -> int:
    """Return the key of the position: the order of columns counts if cards will be dealt to them."""
    key, in_order = word(s[DEALT]), s[DEALT] < s[STOCK_SIZE]
    for column in range(s[COLUMNS]):
        own = s[KEYS + column]
        if in_order:
            own = (own + column) * word(MIX)
            own ^= own >> 31
        key += own
    key *= word(MIX)
    key ^= key >> 32
    return word(key) if key else word(1)


@inlined
def _value(s: Words, key: int) -> int:
    value: int = -WHOLE_SUIT * (s[LEFT] // s[RANKS])
    for column in range(s[COLUMNS]):
        value += s[VALUES + column]
    if s[NOISE]:
        value += ((key ^ s[NOISE]) * word(MIX) >> 40) & 15
    return value


@routine
def read_row(s: Words, rows: Rows, row: int) -> None:
    """Make a row the position."""
    s[DEALT], s[LEFT] = rows[row, 0], rows[row, 1]
    at = word(2)
    for column in range(s[COLUMNS]):
        length = word(rows[row, at])
        s[LENGTH + column], s[DOWN + column] = length, rows[row, at + 1]
        at += 2
        for height in range(length):
            s[CARDS + MOST_CARDS * column + height] = rows[row, at + height]
        at += length
        _weigh(s, word(column))


@routine
def write_row(s: Words, rows: Rows, row: int) -> None:
    """Write the position to a row."""
    rows[row, 0], rows[row, 1] = s[DEALT], s[LEFT]
    at = word(2)
    for column in range(s[COLUMNS]):
        length = s[LENGTH + column]
        rows[row, at], rows[row, at + 1] = length, s[DOWN + column]
        at += 2
        for height in range(length):
            rows[row, at + height] = s[CARDS + MOST_CARDS * column + height]
        at += length


@inlined
def _movable(s: Words, column: int) -> int:
    """Return how many cards on top of a column can move together."""
    length: int = s[LENGTH + column]
    shown, size = length - s[DOWN + column], min(length, word(1))
    while size and size < shown:
        card, under = card_at(s, column, length - size), card_at(s, column, length - size - 1)
        if not s[MOVES_RUNS] or not (s[RUNS + card] >> under) & 1:
            break
        size += 1
    return size


@inlined
def _is_whole(s: Words, column: int) -> bool:
    """Return whether a whole suit lies on top of a column."""
    length, ranks, size = s[LENGTH + column], word(s[RANKS]), word(0)
    if length - s[DOWN + column] < ranks:
        return False
    first = _top(s, column)
    while size < ranks and first % 13 == 0 and card_at(s, column, length - 1 - size) == first + size:
        size += 1
    return size == ranks


@inlined
def may_deal(s: Words) -> bool:
    has_space = False
    for column in range(s[COLUMNS]):
        has_space |= s[LENGTH + column] == 0
    return s[DEALT] < s[STOCK_SIZE] and not (s[FULL_COLUMNS] and has_space)


@routine
def list_moves(s: Words, literal: bool) -> int:
    """List the moves of the position; return their number. If not `literal`, those that only waste time are left out:
    part of a run, or a whole column, to an empty column; and no row is dealt."""
    count = word(0)
    for column in range(s[COLUMNS]):
        length, movable = s[LENGTH + column], _movable(s, word(column))
        if literal and _is_whole(s, word(column)):
            s[MOVES + count] = column | UP << 6
            count += 1
        for target in range(s[COLUMNS]):
            under = _top(s, word(target))
            for size in range(1, movable + 1):
                card = card_at(s, word(column), length - size)
                fits = (s[PARENTS + card] >> under) & 1
                if under == NO_CARD:
                    fits = (s[SPACES] >> card) & 1
                    if literal:
                        fits &= size < length or s[DEALT] < s[STOCK_SIZE]
                    else:
                        fits &= size == movable and size < length
                if fits and target != column:
                    s[MOVES + count] = column | target << 6 | size << 12
                    count += 1
    if literal and may_deal(s):
        s[MOVES + count] = DEAL << 6
        count += 1
    return count


@inlined
def _turn_up(s: Words, column: int) -> None:
    """Turn up the top card of a column."""
    if s[LENGTH + column] and s[DOWN + column] == s[LENGTH + column]:
        s[DOWN + column] -= 1


@routine
def finish(s: Words, column: int, literal: bool) -> None:
    """Do what follows if a column has changed; if not `literal`, whole suits leave it."""
    _turn_up(s, column)
    while not literal and _is_whole(s, column):
        _put_up(s, column)
    _weigh(s, column)


@inlined
def _put_up(s: Words, column: int) -> None:
    """Move a whole suit to a foundation."""
    s[LENGTH + column] -= s[RANKS]
    s[LEFT] -= s[RANKS]
    _turn_up(s, column)


@routine
def do(s: Words, move: int, literal: bool) -> None:
    """Make a move."""
    column, target, size = move & 63, (move >> 6) & 63, move >> 12
    if target == DEAL:
        dealt = min(s[COLUMNS], s[STOCK_SIZE] - s[DEALT])
        for each in range(dealt):
            s[CARDS + MOST_CARDS * each + s[LENGTH + each]] = s[STOCK_CARDS + s[DEALT] + each]
            s[LENGTH + each] += 1
            finish(s, word(each), literal)
        s[DEALT] += dealt
    elif target == UP:
        _put_up(s, column)
        _weigh(s, column)
    else:
        s[LENGTH + column] -= size
        for height in range(size):
            card = card_at(s, column, s[LENGTH + column] + height)
            s[CARDS + MOST_CARDS * target + s[LENGTH + target] + height] = card
        s[LENGTH + target] += size
        finish(s, column, literal)
        finish(s, target, literal)


@inlined
def _store(s: Words, rows: Rows, table: Words, links: Words, link: int) -> int:
    """Write the position as the next row, and return its entry; 0 if it is not new, and -1 if there is no row left, or
    the limit of nodes is reached."""
    key, mask = position_key(s), len(table) - 1
    slot = (key >> 20) & mask
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & mask
    if table[slot] == key:
        return word(0)
    if s[COUNT] == len(rows) or s[NODES] == s[LIMIT]:
        return word(-1)
    row = word(s[COUNT])
    table[slot], links[row] = key, link
    write_row(s, rows, row)
    s[COUNT] += 1
    s[NODES] += 1
    return (_value(s, key) + LEAST_VALUE) << 32 | row


@inlined
def _push(heap: Words, size: int, entry: int) -> None:
    """Add an entry to a heap of this size, whose first entry is the greatest."""
    at = size
    while at and heap[(at - 1) >> 1] < entry:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = entry


@inlined
def _pop(heap: Words, size: int) -> None:
    """Remove the first entry of a heap; `size` is that without it."""
    entry, at, child = heap[size], word(0), word(1)
    while child < size:
        child += child + 1 < size and heap[child + 1] > heap[child]
        if heap[child] <= entry:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = entry


@routine
def _remember(s: Words, width: int, entry: int) -> None:
    """Insert an entry into the `width` best ones of positions in which a row can be dealt."""
    if s[BEST + width - 1] >= entry or not may_deal(s):
        return
    at = width - 1
    while at and s[BEST + at - 1] < entry:
        s[BEST + at] = s[BEST + at - 1]
        at -= 1
    s[BEST + at] = entry


@routine
def _search_stage(
    s: Words, rows: Rows, table: Words, links: Words, heap: Words, size: int, budget: int, width: int
) -> int:
    """Search positions without dealing until it is won, or their number is reached. `heap` has `size` of them."""
    stop = s[NODES] + budget
    while size and s[NODES] < stop:
        size -= 1
        row = heap[0] & ROW
        _pop(heap, size)
        read_row(s, rows, row)
        for number in range(list_moves(s, False)):
            if number:
                read_row(s, rows, row)
            do(s, s[MOVES + number], False)
            entry = _store(s, rows, table, links, row << 32 | s[MOVES + number])
            if entry < 0:
                return word(OPEN)
            if entry:
                if s[LEFT] == 0:
                    return word(WON)
                _push(heap, size, entry)
                size += 1
                _remember(s, width, entry)
    return word(OPEN)


@routine
def _deal_to_best(s: Words, rows: Rows, table: Words, links: Words, heap: Words, width: int) -> int:
    """Fill the heap with the best positions, after a row is dealt to them; return their number."""
    size = word(0)
    for number in range(width):
        row = s[BEST + number] & ROW
        if s[BEST + number]:
            read_row(s, rows, row)
            do(s, word(DEAL << 6), False)
            entry = _store(s, rows, table, links, row << 32 | DEAL << 6)
            if entry > 0:
                _push(heap, size, entry)
                size += 1
                if s[LEFT] == 0:
                    break
        s[BEST + number] = 0
    return size


@kernel
def probe(words: Words, rows: Rows, table: Words, links: Words, heap: Words, budget: int, width: int) -> int:
    """Look for a win, with so many positions before each row is dealt, and so many to which it is dealt. The first row
    is the layout. Of a win, the last row is the one in which the game is won."""
    s = pointer_to(words)
    table[:] = 0
    s[COUNT] = 0
    for at in range(BEST, BEST + width):
        s[at] = 0
    read_row(s, rows, word(0))
    for column in range(s[COLUMNS]):
        finish(s, word(column), False)
    heap[0] = _store(s, rows, table, links, word(0))
    size = word(heap[0] > 0)
    while size:
        if s[LEFT] == 0:
            return word(WON)
        is_last = s[DEALT] == s[STOCK_SIZE]
        for number in range(size):
            read_row(s, rows, heap[number] & ROW)
            _remember(s, word(width), heap[number])
        visits = word(budget * (LAST_STAGE if is_last else 1))
        result = _search_stage(s, rows, table, links, heap, size, visits, word(width))
        if result != OPEN or is_last:
            return result
        size = _deal_to_best(s, rows, table, links, heap, word(width))
    return word(OPEN)


@kernel
def count(words: Words, rows: Rows, table: Words, links: Words) -> int:
    """Visit all positions: the game is lost if none is won, and `COUNT` is their number. It is `OPEN` if there are more
    than rows."""
    s = pointer_to(words)
    table[:] = 0
    s[COUNT] = 0
    read_row(s, rows, word(0))
    for column in range(s[COLUMNS]):
        finish(s, word(column), True)
    if _store(s, rows, table, links, word(0)) < 0:
        return word(OPEN)
    visited = word(0)
    while visited < s[COUNT]:
        read_row(s, rows, visited)
        for number in range(list_moves(s, True)):
            if number:
                read_row(s, rows, visited)
            do(s, s[MOVES + number], True)
            entry = _store(s, rows, table, links, visited << 32 | s[MOVES + number])
            if entry < 0:
                return word(OPEN)
            if entry and s[LEFT] == 0:
                return word(WON)
        visited += 1
    return word(LOST)
