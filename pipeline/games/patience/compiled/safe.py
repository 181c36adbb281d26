"""The compiled referee of losses by safe cards, `losses.safe`, for more positions than plain Python visits in a moment.
It is written from docs/proofs/safe.md, and shares no code with the engine.

A card is a number, 13 for each suit, counted from the base of the foundations. A position is a word for each suit, with
four bits for each of its cards: the code of where it is. So the order of columns and cells makes no difference, and
positions are compared exactly. All else is in one array, `t`, with the offsets below; sets of cards are bits of a word.
"""

import numpy as np

from dealmill.kernels import Fields, inlined, int64, kernel, routine
from dealmill.pipeline.games.patience.compiled.keys import WON, Slots, Words, bit_of, counted, first_of
from dealmill.pipeline.games.patience.losses.safe import SafeLoss
from dealmill.pipeline.games.patience.rules import SUITS, Rules, pairs

HOME, ON_FOUNDATION, IS_ABSENT, IN_CELL, ON_SPACE, ON_PARENT = range(6)
"""Codes of cards. `ON_PARENT` and the three after it are those that lie on the next higher card of each suit, which
they fit; `HOME` are those that lie on another one since the game began."""
NO_CARD = 52
ALWAYS = 100
"""So many ranks, no foundation can lag behind another one."""
SUIT = (1 << 13) - 1
CODE_BITS, CODE = 4, 15

ARRAY = Fields()
DECK, IDLE, SPACES, CELLS, COLUMNS, LAST_RANK = ARRAY.words(6)
"""What is the same for all positions; `SPACES` are the cards that go to an empty column."""
TOPS, IN_CELLS, UP, ABSENT = ARRAY.words(4)
"""The position that is visited."""
KEY, VISITED = ARRAY.rows(2, 4)
LAGS = ARRAY.row(16)
PARENTS, HOMES, UNDER = ARRAY.rows(3, 52)
"""The key that is made, that of the position which is visited, and a word for each two suits, and for each card."""
SIZE = ARRAY.size


def check_safe(rules: Rules, layout: str, loss: SafeLoss) -> list[int]:
    """Check the claim of a loss; return and raise what `counted` does."""
    t = np.zeros(SIZE, dtype=np.int64)
    _load(t, rules, layout, loss)
    game = "the easier game" if t[IDLE] else "the game"
    return counted(loss.positions, len(SUITS), lambda *arrays: _count(t.copy(), *arrays), game)


def _load(t: Words, rules: Rules, layout: str, loss: SafeLoss) -> None:
    """Write the rules, and the first position."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = rules.base_of(texts)

    def number(card: str) -> int:
        return rules.card_number(card, base)

    deck, parents = set(map(number, rules.deck())), rules.parents
    up = {top - lower for top in map(number, pairs(texts.get("foundations", ""))) for lower in range(top % 13 + 1)}
    codes = dict.fromkeys(up, ON_FOUNDATION) | dict.fromkeys(map(number, pairs(texts.get("cells", ""))), IN_CELL)
    for column in columns.split("/"):
        under = NO_CARD
        for card in map(number, pairs(column.strip("-"))):
            fits = under != NO_CARD and parents[card] >> under & 1
            codes[card] = ON_SPACE if under == NO_CARD else ON_PARENT + under // 13 if fits else HOME
            t[HOMES + card], under = under, card
    for card, code in codes.items():
        t[KEY + card // 13] |= code << CODE_BITS * (card % 13)
        t[PARENTS + card] = parents[card]
    idle = set() if loss.live is None else deck - set(map(number, loss.live)) - up
    t[DECK], t[IDLE], t[SPACES] = _mask(deck), _mask(idle), rules.cards_for_spaces
    t[CELLS], t[COLUMNS], t[LAST_RANK] = rules.cells, len(rules.sizes), rules.ranks - 1
    t[LAGS : LAGS + 16] = lag_table(rules).flat


def lag_table(rules: Rules) -> Words:
    """Return how many ranks each foundation may be behind the next card of each suit for that card to be safe: no card
    that fits it, or fits one that fits it, and so on, is lower by fewer ranks."""
    lags = np.full((4, 4), ALWAYS, dtype=np.int64)
    for suit, fitting in enumerate(rules.suits_that_fit):
        lags[suit, [second for second in range(4) if fitting >> 13 * second & 1]] = 1
    for third in range(4):
        lags = np.minimum(lags, lags[:, third, np.newaxis] + lags[third])
    return lags


def _mask(cards: set[int]) -> int:
    return sum(1 << card for card in cards)


@inlined
def _write(t: Words, card: int, code: int) -> None:
    """Write where a card is to the key that is made."""
    at, shift = KEY + card // 13, CODE_BITS * (card % 13)
    t[at] = (t[at] & ~(int64(CODE) << shift)) | int64(code) << shift


@inlined
def _height(gone: int, suit: int) -> int:
    """Return how many cards of a suit are gone, from the lowest on to the first that is not."""
    return first_of(~(gone >> 13 * suit & SUIT))


@routine
def _loose(t: Words, near: int, absent: int) -> int:
    """Return the cards of those that can be moved which become absent: they are idle, or fit an absent one."""
    loose, rest = int64(near & t[IDLE]), int64(near & ~t[IDLE])
    while rest:
        card = first_of(rest)
        rest &= rest - 1
        if t[PARENTS + card] & absent:
            loose |= bit_of(card)
    return loose


@routine
def _safe_card(t: Words, near: int, gone: int) -> int:
    """Return the first card of those that can be moved which is safe, or `NO_CARD`."""
    for suit in range(4):
        height = _height(gone, int64(suit))
        card = 13 * suit + height
        if height > t[LAST_RANK] or near & bit_of(card) == 0:
            continue
        is_safe = True
        for second in range(4):
            is_safe = is_safe and _height(gone, int64(second)) >= height - t[LAGS + 4 * suit + second]
        if is_safe:
            return card
    return int64(NO_CARD)


@routine
def _settle(t: Words, tops: int, cells: int, up: int, absent: int, fresh: int) -> None:
    """Write to the key what happens without a move in a position: loose cards become absent, then a safe card goes up,
    and so on. Of the cards that can be moved, only the `fresh` ones can be loose or safe at first."""
    while fresh:
        leaving, code = int64(0), int64(IS_ABSENT)
        if t[IDLE]:
            leaving = _loose(t, fresh, absent)
            absent |= leaving
        if leaving == 0:
            card, code = _safe_card(t, fresh, up | absent), int64(ON_FOUNDATION)
            if card == NO_CARD:
                return
            leaving = bit_of(card)
            up |= leaving
        while leaving:
            card = first_of(leaving)
            leaving &= leaving - 1
            _write(t, card, code)
            if cells & bit_of(card):
                cells ^= bit_of(card)
            else:
                tops ^= bit_of(card)
                if t[UNDER + card] != NO_CARD:
                    tops |= bit_of(t[UNDER + card])
        fresh = tops | cells


@routine
def _survey(t: Words) -> int:
    """Write which cards are where in the position that is visited, and on what those in columns lie. Return the number
    of empty columns."""
    cells, up, absent, in_columns, covered, empty = int64(0), int64(0), int64(0), int64(0), int64(0), int64(t[COLUMNS])
    for suit in range(4):
        codes = t[VISITED + suit]
        for card in range(13 * suit, 13 * suit + t[LAST_RANK] + 1):
            code, bit, under = codes & CODE, bit_of(card), int64(NO_CARD)
            codes >>= CODE_BITS
            if code == ON_FOUNDATION:
                up |= bit
                continue
            if code == IS_ABSENT:
                absent |= bit
                continue
            if code == IN_CELL:
                cells |= bit
                continue
            if code == ON_SPACE:
                empty -= 1
            else:
                under = t[HOMES + card] if code == HOME else int64(13 * (code - ON_PARENT) + card % 13 + 1)
                covered |= bit_of(under)
            in_columns |= bit
            t[UNDER + card] = under
    t[TOPS], t[IN_CELLS], t[UP], t[ABSENT] = in_columns & ~covered, cells, up, absent
    return empty


@routine
def _move(t: Words, card: int, code: int, target: int) -> None:
    """Write the key of the position after a card has moved, onto `target` or `NO_CARD`."""
    tops, cells, up, bit, fresh = t[TOPS], t[IN_CELLS], t[UP], bit_of(card), int64(0)
    under = t[UNDER + card]
    for suit in range(4):
        t[KEY + suit] = t[VISITED + suit]
    _write(t, card, code)
    if cells & bit:
        cells ^= bit
    else:
        tops ^= bit
        if under != NO_CARD:
            fresh = bit_of(under)
            tops |= fresh
    if code == ON_FOUNDATION:
        up |= bit
        fresh = tops | cells
    elif code == IN_CELL:
        cells |= bit
    else:
        tops |= bit
        if target != NO_CARD:
            tops ^= bit_of(target)
        t[UNDER + card] = target
    _settle(t, tops, cells, up, t[ABSENT], fresh)
    t[UNDER + card] = under


@inlined
def _is_new(t: Words, keys: Words, slots: Slots, count: int) -> bool:
    """Write the key as number `count` unless it is among those before; return whether it is new."""
    clubs, hearts, spades, diamonds = t[KEY + 0], t[KEY + 1], t[KEY + 2], t[KEY + 3]
    mixed = (clubs ^ hearts << 12 ^ hearts >> 40) * int64(-7046029254386353131)
    mixed ^= mixed >> 32
    mixed = (mixed ^ spades ^ diamonds << 12 ^ diamonds >> 40) * int64(-7046029254386353131)
    mask = len(slots) - 1
    at = (mixed >> 24) & mask
    while slots[at]:
        known = 4 * (int64(slots[at]) - 1)
        first_two = keys[known] == clubs and keys[known + 1] == hearts
        if first_two and keys[known + 2] == spades and keys[known + 3] == diamonds:
            return False
        at = (at + 1) & mask
    keys[4 * count], keys[4 * count + 1], keys[4 * count + 2], keys[4 * count + 3] = clubs, hearts, spades, diamonds
    slots[at] = count + 1
    return True


@inlined
def _add(t: Words, keys: Words, slots: Slots, count: int, limit: int) -> int:
    """Add the position whose key was made to `count` others if it is new and there are no more than `limit`; return the
    number of all."""
    return count + (count <= limit and _is_new(t, keys, slots, count))


@routine
def _visit(t: Words, keys: Words, slots: Slots, count: int, limit: int, empty: int) -> int:
    """Make all moves of the position that was surveyed; return the number of positions with the new ones, which may be
    `limit` + 1."""
    free, filled, cards = int64(t[CELLS]), t[IN_CELLS], t[TOPS] | t[IN_CELLS]
    while filled:
        filled &= filled - 1
        free -= 1
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        bit, below = bit_of(card), t[PARENTS + card] & t[TOPS]
        in_cell = t[IN_CELLS] & bit
        if card % 13 == _height(t[UP] | t[ABSENT], card // 13):
            _move(t, card, int64(ON_FOUNDATION), int64(NO_CARD))
            count = _add(t, keys, slots, count, limit)
        if free > 0 and not in_cell:
            _move(t, card, int64(IN_CELL), int64(NO_CARD))
            count = _add(t, keys, slots, count, limit)
        if empty and t[SPACES] & bit and (in_cell or t[UNDER + card] != NO_CARD):
            _move(t, card, int64(ON_SPACE), int64(NO_CARD))
            count = _add(t, keys, slots, count, limit)
        while below:
            target = first_of(below)
            below &= below - 1
            _move(t, card, ON_PARENT + target // 13, target)
            count = _add(t, keys, slots, count, limit)
    return count


@kernel
def _count(t: Words, keys: Words, slots: Slots, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as far as they go."""
    count, visited, moved, before = int64(0), int64(0), int64(0), int64(0)
    for suit in range(4):
        t[VISITED + suit] = t[KEY + suit]
    _survey(t)
    _settle(t, t[TOPS], t[IN_CELLS], t[UP], t[ABSENT], t[TOPS] | t[IN_CELLS])
    count = _add(t, keys, slots, count, limit)
    while visited < count:
        if visited == before:  # all positions with one move less are visited
            before = count
            if moved < len(counts):
                counts[moved] = count
            moved += 1
        for suit in range(4):
            t[VISITED + suit] = keys[4 * visited + suit]
        empty = _survey(t)
        if t[DECK] & ~(t[UP] | t[ABSENT]) == 0:
            return int64(WON)
        count = _visit(t, keys, slots, count, limit, empty)
        if count > limit:
            return count
        visited += 1
    return count
