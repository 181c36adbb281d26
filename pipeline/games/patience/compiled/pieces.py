"""The compiled referee of losses by positions without the arrangement of pieces, written from docs/proofs/yukon.md.

It shares no code with the engine. Of the plain referee, it uses only what that says of the form of layouts and
evidence; of the compiled referee of other losses, how positions are stored and compared. The cards of the layout's
columns have *slots*: numbers from 0, from the bottom of the first column on. A card is a number, 13 for each suit,
counted from the base of the foundations, and its kind that of its colour and rank, 13 for each colour. A position is
two words: the slots of the first cards of loose pieces, as bits, and the heights of the foundations. `t` is one array
of all but the positions, with the offsets below.
"""

import numpy as np

from dealmill.kernels import Fields, Row, inlined, int64, kernel, load_ahead, pointer_to, routine, row_of
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
from dealmill.pipeline.games.patience.losses.pieces import PiecesLoss
from dealmill.pipeline.games.patience.rules import Rules, pairs

KEY_WORDS, HEIGHT_BITS = 2, 4
AHEAD = 4
"""How many positions later the one is visited whose key is asked for from memory."""
MAX_MOVES, UP = 60, 64
"""A position has fewer moves; that of a slot, or with `UP`, of its card to a foundation."""
ARRAY = Fields()
# Rules and layout
LAST, COLUMNS, KINGS_FILL, FIRST_CUTS, FIRST_UP, BOTTOMS, FACE_DOWN, DEALT = ARRAY.words(8)
"""`FIRST_CUTS` and `FIRST_UP` are the two words of the layout, `BOTTOMS` the slots of the lowest cards of columns,
and the first one without a card, and `DEALT` those of all cards."""
SLOTS, CARDS = ARRAY.row(52), ARRAY.row(53)
"""The slot of each card, or -1, and the card of each slot."""
SLOTS_BELOW = ARRAY.row(4 * 14)
"""By suits and heights of their foundations: the slots of the cards that are up."""
SLOTS_OF_KINDS, SLOTS_OF_KINGS = ARRAY.row(26), ARRAY.word()
"""The slots of the cards of each kind, and of those that may go to a space."""
# A position
HEIGHTS = ARRAY.row(4)
CUTS, HERE, TOPS, SHOWN, SPACES = ARRAY.words(5)
"""Sets of slots: of the first cards of loose pieces, of cards in columns, of top cards, and of those that lie face up;
and the columns without a root, less the loose pieces that begin with a king, if kings go to spaces."""
BEGUN, ENDED = ARRAY.rows(2, 26)
"""By kinds: how many loose pieces begin with a card, and how many pieces end with one."""
FIRST_SLOTS, END_SLOTS = ARRAY.rows(2, 52)
"""The slots of these cards, two for each kind."""
# The relaxed game
ROOM, FREE, BARE_KINDS = ARRAY.words(3)
"""The slots of cards for which there can be room in the position; those of cards for which there is in the relaxed
game, or that are up; and the kinds of cards that can be bared."""
RISEN = ARRAY.row(4)
MOVES, KEYS, VISITED = ARRAY.row(MAX_MOVES), ARRAY.row(KEY_WORDS * MAX_MOVES), ARRAY.row(KEY_WORDS)
"""The moves of a position, the keys of those after them, and its own."""
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
    t[LAST], t[COLUMNS], t[KINGS_FILL] = rules.ranks - 1, len(rules.sizes), rules.spaces == "kings"
    t[SLOTS : SLOTS + 52] = -1
    for name in pairs(texts.get("foundations", "")):
        top = rules.card_number(name, base)
        t[FIRST_UP] |= top % 13 + 1 << HEIGHT_BITS * (top // 13)
    slot = 0
    for column in columns.split("/"):
        names = pairs(column.strip("-"))
        for number, name in enumerate(names):
            card = rules.card_number(name, base)
            t[CARDS + slot], t[SLOTS + card] = card, slot
            t[FACE_DOWN] |= name[1].islower() << slot
            t[BOTTOMS] |= (number == 0) << slot
            begins = card % 13 == rules.ranks - 1
            if number:
                below = rules.card_number(names[number - 1], base)
                fits = below % 13 == card % 13 + 1 and (below - card) // 13 % 2 != 0
                begins = fits and names[number - 1][1].isupper()
            t[FIRST_CUTS] |= begins << slot
            slot += 1
    _load_sets(t, slot)


def _load_sets(t: Words, slots: int) -> None:
    """Write the sets of slots that follow from which cards are in them."""
    t[BOTTOMS] |= 1 << slots
    t[DEALT] = (1 << slots) - 1
    for suit in range(4):
        for rank in range(13):
            slot, row = t[SLOTS + 13 * suit + rank], SLOTS_BELOW + 14 * suit + rank
            own = 1 << slot if slot >= 0 else 0
            t[row + 1] = t[row] | own
            t[SLOTS_OF_KINDS + suit % 2 * 13 + rank] |= own
    t[SLOTS_OF_KINGS] = (t[SLOTS_OF_KINDS + t[LAST]] | t[SLOTS_OF_KINDS + 13 + t[LAST]]) * t[KINGS_FILL]


@inlined
def _kind(card: int) -> int:
    return card // 13 % 2 * 13 + card % 13


@inlined
def _kind_below(kind: int) -> int:
    """Return the kind that a kind fits, which is not the last."""
    return (kind + 14) % 26


@inlined
def _kind_above(kind: int) -> int:
    """Return the kind that fits a kind, which is not the first."""
    return (kind + 12) % 26


@inlined
def _is_up(t: Words, heights: Row | int, card: int) -> bool:
    """Return whether a card is up by the heights at an offset."""
    return bool(card % 13 < t[heights + card // 13])


@routine
def _look(t: Words) -> None:
    """Write the pieces. The cards of a piece have consecutive slots."""
    t[HERE] = t[DEALT] & ~_slots_of_cards_up(t)
    t[TOPS] = t[HERE] & (t[CUTS] | t[BOTTOMS] | ~t[HERE]) >> 1
    t[SHOWN] = t[HERE] & ~t[FACE_DOWN] | t[TOPS]
    for kind in range(26):
        t[BEGUN + kind] = t[ENDED + kind] = 0
    _list_by_kinds(t, t[TOPS], row_of(ENDED), row_of(END_SLOTS))
    _list_by_kinds(t, t[CUTS], row_of(BEGUN), row_of(FIRST_SLOTS))
    roots = t[HERE] & t[BOTTOMS] & ~t[CUTS]
    t[SPACES] = t[COLUMNS] - _number_of(roots) - _number_of(t[CUTS] & t[SLOTS_OF_KINGS])


@inlined
def _list_by_kinds(t: Words, slots: int, counts: Row, listed: Row) -> None:
    """Count the cards in some slots by kinds, and list their slots, two for each kind."""
    while slots:
        slot = first_of(slots)
        slots &= slots - 1
        kind = _kind(t[CARDS + slot])
        t[listed + 2 * kind + t[counts + kind]] = slot
        t[counts + kind] += 1


@inlined
def _number_of(slots: int) -> int:
    """Return how many slots a set has."""
    number = int64(0)
    while slots:
        slots &= slots - 1
        number += 1
    return number


@inlined
def _slots_of_cards_up(t: Words) -> int:
    """Return the slots of the cards that are up."""
    slots = int64(0)
    for suit in range(4):
        slots |= t[SLOTS_BELOW + 14 * suit + t[HEIGHTS + suit]]
    return slots


@inlined
def _top_slot(t: Words, slot: int) -> int:
    """Return the slot of the top card of the piece of a slot."""
    return first_of(t[TOPS] & -bit_of(slot))


@inlined
def _can_be_bared(t: Words, slot: int) -> bool:
    """Return whether the top card in a slot can be bared: whether each piece that begins with a card that fits it can
    be put on its sibling."""
    kind = _kind(t[CARDS + slot])
    if kind % 13 == 0:
        return True
    lower, others = t[BEGUN + _kind_above(kind)], t[ENDED + kind] - 1
    if lower == 0 or others < lower:
        return bool(lower == 0)
    sibling = t[END_SLOTS + 2 * kind] + t[END_SLOTS + 2 * kind + 1] - slot
    return bool(_top_slot(t, t[FIRST_SLOTS + 2 * _kind_above(kind)]) != sibling)


@inlined
def _has_room(t: Words, slot: int) -> bool:
    """Return whether there is room for the card in a slot, which begins no loose piece."""
    kind = _kind(t[CARDS + slot])
    if kind % 13 == t[LAST]:
        return bool(t[KINGS_FILL] and t[SPACES] > 0)
    below = _kind_below(kind)
    for at in range(t[ENDED + below]):
        if t[END_SLOTS + 2 * below + at] != _top_slot(t, slot):
            if t[BEGUN + kind] == 0:
                return True
            own = _top_slot(t, t[FIRST_SLOTS + 2 * kind])
            if t[ENDED + below] == 2 and t[END_SLOTS + 2 * below + 1 - at] != own:
                return True
    return False


@inlined
def _is_top(t: Words, slot: int) -> bool:
    """Return whether the card in a slot, which is in a column, is a top card."""
    return bool((t[CUTS] | t[BOTTOMS]) & bit_of(slot + 1)) or _is_up(t, row_of(HEIGHTS), t[CARDS + slot + 1])


@inlined
def _settle(t: Words) -> None:
    """Let safe cards go up, in the order of suits, as long as there are any."""
    suit = int64(0)
    while suit < 4:
        height = t[HEIGHTS + suit]
        slot = t[SLOTS + 13 * suit + height] if height <= t[LAST] else int64(-1)
        first, second = t[HEIGHTS + (suit + 1) % 4], t[HEIGHTS + (suit + 3) % 4]
        if slot >= 0 and first >= height and second >= height and _is_top(t, slot):
            t[HEIGHTS + suit] += 1
            t[CUTS] &= ~bit_of(slot)
            suit = int64(0)
        else:
            suit += 1


@inlined
def _free_kings(t: Words) -> None:
    t[FREE] |= t[SLOTS_OF_KINGS]


@inlined
def _free_cards_on(t: Words, kind: int) -> None:
    """Note that a card of this kind has nothing on it: it is bare, and what fits it is free."""
    t[BARE_KINDS] |= bit_of(kind)
    if kind % 13:
        t[FREE] |= t[SLOTS_OF_KINDS + _kind_above(kind)]


@inlined
def _rise(t: Words, on_top: int) -> bool:
    """Let cards go up in the relaxed game, and return whether any has. The first card of a loose piece leaves its place
    to others."""
    rises = False
    for suit in range(4):
        while t[RISEN + suit] <= t[LAST]:
            rank = t[RISEN + suit]
            slot, kind = t[SLOTS + 13 * suit + rank], suit % 2 * 13 + rank
            if slot < 0 or on_top & bit_of(slot) == 0 or (rank and t[BARE_KINDS] & bit_of(kind) == 0):
                break
            t[RISEN + suit] += 1
            t[FREE] |= bit_of(slot)
            rises = True
            if t[CUTS] & bit_of(slot):
                if rank == t[LAST]:
                    _free_kings(t)
                else:
                    _free_cards_on(t, _kind_below(kind))
    return rises


@routine
def _is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game."""
    t[FREE] = t[BARE_KINDS] = 0
    rest = t[TOPS]
    while rest:
        kind = _kind(t[CARDS + first_of(rest)])
        rest &= rest - 1
        if kind % 13 == 0 or t[ENDED + kind] > t[BEGUN + _kind_above(kind)]:
            _free_cards_on(t, kind)
    if t[SPACES] > 0:
        _free_kings(t)
    t[ROOM] = t[FREE]
    for suit in range(4):
        t[RISEN + suit] = t[HEIGHTS + suit]
    on_top, stay, changes = t[TOPS], t[HERE] & ~t[CUTS], True
    while changes:
        changes = _rise(t, on_top)
        leaving = stay & (t[SHOWN] | on_top) & t[FREE]
        stay ^= leaving
        changes = changes or leaving != 0
        while leaving:
            slot = first_of(leaving)
            leaving &= leaving - 1
            if t[BOTTOMS] & bit_of(slot):
                _free_kings(t)
            else:
                on_top |= bit_of(slot - 1)
                _free_cards_on(t, _kind(t[CARDS + slot - 1]))
    return bool(t[RISEN + 0] + t[RISEN + 1] + t[RISEN + 2] + t[RISEN + 3] < 4 * (t[LAST] + 1))


@inlined
def _list_moves(t: Words) -> int:
    """List the moves of the position, which is not refuted; return their number."""
    count, rest = int64(0), t[SHOWN] & ~t[CUTS] & t[ROOM]
    while rest:
        slot = first_of(rest)
        rest &= rest - 1
        if _has_room(t, slot):
            t[MOVES + count] = slot
            count += 1
    for suit in range(4):
        slot = t[SLOTS + 13 * suit + t[HEIGHTS + suit]] if t[HEIGHTS + suit] <= t[LAST] else int64(-1)
        if slot >= 0 and t[TOPS] & bit_of(slot) and _can_be_bared(t, slot):
            t[MOVES + count] = slot | UP
            count += 1
    return count


@inlined
def _read(t: Words, cuts: int, up: int) -> None:
    """Write the position of two words."""
    t[CUTS] = cuts
    for suit in range(4):
        t[HEIGHTS + suit] = up >> HEIGHT_BITS * suit & 15


@routine
def _write_keys_after(t: Words, cuts: int, up: int, table: Words) -> int:
    """Write the keys of the positions after all moves, and ask for their slots; return their number."""
    moves = _list_moves(t)
    for number in range(moves):
        slot, goes_up = t[MOVES + number] & (UP - 1), t[MOVES + number] // UP
        _read(t, cuts, up)
        t[CUTS] = t[CUTS] | bit_of(slot) if goes_up == 0 else t[CUTS] & ~bit_of(slot)
        t[HEIGHTS + t[CARDS + slot] // 13] += goes_up
        _settle(t)
        _write_key(t, number)
        load_ahead(table, KEY_WORDS * first_whole_slot(t, KEYS + KEY_WORDS * number, int64(KEY_WORDS), table))
    return moves


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
