"""The compiled referee of losses by positions without the arrangement of pieces, written from docs/proofs/yukon.md.

It shares no code with the engine. Of the plain referee, it uses only what that says of the form of layouts and
evidence; of the compiled referee of other losses, how positions are stored and compared. The cards of the layout's
columns have *slots*: numbers from 0, from the bottom of the first column on. A card is a number, 13 for each suit,
counted from the base of the foundations, and its kind that of its colour and rank. Sets of cards are bits of their
slots. A position is two words: the first cards of loose pieces, and the heights of the foundations. `t` is one array
of all but the positions, with the offsets below.
"""

import numpy as np

from dealmill.kernels import Fields, inlined, int64, kernel, load_ahead, pointer_to, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import (
    WON,
    Slots,
    Words,
    bit_of,
    count_of,
    counted,
    first_of,
    first_whole_slot,
    is_new_whole_key,
    read_whole_key,
)
from dealmill.pipeline.games.patience.losses.pieces import PiecesLoss
from dealmill.pipeline.games.patience.rules import Rules, pairs

KEY_WORDS, HEIGHT_BITS = 2, 4
AHEAD = 4
"""How many positions later the one is visited whose key is asked for from memory."""
MAX_MOVES = 60
"""A position has fewer moves."""
ARRAY = Fields()
# Rules and layout
LAST, COLUMNS, FIRST_CUTS, FIRST_UP, BOTTOMS, FACE_DOWN, DEALT, KINGS = ARRAY.words(8)
"""`FIRST_CUTS` and `FIRST_UP` are the two words of the layout, `BOTTOMS` the lowest cards of columns, and the first
slot without a card, `DEALT` all cards, and `KINGS` those that may go to a space."""
SLOTS = ARRAY.row(52)
"""The slot of each card, or -1."""
CARDS_UP = ARRAY.row(4 * 14)
"""By suits and heights of their foundations: the cards that are up."""
OF_KIND, KIND_ABOVE, KIND_BELOW = ARRAY.rows(3, 52)
"""By slots: the cards of the same kind as the card in it, those that fit it, and those that it fits."""
# A position
HEIGHTS = ARRAY.row(4)
CUTS, HERE, TOPS, SHOWN, SPACES = ARRAY.words(5)
"""The first cards of loose pieces, the cards in columns, top cards, and those that lie face up; and the number of
columns without a root, less the loose pieces that begin with a king, if kings go to spaces."""
# The relaxed game
ROOM, FREE, BARE = ARRAY.words(3)
"""The cards for which there can be room in the position; those for which there is in the relaxed game, or that are up;
and those of kinds that can be bared."""
RISEN = ARRAY.row(4)
# The moves of a position
LEAVING, RISING = ARRAY.words(2)
"""The cards that can leave what they lie on, and the suits of those that can go up."""
KEYS, VISITED = ARRAY.row(KEY_WORDS * MAX_MOVES), ARRAY.row(KEY_WORDS)
"""The keys after the moves of a position, and its own."""
SIZE = ARRAY.size


def check_pieces(rules: Rules, layout: str, loss: PiecesLoss) -> list[int]:
    """Check the claim of a loss; return and raise what `counted` does."""
    t = np.zeros(SIZE, dtype=np.int64)
    _load(t, rules, layout)
    return counted(
        loss.positions, KEY_WORDS, lambda *arrays: _count(t.copy(), *arrays), "the easier game", whole_keys=True
    )


def _load(t: Words, rules: Rules, layout: str) -> None:
    """Write the rules and the first position."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = rules.base_of(texts)
    t[LAST], t[COLUMNS] = rules.ranks - 1, len(rules.sizes)
    t[SLOTS : SLOTS + 52] = -1
    for name in pairs(texts.get("foundations", "")):
        top = rules.card_number(name, base)
        t[FIRST_UP] |= top % 13 + 1 << HEIGHT_BITS * (top // 13)
    slot = 0
    for column in columns.split("/"):
        names = pairs(column.strip("-"))
        for number, name in enumerate(names):
            card = rules.card_number(name, base)
            t[SLOTS + card] = slot
            t[FACE_DOWN] |= name[1].islower() << slot
            t[BOTTOMS] |= (number == 0) << slot
            begins = card % 13 == rules.ranks - 1
            if number:
                below = rules.card_number(names[number - 1], base)
                fits = below % 13 == card % 13 + 1 and (below - card) // 13 % 2 != 0
                begins = fits and names[number - 1][1].isupper()
            t[FIRST_CUTS] |= begins << slot
            slot += 1
    _load_sets(t, slot, kings_fill=rules.spaces == "kings")


def _load_sets(t: Words, slots: int, *, kings_fill: bool) -> None:
    """Write the sets of cards that follow from their slots."""
    t[BOTTOMS] |= 1 << slots
    t[DEALT] = (1 << slots) - 1
    kinds = {(colour, rank): 0 for colour in range(2) for rank in range(-1, 14)}
    numbers = [(suit, rank, int(t[SLOTS + 13 * suit + rank])) for suit in range(4) for rank in range(13)]
    for suit, rank, slot in numbers:
        card = 1 << slot if slot >= 0 else 0
        t[CARDS_UP + 14 * suit + rank + 1] = t[CARDS_UP + 14 * suit + rank] | card
        kinds[suit % 2, rank] |= card
    for suit, rank, slot in numbers:
        if slot >= 0:
            t[OF_KIND + slot], t[KIND_BELOW + slot] = kinds[suit % 2, rank], kinds[1 - suit % 2, rank + 1]
            t[KIND_ABOVE + slot] = kinds[1 - suit % 2, rank - 1]
    t[KINGS] = (kinds[0, int(t[LAST])] | kinds[1, int(t[LAST])]) * kings_fill


@inlined
def _top_of(t: Words, cards: int) -> int:
    """Return the top card of the piece of the lowest of some cards."""
    tops = t[TOPS] & -(cards & -cards)
    top: int = tops & -tops
    return top


@inlined
def _read(t: Words, cuts: int, up: int) -> None:
    """Write the position of two words."""
    t[CUTS], t[HERE] = cuts, t[DEALT]
    for suit in range(4):
        t[HEIGHTS + suit] = up >> HEIGHT_BITS * suit & 15
        t[HERE] &= ~t[CARDS_UP + 14 * suit + t[HEIGHTS + suit]]


@inlined
def _look(t: Words) -> None:
    """Write the pieces. The cards of a piece have consecutive slots."""
    t[TOPS] = t[HERE] & (t[CUTS] | t[BOTTOMS] | ~t[HERE]) >> 1
    t[SHOWN] = t[HERE] & ~t[FACE_DOWN] | t[TOPS]
    roots = t[HERE] & t[BOTTOMS] & ~t[CUTS]
    t[SPACES] = t[COLUMNS] - count_of(roots) - count_of(t[CUTS] & t[KINGS])


@inlined
def _can_be_bared(t: Words, slot: int) -> bool:
    """Return whether the top card in a slot can be bared: whether each piece that begins with a card that fits it can
    be put on its sibling."""
    begun, others = t[CUTS] & t[KIND_ABOVE + slot], t[TOPS] & t[OF_KIND + slot] & ~bit_of(slot)
    return bool(begun == 0 or (count_of(begun) == count_of(others) and _top_of(t, begun) != others))


@inlined
def _has_room(t: Words, slot: int) -> bool:
    """Return whether there is room for the card in a slot, which begins no loose piece. If its sibling begins one, each
    of both needs a top card that it fits, and that is not in its own piece."""
    if t[KINGS] & bit_of(slot):
        return bool(t[SPACES] > 0)
    begun, ends = t[CUTS] & t[OF_KIND + slot], t[TOPS] & t[KIND_BELOW + slot]
    own = ends & ~_top_of(t, bit_of(slot))
    if begun == 0:
        return bool(own)
    others = ends & ~_top_of(t, begun)
    return bool(own and others and count_of(own | others) > 1)


@inlined
def _next_slot(t: Words, suit: int) -> int:
    """Return the slot of the next card of a suit, or -1."""
    return int64(t[SLOTS + 13 * suit + t[HEIGHTS + suit]]) if t[HEIGHTS + suit] <= t[LAST] else int64(-1)


@inlined
def _settle(t: Words) -> None:
    """Let safe cards go up, in the order of suits, as long as there are any."""
    suit = int64(0)
    while suit < 4:
        height, slot = t[HEIGHTS + suit], _next_slot(t, suit)
        first, second = t[HEIGHTS + (suit + 1) % 4], t[HEIGHTS + (suit + 3) % 4]
        ends = t[CUTS] | t[BOTTOMS] | ~t[HERE]
        if slot >= 0 and first >= height and second >= height and ends & bit_of(slot + 1):
            _go_up(t, suit, slot)
            suit = int64(0)
        else:
            suit += 1


@inlined
def _go_up(t: Words, suit: int, slot: int) -> None:
    """Put the next card of a suit, in a slot, on its foundation."""
    t[HEIGHTS + suit] += 1
    t[CUTS] &= ~bit_of(slot)
    t[HERE] &= ~bit_of(slot)


@inlined
def _free_cards_on(t: Words, slot: int) -> None:
    """Note that a card of the kind of that in a slot has nothing on it: it is bare, and what fits it is free."""
    t[BARE] |= t[OF_KIND + slot]
    t[FREE] |= t[KIND_ABOVE + slot]


@inlined
def _rise(t: Words, on_top: int) -> bool:
    """Let cards go up in the relaxed game, and return whether any has. The first card of a loose piece leaves its place
    to others."""
    rises = False
    for suit in range(4):
        while t[RISEN + suit] <= t[LAST]:
            rank = t[RISEN + suit]
            slot = t[SLOTS + 13 * suit + rank]
            if slot < 0 or on_top & bit_of(slot) == 0 or (rank and t[BARE] & bit_of(slot) == 0):
                break
            t[RISEN + suit] += 1
            t[FREE] |= bit_of(slot)
            rises = True
            if t[CUTS] & bit_of(slot):
                t[BARE] |= t[KIND_BELOW + slot]
                t[FREE] |= t[OF_KIND + slot] if rank < t[LAST] else t[KINGS]
    return rises


@routine
def _is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game."""
    t[FREE], t[BARE], rest = t[KINGS] * (t[SPACES] > 0), 0, t[TOPS]
    while rest:
        slot = first_of(rest)
        rest &= rest - 1
        if count_of(t[TOPS] & t[OF_KIND + slot]) > count_of(t[CUTS] & t[KIND_ABOVE + slot]):
            _free_cards_on(t, slot)
    t[ROOM] = t[FREE]
    for suit in range(4):
        t[RISEN + suit] = t[HEIGHTS + suit]
    on_top, stay, changes = t[TOPS], t[HERE] & ~t[CUTS], True
    while changes:
        changes = _rise(t, on_top)
        leaving = stay & (t[SHOWN] | on_top) & t[FREE]
        stay ^= leaving
        changes = changes or leaving != 0
        if leaving & t[BOTTOMS]:
            t[FREE] |= t[KINGS]
        uncovered = (leaving & ~t[BOTTOMS]) >> 1
        on_top |= uncovered
        while uncovered:
            _free_cards_on(t, first_of(uncovered))
            uncovered &= uncovered - 1
    return bool(t[RISEN + 0] + t[RISEN + 1] + t[RISEN + 2] + t[RISEN + 3] < 4 * (t[LAST] + 1))


@inlined
def _find_moves(t: Words) -> None:
    """Write the moves of the position, which is not refuted."""
    t[LEAVING], t[RISING], rest = 0, 0, t[SHOWN] & ~t[CUTS] & t[ROOM]
    while rest:
        slot = first_of(rest)
        rest &= rest - 1
        if _has_room(t, slot):
            t[LEAVING] |= bit_of(slot)
    for suit in range(4):
        slot = _next_slot(t, suit)
        if slot >= 0 and t[TOPS] & bit_of(slot) and _can_be_bared(t, slot):
            t[RISING] |= bit_of(suit)


@routine
def _write_keys_after(t: Words, cuts: int, up: int, table: Words) -> int:
    """Write the keys of the positions after all moves, and ask for their slots; return their number."""
    _find_moves(t)
    count, leaving, rising = int64(0), t[LEAVING], t[RISING]
    while leaving | rising:
        if leaving:
            _read(t, cuts | leaving & -leaving, up)
            leaving &= leaving - 1
        else:
            _read(t, cuts, up)
            suit = first_of(rising)
            _go_up(t, suit, _next_slot(t, suit))
            rising &= rising - 1
        _settle(t)
        _write_key(t, count)
        load_ahead(table, KEY_WORDS * first_whole_slot(t, KEYS + KEY_WORDS * count, int64(KEY_WORDS), table))
        count += 1
    return count


@inlined
def _write_key(t: Words, number: int) -> None:
    """Write the position as the key with this number."""
    up = int64(0)
    for suit in range(4):
        up |= t[HEIGHTS + suit] << HEIGHT_BITS * suit
    t[KEYS + KEY_WORDS * number], t[KEYS + KEY_WORDS * number + 1] = t[CUTS], up


@inlined
def _is_new(t: Words, number: int, queue: Slots, table: Words, count: int) -> bool:
    """Add the key with this number to those that are known; return whether it is new."""
    return is_new_whole_key(t, KEYS + KEY_WORDS * number, int64(KEY_WORDS), queue, table, count)


@kernel
def _count(words: Words, queue: Slots, table: Words, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as far as they go."""
    t = pointer_to(words)
    _read(t, t[FIRST_CUTS], t[FIRST_UP])
    _settle(t)
    _write_key(t, int64(0))
    count, visited, steps, before = int64(0), int64(0), int64(0), int64(0)
    count += _is_new(t, int64(0), queue, table, count)
    while visited < count:
        if visited == before:  # all positions with one move less are visited
            before = count
            if steps < len(counts):
                counts[steps] = count
            steps += 1
        load_ahead(table, KEY_WORDS * int64(queue[min(visited + AHEAD, count - 1)]))
        read_whole_key(t, row_of(VISITED), int64(KEY_WORDS), table, int64(queue[visited]))
        cuts, up = t[VISITED + 0], t[VISITED + 1]
        _read(t, cuts, up)
        _look(t)
        if t[HERE] == 0:
            return int64(WON)
        moves = int64(0)
        if not _is_refuted(t):
            moves = _write_keys_after(t, cuts, up, table)
        for number in range(moves):
            count += _is_new(t, number, queue, table, count)
            if count > limit:
                return count
        visited += 1
    return count
