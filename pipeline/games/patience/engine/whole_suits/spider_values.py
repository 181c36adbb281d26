"""The keys and the values of the positions of `spider_words`: keys tell positions apart, and those with the greatest
values are searched first."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.whole_suits.spider_words import (
    AGAIN,
    COLUMNS,
    COMPLETE,
    DEALT,
    DOWN,
    FITTING,
    HAS_RESERVE,
    HIGHER,
    IN_RUN,
    KEYS,
    LEFT,
    LENGTH,
    LIMITED,
    LOWER,
    NO_CARD,
    NOISE,
    PARENTS,
    PASSES,
    PER_RUN_CARD,
    RANKS,
    RUNS,
    SPACE,
    STOCK_SIZE,
    TO_WASTE,
    TURNED,
    VALUES,
    Words,
    card_at,
    reserve_of,
)
from dealmill.rules_files import MAX_COLUMNS

FACE_DOWN, FIRST_SPACE, KING_BELOW, WHOLE_SUIT = 12, 10, 5, 900
"""What else the value of a position counts: a card that lies face down; the first empty column; a last rank at the
bottom; a suit that has left."""
CARD_LEFT, EMPTY_COLUMN, BUILT, UNBUILT, COVERING, MAX_COVERED = 20, 8, 3, 6, 2, 4
IN_WASTE, COVERING_IN_WASTE, PER_RANK_IN_WASTE, IN_STOCK_AGAIN, IN_RESERVE = 7, 6, 3, 3, 10
"""The same where cards go up one by one: a card that is left; an empty column; a card that fits the one below it, or
only is lower than all below it, or covers lower ones, for each rank; a card in the waste, or one there that covers
lower ones, and for each rank; a card of waste and stock that may be gone through again; and one in the reserve."""
MIX = -7046029254386353131


@routine
def _worth(s: Words, column: int) -> int:
    """Return the value of a column if cards go up one by one."""
    length, value = s[LENGTH + column], int64(0)
    if length == 0:
        return int64(EMPTY_COLUMN)
    under = card_at(s, column, int64(0))
    lowest = under % 13
    for height in range(1, length):
        card = card_at(s, column, int64(height))
        rank = card % 13
        loss = COVERING * min(rank - lowest, int64(MAX_COVERED)) if rank > lowest else int64(UNBUILT)
        value += BUILT if height > s[DOWN + column] and (s[PARENTS + card] >> under) & 1 else -loss
        lowest, under = min(lowest, rank), card
    return value


@routine
def _worth_of_waste(s: Words, waste: int) -> int:
    """Return the value of the waste; what covers what does not matter if it will be gone through again."""
    count = s[LENGTH + waste]
    if s[AGAIN] and (s[LIMITED] == 0 or s[PASSES]):
        return int64(-IN_STOCK_AGAIN * count)
    if s[AGAIN]:
        count = s[TURNED]
    value, lowest = -IN_WASTE * count, int64(NO_CARD)
    for height in range(count):
        rank = card_at(s, waste, int64(height)) % 13
        if rank > lowest:
            value -= COVERING_IN_WASTE + PER_RANK_IN_WASTE * min(rank - lowest, int64(MAX_COVERED))
        lowest = min(lowest, rank)
    return int64(value)


@routine
def _worth_with_suits(s: Words, column: int) -> int:
    """Return the value of a column if whole suits go up."""
    length, down = s[LENGTH + column], s[DOWN + column]
    under, value, size = int64(NO_CARD), -FACE_DOWN * down, int64(1)
    for height in range(down, length):
        card = card_at(s, column, int64(height))
        if height > down:
            if (s[RUNS + card] >> under) & 1:
                size += 1
                value += s[IN_RUN] + s[PER_RUN_CARD] * size
            else:
                size = int64(1)
                if (s[PARENTS + card] >> under) & 1:
                    value += s[FITTING]
                else:
                    value += s[LOWER] if card % 13 < under % 13 else s[HIGHER]
        under = card
    if length == 0:
        value += s[SPACE]
    elif down == 0 and card_at(s, column, int64(0)) % 13 == s[RANKS] - 1:
        value += KING_BELOW
    return int64(value)


@routine
def weigh(s: Words, column: int) -> None:
    """Write the key and the value of a column, the waste or the reserve."""
    length, key = s[LENGTH + column], int64(s[DOWN + column] + 1) << 6
    for height in range(length):
        key = (key ^ (card_at(s, column, int64(height)) + 1)) * int64(MIX)
        key ^= key >> 29
    s[KEYS + column] = key
    if s[COMPLETE]:
        s[VALUES + column] = _worth_with_suits(s, column)
    elif column < s[COLUMNS]:
        s[VALUES + column] = _worth(s, column)
    else:
        s[VALUES + column] = -IN_RESERVE * length if column == reserve_of(s) else _worth_of_waste(s, column)


@inlined
def order_counts(s: Words) -> bool:
    """Return whether the order of columns counts, since cards will be dealt to them."""
    return bool(s[DEALT] < s[STOCK_SIZE] and s[TO_WASTE] == 0)


@inlined
def position_key(s: Words) -> int:
    """Return the key of the position: the order of columns counts if cards will be dealt to them."""
    key, in_order = int64(s[DEALT] | s[TURNED] << 8 | s[PASSES] << 16), order_counts(s)
    for column in range(s[COLUMNS]):
        own = s[KEYS + column]
        if in_order:
            own = (own + column) * int64(MIX)
            own ^= own >> 31
        key += own
    if s[TO_WASTE]:
        own = (s[KEYS + s[COLUMNS]] + MAX_COLUMNS) * int64(MIX)
        key += own ^ own >> 31
    if s[HAS_RESERVE]:
        own = (s[KEYS + reserve_of(s)] + MAX_COLUMNS + 1) * int64(MIX)
        key += own ^ own >> 31
    key *= int64(MIX)
    key ^= key >> 32
    return int64(key) if key else int64(1)


@inlined
def value_of(s: Words, key: int) -> int:
    """Return the value of the position with a key."""
    value: int = -WHOLE_SUIT * (s[LEFT] // s[RANKS]) if s[COMPLETE] else -CARD_LEFT * s[LEFT]
    has_space = False
    for column in range(s[COLUMNS]):
        value += s[VALUES + column]
        has_space |= s[LENGTH + column] == 0
    if s[TO_WASTE]:
        value += s[VALUES + s[COLUMNS]]
    if s[HAS_RESERVE]:
        value += s[VALUES + reserve_of(s)]
    if has_space and s[COMPLETE]:
        value += FIRST_SPACE
    if s[NOISE]:
        value += ((key ^ s[NOISE]) * int64(MIX) >> 40) & 15
    return value
