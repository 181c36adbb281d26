"""Positions of the quotient in the compiled referee: what lies on the table, and which positions follow."""

from dealmill.kernels import Item, Row, inlined, int64, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import Words, bit_of, count_of, first_of
from dealmill.pipeline.games.patience.compiled.quotient_words import (
    AFTER,
    ANY_FILLS,
    BARE,
    BEGUN,
    BURIED,
    COLUMNS,
    DECK,
    DRAW,
    FIELD_MASKS,
    FIELD_SHIFTS,
    FIELD_WORDS,
    FIELDS,
    FIRST_COLUMN,
    IN_RESERVE,
    IN_STOCK,
    KEY,
    KEYS_AFTER,
    LAST,
    LEAST,
    LOWER,
    MOVED,
    OFFERED,
    ORIGIN,
    PASSES,
    PASSES_LEFT,
    PLACES,
    REMOVABLE,
    RESERVE,
    RESERVE_CARDS,
    SHOWN,
    STACKED,
    STARTS,
    STOCK,
    STOCK_ORDER,
    TOPS,
    TURNED,
    UP,
    VISITED,
    WORDS,
    cards_of,
    kinds_below,
    kinds_of,
    kinds_of_both,
    kinds_that_fit,
    kings_to_spaces,
)
from dealmill.pipeline.games.patience.rules import UNLIMITED


@inlined
def _change(t: Words, field: int, change: int) -> None:
    """Add a number to a field in the key."""
    t[KEY + t[FIELD_WORDS + field]] += change << t[FIELD_SHIFTS + field]


@inlined
def copy_key(t: Words, first: Row | Item) -> None:
    """Make the words from an offset on the key."""
    for part in range(t[WORDS]):
        t[KEY + part] = t[first + part]


@routine
def write_key(t: Words) -> None:
    """Write the key of the position."""
    for part in range(t[WORDS]):
        t[KEY + part] = 0
    for number in range(FIRST_COLUMN + t[COLUMNS]):
        _change(t, number, t[FIELDS + number])


@inlined
def read_key(t: Words) -> None:
    """Write the position of the key."""
    for number in range(FIRST_COLUMN + t[COLUMNS]):
        t[FIELDS + number] = t[KEY + t[FIELD_WORDS + number]] >> t[FIELD_SHIFTS + number] & t[FIELD_MASKS + number]


@routine
def _fill(t: Words) -> None:
    """Let all cards that begin columns count as moved, in the key, too, if no reserve is left that fills them."""
    left, spaces = t[FIELDS + RESERVE] * t[STACKED], int64(0)
    for column in range(t[COLUMNS]):
        spaces += t[FIELDS + FIRST_COLUMN + column] == 0
    while left and spaces:
        left &= left - 1
        spaces -= 1
    if left == 0:
        t[FIELDS + RESERVE] *= 1 - t[STACKED]
        for column in range(t[COLUMNS]):
            if t[FIELDS + FIRST_COLUMN + column] == 1:
                t[FIELDS + FIRST_COLUMN + column] = 0
        write_key(t)


@inlined
def _look_at_stock(t: Words) -> None:
    """Write which cards are in the stock, and which it offers: the last one; of those ahead, each that is the last one
    of a draw; and of all, if there is a further pass, each that is then."""
    in_stock, offered, card, rest = int64(0), int64(0), int64(0), t[FIELDS + STOCK]
    passes = t[PASSES] == UNLIMITED or t[FIELDS + PASSES_LEFT] > 0
    until, until_then = t[FIELDS + TURNED], int64(t[DRAW])
    if until == 0:
        until = int64(t[DRAW])
    while rest:
        card = bit_of(t[STOCK_ORDER + first_of(rest)])
        rest &= rest - 1
        in_stock |= card
        until -= 1
        until_then -= 1
        if until == 0:
            offered |= card
            until = int64(t[DRAW])
        if until_then == 0:
            offered |= card * passes
            until_then = int64(t[DRAW])
    t[IN_STOCK], t[OFFERED] = in_stock, offered | card


@inlined
def _look_at_reserve(t: Words, spaces: int) -> None:
    """Write which cards of the reserve begin a column, if this many are to be filled, and which can be taken."""
    t[BEGUN], t[IN_RESERVE], rest = 0, 0, t[FIELDS + RESERVE]
    while rest and not (t[STACKED] and t[IN_RESERVE]):
        card = bit_of(t[RESERVE_CARDS + first_of(rest)])
        rest &= rest - 1
        if t[STACKED] and spaces:
            t[BEGUN] |= card
            spaces -= 1
        else:
            t[IN_RESERVE] |= card
    t[BURIED] = 0
    while rest:
        t[BURIED] |= bit_of(t[RESERVE_CARDS + first_of(rest)])
        rest &= rest - 1


@inlined
def _look_for_places(t: Words, spaces: int) -> None:
    """Write which kinds can be bared, and which have a free place, with so many columns without a dealt card."""
    shown, both_shown = kinds_of(t[SHOWN]), kinds_of_both(t[SHOWN])
    moved, both_moved = kinds_of(t[MOVED]), kinds_of_both(t[MOVED])
    t[BARE] = (shown & ~kinds_below(t, moved)) | (both_shown & ~kinds_below(t, both_moved))
    t[PLACES] = (kinds_that_fit(shown) & ~moved) | (kinds_that_fit(both_shown) & ~both_moved)
    begun = (moved & ~kinds_that_fit(shown)) | (both_moved & ~kinds_that_fit(both_shown)) << 26
    while begun and spaces:
        spaces -= 1
        begun &= begun - 1
    if spaces and t[ANY_FILLS]:
        t[BARE], t[PLACES] = kinds_of(t[DECK]), kinds_of(t[DECK])
    elif spaces:
        t[PLACES] |= kings_to_spaces(t)


@routine
def look(t: Words) -> None:
    """Write the sets that follow from the position."""
    up, below, dealt, spaces = int64(0), int64(0), int64(0), int64(0)
    for suit in range(4):
        up |= (bit_of(t[FIELDS + suit]) - 1) << 13 * suit
    for column in range(t[COLUMNS]):
        left = t[FIELDS + FIRST_COLUMN + column]
        row = t[STARTS + column] + left
        below |= t[LOWER + row]
        if left:
            dealt |= t[TOPS + row]
        else:
            spaces += 1
    _look_at_stock(t)
    _look_at_reserve(t, spaces)
    if t[STACKED] and t[IN_RESERVE]:
        spaces = int64(0)
    dealt |= t[BEGUN]
    moved = t[DECK] & ~(up | below | dealt | t[IN_STOCK] | t[IN_RESERVE] | t[BURIED])
    t[UP], t[MOVED], t[SHOWN] = up, moved, moved | dealt
    t[OFFERED] |= t[IN_RESERVE]
    _look_for_places(t, spaces)


@inlined
def _passes_after(t: Words, index: int, count: int) -> int:
    """Return the further passes after card `index` of `count` in the stock, from 1, is taken."""
    ahead = index - t[FIELDS + TURNED]
    is_ahead = ahead >= 0 and (ahead % t[DRAW] == 0 or index == count)
    return int64(t[FIELDS + PASSES_LEFT] - (t[PASSES] != UNLIMITED and not is_ahead))


@inlined
def _next_cards(t: Words) -> int:
    """Return the cards that are next on their foundations."""
    cards = int64(0)
    for suit in range(4):
        if t[FIELDS + suit] <= t[LAST]:
            cards |= bit_of(13 * suit + t[FIELDS + suit])
    return cards


@inlined
def _safe_cards(t: Words) -> int:
    """Return those on which no card needs to lie."""
    cards = int64(0)
    for suit in range(4):
        rank, sibling = t[FIELDS + suit], t[FIELDS + (suit + 2) % 4]
        others = min(t[FIELDS + (suit + 1) % 4], t[FIELDS + (suit + 3) % 4])
        if others >= rank - 1 and sibling >= rank - 2 and rank <= t[LAST]:
            cards |= bit_of(13 * suit + rank)
    return cards


@routine
def _take(t: Words, card: int) -> None:
    """Take a card out of its column, if it is dealt, or out of the reserve or the stock, in the key."""
    bit = bit_of(card)
    if t[MOVED] & bit:
        return
    if t[IN_STOCK] & bit:
        _take_from_stock(t, card)
        return
    if (t[IN_RESERVE] | t[BEGUN]) & bit:
        _change(t, int64(RESERVE), -bit_of(t[ORIGIN + card]))
        return
    column = t[ORIGIN + card]
    left = t[FIELDS + FIRST_COLUMN + column]
    _change(t, FIRST_COLUMN + column, t[AFTER + t[STARTS + column] + left] - left)


@inlined
def _take_from_stock(t: Words, card: int) -> None:
    """Take a card that the stock offers."""
    bit = bit_of(t[ORIGIN + card])
    count, index = count_of(t[FIELDS + STOCK]), count_of(t[FIELDS + STOCK] & (2 * bit - 1))
    turned = index - 1
    if t[PASSES] == UNLIMITED and (turned % t[DRAW] == 0 or turned == count - 1):
        turned = int64(0)
    _change(t, int64(PASSES_LEFT), _passes_after(t, index, count) - t[FIELDS + PASSES_LEFT])
    _change(t, int64(STOCK), -bit)
    _change(t, int64(TURNED), turned - t[FIELDS + TURNED])


@routine
def settle(t: Words) -> None:
    """Write the position of the key, and let safe cards go up, in the order of suits, as long as there are any; in the
    key, too."""
    while True:
        read_key(t)
        if t[ANY_FILLS]:
            _fill(t)
        rising = _safe_cards(t)
        if rising:
            look(t)
            offered = t[IN_STOCK] * (t[DRAW] == 1 and t[PASSES] == UNLIMITED) | t[IN_RESERVE]
            rising &= (t[SHOWN] & cards_of(t[BARE])) | offered
        if rising == 0:
            return
        card = first_of(rising)
        _take(t, card)
        _change(t, card // 13, int64(1))


@routine
def write_keys_after(t: Words, end: int) -> int:
    """Write the keys after the moves of the position that is visited, from number `end` on; return how many keys there
    are then."""
    kinds = cards_of(t[PLACES])
    rising = _next_cards(t) & (t[OFFERED] | t[SHOWN] & cards_of(t[BARE]))
    coming = (t[OFFERED] | t[SHOWN] & ~t[MOVED]) & kinds
    while rising | coming:
        is_rising = rising != 0
        card = first_of(rising) if is_rising else first_of(coming)
        if is_rising:
            rising &= rising - 1
        else:
            coming &= coming - 1
        copy_key(t, row_of(VISITED))
        _take(t, card)
        _change(t, card // 13, int64(is_rising))
        end = _keep_key(t, end)
    for suit in range(4 * t[REMOVABLE]):
        height = t[FIELDS + suit]
        if height > t[LEAST] and kinds & bit_of(13 * suit + height - 1):
            copy_key(t, row_of(VISITED))
            _change(t, suit, int64(-1))
            end = _keep_key(t, end)
    return end


@inlined
def _keep_key(t: Words, number: int) -> int:
    """Write the key after a move; return the number of the next one."""
    for part in range(t[WORDS]):
        t[KEYS_AFTER + t[WORDS] * number + part] = t[KEY + part]
    return number + 1
