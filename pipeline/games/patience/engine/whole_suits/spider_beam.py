"""Beams, which look for a win of patiences such as Spider and Forty Thieves.

Move by move, only the best positions are searched; then the stock is dealt, a row to the columns or a turn to the
waste, from the best ones of all, which are searched in the same way. Whole suits leave at once. Positions are those of
`spider_words`.
"""

from dealmill.kernels import inlined, int64, kernel, pointer_to, routine
from dealmill.pipeline.games.patience.engine.whole_suits.spider_moves import (
    do,
    finish,
    has_stock,
    list_moves,
    may_deal,
    put_back,
)
from dealmill.pipeline.games.patience.engine.whole_suits.spider_rows import (
    LEAST_VALUE,
    ROW,
    pop,
    push,
    read_cards,
    read_row,
    write_row,
)
from dealmill.pipeline.games.patience.engine.whole_suits.spider_values import position_key, value_of
from dealmill.pipeline.games.patience.engine.whole_suits.spider_words import (
    AGAIN,
    BEFORE,
    CARDS,
    COLUMNS,
    COMPLETE,
    COUNT,
    COVERED,
    DEAL,
    DIED,
    DOWN,
    FROM_FOUNDATION,
    KEYS,
    LEFT,
    LENGTH,
    LIMIT,
    LIMITED,
    MAX_CARDS,
    MOVES,
    NODES,
    OPEN,
    PASSES,
    PILES,
    PLACES,
    POSITION,
    POSITION_SIZE,
    RESERVE_FILLS,
    TO_FOUNDATION,
    TURNED,
    UP,
    VALUES,
    WON,
    Rows,
    Words,
    reserve_of,
)

STALLED, STALLED_AT_LAST, STALLED_SINGLES, STALLED_SINGLES_AT_LAST = 12, 40, 8, 70
"""After how many moves without a better position no further moves are made; the second is for those after which the
stock is used up, and the others are those where cards go up one by one."""

NUMBER, KEY, VALUE, MAY_BE_DEALT, OF_PLACES = range(5)
"""What is noted of a row: the number of its link, its key, its value, and whether a row may be dealt to it, or the
stock be turned; then the key and the value of each column, the waste and the reserve."""


@inlined
def _has(table: Words, key: int) -> bool:
    """Return whether a key is in a hash table."""
    slot = (key >> 20) & (len(table) - 1)
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & (len(table) - 1)
    return bool(table[slot])


@inlined
def _insert(table: Words, key: int) -> None:
    """Write a key to a hash table."""
    slot = (key >> 20) & (len(table) - 1)
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & (len(table) - 1)
    table[slot] = key


@inlined
def _rank(heap: Words, size: int, width: int, value: int) -> int:
    """Insert a value into the `width` best ones, of which there are `size`, in a heap with the worst one first; return
    its slot, or -1 if it is not among them."""
    entry = (LEAST_VALUE - value) << 32
    if size < width:
        push(heap, size, entry | size)
        return size
    if entry >> 32 >= heap[0] >> 32:
        return int64(-1)
    slot: int = heap[0] & ROW
    heap[size] = entry | slot
    pop(heap, size)
    return slot


@inlined
def _restore(s: Words, column: int) -> None:
    """Restore what is known of a column; its cards are still where they were."""
    for field in (LENGTH, DOWN, KEYS, VALUES):
        s[field + column] = s[BEFORE + (field - POSITION) + column]


@inlined
def _undo(s: Words, move: int) -> None:
    """Take a move back that dealt nothing."""
    column, target = move & 63, (move >> 6) & 63
    for field in (LEFT, TURNED, PASSES):
        s[field] = s[BEFORE + (field - POSITION)]
    if column != FROM_FOUNDATION:
        _restore(s, column)
    if s[AGAIN] and column == s[COLUMNS]:
        put_back(s, move >> 12)
    if target != TO_FOUNDATION:
        _restore(s, target)
    reserve = reserve_of(s)
    if s[RESERVE_FILLS] and s[LENGTH + reserve] < s[BEFORE + (LENGTH - POSITION) + reserve]:
        if column != reserve:
            s[CARDS + MAX_CARDS * column] = s[COVERED]
        _restore(s, reserve)
    for pile in range(s[PILES] * (target == TO_FOUNDATION or column == FROM_FOUNDATION)):
        s[UP + pile] = s[BEFORE + (UP - POSITION) + pile]


@routine
def _read(s: Words, rows: Rows, notes: Words, row: int) -> None:
    """Make a row the position."""
    read_cards(s, rows, row)
    for column in range(s[PLACES]):
        s[KEYS + column] = notes[row, OF_PLACES + 2 * column]
        s[VALUES + column] = notes[row, OF_PLACES + 2 * column + 1]


@routine
def _write(s: Words, rows: Rows, notes: Words, row: int, key: int, value: int) -> None:
    """Write the position, which has this key and this value, to a row."""
    write_row(s, rows, row)
    notes[row, KEY], notes[row, VALUE] = key, value
    notes[row, MAY_BE_DEALT] = may_deal(s) or (s[AGAIN] and s[LIMITED])
    for column in range(s[PLACES]):
        notes[row, OF_PLACES + 2 * column] = s[KEYS + column]
        notes[row, OF_PLACES + 2 * column + 1] = s[VALUES + column]


@inlined
def _add(s: Words, notes: Words, table: Words, links: Words, row: int, link: int) -> bool:
    """Add a row to the positions that are searched; return False if the limit is reached, or there is no link left."""
    if s[NODES] == s[LIMIT] or s[COUNT] == len(links):
        return False
    _insert(table, notes[row, KEY])
    notes[row, NUMBER], links[s[COUNT]] = s[COUNT], link
    s[COUNT] += 1
    s[NODES] += 1
    return True


@inlined
def _write_and_add(s: Words, rows: Rows, notes: Words, table: Words, links: Words, row: int, link: int) -> bool:
    """Write the position to a row, and add this."""
    key = position_key(s)
    _write(s, rows, notes, row, key, value_of(s, key))
    return _add(s, notes, table, links, row, link)


@routine
def _remember(rows: Rows, notes: Words, best: Words, size: int, width: int, row: int) -> int:
    """Copy a row to the last ones if it is among the best ones to which a row can be dealt, or for which the stock is
    used up sooner than for others; return how many there are."""
    slot = _rank(best, size, width, notes[row, VALUE]) if notes[row, MAY_BE_DEALT] else int64(-1)
    if slot < 0:
        return size
    target = 2 * width + slot
    for at in range(rows.shape[1]):
        rows[target, at] = rows[row, at]
    for at in range(notes.shape[1]):
        notes[target, at] = notes[row, at]
    return size + (slot == size)


@routine
def _expand(
    s: Words,
    rows: Rows,
    notes: Words,
    table: Words,
    near: Words,
    heap: Words,
    moves: Words,
    first: int,
    size: int,
    width: int,
) -> int:
    """Write the best positions after those in the rows from `first` on, which were not met before, to the rows of the
    other layer, and list their moves; return their number, or -1 if one is won. Its move is the last one then."""
    near[:] = 0
    count, met, after = int64(0), int64(0), width - first
    for at in range(size):
        _read(s, rows, notes, first + at)
        for field in range(POSITION_SIZE):
            s[BEFORE + field] = s[POSITION + field]
        for number in range(list_moves(s, False, False)):
            move = s[MOVES + number]
            do(s, move, False)
            key = position_key(s)
            if s[LEFT] == 0:
                moves[width] = at << 32 | move
                return int64(-1)
            if not _has(table, key) and not _has(near, key):
                if 4 * met < 3 * len(near):
                    _insert(near, key)
                    met += 1
                value = value_of(s, key)
                slot = _rank(heap, count, width, value)
                if slot >= 0:
                    _write(s, rows, notes, after + slot, key, value)
                    moves[slot] = at << 32 | move
                    count += slot == count
            _undo(s, move)
    return count


@routine
def _search_stage(
    s: Words,
    rows: Rows,
    notes: Words,
    table: Words,
    near: Words,
    links: Words,
    heaps: Words,
    moves: Words,
    size: int,
    width: int,
) -> int:
    """Search from the first rows until the game is won, or no better position was met for some moves; return how many
    positions are among the best ones to which a row can be dealt, or the negative of a result."""
    heap, best = heaps[: width + 1], heaps[width + 1 :]
    known, first, stalled, highest, is_last = int64(0), int64(0), int64(0), int64(-LEAST_VALUE), True
    for at in range(size):
        _read(s, rows, notes, int64(at))
        is_last = is_last and not has_stock(s)
    for at in range(size):
        known = _remember(rows, notes, best, known, width, int64(at))
    patience = int64(STALLED_AT_LAST if s[COMPLETE] else STALLED_SINGLES_AT_LAST)
    if not is_last:
        patience = int64(STALLED if s[COMPLETE] else STALLED_SINGLES)
    while size and stalled < patience:
        count, after = _expand(s, rows, notes, table, near, heap, moves, first, size, width), width - first
        for slot in range(max(count, int64(0))):
            row, link = after + slot, notes[first + (moves[slot] >> 32), NUMBER] << 32 | moves[slot] & ROW
            if not _add(s, notes, table, links, row, link):
                return int64(-OPEN)
            known = _remember(rows, notes, best, known, width, row)
            if notes[row, VALUE] > highest:
                highest, stalled = notes[row, VALUE], int64(-1)
        if count < 0:
            link = notes[first + (moves[width] >> 32), NUMBER] << 32 | moves[width] & ROW
            return int64(-WON if _write_and_add(s, rows, notes, table, links, after, link) else -OPEN)
        size, first = count, after
        stalled += 1
    s[DIED] = size == 0
    return int64(0) if is_last else known


@kernel
def beam(
    words: Words,
    rows: Rows,
    notes: Words,
    table: Words,
    near: Words,
    links: Words,
    heaps: Words,
    moves: Words,
    width: int,
) -> int:
    """Look for a win. The first row is the layout. Of the positions after each further move, the `width` best ones are
    searched; then a row is dealt to the best ones of all. Of a win, the last link is that of the position in which the
    game is won.

    `rows` are those of two layers and of the best positions, of `width` each, and `notes` say more of them.
    `table` has the keys of all positions that were searched, and `near` those met after the latest moves.
    """
    s = pointer_to(words)
    table[:] = 0
    s[COUNT] = s[DIED] = 0
    read_row(s, rows, int64(0))
    for column in range(s[COLUMNS]):
        finish(s, int64(column), False)
    size = int64(_write_and_add(s, rows, notes, table, links, int64(0), int64(0)))
    while size:
        if s[LEFT] == 0:
            return int64(WON)
        known = _search_stage(s, rows, notes, table, near, links, heaps, moves, size, width)
        if known < 0:
            return -known
        size = int64(0)
        for at in range(2 * width, 2 * width + known):
            _read(s, rows, notes, int64(at))
            is_turned = has_stock(s)
            if is_turned:
                do(s, int64(DEAL << 6), False)
            if not is_turned or not _has(table, position_key(s)):
                link = notes[at, NUMBER] << 32 | DEAL << 6
                if not _write_and_add(s, rows, notes, table, links, size, link):
                    return int64(OPEN)
                size += 1
                if s[LEFT] == 0:
                    break
    return int64(OPEN)
