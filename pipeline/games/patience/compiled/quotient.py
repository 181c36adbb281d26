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

from dealmill.kernels import Fields, inlined, int64, kernel, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import (
    WON,
    Slots,
    Words,
    bit_of,
    counted,
    first_of,
    is_new_key,
)
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss
from dealmill.pipeline.games.patience.rules import RANKS, UNLIMITED, Rules
from dealmill.rules_files import MAX_COLUMNS

MAX_MOVES = 200
"""A position has fewer moves."""
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
KEY, MOVES = ARRAY.row(MAX_WORDS), ARRAY.row(MAX_MOVES)
SIZE = ARRAY.size
KINDS = (1 << 26) - 1
LOWEST = 1 | 1 << 13
"""The set of all kinds, and that of the lowest rank."""


def check_quotient(rules: Rules, layout: str, loss: QuotientLoss) -> list[int]:
    """Check the claim of a loss; return and raise what `counted` does."""
    t = np.zeros(SIZE, dtype=np.int64)
    _load(t, rules, layout)
    return counted(loss.positions, int(t[WORDS]), lambda *arrays: _count(t.copy(), *arrays))


def _load(t: Words, rules: Rules, layout: str) -> None:
    """Write the rules and the first position."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = RANKS.index(texts.get("base", rules.foundations))

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


@routine
def _write_key(t: Words) -> None:
    """Write the key of the position."""
    for part in range(t[WORDS]):
        t[KEY + part] = 0
    for number in range(FIRST_COLUMN + t[COLUMNS]):
        t[KEY + t[FIELD_WORDS + number]] |= t[FIELDS + number] << t[FIELD_SHIFTS + number]


@routine
def _read_key(t: Words, keys: Words, first: int) -> None:
    """Write the position whose key begins at `first`."""
    for number in range(FIRST_COLUMN + t[COLUMNS]):
        t[FIELDS + number] = keys[first + t[FIELD_WORDS + number]] >> t[FIELD_SHIFTS + number] & t[FIELD_MASKS + number]


@inlined
def _fill(t: Words) -> None:
    """Let all cards that begin columns count as moved, if no reserve is left that fills them."""
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


@inlined
def _look_at_stock(t: Words) -> None:
    """Write which cards are in the stock, and which it offers."""
    in_stock, offered, count, index = int64(0), int64(0), int64(0), int64(0)
    rest = t[FIELDS + STOCK]
    while rest:
        count += 1
        rest &= rest - 1
    rest = t[FIELDS + STOCK]
    while rest:
        index += 1
        card = bit_of(t[STOCK_ORDER + first_of(rest)])
        rest &= rest - 1
        in_stock |= card
        if _passes_after(t, index, count) >= 0:
            offered |= card
    t[IN_STOCK], t[OFFERED] = in_stock, offered


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
    if t[ANY_FILLS]:
        _fill(t)
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
    """Return the further passes after card `index` of `count` in the stock, from 1, is taken; -1 if it is not
    offered."""
    ahead, passes = index - t[FIELDS + TURNED], int64(t[FIELDS + PASSES_LEFT])
    if ahead >= 0 and (ahead % t[DRAW] == 0 or index == count):
        return passes
    if index % t[DRAW]:
        return int64(-1)
    return int64(0) if t[PASSES] == UNLIMITED else int64(passes - 1)


@inlined
def _is_next(t: Words, card: int) -> bool:
    return bool(t[FIELDS + card // 13] == card % 13)


@inlined
def _is_safe(t: Words, card: int) -> bool:
    """Return whether no card needs to lie on one that is next on its foundation."""
    suit, rank = card // 13, card % 13
    first, second, sibling = t[FIELDS + (suit + 1) % 4], t[FIELDS + (suit + 3) % 4], t[FIELDS + (suit + 2) % 4]
    return bool(first >= rank - 1 and second >= rank - 1 and sibling >= rank - 2)


@routine
def _take(t: Words, card: int) -> None:
    """Take a card out of its column, if it is dealt, or out of the reserve or the stock."""
    for column in range(t[COLUMNS]):
        row = t[STARTS + column] + t[FIELDS + FIRST_COLUMN + column]
        if t[FIELDS + FIRST_COLUMN + column] and t[TOPS + row] == card:
            t[FIELDS + FIRST_COLUMN + column] = t[AFTER + row]
            return
    rest = t[FIELDS + RESERVE]
    while rest:
        at = first_of(rest)
        rest &= rest - 1
        if t[RESERVE_CARDS + at] == card:
            t[FIELDS + RESERVE] ^= bit_of(at)
            return
    rest, index, count, taken, slot = t[FIELDS + STOCK], int64(0), int64(0), int64(0), int64(0)
    while rest:
        at = first_of(rest)
        rest &= rest - 1
        count += 1
        if t[STOCK_ORDER + at] == card:
            index, taken, slot = count, int64(1), at
    if taken:
        t[FIELDS + PASSES_LEFT] = _passes_after(t, index, count)
        t[FIELDS + STOCK] ^= bit_of(slot)
        turned = index - 1
        if t[PASSES] == UNLIMITED and (turned % t[DRAW] == 0 or turned == count - 1):
            turned = int64(0)
        t[FIELDS + TURNED] = turned


@routine
def _settle(t: Words) -> None:
    """Let safe cards go up, in the order of suits, as long as there are any."""
    suit = int64(0)
    _look(t)
    while suit < 4:
        card = 13 * suit + t[FIELDS + suit]
        if t[FIELDS + suit] <= t[LAST] and _is_safe(t, card):
            is_bare = t[SHOWN] & bit_of(card) and t[BARE] & bit_of(card % 26)
            all_offered = t[IN_STOCK] * (t[DRAW] == 1 and t[PASSES] == UNLIMITED) | t[IN_RESERVE]
            if is_bare or all_offered & bit_of(card):
                _take(t, card)
                t[FIELDS + suit] += 1
                _look(t)
                suit = int64(0)
                continue
        suit += 1


@routine
def _rise(t: Words) -> bool:
    """Let cards go up in the relaxed game, and return whether any has. A moved card leaves its place to others, and
    bares a card; a king leaves a column."""
    before = t[RISEN]
    for suit in range(4):
        for rank in range(t[HEIGHTS + suit], t[LAST] + 1):
            card, kind = bit_of(13 * suit + rank), bit_of(13 * (suit % 2) + rank)
            is_bare = (t[SHOWN] | t[CAME]) & card and t[EVER_BARE] & kind
            if not (is_bare or t[EVER_OFFERED] & card):
                break
            t[RISEN] |= card
            t[HEIGHTS + suit] = rank + 1
            if t[MOVED] & card:
                t[EVER_BARE] |= _kinds_below(t, kind)
            if rank == t[LAST]:
                t[EVER_PLACES] |= _kings(t)
            elif t[MOVED] & card:
                t[EVER_PLACES] |= kind
    return bool(t[RISEN] != before)


@inlined
def _from_stock_and_reserve(t: Words) -> int:
    """Return the cards of the stock and the reserve that come to columns."""
    coming: int = t[EVER_OFFERED] & _cards_of(t[EVER_PLACES])
    return coming


@inlined
def _turned_up(t: Words) -> int:
    """Let dealt cards leave their columns; return those that are turned up, or can move, after that."""
    cards = int64(0)
    for column in range(t[COLUMNS]):
        left = t[LEFT_OVER + column]
        while left:
            row = t[STARTS + column] + left
            top = t[TOPS + row]
            if not (t[RISEN] & bit_of(top) or t[EVER_PLACES] & bit_of(top % 26)):
                break
            after = t[AFTER + row]
            cards |= t[LOWER + row - 1]
            if after:
                cards &= ~t[LOWER + t[STARTS + column] + after - 1]
            if left == 1:
                t[EVER_PLACES] |= _kings(t)
                t[EMPTIED] += 1
            left = after
        t[LEFT_OVER + column] = left
    return cards


@inlined
def _coming_back(t: Words) -> int:
    """Return the cards that come back from foundations."""
    cards = int64(0)
    for suit in range(4 * t[REMOVABLE]):
        rank = t[FIELDS + suit] - 1
        while rank >= t[LEAST] and t[EVER_PLACES] & bit_of(13 * (suit % 2) + rank):
            cards |= bit_of(13 * suit + rank)
            rank -= 1
    return cards


@routine
def _begin_columns(t: Words) -> int:
    """Let cards of a reserve begin columns that others have left; return those that come to the columns. As soon as
    none is left in the reserve, and anything has happened, any card can move."""
    begun, coming, rest = int64(0), int64(0), t[FIELDS + RESERVE] * t[STACKED]
    for column in range(t[COLUMNS]):
        begun += t[LEFT_OVER + column] > 0
    while rest:
        card = t[RESERVE_CARDS + first_of(rest)]
        rest &= rest - 1
        if t[SHOWN] & bit_of(card) == 0:
            if begun < t[COLUMNS]:
                coming |= bit_of(card)
            elif begun == t[COLUMNS]:
                t[EVER_OFFERED] |= bit_of(card)
        if begun > t[COLUMNS] or not (t[RISEN] & bit_of(card) or t[EVER_PLACES] & bit_of(card % 26)):
            begun += 1
    if begun <= t[COLUMNS] and (t[CAME] | coming or t[RISEN] != t[UP]):
        t[EVER_PLACES], t[EVER_BARE] = _kinds_of(t[DECK]), _kinds_of(t[DECK])
    return coming


@routine
def _is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game."""
    t[EMPTIED] = 0
    t[RISEN], t[EVER_BARE], t[EVER_PLACES], t[EVER_OFFERED], t[CAME] = t[UP], t[BARE], t[PLACES], t[OFFERED], 0
    for suit in range(4):
        t[HEIGHTS + suit] = t[FIELDS + suit]
    for column in range(t[COLUMNS]):
        t[LEFT_OVER + column] = t[FIELDS + FIRST_COLUMN + column]
    changed = True
    while changed:
        places, offered, emptied, changed = t[EVER_PLACES], t[EVER_OFFERED], t[EMPTIED], _rise(t)
        coming = int64(0)
        if t[ANY_FILLS]:
            coming |= _begin_columns(t)
        coming = (coming | _from_stock_and_reserve(t) | _turned_up(t) | _coming_back(t)) & ~t[CAME]
        t[CAME] |= coming
        if t[IN_STOCK] & (t[CAME] | t[RISEN]):
            t[EVER_OFFERED] |= t[IN_STOCK]
        changed = (
            changed or coming != 0 or t[EMPTIED] != emptied or t[EVER_PLACES] != places or t[EVER_OFFERED] != offered
        )
        t[EVER_BARE] |= _kinds_of(coming)
        t[EVER_PLACES] |= _kinds_that_fit(_kinds_of(coming))
    return bool(t[RISEN] != t[DECK])


@inlined
def _list(t: Words, end: int, card: int, target: int) -> int:
    t[MOVES + end] = card | target << 6
    return end + 1


@routine
def _list_moves(t: Words) -> int:
    """List the moves of the position; return their number. Those to foundations have a 1 from bit 6 on, those to places
    a 0, and those back from foundations a 2."""
    end, rest = int64(0), t[SHOWN] | t[OFFERED]
    while rest:
        card = first_of(rest)
        rest &= rest - 1
        kind, bit = bit_of(card % 26), bit_of(card)
        if _is_next(t, card) and (t[OFFERED] & bit or t[BARE] & kind):
            end = _list(t, end, card, int64(1))
        if t[MOVED] & bit == 0 and t[PLACES] & kind:
            end = _list(t, end, card, int64(0))
    for suit in range(4 * t[REMOVABLE]):
        card = int64(13 * suit) + t[FIELDS + suit] - 1
        if t[FIELDS + suit] > t[LEAST] and t[PLACES] & bit_of(card % 26):
            end = _list(t, end, card, int64(2))
    return end


@kernel
def _count(t: Words, keys: Words, slots: Slots, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as far as they go."""
    _settle(t)
    _write_key(t)
    count, visited, steps, before = int64(0), int64(0), int64(0), int64(0)
    count += is_new_key(t, row_of(KEY), t[WORDS], keys, slots, count)
    while visited < count:
        if visited == before:  # all positions with one move less are visited
            before = count
            if steps < len(counts):
                counts[steps] = count
            steps += 1
        _read_key(t, keys, t[WORDS] * visited)
        _look(t)
        if t[UP] == t[DECK]:
            return int64(WON)
        moves = int64(0)
        if not _is_refuted(t):
            moves = _list_moves(t)
        for number in range(moves):
            card, target = t[MOVES + number] & 63, t[MOVES + number] >> 6
            if number:
                _read_key(t, keys, t[WORDS] * visited)
            if target == 2:
                t[FIELDS + card // 13] -= 1
            else:
                _take(t, card)
                t[FIELDS + card // 13] += target
            _settle(t)
            _write_key(t)
            if is_new_key(t, row_of(KEY), t[WORDS], keys, slots, count):
                count += 1
                if count > limit:
                    return count
        visited += 1
    return count
