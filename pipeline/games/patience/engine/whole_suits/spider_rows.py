"""The positions of `spider_words` that a search has reached: a row of bytes for each, a table of their keys, and a heap
of those to search.

A row has how many cards are dealt and left, how many are turned and the further passes, the cards on each foundation
unless whole suits leave, and each column. `links` has the number of the position from which each was reached, and the
move: the column, the target and the number of cards, the latter from bit 12 on.
"""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.whole_suits.spider_values import position_key, value_of, weigh
from dealmill.pipeline.games.patience.engine.whole_suits.spider_words import (
    CARDS,
    COUNT,
    DEALT,
    DOWN,
    LEFT,
    LENGTH,
    LIMIT,
    MAX_CARDS,
    NODES,
    PASSES,
    PILES,
    PLACES,
    TURNED,
    UP,
    Rows,
    Words,
)

FIRST_BYTES = 4
"""The bytes of a row before its foundations."""
LEAST_VALUE = 1 << 20
"""Values are greater than its negative."""
ROW = (1 << 32) - 1
"""The bits of an entry for its row; those above are for the value."""


@inlined
def read_cards(s: Words, rows: Rows, row: int) -> None:
    """Make a row the position, without the keys and the values of its columns."""
    s[DEALT], s[LEFT], s[TURNED], s[PASSES] = rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3]
    at = int64(FIRST_BYTES)
    for pile in range(s[PILES]):
        s[UP + pile] = rows[row, at + pile]
    at += s[PILES]
    for column in range(s[PLACES]):
        length = int64(rows[row, at])
        s[LENGTH + column], s[DOWN + column] = length, rows[row, at + 1]
        at += 2
        for height in range(length):
            s[CARDS + MAX_CARDS * column + height] = rows[row, at + height]
        at += length


@routine
def read_row(s: Words, rows: Rows, row: int) -> None:
    """Make a row the position."""
    read_cards(s, rows, row)
    for column in range(s[PLACES]):
        weigh(s, int64(column))


@routine
def write_row(s: Words, rows: Rows, row: int) -> None:
    """Write the position to a row."""
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = s[DEALT], s[LEFT], s[TURNED], s[PASSES]
    at = int64(FIRST_BYTES)
    for pile in range(s[PILES]):
        rows[row, at + pile] = s[UP + pile]
    at += s[PILES]
    for column in range(s[PLACES]):
        length = s[LENGTH + column]
        rows[row, at], rows[row, at + 1] = length, s[DOWN + column]
        at += 2
        for height in range(length):
            rows[row, at + height] = s[CARDS + MAX_CARDS * column + height]
        at += length


@inlined
def store(s: Words, rows: Rows, table: Words, links: Words, link: int) -> int:
    """Write the position as the next row, and return its entry; 0 if it is not new, and -1 if there is no row left, or
    the limit of nodes is reached."""
    key, mask = position_key(s), len(table) - 1
    slot = (key >> 20) & mask
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & mask
    if table[slot] == key:
        return int64(0)
    if s[COUNT] == len(rows) or s[NODES] == s[LIMIT]:
        return int64(-1)
    row = int64(s[COUNT])
    table[slot], links[row] = key, link
    write_row(s, rows, row)
    s[COUNT] += 1
    s[NODES] += 1
    return (value_of(s, key) + LEAST_VALUE) << 32 | row


@inlined
def push(heap: Words, size: int, entry: int) -> None:
    """Add an entry to a heap of this size, whose first entry is the greatest."""
    at = size
    while at and heap[(at - 1) >> 1] < entry:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = entry


@inlined
def pop(heap: Words, size: int) -> None:
    """Remove the first entry of a heap; `size` is that without it."""
    entry, at, child = heap[size], int64(0), int64(1)
    while child < size:
        child += child + 1 < size and heap[child + 1] > heap[child]
        if heap[child] <= entry:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = entry
