"""Positions of the compiled count of a loss, and their keys.

A position is one digit for each card, the code of where it is, and one number for how far the stock is turned, the
further passes, and the rank in the hole: three words in all (`encode`). So the order of columns and cells makes no
difference, and positions are compared exactly. If the stock goes to the columns, further words say on what its cards
were dealt and, as long as some are left, which card is the lowest of each column. `words` has the array `t` that they
are in.
"""

from dealmill.kernels import inlined, int64, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import Slots, Words, bit_of, first_of, is_new_key, slot_of
from dealmill.pipeline.games.patience.compiled.words import (
    ABSENT,
    BELOW,
    CARDS_PER_WORD,
    CODE_COUNT,
    CODES,
    COLUMNS,
    DEALING_WORDS,
    DECK,
    EMPTY_COLUMNS,
    HOLE_RANK,
    HOME,
    HOMES,
    IN_CELLS,
    IN_RESERVE,
    IN_STOCK,
    IS_ABSENT,
    KEY,
    KEY_WORDS,
    LOWEST,
    NO_CARD,
    ON_FOUNDATION,
    ON_PARENT,
    ON_SPACE,
    PASSES_LEFT,
    POWERS,
    RESERVE,
    STOCK,
    STOCK_ORDER,
    STOCK_SIZE,
    TO_COLUMNS,
    TOPS,
    TURNED,
    UNDER,
    UP,
    WORDS,
)

HOMES_PER_WORD, HOME_BITS = 10, 6
PASSES_UNIT, RANK_UNIT = 53, 530
"""What a further pass and a rank in the hole count in the number of `turning_of`: at most 52 cards are turned, and
fewer than ten further passes are left."""
TURNING_WORD, TURNING_DIGIT = divmod(52, CARDS_PER_WORD)
"""The word of a key that has this number, and the digit at which it begins: after the last card."""


@inlined
def turning_of(t: Words) -> int:
    """Return how far the stock is turned, the further passes and the rank in the hole as one number."""
    turning: int = t[TURNED] + PASSES_UNIT * t[PASSES_LEFT] + RANK_UNIT * t[HOLE_RANK]
    return turning


@inlined
def read_turning(t: Words, turning: int) -> None:
    """Write what a number of `turning_of` says."""
    t[TURNED] = turning % PASSES_UNIT
    t[PASSES_LEFT] = turning % RANK_UNIT // PASSES_UNIT
    t[HOLE_RANK] = turning // RANK_UNIT


@routine
def encode(t: Words) -> None:
    """Write the key of the position: digits of cards, and after the last card the number of `turning_of`."""
    for part in range(KEY_WORDS):
        t[KEY + part] = 0
    for card in range(52):
        t[KEY + card // CARDS_PER_WORD] += t[CODES + card] * t[POWERS + card % CARDS_PER_WORD]
    t[KEY + TURNING_WORD] += turning_of(t) * t[POWERS + TURNING_DIGIT]
    if t[TO_COLUMNS]:
        _encode_deals(t)


@routine
def _encode_deals(t: Words) -> None:
    """Write the homes of the cards of the stock that have not moved since they were dealt, and the lowest cards of
    columns if more will be dealt to them."""
    for part in range(KEY_WORDS, DEALING_WORDS):
        t[KEY + part] = 0
    in_order = int64(0)
    for slot in range(t[STOCK_SIZE]):
        card = t[STOCK_ORDER + slot]
        if t[CODES + card] == HOME:
            in_order |= t[HOMES + card] == STOCK
            t[KEY + KEY_WORDS + slot // HOMES_PER_WORD] |= t[HOMES + card] << HOME_BITS * (slot % HOMES_PER_WORD)
    for column in range(in_order * t[COLUMNS]):
        at = DEALING_WORDS - 2 + column // HOMES_PER_WORD
        t[KEY + at] |= t[LOWEST + column] << HOME_BITS * (column % HOMES_PER_WORD)


@routine
def _decode_deals(t: Words) -> None:
    """Write what a key says of dealt cards; the inverse of `_encode_deals`."""
    mask = (int64(1) << HOME_BITS) - 1
    for slot in range(t[STOCK_SIZE]):
        home = t[KEY + KEY_WORDS + slot // HOMES_PER_WORD] >> HOME_BITS * (slot % HOMES_PER_WORD)
        t[HOMES + t[STOCK_ORDER + slot]] = home & mask
    for column in range(t[COLUMNS]):
        lowest = t[KEY + DEALING_WORDS - 2 + column // HOMES_PER_WORD] >> HOME_BITS * (column % HOMES_PER_WORD)
        t[LOWEST + column] = lowest & mask


@routine
def decode(t: Words) -> None:
    """Write the places of cards that a key stands for; the inverse of `encode`."""
    for part in range(KEY_WORDS):
        left = t[KEY + part]
        for card in range(part * CARDS_PER_WORD, min((part + 1) * CARDS_PER_WORD, 52)):
            t[CODES + card] = left % CODE_COUNT
            left = left // CODE_COUNT
        if part == TURNING_WORD:
            read_turning(t, left)
    if t[TO_COLUMNS]:
        _decode_deals(t)


@routine
def locate_cards(t: Words) -> None:
    """Write which cards are where, and on what the cards in columns lie."""
    cells, reserve, stock, up, absent = int64(0), int64(0), int64(0), int64(0), int64(0)
    in_columns, covered, columns = int64(0), int64(0), t[COLUMNS]
    cards = t[DECK]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        bit, code = bit_of(card), t[CODES + card]
        below = int64(NO_CARD)
        if code == HOME:
            below = t[HOMES + card]
            if below == RESERVE:
                reserve |= bit
                continue
            if below == STOCK:
                stock |= bit
                continue
        elif code >= ON_PARENT:
            below = t[BELOW + 4 * card + code - ON_PARENT]
        elif code == ON_SPACE:
            columns -= 1
        else:
            if code == ON_FOUNDATION:
                up |= bit
            elif code == IS_ABSENT:
                absent |= bit
            else:
                cells |= bit
            continue
        t[UNDER + card] = below
        in_columns |= bit
        if below != NO_CARD:
            covered |= bit_of(below)
    t[TOPS] = in_columns & ~covered
    t[IN_CELLS], t[IN_RESERVE], t[IN_STOCK], t[UP], t[ABSENT] = cells, reserve, stock, up, absent
    t[EMPTY_COLUMNS] = columns


@inlined
def is_new(t: Words, keys: Words, slots: Slots, count: int) -> bool:
    """Append the key of the position unless it is known; return whether it is new."""
    return is_new_key(t, row_of(KEY), t[WORDS], keys, slots, count)


@inlined
def is_known(t: Words, keys: Words, slots: Slots) -> bool:
    """Return whether the key of the position is known."""
    return bool(slots[slot_of(t, row_of(KEY), t[WORDS], keys, slots)])


@inlined
def copy_key(t: Words, keys: Words, number: int) -> None:
    """Write the key with this number."""
    for part in range(t[WORDS]):
        t[KEY + part] = keys[t[WORDS] * number + part]


@inlined
def read_key(t: Words, keys: Words, number: int) -> None:
    """Write the position whose key has this number, without what `locate_cards` writes."""
    copy_key(t, keys, number)
    decode(t)


@inlined
def change_key(t: Words, move: int, turning: int) -> None:
    """Write the key after a move, after which nothing happens without one, to that of the position, whose `turning_of`
    is given."""
    card, code, after = move & 63, (move >> 6) & 15, move >> 10
    t[KEY + card // CARDS_PER_WORD] += (code - t[CODES + card]) * t[POWERS + card % CARDS_PER_WORD]
    t[KEY + TURNING_WORD] += (after - turning) * t[POWERS + TURNING_DIGIT]
    if t[TO_COLUMNS] and t[CODES + card] == HOME:
        for slot in range(t[STOCK_SIZE]):
            if t[STOCK_ORDER + slot] == card:
                home = t[HOMES + card] << HOME_BITS * (slot % HOMES_PER_WORD)
                t[KEY + KEY_WORDS + slot // HOMES_PER_WORD] -= home
