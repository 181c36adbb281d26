"""The search of games such as Yukon without the arrangement of pieces, see docs/proofs/yukon.md. It visits all
positions of the quotient, depth first: if none is won, their number proves the loss.

Cards are numbers, 13 for each suit, counted from the base of the foundations; sets of cards are the bits of a word. A
card *waits* if it lies on the one on which it was dealt, or on nothing, and does not begin a loose piece. A position is
one number, its key, as in `quotient.words`: the heights of the foundations, and the cards that wait.
"""

from dealmill.kernels import Fields, inlined, int64, kernel, pointer_to, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, count_of, first_of
from dealmill.pipeline.games.patience.engine.quotient.search import FIRST_SLOTS, grow, slot_of
from dealmill.pipeline.games.patience.engine.quotient.words import (
    FIELD,
    LOST,
    LOWEST_CARDS,
    NO_CARD,
    OPEN,
    OUT_OF_TABLE,
    SUIT,
    WON,
    Words,
    black_ranks,
    both_black,
    both_red,
    cards_of,
    red_ranks,
)

MAX_MOVES, DEPTH = 60, 110
"""A position has fewer moves, and no play has more: with each, one more card is up, or waits no longer."""
ARRAY = Fields()
# Rules and layout
RANKS, COLUMNS, KINGS_FILL, DECK, FACE_DOWN, ROOTS, FIRST_KEY = ARRAY.words(7)
"""`ROOTS` are the first cards of roots."""
UNDER, OVER = ARRAY.rows(2, 52)
"""The cards below and above each in its piece in the layout, or `NO_CARD`."""
# A position
WAITING, UP, NEXT, ON_TOP, LOOSE, FACE_UP, BARE, FREE, SPACES = ARRAY.words(9)
"""Sets of cards: those that wait; on foundations; next there; top cards and first cards of loose pieces; face up. Then
those of kinds that are bare, and free, by numbers; and the columns without a root, less the kings of loose pieces."""
HEIGHTS = ARRAY.row(4)
# The search
NODES = ARRAY.word()
STACK = ARRAY.row(MAX_MOVES * DEPTH)
END = ARRAY.size


@inlined
def _kings(q: Words) -> int:
    kings: int = int64(LOWEST_CARDS) << (q[RANKS] - 1)
    return kings


@inlined
def _that_fit(cards: int) -> int:
    """Return the cards that may lie on one of these."""
    return cards_of(red_ranks(cards) >> 1, black_ranks(cards) >> 1)


@inlined
def _below(cards: int) -> int:
    """Return the cards on which one of these may lie."""
    return cards_of(red_ranks(cards) << 1 & SUIT, black_ranks(cards) << 1 & SUIT)


@inlined
def _alike(cards: int) -> int:
    """Return the cards of the rank and the colour of one of these."""
    return cards_of(black_ranks(cards), red_ranks(cards))


@routine
def _decode(q: Words, key: int) -> None:
    """Write the position that a key stands for."""
    waiting = int64(0)
    for suit in range(4):
        field = key >> FIELD * suit & (bit_of(FIELD) - 1)
        height = first_of(field)
        q[HEIGHTS + suit] = height
        waiting |= (field >> height + 1 << height) << 13 * suit
    q[WAITING] = waiting


@routine
def _survey(q: Words) -> None:
    """Write the sets of cards that follow from the position."""
    up, nexts, covered, rest = int64(0), int64(0), int64(0), q[WAITING]
    for suit in range(4):
        height = q[HEIGHTS + suit]
        up |= (bit_of(height) - 1) << 13 * suit
        if height < q[RANKS]:
            nexts |= bit_of(13 * suit + height)
    while rest:
        covered |= bit_of(q[UNDER + first_of(rest)])
        rest &= rest - 1
    down = q[DECK] & ~up
    on_top, loose = down & ~covered, down & ~q[WAITING]
    q[UP], q[NEXT], q[ON_TOP], q[LOOSE], q[FACE_UP] = up, nexts, on_top, loose, down & ~(q[FACE_DOWN] & covered)
    black, red, two_black, two_red = black_ranks(on_top), red_ranks(on_top), both_black(on_top), both_red(on_top)
    on_red, on_black, two_on_red, two_on_black = (
        black_ranks(loose),
        red_ranks(loose),
        both_black(loose),
        both_red(loose),
    )
    q[BARE] = cards_of(
        (black & ~(on_black << 1)) | (two_black & ~(two_on_black << 1)),
        (red & ~(on_red << 1)) | (two_red & ~(two_on_red << 1)),
    )
    q[FREE] = cards_of(
        (red >> 1 & ~on_red) | (two_red >> 1 & ~two_on_red),
        (black >> 1 & ~on_black) | (two_black >> 1 & ~two_on_black),
    )
    q[SPACES] = q[COLUMNS] - count_of(q[WAITING] & q[ROOTS]) - count_of(loose & _kings(q))
    if q[KINGS_FILL] and q[SPACES] > 0:
        q[FREE] |= _kings(q)


@inlined
def _top_of(q: Words, card: int) -> int:
    """Return the top card of the piece of a card, as a set."""
    above = q[OVER + card]
    while above != NO_CARD and q[WAITING] & bit_of(above):
        card = above
        above = q[OVER + card]
    return bit_of(card)


@inlined
def _can_be_bared(q: Words, card: int) -> bool:
    """Return whether a top card can be bared."""
    if q[BARE] & bit_of(card) == 0:
        return False
    lower = q[LOOSE] & _that_fit(bit_of(card))
    sibling = q[ON_TOP] & _alike(bit_of(card)) & ~bit_of(card)
    return bool(lower == 0 or _top_of(q, first_of(lower)) != sibling)


@inlined
def _has_room(q: Words, card: int) -> bool:
    """Return whether there is room for a card that waits."""
    if q[FREE] & bit_of(card) == 0:
        return False
    if bit_of(card) & _kings(q):
        return True
    tops, loose = q[ON_TOP] & _below(bit_of(card)), q[LOOSE] & _alike(bit_of(card))
    first, own = tops & -tops, _top_of(q, card)
    second = tops ^ first
    if loose == 0:
        return bool(tops != own)
    top = _top_of(q, first_of(loose))
    return bool((first != own and second != top) or (second != own and first != top))


@inlined
def _key_after(q: Words, card: int, goes_up: int) -> int:
    """Return the key after a card has left the one below it, and perhaps has gone up."""
    key = int64(0)
    waiting = q[WAITING] & ~bit_of(card)
    for step in range(4):
        suit = 3 - step
        height = q[HEIGHTS + suit] + goes_up * (card // 13 == suit)
        key = key << FIELD | ((waiting >> 13 * suit & SUIT) >> height << 1 | 1) << height
    return key


@routine
def _settle(q: Words) -> int:
    """Let safe cards go up, in the order of suits, as long as there are any; return the key."""
    while True:
        _survey(q)
        black, red = min(q[HEIGHTS + 0], q[HEIGHTS + 2]), min(q[HEIGHTS + 1], q[HEIGHTS + 3])
        rising = int64(0)
        for suit in range(4):
            if (black if suit & 1 else red) >= q[HEIGHTS + suit]:
                rising |= q[NEXT] & q[ON_TOP] & int64(SUIT) << 13 * suit
        if rising == 0:
            return _key_after(q, int64(NO_CARD), int64(0))
        card = first_of(rising)
        q[WAITING] &= ~bit_of(card)
        q[HEIGHTS + card // 13] += 1


@routine
def _is_refuted(q: Words) -> bool:
    """Return whether not all cards get up if what could be done once can always be done."""
    risen, gone, on_top, face_up = q[UP], int64(0), q[ON_TOP], q[FACE_UP]
    bare, free, kings = q[BARE] | int64(LOWEST_CARDS), q[FREE], _kings(q) * q[KINGS_FILL]
    while True:
        before, gone_before = risen, gone
        while True:
            rising = on_top & bare & (risen << 1 | int64(LOWEST_CARDS)) & q[DECK] & ~risen
            if rising == 0:
                break
            risen |= rising
        if risen == q[DECK]:
            return False
        left = q[LOOSE] & risen
        bare |= _below(left)
        free |= _alike(left & ~_kings(q))
        if left & kings:
            free |= kings
        leaving = q[WAITING] & ~gone & face_up & (free | risen)
        gone |= leaving
        while leaving:
            card = first_of(leaving)
            leaving &= leaving - 1
            if bit_of(card) & q[ROOTS]:
                free |= kings
            else:
                below = bit_of(q[UNDER + card])
                on_top |= below
                face_up |= below
                bare |= _alike(below)
                free |= _that_fit(below)
        if risen == before and gone == gone_before:
            return True


@inlined
def _push_moves(q: Words, top: int) -> int:
    """Push the keys of the positions after all moves; return the top of the stack."""
    rest = q[WAITING] & q[FACE_UP] & q[FREE]
    while rest:
        card = first_of(rest)
        rest &= rest - 1
        if _has_room(q, card):
            q[STACK + top] = _key_after(q, card, int64(0))
            top += 1
    rest = q[NEXT] & q[ON_TOP] & q[BARE]
    while rest:
        card = first_of(rest)
        rest &= rest - 1
        if _can_be_bared(q, card):
            q[STACK + top] = _key_after(q, card, int64(1))
            top += 1
    return top


@kernel
def search(words: Words, table: Words, limit: int) -> int:
    """Visit the positions of the layout that was loaded, at most `limit`; `NODES` are those that were visited. Return
    `LOST` if none is won, `WON` if one is, which says nothing of the game, `OPEN`, or `OUT_OF_TABLE`."""
    q, slots, size = pointer_to(words), pointer_to(table), int64(FIRST_SLOTS)
    for at in range(size):
        slots[at] = 0
    q[NODES], q[STACK + 0], top = 0, q[FIRST_KEY], int64(1)
    while top > 0:
        top -= 1
        _decode(q, q[STACK + top])
        key = _settle(q)
        if 5 * q[NODES] >= 4 * size:
            larger = min(2 * size, int64(len(table)))
            if larger == size:
                return int64(OUT_OF_TABLE)
            grow(slots, size, larger)
            size = larger
        slot = slot_of(slots, size, key + 1)
        if slots[slot]:
            continue
        if q[NODES] >= limit:
            return int64(OPEN)
        slots[slot] = key + 1
        q[NODES] += 1
        if q[UP] == q[DECK]:
            return int64(WON)
        if not _is_refuted(q):
            top = _push_moves(q, top)
    return int64(LOST)
