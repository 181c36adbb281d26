"""Positions of the quotient and their moves; see docs/proofs/klondike.md."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.quotient import words as k
from dealmill.pipeline.games.patience.quotient.words import (
    Words,
    bit_of,
    black_ranks,
    both_black,
    both_red,
    cards_of,
    count_of,
    first_of,
    red_ranks,
    word,
)


@routine
def decode(q: Words, key: int) -> None:
    """Write the position that a key stands for."""
    q[k.KEY] = key
    q[k.FULL_SLOTS] = key & (bit_of(q[k.SLOTS]) - 1)
    rest = key >> q[k.SLOTS]
    for digit in range(q[k.DIGITS]):
        base = q[k.BASES + digit]
        above = rest // base
        q[k.VALUES + digit] = rest - above * base
        rest = above


@routine
def _offered(q: Words) -> int:
    """Return the cards that turning the stock would uncover."""
    cards, rest = word(0), q[k.FULL_SLOTS] & q[k.STOCK_SLOTS]
    draw, turned, count, number = q[k.DRAW], q[k.VALUES + k.TURNED_DIGIT], count_of(rest), word(0)
    further = q[k.PASSES] == 0 or q[k.VALUES + k.PASSES_DIGIT] > 0
    ahead, whole = turned if turned else draw, word(0)
    while rest:
        number += 1
        whole += 1
        ahead -= 1
        is_offered = number == count
        if ahead == 0:
            is_offered = True
            ahead = draw
        if whole == draw:
            is_offered = is_offered or further
            whole = word(0)
        if is_offered:
            cards |= bit_of(q[k.SLOT_CARDS + first_of(rest)])
        rest &= rest - 1
    return cards


@inlined
def _cards_in(q: Words, slots: int) -> int:
    """Return the cards in some slots."""
    cards = word(0)
    while slots:
        cards |= bit_of(q[k.SLOT_CARDS + first_of(slots)])
        slots &= slots - 1
    return cards


@routine
def survey(q: Words) -> None:
    """Write the sets of cards that follow from the position."""
    up, hidden, dealt, nexts, spaces = word(0), word(0), word(0), word(0), word(0)
    for suit in range(4):
        height = q[k.VALUES + k.UP_DIGIT + suit]
        up |= (bit_of(height) - 1) << 13 * suit
        if height < q[k.RANKS]:
            nexts |= bit_of(13 * suit + height)
    for column in range(q[k.COLUMNS]):
        row = q[k.BLOCKS + column] + q[k.VALUES + k.COLUMN_DIGIT + column]
        hidden |= q[k.HIDDEN + row]
        dealt |= q[k.LOWEST + row]
        spaces += q[k.LOWEST + row] == 0
    stock = _cards_in(q, q[k.FULL_SLOTS] & q[k.STOCK_SLOTS])
    reserve = _cards_in(q, q[k.FULL_SLOTS] & ~q[k.STOCK_SLOTS])
    shown = q[k.DECK] & ~(up | hidden | stock | reserve)
    moved = shown & ~dealt
    q[k.UP], q[k.HIDING], q[k.DEALT], q[k.NEXT], q[k.SHOWN], q[k.MOVED] = up, hidden, dealt, nexts, shown, moved
    black, red, two_black, two_red = black_ranks(shown), red_ranks(shown), both_black(shown), both_red(shown)
    on_red, on_black = black_ranks(moved), red_ranks(moved)
    two_on_red, two_on_black = both_black(moved), both_red(moved)
    q[k.BARE] = shown & cards_of(
        (black & ~(on_black << 1)) | (two_black & ~(two_on_black << 1)),
        (red & ~(on_red << 1)) | (two_red & ~(two_on_red << 1)),
    )
    last = bit_of(q[k.RANKS] - 1)
    free = cards_of(
        (red >> 1 & ~on_red) | (two_red >> 1 & ~two_on_red),
        (black >> 1 & ~on_black) | (two_black >> 1 & ~two_on_black),
    )
    kings = cards_of(last, last)
    if q[k.TO_SPACES] and spaces > count_of(moved & kings):
        free |= kings
    q[k.FREE] = free
    q[k.STOCK], q[k.RESERVE], q[k.OFFERED] = stock, reserve, reserve
    if stock:
        q[k.OFFERED] |= _offered(q)


@inlined
def _safe_cards(q: Words) -> int:
    """Return the next cards of foundations on which no card needs to lie."""
    safe = word(0)
    black = min(q[k.VALUES + k.UP_DIGIT], q[k.VALUES + k.UP_DIGIT + 2])
    red = min(q[k.VALUES + k.UP_DIGIT + 1], q[k.VALUES + k.UP_DIGIT + 3])
    for suit in range(4):
        height, sibling = q[k.VALUES + k.UP_DIGIT + suit], q[k.VALUES + k.UP_DIGIT + (suit ^ 2)]
        opposite = black if suit & 1 else red
        if opposite >= height - 1 and sibling >= height - 2:
            safe |= bit_of(13 * suit + height)
    return word(safe & q[k.NEXT])


@inlined
def _key_without(q: Words, card: int) -> int:
    """Return the key after a card has left a column, the stock or the reserve."""
    key, bit, column = word(q[k.KEY]), bit_of(card), word(0)
    if q[k.SHOWN] & bit:
        if q[k.DEALT] & bit:
            while q[k.LOWEST + q[k.BLOCKS + column] + q[k.VALUES + k.COLUMN_DIGIT + column]] != bit:
                column += 1
            key -= q[k.UNITS + k.COLUMN_DIGIT + column]
        return key
    slot = word(0)
    while q[k.SLOT_CARDS + slot] != card:
        slot += 1
    key -= bit_of(slot)
    return _key_without_stock(q, key, slot) if q[k.STOCK] & bit else key


@inlined
def _key_without_stock(q: Words, key: int, slot: int) -> int:
    """Return the key with the digits of the stock as they are after the card in a slot has left it."""
    count, turned = count_of(q[k.STOCK]), q[k.VALUES + k.TURNED_DIGIT]
    number = count_of(q[k.FULL_SLOTS] & ((bit_of(slot) << 1) - 1))
    ahead = number >= turned and ((number - turned) % q[k.DRAW] == 0 or number == count)
    if q[k.PASSES] and not ahead:
        key -= q[k.UNITS + k.PASSES_DIGIT]
    after = number - 1
    if q[k.PASSES] == 0 and (after % q[k.DRAW] == 0 or after == count - 1):
        after = word(0)
    return word(key + (after - turned) * q[k.UNITS + k.TURNED_DIGIT])


@routine
def settle(q: Words) -> None:
    """Let safe cards go up, in the order of suits, as long as there are any."""
    q[k.SETTLED_COUNT] = 0
    while True:
        survey(q)
        safe = _safe_cards(q)
        available = q[k.BARE] | q[k.RESERVE]
        if q[k.DRAW] == 1 and q[k.PASSES] == 0:
            available |= q[k.OFFERED]
        q[k.SAFE] = safe
        rising = safe & available
        if rising == 0:
            return
        card = first_of(rising)
        q[k.SETTLED + q[k.SETTLED_COUNT]] = card
        q[k.SETTLED_COUNT] += 1
        decode(q, _key_without(q, card) + q[k.UNITS + k.UP_DIGIT + card // 13])


@inlined
def _add(q: Words, key: int, move: int, score: int) -> None:
    at = q[k.CHILD_COUNT]
    if q[k.NOISE]:
        q[k.NOISE] = (q[k.NOISE] * word(6364136223846793005) + word(1442695040888963407)) | 1
        score += (q[k.NOISE] >> 40) & 511
    while at and q[k.CHILD_SCORES + at - 1] > score:
        q[k.CHILD_KEYS + at] = q[k.CHILD_KEYS + at - 1]
        q[k.CHILD_MOVES + at] = q[k.CHILD_MOVES + at - 1]
        q[k.CHILD_SCORES + at] = q[k.CHILD_SCORES + at - 1]
        at -= 1
    q[k.CHILD_KEYS + at], q[k.CHILD_MOVES + at], q[k.CHILD_SCORES + at] = key, move, score
    q[k.CHILD_COUNT] += 1


@routine
def _add_moves(q: Words, cards: int, kind: int, score: int) -> None:
    """Add the moves of cards in columns, the stock or the reserve."""
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        key = _key_without(q, card)
        if kind == k.TO_FOUNDATION:
            key += q[k.UNITS + k.UP_DIGIT + card // 13]
        _add(q, key, card | kind << 6, score)


@routine
def list_moves(q: Words) -> None:
    """List the moves of the position that was surveyed and settled, the most promising last. Safe cards that come back
    would go up again."""
    q[k.CHILD_COUNT] = 0
    rising = q[k.BARE] & q[k.NEXT]
    _add_moves(q, rising & q[k.DEALT], word(k.TO_FOUNDATION), word(300))
    _add_moves(q, rising & ~q[k.DEALT], word(k.TO_FOUNDATION), word(100))
    _add_moves(q, q[k.DEALT] & q[k.FREE], word(k.TO_PLACE), word(250))
    _add_moves(q, q[k.OFFERED] & q[k.NEXT], word(k.TO_FOUNDATION), word(200))
    _add_moves(q, q[k.OFFERED] & q[k.FREE], word(k.TO_PLACE), word(60))
    for suit in range(4 * q[k.REMOVABLE]):
        height = q[k.VALUES + k.UP_DIGIT + suit]
        card = word(13 * suit) + height - 1
        if height > q[k.LEAST_UP] and q[k.FREE] & bit_of(card):
            _add(q, q[k.KEY] - q[k.UNITS + k.UP_DIGIT + suit], card | k.TO_PLACE << 6, word(0))
