"""The compiled referee of losses by positions of the quotient, written from docs/proofs/klondike.md.

It shares no code with the engine. Of the plain referee, it uses only what that says of the form of layouts and
evidence; of the compiled referee of other losses, how positions are stored and compared. Cards are numbers, 13 for
each suit, counted from the base of the foundations; black and red suits alternate, so two cards of a *kind*, a rank and
a colour, are 26 apart, and the lower number is that of the kind. A position is some numbers, in fields of bits that are
as wide as the layout needs: the heights of the foundations, the turned cards of the stock, the further passes, the
dealt cards that are left in each column, and the sets of cards that are left in the stock and in the reserve; of a
reserve that fills columns, the first of these begin those that have no other dealt card. `t` is one array of all but
the positions, with the offsets below.
"""

import numpy as np

from dealmill.kernels import Fields, inlined, int64, kernel, load_ahead, pointer_to, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import (
    WON,
    Words,
    bit_of,
    counted,
    first_of,
    first_whole_slot,
    is_new_whole_key,
    whole_slot_of,
)
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss
from dealmill.pipeline.games.patience.rules import UNLIMITED, Rules
from dealmill.rules_files import MAX_COLUMNS

MAX_MOVES = 200
"""A position has fewer moves."""
AT_ONCE = 8
"""Positions that are visited at once."""
MAX_ROWS = 52 + MAX_COLUMNS
MAX_WORDS = 8
WORD_BITS = 62
TURNED, PASSES_LEFT, STOCK, RESERVE, FIRST_COLUMN = 4, 5, 6, 7, 8
MAX_FIELDS = FIRST_COLUMN + MAX_COLUMNS
"""The fields of a position: heights, `TURNED`, `PASSES_LEFT`, `STOCK`, `RESERVE`, and the columns."""

ARRAY = Fields()
# Rules and layout
LAST, DRAW, PASSES, KINGS_FILL, ANY_FILLS, STACKED, REMOVABLE, LEAST, COLUMNS, STOCK_SIZE, DECK, WORDS = ARRAY.words(12)
STOCK_ORDER, RESERVE_CARDS, STARTS = ARRAY.row(52), ARRAY.row(52), ARRAY.row(MAX_COLUMNS)
LOWER, AFTER, TOPS = ARRAY.rows(3, MAX_ROWS)
"""For each column, the index of its first row, with a row for each number of dealt cards that are left: these cards as
a set, how many are left after the last one has left, and that card."""
FIELD_WORDS, FIELD_SHIFTS, FIELD_MASKS = ARRAY.rows(3, MAX_FIELDS)
# A position
FIELDS = ARRAY.row(MAX_FIELDS)
UP, SHOWN, MOVED, OFFERED, BARE, PLACES, IN_STOCK, IN_RESERVE, BURIED, BEGUN = ARRAY.words(10)
"""Sets of cards, but `BARE` and `PLACES` of kinds: those that can be bared, and those that have a free place."""
RISEN, EVER_BARE, EVER_PLACES, EVER_OFFERED, CAME, EMPTIED = ARRAY.words(6)
HEIGHTS, LEFT_OVER = ARRAY.row(4), ARRAY.row(MAX_COLUMNS)
"""The same in the relaxed game, the cards that came to the columns, how many columns were emptied, the heights of the
foundations, and the dealt cards that are left in each column."""
KEY, KEYS_AFTER = ARRAY.row(MAX_WORDS), ARRAY.row(AT_ONCE * MAX_MOVES * MAX_WORDS)
"""The key of a position, and those after the moves of those that are visited at once, before safe cards go up."""
SIZE = ARRAY.size
KINDS, SUIT = (1 << 26) - 1, (1 << 13) - 1
LOWEST = 1 | 1 << 13
"""The sets of all kinds, of the cards of a suit, and of the kinds of the lowest rank."""


def check_quotient(rules: Rules, layout: str, loss: QuotientLoss) -> list[int]:
    """Check the claim of a loss; return and raise what `counted` does."""
    t = np.zeros(SIZE, dtype=np.int64)
    _load(t, rules, layout)
    game = "the easier game" if rules.move == "card" else "the game"
    return counted(loss.positions, int(t[WORDS]), lambda *arrays: _count(t.copy(), *arrays), game, whole_keys=True)


def _load(t: Words, rules: Rules, layout: str) -> None:
    """Write the rules and the first position."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = rules.base_of(texts)

    def numbers(text: str) -> list[int]:
        cards = zip(text[::2], text[1::2], strict=True)
        return [rules.card_number(rank + suit, base) for rank, suit in cards]

    t[LAST], t[DRAW], t[PASSES], t[KINGS_FILL] = rules.ranks - 1, rules.draw, rules.passes, rules.spaces == "kings"
    t[ANY_FILLS], t[STACKED] = rules.spaces in ("any", "reserve"), rules.stacked
    t[REMOVABLE], t[LEAST], t[COLUMNS] = rules.removable, rules.initial == "all", len(rules.sizes)
    t[DECK] = sum(1 << 13 * suit + rank for suit in range(4) for rank in range(rules.ranks))
    stock = numbers(texts.get("waste", "") + texts.get("stock", ""))
    t[STOCK_SIZE] = len(stock)
    t[STOCK_ORDER : STOCK_ORDER + len(stock)] = stock
    reserve = numbers(texts.get("reserve", ""))[:: -1 if rules.stacked else 1]
    t[RESERVE_CARDS : RESERVE_CARDS + len(reserve)] = reserve
    fields = [(0, rules.ranks)] * 4
    for top in numbers(texts.get("foundations", "")):
        fields[top // 13] = top % 13 + 1, rules.ranks
    turned = len(texts.get("waste", "")) // 2
    if rules.passes == UNLIMITED and (turned % rules.draw == 0 or turned == len(stock)):
        turned = 0
    fields += [(turned, len(stock)), (int(texts.get("passes", 0)), rules.passes), ((1 << len(stock)) - 1,) * 2]
    fields.append(((1 << len(reserve)) - 1,) * 2)
    row = 0
    for number, text in enumerate(columns.split("/")):
        t[STARTS + number] = row
        cards, is_up = numbers(text.strip("-")), list(map(str.isupper, text[1::2]))
        for left, card in enumerate(cards, start=1):
            t[LOWER + row + left] = t[LOWER + row + left - 1] | 1 << card
            t[AFTER + row + left], t[TOPS + row + left] = _dealt(t, cards, is_up, left - 1), card
        fields.append((_dealt(t, cards, is_up, len(cards)), len(cards)))
        row += len(cards) + 1
    used = [0]
    for number, (value, greatest) in enumerate(fields):
        width = greatest.bit_length()
        if used[-1] + width > WORD_BITS:
            used.append(0)
        t[FIELD_WORDS + number], t[FIELD_SHIFTS + number] = len(used) - 1, used[-1]
        t[FIELD_MASKS + number], t[FIELDS + number] = (1 << width) - 1, value
        used[-1] += width
    t[WORDS] = len(used)


def _dealt(t: Words, cards: list[int], is_up: list[bool], count: int) -> int:
    """Return how many of the first `count` cards of a column are dealt ones if no others are left."""
    while count > 1 and is_up[count - 2]:
        card, below = cards[count - 1], cards[count - 2]
        if below % 13 != card % 13 + 1 or (below - card) // 13 % 2 == 0:
            break
        count -= 1
    return 0 if count == 1 and cards[0] % 13 == t[LAST] and not t[ANY_FILLS] else count


@inlined
def _kinds_of(cards: int) -> int:
    """Return the kinds of which at least one card is among these."""
    return (cards | cards >> 26) & KINDS


@inlined
def _kinds_of_both(cards: int) -> int:
    """Return the kinds of which both cards are among these."""
    return cards & cards >> 26 & KINDS


@inlined
def _cards_of(kinds: int) -> int:
    """Return all cards of some kinds."""
    return kinds | kinds << 26


@inlined
def _kinds_that_fit(kinds: int) -> int:
    """Return the kinds that fit some kinds."""
    lower = (kinds & ~int64(LOWEST)) >> 1
    return (lower << 13 | lower >> 13) & KINDS


@inlined
def _kinds_below(t: Words, kinds: int) -> int:
    """Return the kinds that some kinds fit."""
    higher: int = (kinds & ~(int64(LOWEST) << t[LAST])) << 1
    return (higher << 13 | higher >> 13) & KINDS


@inlined
def _kings(t: Words) -> int:
    """Return the kinds of kings, if they go to empty columns."""
    kinds: int = (int64(LOWEST) << t[LAST]) * t[KINGS_FILL]
    return kinds


@inlined
def _change(t: Words, field: int, change: int) -> None:
    """Add a number to a field in the key."""
    t[KEY + t[FIELD_WORDS + field]] += change << t[FIELD_SHIFTS + field]


@inlined
def _copy_key(t: Words, keys: Words, first: int) -> None:
    """Write the key that begins at `first`."""
    for part in range(t[WORDS]):
        t[KEY + part] = keys[first + part]


@routine
def _write_key(t: Words) -> None:
    """Write the key of the position."""
    for part in range(t[WORDS]):
        t[KEY + part] = 0
    for number in range(FIRST_COLUMN + t[COLUMNS]):
        _change(t, number, t[FIELDS + number])


@inlined
def _read_key(t: Words) -> None:
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
        _write_key(t)


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
    shown, both_shown = _kinds_of(t[SHOWN]), _kinds_of_both(t[SHOWN])
    moved, both_moved = _kinds_of(t[MOVED]), _kinds_of_both(t[MOVED])
    t[BARE] = (shown & ~_kinds_below(t, moved)) | (both_shown & ~_kinds_below(t, both_moved))
    t[PLACES] = (_kinds_that_fit(shown) & ~moved) | (_kinds_that_fit(both_shown) & ~both_moved)
    begun = (moved & ~_kinds_that_fit(shown)) | (both_moved & ~_kinds_that_fit(both_shown)) << 26
    while begun and spaces:
        spaces -= 1
        begun &= begun - 1
    if spaces and t[ANY_FILLS]:
        t[BARE], t[PLACES] = _kinds_of(t[DECK]), _kinds_of(t[DECK])
    elif spaces:
        t[PLACES] |= _kings(t)


@routine
def _look(t: Words) -> None:
    """Write the sets that follow from the position."""
    up, below, dealt, spaces = int64(0), int64(0), int64(0), int64(0)
    for suit in range(4):
        up |= (bit_of(t[FIELDS + suit]) - 1) << 13 * suit
    for column in range(t[COLUMNS]):
        left = t[FIELDS + FIRST_COLUMN + column]
        row = t[STARTS + column] + left
        below |= t[LOWER + row]
        if left:
            dealt |= bit_of(t[TOPS + row])
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
    for column in range(t[COLUMNS]):
        left = t[FIELDS + FIRST_COLUMN + column]
        row = t[STARTS + column] + left
        if left and t[TOPS + row] == card:
            _change(t, FIRST_COLUMN + column, t[AFTER + row] - left)
            return
    slot = int64(0)
    while t[RESERVE_CARDS + slot] != card:
        slot += 1
    _change(t, int64(RESERVE), -bit_of(slot))


@inlined
def _take_from_stock(t: Words, card: int) -> None:
    """Take a card that the stock offers."""
    count, index, slot, rest = int64(0), int64(0), int64(0), t[FIELDS + STOCK]
    while rest:
        at = first_of(rest)
        rest &= rest - 1
        count += 1
        if t[STOCK_ORDER + at] == card:
            index, slot = count, at
    turned = index - 1
    if t[PASSES] == UNLIMITED and (turned % t[DRAW] == 0 or turned == count - 1):
        turned = int64(0)
    _change(t, int64(PASSES_LEFT), _passes_after(t, index, count) - t[FIELDS + PASSES_LEFT])
    _change(t, int64(STOCK), -bit_of(slot))
    _change(t, int64(TURNED), turned - t[FIELDS + TURNED])


@routine
def _settle(t: Words) -> None:
    """Write the position of the key, and let safe cards go up, in the order of suits, as long as there are any; in the
    key, too."""
    while True:
        _read_key(t)
        if t[ANY_FILLS]:
            _fill(t)
        rising = _safe_cards(t)
        if rising:
            _look(t)
            offered = t[IN_STOCK] * (t[DRAW] == 1 and t[PASSES] == UNLIMITED) | t[IN_RESERVE]
            rising &= (t[SHOWN] & _cards_of(t[BARE])) | offered
        if rising == 0:
            return
        card = first_of(rising)
        _take(t, card)
        _change(t, card // 13, int64(1))


@inlined
def _rise(t: Words) -> None:
    """Let cards go up in the relaxed game, as many of each suit as are available in turn. A moved card leaves its place
    to others, and bares a card; a king leaves a column."""
    available = (t[SHOWN] | t[CAME]) & _cards_of(t[EVER_BARE]) | t[EVER_OFFERED]
    for suit in range(4):
        height = t[HEIGHTS + suit]
        coming = first_of(~((available >> 13 * suit & SUIT) >> height))
        t[RISEN] |= (bit_of(coming) - 1) << 13 * suit + height
        t[HEIGHTS + suit] += coming
    risen, kings = t[RISEN] & ~t[UP], int64(LOWEST) << t[LAST]
    left = _kinds_of(risen & t[MOVED])
    t[EVER_BARE] |= _kinds_below(t, left)
    t[EVER_PLACES] |= left & ~kings
    if _kinds_of(risen) & kings:
        t[EVER_PLACES] |= _kings(t)


@inlined
def _come(t: Words, cards: int) -> None:
    """Let cards come to the columns: they can be bared, and others have places on them."""
    t[CAME] |= cards
    t[EVER_BARE] |= _kinds_of(cards)
    t[EVER_PLACES] |= _kinds_that_fit(_kinds_of(cards))


@inlined
def _leave_columns(t: Words) -> None:
    """Let dealt cards leave their columns, and those come that are turned up, or can move, after that."""
    for column in range(t[COLUMNS]):
        left = t[LEFT_OVER + column]
        while left:
            row = t[STARTS + column] + left
            top = t[TOPS + row]
            if not (t[RISEN] & bit_of(top) or t[EVER_PLACES] & bit_of(top % 26)):
                break
            after, cards = t[AFTER + row], int64(t[LOWER + row - 1])
            if after:
                cards &= ~t[LOWER + t[STARTS + column] + after - 1]
            _come(t, cards)
            if left == 1:
                t[EVER_PLACES] |= _kings(t)
                t[EMPTIED] += 1
            left = after
        t[LEFT_OVER + column] = left


@inlined
def _come_back(t: Words) -> None:
    """Let cards come back from foundations."""
    for suit in range(4 * t[REMOVABLE]):
        rank = t[FIELDS + suit] - 1
        while rank >= t[LEAST] and t[EVER_PLACES] & bit_of(13 * (suit % 2) + rank):
            _come(t, bit_of(13 * suit + rank))
            rank -= 1


@routine
def _begin_columns(t: Words) -> None:
    """Let cards of a reserve begin columns that others have left. As soon as none is left in the reserve, and anything
    has happened, any card can move."""
    begun, rest = int64(0), t[FIELDS + RESERVE] * t[STACKED]
    for column in range(t[COLUMNS]):
        begun += t[LEFT_OVER + column] > 0
    while rest:
        card = t[RESERVE_CARDS + first_of(rest)]
        rest &= rest - 1
        if t[SHOWN] & bit_of(card) == 0:
            if begun < t[COLUMNS]:
                _come(t, bit_of(card))
            elif begun == t[COLUMNS]:
                t[EVER_OFFERED] |= bit_of(card)
        if begun > t[COLUMNS] or not (t[RISEN] & bit_of(card) or t[EVER_PLACES] & bit_of(card % 26)):
            begun += 1
    if begun <= t[COLUMNS] and (t[CAME] or t[RISEN] != t[UP]):
        t[EVER_PLACES], t[EVER_BARE] = _kinds_of(t[DECK]), _kinds_of(t[DECK])


@routine
def _is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game."""
    t[EMPTIED] = 0
    t[RISEN], t[EVER_BARE], t[EVER_PLACES], t[EVER_OFFERED], t[CAME] = t[UP], t[BARE], t[PLACES], t[OFFERED], 0
    for suit in range(4):
        t[HEIGHTS + suit] = t[FIELDS + suit]
    for column in range(t[COLUMNS]):
        t[LEFT_OVER + column] = t[FIELDS + FIRST_COLUMN + column]
    while True:
        risen, came, places = t[RISEN], t[CAME], t[EVER_PLACES]
        offered, emptied = t[EVER_OFFERED], t[EMPTIED]
        _rise(t)
        if t[RISEN] == t[DECK]:
            return False
        if t[ANY_FILLS]:
            _begin_columns(t)
        _come(t, t[EVER_OFFERED] & _cards_of(t[EVER_PLACES]))
        _leave_columns(t)
        _come_back(t)
        if t[IN_STOCK] & (t[CAME] | t[RISEN]):
            t[EVER_OFFERED] |= t[IN_STOCK]
        is_same = t[RISEN] == risen and t[CAME] == came and t[EVER_PLACES] == places
        if is_same and t[EVER_OFFERED] == offered and t[EMPTIED] == emptied:
            return True


@routine
def _write_keys_after(t: Words, queue: Words, first: int, end: int) -> int:
    """Write the keys after the moves of the position whose key begins at `first`, from number `end` on; return how many
    keys there are then."""
    kinds = _cards_of(t[PLACES])
    rising = _next_cards(t) & (t[OFFERED] | t[SHOWN] & _cards_of(t[BARE]))
    coming = (t[OFFERED] | t[SHOWN] & ~t[MOVED]) & kinds
    while rising | coming:
        is_rising = rising != 0
        card = first_of(rising) if is_rising else first_of(coming)
        if is_rising:
            rising &= rising - 1
        else:
            coming &= coming - 1
        _copy_key(t, queue, first)
        _take(t, card)
        _change(t, card // 13, int64(is_rising))
        end = _keep_key(t, end)
    for suit in range(4 * t[REMOVABLE]):
        height = t[FIELDS + suit]
        if height > t[LEAST] and kinds & bit_of(13 * suit + height - 1):
            _copy_key(t, queue, first)
            _change(t, suit, int64(-1))
            end = _keep_key(t, end)
    return end


@inlined
def _keep_key(t: Words, number: int) -> int:
    """Write the key after a move; return the number of the next one."""
    for part in range(t[WORDS]):
        t[KEYS_AFTER + t[WORDS] * number + part] = t[KEY + part]
    return number + 1


@routine
def _visit(t: Words, queue: Words, table: Words, number: int, moves: int) -> int:
    """Visit a position of the queue, write the keys after its moves behind those of other positions, `moves` in all,
    and ask for their slots. Return how many keys there are then; `WON` if the position is won."""
    size = t[WORDS]
    _copy_key(t, queue, size * number)
    _read_key(t)
    _look(t)
    if t[UP] == t[DECK]:
        return int64(WON)
    if _is_refuted(t):
        return moves
    end = _write_keys_after(t, queue, size * number, moves)
    for move in range(moves, end):
        load_ahead(table, size * first_whole_slot(t, KEYS_AFTER + size * move, size, table))
    return end


@routine
def _visit_some(t: Words, queue: Words, table: Words, first: int, number: int, end: int, room: int) -> int:
    """Visit so many positions of the queue from the first, and write those that were not reached before to its `end`.
    Return how many these are, no more than `room` + 1; `WON` if one that is visited is won.
    """
    moves, new = int64(0), int64(0)
    for at in range(first, first + number):
        moves = _visit(t, queue, table, at, moves)
        if moves == WON:
            return int64(WON)
    for move in range(moves):
        _copy_key(t, t, KEYS_AFTER + t[WORDS] * move)
        if table[whole_slot_of(t, row_of(KEY), t[WORDS], table), 0]:
            continue  # a position that was reached, from which no safe card goes up
        _settle(t)
        new += is_new_whole_key(t, row_of(KEY), t[WORDS], queue, table, end + new)
        if new > room:
            break
    return new


@kernel
def _count(words: Words, queue: Words, table: Words, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as long as they are few.

    After that, the latest positions are visited first: what they lead to is more likely to be in the cache. Several are
    visited at once, so that most of the slots that they ask for have come when they are compared. The table has whole
    keys, not their numbers, so that a key is compared where it is looked for.
    """
    t = pointer_to(words)
    _write_key(t)
    _settle(t)
    count, visited, steps, before, new = int64(0), int64(0), int64(0), int64(0), int64(0)
    count += is_new_whole_key(t, row_of(KEY), t[WORDS], queue, table, count)
    while visited < count <= min(limit, len(counts)):
        if visited == before:  # all positions with one move less are visited
            before = count
            counts[steps] = count
            steps += 1
        new = _visit_some(t, queue, table, visited, int64(1), count, limit - count)
        if new == WON:
            return new
        visited += 1
        count += new
    left = count
    while visited < left and count <= limit:
        number = min(left - visited, int64(AT_ONCE))
        left -= number
        new = _visit_some(t, queue, table, left, number, left, limit - count)
        if new == WON:
            return new
        left += new
        count += new
    return count
