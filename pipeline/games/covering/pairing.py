"""The kernel that decides games of pairs: searches in depth, with the real stock, and with an open one, all of whose
cards can be taken at any time.

A card is a bit of a word: first the places of the arrangement, the last one first, so that those that cover a card are
lower bits; then the stock in the order of turning. A position with the real stock has two more numbers above them: the
cards that were turned, up to the free one of the waste, and the further passes. With an open stock, of cards of one
rank those of the lowest bits are left. Idle cards leave by themselves, see `settled`.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Fields, count_bits, inlined, kernel, lowest_bit, routine

Words = NDArray[np.int64]
TURNED, PASSES = 52, 58
CARDS = (1 << 52) - 1
ARRAY = Fields()
# The words of a game
PLACES, STOCK_BITS, IS_PLAYABLE, OVERLAPS, NEEDS_ALL, LIMITS_PASSES, IDLE, FIRST_STOCK = ARRAY.words(8)
COVERS, MATES, COVERED = ARRAY.rows(3, 52)
BY_RANK = ARRAY.row(13)
SIZE = ARRAY.size
MAX_MOVES, DEPTH = 512, 54
HALF = DEPTH * (MAX_MOVES + 2)
"""The moves of a position, and the positions of a play, at most."""
WON, LOST, STOPPED, FULL, LOST_WITH_OPEN_STOCK = 1, 2, 3, 4, 5
DECIDE, OPEN, REAL = range(3)
"""What to search: with an open stock first, and then with the real one, where positions are not followed that are lost
with an open one; all positions with an open stock; or all with the real one."""
COUNT, LIMIT, LENGTH, OPEN_COUNT = range(4)
"""The numbers of a search: positions, how many there may be, the positions of the win that was reached, and those with
an open stock."""
WINNABLE = 1 << 60
"""The mark of a position with an open stock that is won; the others in the table are lost, or on the way."""


@inlined
def number_of(bit: int) -> int:
    """Return the number of a bit."""
    return np.int64(lowest_bit(np.uint64(bit)))  # type: ignore[return-value]


@inlined
def highest_bit(word: int) -> int:
    """Return the highest bit of a word with few bits."""
    while word & (word - 1):
        word &= word - 1
    return word


@inlined
def settled(w: Words, cards: int, turned: int, passes: int) -> int:
    """Return a position after idle cards have left that are free or that turning uncovers in this pass."""
    rest = cards & w[IDLE] & w[PLACES]
    while rest:
        bit = rest & -rest
        rest ^= bit
        if not w[COVERS + number_of(bit)] & cards:
            cards ^= bit
    first = w[FIRST_STOCK]
    if not w[LIMITS_PASSES]:
        turned = 0
    cards &= ~(w[IDLE] & w[STOCK_BITS] & -(1 << first + turned))
    while turned > 0:
        bit = 1 << first + turned - 1
        if cards & bit and not w[IDLE] & bit:
            break
        cards &= ~bit
        turned -= 1
    return cards | turned << TURNED | passes << PASSES


@inlined
def free_cards(w: Words, cards: int) -> int:
    """Return the cards of the arrangement that are free."""
    free, rest = 0, cards & w[PLACES]
    while rest:
        bit = rest & -rest
        rest ^= bit
        if not w[COVERS + number_of(bit)] & cards:
            free |= bit
    return free


@inlined
def overlapped(w: Words, cards: int, card: int) -> int:
    """Return the cards that a free card alone covers and with which it may leave."""
    rest, pairs = w[COVERED + card] & w[MATES + card] & cards, 0
    while rest:
        bit = rest & -rest
        rest ^= bit
        if w[COVERS + number_of(bit)] & cards == 1 << card:
            pairs |= bit
    return pairs


@routine
def expand(w: Words, state: int, moves: Words, at: int) -> int:
    """Write the positions after all moves from `at`, the best ones last; return the end."""
    cards, turned, passes = state & CARDS, state >> TURNED & 63, state >> PASSES
    first, stock, free = w[FIRST_STOCK], cards & w[STOCK_BITS], free_cards(w, cards)
    ahead = stock & -(1 << first + max(turned - 1, 0))
    next_pass = stock & ~ahead if not w[LIMITS_PASSES] or passes > 0 else 0
    passes_again = passes - 1 if w[LIMITS_PASSES] else 0
    if w[IS_PLAYABLE] and (w[LIMITS_PASSES] or w[NEEDS_ALL]):
        live = stock & ~w[IDLE]
        while live & (live - 1):
            bit = live & -live
            live ^= bit
            following = live & -live
            if w[MATES + number_of(bit)] & following:
                if ahead & bit:
                    moves[at] = settled(w, cards ^ bit ^ following, number_of(bit) - first, passes)
                    at += 1
                elif next_pass & bit:
                    left = cards & ~(w[IDLE] & stock)
                    moves[at] = settled(w, left ^ bit ^ following, number_of(bit) - first, passes_again)
                    at += 1
    rest = free
    while rest:
        bit = rest & -rest
        rest ^= bit
        mates = w[MATES + number_of(bit)]
        drawn = mates & next_pass
        while drawn:
            card = drawn & -drawn
            drawn ^= card
            left = cards & ~(w[IDLE] & stock)
            moves[at] = settled(w, left ^ bit ^ card, number_of(card) - first, passes_again)
            at += 1
        drawn = mates & ahead
        while drawn:
            card = highest_bit(drawn)
            drawn ^= card
            moves[at] = settled(w, cards ^ bit ^ card, number_of(card) - first, passes)
            at += 1
    return _pairs_of_places(w, cards, free, state >> TURNED & 63, passes, moves, at)


@inlined
def _pairs_of_places(w: Words, cards: int, free: int, turned: int, passes: int, moves: Words, at: int) -> int:
    rest = free
    while rest:
        bit = rest & -rest
        rest ^= bit
        number = number_of(bit)
        mates = w[MATES + number] & rest
        if w[OVERLAPS]:
            mates |= overlapped(w, cards, number)
        while mates:
            mate = mates & -mates
            mates ^= mate
            moves[at] = settled(w, cards ^ bit ^ mate, turned, passes)
            at += 1
    return at


@routine
def expand_open(w: Words, cards: int, moves: Words, at: int) -> int:
    """The same with an open stock, of which no two cards leave together."""
    free = free_cards(w, cards)
    rest = free
    while rest:
        bit = rest & -rest
        rest ^= bit
        mates = w[MATES + number_of(bit)] & cards & w[STOCK_BITS]
        if mates:
            moves[at] = settled(w, cards ^ bit ^ highest_bit(mates), 0, 0)
            at += 1
    return _pairs_of_places(w, cards, free, 0, 0, moves, at)


@inlined
def opened(w: Words, cards: int) -> int:
    """Return the position with an open stock that has these cards: of each rank, those of the lowest bits are left."""
    left: int = cards & w[PLACES]
    for rank in range(12):
        bits = w[BY_RANK + rank] & w[STOCK_BITS] & ~w[IDLE]
        for _ in range(count_bits(np.uint64(bits & cards))):
            left |= bits & -bits
            bits &= bits - 1
    return left


@inlined
def slot_of(table: Words, key: int, marks: int) -> int:
    """Return the slot of a position: its own, or an empty one. The words of a table are 0 or a position plus 1, and
    marks."""
    mask = len(table) - 1
    slot = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(30)) & mask
    while table[slot] and table[slot] & ~marks != key + 1:
        slot = (slot + 1) & mask
    return slot  # type: ignore[return-value]


@inlined
def room(table: Words, entries: int, numbers: Words) -> int:
    """Return why no position can be added to a table, or 0."""
    if numbers[COUNT] >= numbers[LIMIT]:
        return STOPPED
    return FULL if 2 * entries >= len(table) else 0


@routine
def search_open(w: Words, start: int, table: Words, numbers: Words, moves: Words, lows: Words, path: Words) -> int:
    """Search a position with an open stock, and enter all in the table that are visited."""
    level, top = 0, 1
    moves[0], lows[0] = start, 0
    while True:
        while top == lows[level]:
            if level == 0:
                return LOST
            level -= 1
        top -= 1
        cards = moves[top]
        slot = slot_of(table, cards, WINNABLE)
        is_won = table[slot] & WINNABLE != 0
        if table[slot] == 0:
            reason = room(table, numbers[OPEN_COUNT], numbers)
            if reason != 0:
                return reason
            table[slot] = cards + 1
            numbers[COUNT] += 1
            numbers[OPEN_COUNT] += 1
            path[level] = slot
            level += 1
            is_won = cards & w[PLACES] == 0
            lows[level] = top
            top = expand_open(w, cards, moves, top)
        if is_won:
            for at in range(level):
                table[path[at]] |= WINNABLE
            return WON


@kernel
def search(
    w: Words,
    cards: int,
    turned: int,
    passes: int,
    aim: int,
    open_table: Words,
    table: Words,
    numbers: Words,
    scratch: Words,
) -> int:
    """Search the position of these cards; return what it is, and in `numbers` and `scratch` the win."""
    path, lows, moves = scratch[0:DEPTH], scratch[DEPTH : 2 * DEPTH], scratch[2 * DEPTH : HALF]
    open_path, open_lows, open_moves = (
        scratch[HALF : HALF + DEPTH],
        scratch[HALF + DEPTH : HALF + 2 * DEPTH],
        scratch[HALF + 2 * DEPTH :],
    )
    start = settled(w, cards, turned, passes)
    if aim != REAL:
        result = search_open(w, opened(w, start & CARDS), open_table, numbers, open_moves, open_lows, open_path)
        if aim == OPEN or result != WON:
            return LOST_WITH_OPEN_STOCK if result == LOST else result
    level, top, entries = 0, 1, 0
    moves[0], lows[0] = start, 0
    while True:
        while top == lows[level]:
            if level == 0:
                return LOST
            level -= 1
        top -= 1
        state = moves[top]
        slot = slot_of(table, state, 0)
        if table[slot]:
            continue
        reason = room(table, entries, numbers)
        if reason != 0:
            return reason
        table[slot] = state + 1
        numbers[COUNT] += 1
        entries += 1
        left = state & CARDS
        path[level] = state
        if left & w[PLACES] == 0 and (not w[NEEDS_ALL] or left & ~w[IDLE] == 0):
            numbers[LENGTH] = level + 1
            return WON
        if aim == DECIDE:
            result = search_open(w, opened(w, left), open_table, numbers, open_moves, open_lows, open_path)
            if result == LOST:
                continue
            if result != WON:
                return result
        level += 1
        lows[level] = top
        top = expand(w, state, moves, top)
