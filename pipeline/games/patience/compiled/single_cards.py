"""The count of positions where single cards move between columns and cells, for losses with more of them than plain
Python visits in a moment: of the game, `losses.counted`, with safe cards, `losses.safe`, or by a relaxed game,
`losses.cut`. It is written from the rules and from docs/proofs/safe.md and cut.md, and shares no code with the engine.

A card is a number, 13 for each suit, counted from the base of the foundations. A position is four sets of cards, each
the bits of a word, in which each card has the code of where it is: its bit in the first set is the lowest bit of the
code, and so on. So the order of columns and cells makes no difference, positions are compared exactly, and the cards
that can be moved follow from a few operations on sets. All else is in one array, `t`, with the offsets below.
"""

from functools import cache

import numpy as np

from dealmill.kernels import (
    Fields,
    Item,
    Row,
    count_bits,
    inlined,
    int64,
    kernel,
    load_ahead,
    pointer_to,
    routine,
    row_of,
)
from dealmill.pipeline.games.patience.compiled.keys import (
    WON,
    Slots,
    Words,
    bit_of,
    counted,
    first_of,
    first_whole_slot,
    is_new_whole_key,
    read_whole_key,
)
from dealmill.pipeline.games.patience.compiled.words import cards_below
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.safe import KNOWN_RULES, safe_cards_are_known
from dealmill.pipeline.games.patience.rules import SUITS, Rules, pairs

ON_FOUNDATION, HOME, ON_PARENT, IN_CELL, ON_SPACE, IS_ABSENT = 0, 1, 3, 4, 5, 8
"""Codes of cards. `HOME` are those that lie on a card which they do not fit, since the game began. Those that lie on
a card which they fit have `ON_PARENT` and four times the number of its suit, or of the card if these are of two ranks,
see `BELOW`."""
PARTS = 4
"""The sets of a position: the cards in columns; those of them that lie on a card which they fit; and two sets for the
number of that card, of which others have one bit if they begin a column, are in a cell, or are absent."""
NO_CARD = 52
ALWAYS, NEVER = 100, -100
"""By so many ranks, no foundation can lag behind another one; and by so many, not even the first one does."""
SUIT = (1 << 13) - 1
FIRST_ROOM = 4_000_000
"""The positions that are counted at first, in 0.19 GB: more than a search reaches with most default limits."""
AT_ONCE, MAX_MOVES = 8, 7 * 52
"""The positions that are visited at once. Of each, a card has no more moves than to its foundation, a cell, a space,
and four cards."""

ARRAY = Fields()
DECK, IDLE, SPACES, CELLS, COLUMNS, LAST_RANK, BUILDS_UP, DOWNWARD_PILES, IS_CUT = ARRAY.words(9)
"""What is the same for all positions; `SPACES` are the cards that go to an empty column. Then whether cards are put on
those of the next lower rank, too, whether each suit has a foundation that is built down, and whether no move is made
where the relaxed game is lost."""
TOPS, IN_CELLS, UP, ABSENT, NEXT, EMPTY = ARRAY.words(6)
"""The position that is visited: sets of cards, the next ones of all suits, and the number of empty columns."""
VISITED, FIRST = ARRAY.rows(2, PARTS)
"""Its key, and that of the first position."""
LAGS, SUITS_BELOW = ARRAY.row(16), ARRAY.row(4)
"""A word for each two suits; and for each suit, the cards of the suits on which its cards may be put."""
PARENTS, HOMES, BELOW = *ARRAY.rows(2, 52), ARRAY.row(4 * 52)
"""A word for each card; and what each lies on by each number of its code."""
LOADED_SIZE, KEYS, SIZE = ARRAY.size, ARRAY.row(AT_ONCE * MAX_MOVES * PARTS), ARRAY.size
"""The words so far; and the keys of the positions after moves, which are written before they are read."""


def check_count(
    rules: Rules, layout: str, loss: CountedLoss, *, is_safe: bool = False, is_cut: bool = False
) -> list[int]:
    """Check the claim of a loss by rules that `are_single`: of all positions, or if safe cards go up at once, or if no
    move is made where the relaxed game is lost, either; return and raise what `counted` does."""
    t = _loaded(rules, layout, loss)
    t[IS_CUT] = is_cut
    if (is_safe or is_cut) and safe_cards_are_known(rules):
        t[LAGS : LAGS + 16] = _lags(rules)
    game = "the easier game" if t[IDLE] else "the game"
    return counted(
        loss.positions, PARTS, lambda *arrays: _count(t, *arrays), game, whole_keys=True, first_room=FIRST_ROOM
    )


def are_single(rules: Rules) -> bool:
    """Return whether single cards move by some rules, face up, between columns and cells, and to foundations from which
    none comes back; there are no rules of which this module does not know."""
    is_known = rules.__dataclass_fields__.keys() == KNOWN_RULES and rules.move == "card" and rules.face_down == "none"
    places = rules.spaces in ("any", "kings", "none") and rules.stock == rules.reserve == 0 and rules.to == "waste"
    foundations = rules.hole == "none" and rules.copies == 1 and not rules.complete and not rules.removable
    return is_known and places and foundations and not rules.build_wraps


def _loaded(rules: Rules, layout: str, loss: CountedLoss) -> Words:
    """Return the array with the rules and the first position."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = rules.base_of(texts)
    number = rules.card_numbers(base).__getitem__
    t = np.empty(SIZE, dtype=np.int64)
    t[:LOADED_SIZE] = _loaded_rules(rules)
    deck, parents, below = set(map(number, rules.deck())), rules.parents, cards_below(rules.parents, rules.builds_up)
    up = {top - lower for top in map(number, pairs(texts.get("foundations", ""))) for lower in range(top % 13 + 1)}
    idle = set() if loss.live is None else deck - set(map(number, loss.live)) - up
    absent = idle if loss.absent_at_once else set()
    codes = dict.fromkeys(up, ON_FOUNDATION) | dict.fromkeys(map(number, pairs(texts.get("cells", ""))), IN_CELL)
    codes |= dict.fromkeys(absent, IS_ABSENT)
    homes = [0] * 52
    for column in columns.split("/"):
        under = NO_CARD
        for card in [card for card in map(number, pairs(column.strip("-"))) if card not in absent]:
            fits = under != NO_CARD and parents[card] >> under & 1
            codes[card] = ON_PARENT + 4 * below[card].index(under) if fits else ON_SPACE if under == NO_CARD else HOME
            homes[card], under = under, card
    t[HOMES : HOMES + 52] = homes
    with_code = [0] * 2**PARTS
    for card, code in codes.items():
        with_code[code] |= 1 << card
    for part in range(PARTS):
        t[FIRST + part] = sum(cards for code, cards in enumerate(with_code) if code >> part & 1)
    t[IDLE] = _mask(idle)
    return t


@cache
def _loaded_rules(rules: Rules) -> Words:
    """Return the array with what is the same for all layouts and claims. No card is safe."""
    t = np.zeros(LOADED_SIZE, dtype=np.int64)
    parents, below = rules.parents, cards_below(rules.parents, rules.builds_up)
    t[DECK], t[SPACES] = _mask(set(map(rules.card_numbers(0).__getitem__, rules.deck()))), rules.cards_for_spaces
    t[CELLS], t[COLUMNS], t[LAST_RANK] = rules.cells, len(rules.sizes), rules.ranks - 1
    t[BUILDS_UP], t[DOWNWARD_PILES], t[LAGS : LAGS + 16] = rules.builds_up, rules.has_downward_piles, NEVER
    t[PARENTS : PARENTS + 52], t[BELOW : BELOW + 4 * 52] = parents, [card for cards in below for card in cards]
    t[SUITS_BELOW : SUITS_BELOW + 4] = [
        sum(SUIT << 13 * SUITS.index(suit) for suit in suits) for suits in rules.suits_below
    ]
    return t


@cache
def _lags(rules: Rules) -> Words:
    return lag_table(rules).ravel()


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
def _write(t: Words, key: Row | Item, card: int, code: int) -> None:
    """Write where a card is to the key at an offset."""
    for part in range(PARTS):
        t[key + part] = (t[key + part] & ~bit_of(card)) | (code >> part & 1) << card


@inlined
def _card_under(t: Words, key: Row | Item, card: int) -> int:
    """Return the card on which one in a column lies, by the key at an offset; `NO_CARD` if it begins the column."""
    first, second = t[key + 2] >> card & 1, t[key + 3] >> card & 1
    if t[key + 1] & bit_of(card):
        return int64(t[BELOW + 4 * card + first + 2 * second])
    return int64(NO_CARD) if first else t[HOMES + card]


@inlined
def _height(gone: int, suit: int) -> int:
    """Return how many cards of a suit are gone, from the lowest on to the first that is not."""
    return first_of(~(gone >> 13 * suit & SUIT))


@inlined
def _spread(ranks: int) -> int:
    """Return the ranks up to the highest of some, with these."""
    ranks |= ranks >> 1
    ranks |= ranks >> 2
    ranks |= ranks >> 4
    return ranks | ranks >> 8


@inlined
def _next_cards(t: Words, gone: int) -> int:
    """Return the lowest card of each suit that is not gone, and the highest one if that may go up, too."""
    cards = int64(0)
    for suit in range(4):
        ranks = (t[DECK] & ~gone) >> 13 * suit & SUIT
        cards |= (ranks & -ranks) << 13 * suit
        if t[DOWNWARD_PILES]:
            cards |= (_spread(ranks) + 1 >> 1) << 13 * suit
    return cards


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
    for suit in range(4 * t[DOWNWARD_PILES]):
        last = _next_cards(t, gone) >> 13 * suit & SUIT & near >> 13 * suit
        if last and t[LAGS + 5 * suit] != NEVER:
            return 13 * suit + first_of(last)
    return int64(NO_CARD)


@routine
def _settle(t: Words, key: Item, tops: int, cells: int, up: int, absent: int, fresh: int) -> None:
    """Write to the key at an offset what happens without a move in a position: loose cards become absent, then a safe
    card goes up, and so on. Of the cards that can be moved, only the `fresh` ones can be loose or safe at first."""
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
            if cells & bit_of(card):
                cells ^= bit_of(card)
            else:
                under = _card_under(t, key, card)
                tops ^= bit_of(card)
                if under != NO_CARD:
                    tops |= bit_of(under)
            _write(t, key, card, code)
        fresh = tops | cells


@inlined
def _ranks(cards: int) -> int:
    """Return the ranks of cards, as those of the first suit."""
    return (cards | cards >> 13 | cards >> 26 | cards >> 39) & SUIT


@inlined
def _covered(t: Words) -> int:
    """Return the cards on which others lie in the position that is visited."""
    fitting, first, second = t[VISITED + 1], t[VISITED + 2], t[VISITED + 3]
    covered, covering = int64(0), int64(t[VISITED + 0] & ~(first & ~fitting))
    if t[BUILDS_UP] == 0:
        covering &= ~fitting
        for suit in range(4):
            on_suit = fitting & (first if suit & 1 else ~first) & (second if suit & 2 else ~second)
            covered |= _ranks(on_suit) << 13 * suit + 1
    while covering:
        covered |= bit_of(_card_under(t, row_of(VISITED), first_of(covering)))
        covering &= covering - 1
    return covered


@routine
def _survey(t: Words) -> None:
    """Write which cards are where in the position that is visited."""
    columns, fitting, first, second = t[VISITED + 0], t[VISITED + 1], t[VISITED + 2], t[VISITED + 3]
    t[TOPS], t[IN_CELLS], t[ABSENT] = columns & ~_covered(t), first & ~columns, second & ~columns
    t[UP] = t[DECK] & ~(columns | first | second)
    t[NEXT] = _next_cards(t, t[UP] | t[ABSENT])
    t[EMPTY] = t[COLUMNS] - count_bits(columns & ~fitting & first)


@inlined
def _risen(t: Words, bare: int) -> int:
    """Return the cards that go up in the relaxed game: those of each suit below the first that is not bare, and if
    foundations are built in both directions, those above the last one that is not."""
    up = int64(0)
    for suit in range(4):
        ranks = (t[DECK] & ~bare) >> 13 * suit & SUIT
        below = (ranks & -ranks) - 1
        if t[DOWNWARD_PILES]:
            below |= ~_spread(ranks)
        up |= t[DECK] & (below & SUIT) << 13 * suit
    return up


@inlined
def _fitting(t: Words, bare: int) -> int:
    """Return the cards that fit a bare one."""
    cards = int64(0)
    for suit in range(4):
        ranks = _ranks(bare & t[SUITS_BELOW + suit])
        cards |= (ranks >> 1 | (ranks << t[BUILDS_UP] & SUIT) * t[BUILDS_UP]) << 13 * suit
    return cards


@routine
def _is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game of the position that is visited."""
    bare, waiting, space = t[UP] | t[TOPS], int64(t[TOPS]), int64(t[EMPTY] != 0)
    while True:
        up = _risen(t, bare)
        if up == t[DECK]:
            return False
        leaving = waiting & (up | _fitting(t, bare) | t[SPACES] * space)
        if leaving == 0:
            return True
        waiting ^= leaving
        while leaving:
            under = _card_under(t, row_of(VISITED), first_of(leaving))
            leaving &= leaving - 1
            if under == NO_CARD:
                space = int64(1)
            else:
                bare |= bit_of(under)
                waiting |= bit_of(under)


@inlined
def _code_on(t: Words, card: int, below: int) -> int:
    """Return the code of a card that is put on one that it fits."""
    if t[BUILDS_UP] == 0:
        return int64(ON_PARENT + 4 * (below // 13))
    number = int64(0)
    while t[BELOW + 4 * card + number] != below:
        number += 1
    return int64(ON_PARENT + 4 * number)


@routine
def _move(t: Words, key: Item, card: int, code: int, target: int) -> None:
    """Write, at an offset, the key of the position after a card has moved, onto `target` or `NO_CARD`."""
    tops, cells, up, bit, fresh = t[TOPS], t[IN_CELLS], t[UP], bit_of(card), int64(0)
    for part in range(PARTS):
        t[key + part] = t[VISITED + part]
    if cells & bit:
        cells ^= bit
    else:
        under = _card_under(t, key, card)
        tops ^= bit
        if under != NO_CARD:
            fresh = bit_of(under)
            tops |= fresh
    _write(t, key, card, code)
    if code == ON_FOUNDATION:
        up |= bit
        fresh = tops | cells
    elif code == IN_CELL:
        cells |= bit
    else:
        tops |= bit
        if target != NO_CARD:
            tops ^= bit_of(target)
    if code == ON_FOUNDATION or t[IDLE] or fresh & t[NEXT]:
        _settle(t, key, tops, cells, up, t[ABSENT], fresh)


@routine
def _write_moves(t: Words, moves: int) -> int:
    """Write the keys after all moves of the position that was surveyed, behind so many others; return how many there
    are then."""
    has_room = count_bits(t[IN_CELLS]) < t[CELLS]
    cards = t[TOPS] | t[IN_CELLS]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        bit, below = bit_of(card), t[PARENTS + card] & t[TOPS]
        in_cell = t[IN_CELLS] & bit
        if t[NEXT] & bit:
            _move(t, KEYS + PARTS * moves, card, int64(ON_FOUNDATION), int64(NO_CARD))
            moves += 1
        if has_room and not in_cell:
            _move(t, KEYS + PARTS * moves, card, int64(IN_CELL), int64(NO_CARD))
            moves += 1
        if t[EMPTY] and t[SPACES] & bit and (in_cell or _card_under(t, row_of(VISITED), card) != NO_CARD):
            _move(t, KEYS + PARTS * moves, card, int64(ON_SPACE), int64(NO_CARD))
            moves += 1
        while below:
            target = first_of(below)
            below &= below - 1
            _move(t, KEYS + PARTS * moves, card, _code_on(t, card, target), target)
            moves += 1
    return moves


@routine
def _visit(t: Words, queue: Slots, table: Words, first: int, number: int, end: int, room: int) -> int:
    """Visit so many positions of the queue from the first, and write those that were not reached before to its `end`.
    Return how many these are, no more than `room` + 1; `WON` if one that is visited is won."""
    moves, new = int64(0), int64(0)
    for at in range(first, first + number):
        read_whole_key(t, row_of(VISITED), int64(PARTS), table, int64(queue[at]))
        _survey(t)
        if t[DECK] & ~(t[UP] | t[ABSENT]) == 0:
            return int64(WON)
        if t[IS_CUT] and _is_refuted(t):
            continue
        begin, moves = moves, _write_moves(t, moves)
        for move in range(begin, moves):
            load_ahead(table, PARTS * first_whole_slot(t, KEYS + PARTS * move, int64(PARTS), table))
    for move in range(moves):
        new += is_new_whole_key(t, KEYS + PARTS * move, int64(PARTS), queue, table, end + new)
        if new > room:
            break
    return new


@kernel
def _count(words: Words, queue: Slots, table: Words, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as long as they are few.

    After that, the latest positions are visited first, several at once, so that most of the slots in which their keys
    are looked for have come from memory when they are compared.
    """
    t = pointer_to(words)
    for part in range(PARTS):
        t[VISITED + part] = t[KEYS + part] = t[FIRST + part]
    _survey(t)
    _settle(t, KEYS + 0, t[TOPS], t[IN_CELLS], t[UP], t[ABSENT], t[TOPS] | t[IN_CELLS])
    visited, before, steps = int64(0), int64(0), int64(0)
    count = int64(is_new_whole_key(t, KEYS + 0, int64(PARTS), queue, table, int64(0)))
    while visited < count <= min(limit, len(counts)):
        if visited == before:  # all positions with one move less are visited
            before = count
            counts[steps] = count
            steps += 1
        new = _visit(t, queue, table, visited, int64(1), count, limit - count)
        if new == WON:
            return new
        visited += 1
        count += new
    left = count
    while visited < left and count <= limit:
        number = min(left - visited, int64(AT_ONCE))
        left -= number
        new = _visit(t, queue, table, left, number, left, limit - count)
        if new == WON:
            return new
        left += new
        count += new
    return count
