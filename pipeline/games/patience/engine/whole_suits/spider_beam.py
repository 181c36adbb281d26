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


@inlined
def _add(s: Words, rows: Rows, numbers: Words, table: Words, links: Words, row: int, link: int) -> bool:
    """Write the position to a row, with its number and its link; return False if the limit is reached, or there
    is no link left."""
    if s[NODES] == s[LIMIT] or s[COUNT] == len(links):
        return False
    write_row(s, rows, row)
    _insert(table, position_key(s))
    numbers[row], links[s[COUNT]] = s[COUNT], link
    s[COUNT] += 1
    s[NODES] += 1
    return True


@routine
def _remember(s: Words, rows: Rows, numbers: Words, best: Words, size: int, width: int, number: int) -> int:
    """Write the position to the last rows if it is among the best ones to which a row can be dealt, or for which the
    stock is used up sooner than for others; return how many there are."""
    slot = int64(-1)
    if may_deal(s) or (s[AGAIN] and s[LIMITED]):
        slot = _rank(best, size, width, value_of(s, position_key(s)))
    if slot >= 0:
        write_row(s, rows, 2 * width + slot)
        numbers[2 * width + slot] = number
        size += slot == size
    return size


@routine
def _expand(
    s: Words, rows: Rows, table: Words, near: Words, heap: Words, moves: Words, first: int, size: int, width: int
) -> int:
    """List the moves to the best positions after those in the rows from `first` on, which were not met before; return
    their number, or -1 if one is won. Its move is the last one in `moves` then."""
    near[:] = 0
    count, met = int64(0), int64(0)
    for at in range(size):
        read_row(s, rows, first + at)
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
                slot = _rank(heap, count, width, value_of(s, key))
                if slot >= 0:
                    moves[slot] = at << 32 | move
                    count += slot == count
            _undo(s, move)
    return count


@routine
def _search_stage(
    s: Words,
    rows: Rows,
    numbers: Words,
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
        read_row(s, rows, int64(at))
        is_last = is_last and not has_stock(s)
    for at in range(size):
        read_row(s, rows, int64(at))
        known = _remember(s, rows, numbers, best, known, width, numbers[at])
    patience = int64(STALLED_AT_LAST if s[COMPLETE] else STALLED_SINGLES_AT_LAST)
    if not is_last:
        patience = int64(STALLED if s[COMPLETE] else STALLED_SINGLES)
    while size and stalled < patience:
        count, after = _expand(s, rows, table, near, heap, moves, first, size, width), width - first
        for slot in range(max(count, int64(0))):
            before, move = first + (moves[slot] >> 32), moves[slot] & ROW
            read_row(s, rows, before)
            do(s, move, False)
            if not _add(s, rows, numbers, table, links, after + slot, numbers[before] << 32 | move):
                return int64(-OPEN)
            known = _remember(s, rows, numbers, best, known, width, numbers[after + slot])
            value = value_of(s, position_key(s))
            if value > highest:
                highest, stalled = value, int64(-1)
        if count < 0:
            link = numbers[first + (moves[width] >> 32)] << 32 | (moves[width] & ROW)
            return int64(-WON if _add(s, rows, numbers, table, links, after, link) else -OPEN)
        size, first = count, after
        stalled += 1
    s[DIED] = size == 0
    return int64(0) if is_last else known


@kernel
def beam(
    words: Words,
    rows: Rows,
    numbers: Words,
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

    `rows` are those of two layers and of the best positions, of `width` each; `numbers` say which links lead to them.
    `table` has the keys of all positions that were searched, and `near` those met after the latest moves.
    """
    s = pointer_to(words)
    table[:] = 0
    s[COUNT] = s[DIED] = 0
    read_row(s, rows, int64(0))
    for column in range(s[COLUMNS]):
        finish(s, int64(column), False)
    size = int64(_add(s, rows, numbers, table, links, int64(0), int64(0)))
    while size:
        if s[LEFT] == 0:
            return int64(WON)
        known = _search_stage(s, rows, numbers, table, near, links, heaps, moves, size, width)
        if known < 0:
            return -known
        size = int64(0)
        for at in range(2 * width, 2 * width + known):
            read_row(s, rows, int64(at))
            is_turned = has_stock(s)
            if is_turned:
                do(s, int64(DEAL << 6), False)
            if not is_turned or not _has(table, position_key(s)):
                if not _add(s, rows, numbers, table, links, size, numbers[at] << 32 | DEAL << 6):
                    return int64(OPEN)
                size += 1
                if s[LEFT] == 0:
                    break
    return int64(OPEN)
