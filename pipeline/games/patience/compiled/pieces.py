"""The compiled referee of losses by positions without the arrangement of pieces, written from docs/proofs/yukon.md.

It shares no code with the engine. Of the plain referee, it uses only what that says of the form of layouts and
evidence; of the compiled referee of other losses, how positions are stored and compared. The cards of the layout's
columns have *slots*: numbers from 0, from the bottom of the first column on. A card is a number, 13 for each suit,
counted from the base of the foundations, and its kind that of its colour and rank, 13 for each colour. A position is
two words: the slots of the first cards of loose pieces, as bits, and the heights of the foundations. `t` is one array
of all but the positions, with the offsets below.
"""

import numpy as np

from dealmill.kernels import Fields, Row, inlined, int64, kernel, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import (
    WON,
    Slots,
    Words,
    bit_of,
    counted,
    first_of,
    is_new_key,
)
from dealmill.pipeline.games.patience.losses.pieces import PiecesLoss
from dealmill.pipeline.games.patience.rules import Rules, pairs

KEY_WORDS, HEIGHT_BITS = 2, 4
MAX_MOVES, UP = 60, 64
"""A position has fewer moves; that of a slot, or with `UP`, of its card to a foundation."""
ARRAY = Fields()
# Rules and layout
LAST, COLUMNS, KINGS_FILL, FIRST_CUTS, FIRST_UP, BOTTOMS, FACE_DOWN = ARRAY.words(7)
"""`FIRST_CUTS` and `FIRST_UP` are the two words of the layout, `BOTTOMS` the slots of the lowest cards of columns."""
CARDS, SLOTS = ARRAY.rows(2, 52)
"""The card of each slot, and the slot of each card, or -1."""
# A position
HEIGHTS = ARRAY.row(4)
CUTS, HERE, TOPS, SHOWN, SPACES = ARRAY.words(5)
"""Sets of slots: of the first cards of loose pieces, of cards in columns, of top cards, and of those that lie face up;
and the columns without a root, less the loose pieces that begin with a king."""
TOP_SLOTS = ARRAY.row(52)
"""The slot of the top card of the piece of each slot."""
BEGUN, ENDED = ARRAY.rows(2, 26)
"""By kinds: how many loose pieces begin with a card, and how many pieces end with one."""
FIRST_SLOTS, END_SLOTS = ARRAY.rows(2, 52)
"""The slots of these cards, two for each kind."""
# The relaxed game
FREE_KINDS, BARE_KINDS = ARRAY.words(2)
RISEN = ARRAY.row(4)
KEY, MOVES = ARRAY.row(KEY_WORDS), ARRAY.row(MAX_MOVES)
SIZE = ARRAY.size


def check_pieces(rules: Rules, layout: str, loss: PiecesLoss) -> list[int]:
    """Check the claim of a loss; return and raise what `counted` does."""
    t = np.zeros(SIZE, dtype=np.int64)
    _load(t, rules, layout)
    return counted(loss.positions, KEY_WORDS, lambda *arrays: _count(t.copy(), *arrays), "the easier game")


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
def _kings(t: Words) -> int:
    """Return the kinds of kings, as bits."""
    kings: int = (bit_of(int64(0)) | bit_of(int64(13))) << t[LAST]
    return kings


@inlined
def _is_up(t: Words, heights: Row | int, card: int) -> bool:
    """Return whether a card is up by the heights at an offset."""
    return bool(card % 13 < t[heights + card // 13])


@routine
def _look(t: Words) -> None:
    """Write the pieces."""
    t[HERE], t[TOPS], t[SPACES] = 0, 0, t[COLUMNS]
    for kind in range(26):
        t[BEGUN + kind] = t[ENDED + kind] = 0
    slot, top = int64(51), int64(0)
    ends = True
    for down in range(52):
        slot = int64(51 - down)
        card = t[CARDS + slot]
        if t[SLOTS + card] != slot:
            continue
        if not _is_up(t, row_of(HEIGHTS), card):
            kind = _kind(card)
            t[HERE] |= bit_of(slot)
            if ends:
                top = slot
                t[TOPS] |= bit_of(slot)
                t[END_SLOTS + 2 * kind + t[ENDED + kind]] = slot
                t[ENDED + kind] += 1
            t[TOP_SLOTS + slot] = top
            ends = bool((t[CUTS] | t[BOTTOMS]) & bit_of(slot))
            if t[CUTS] & bit_of(slot):
                t[FIRST_SLOTS + 2 * kind + t[BEGUN + kind]] = slot
                t[BEGUN + kind] += 1
                t[SPACES] -= kind % 13 == t[LAST]
            elif ends:
                t[SPACES] -= 1
        else:
            ends = True
    t[SHOWN] = t[HERE] & ~t[FACE_DOWN] | t[TOPS]


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
    return bool(t[TOP_SLOTS + t[FIRST_SLOTS + 2 * _kind_above(kind)]] != sibling)


@inlined
def _has_room(t: Words, slot: int) -> bool:
    """Return whether there is room for the card in a slot, which begins no loose piece."""
    kind = _kind(t[CARDS + slot])
    if kind % 13 == t[LAST]:
        return bool(t[KINGS_FILL] and t[SPACES] > 0)
    below = _kind_below(kind)
    for at in range(t[ENDED + below]):
        if t[END_SLOTS + 2 * below + at] != t[TOP_SLOTS + slot]:
            if t[BEGUN + kind] == 0:
                return True
            own = t[TOP_SLOTS + t[FIRST_SLOTS + 2 * kind]]
            if t[ENDED + below] == 2 and t[END_SLOTS + 2 * below + 1 - at] != own:
                return True
    return False


@routine
def _settle(t: Words) -> None:
    """Let safe cards go up, in the order of suits, as long as there are any."""
    suit = int64(0)
    _look(t)
    while suit < 4:
        height = t[HEIGHTS + suit]
        slot = t[SLOTS + 13 * suit + height] if height <= t[LAST] else int64(-1)
        first, second = t[HEIGHTS + (suit + 1) % 4], t[HEIGHTS + (suit + 3) % 4]
        if slot >= 0 and t[TOPS] & bit_of(slot) and first >= height and second >= height:
            t[HEIGHTS + suit] += 1
            t[CUTS] &= ~bit_of(slot)
            _look(t)
            suit = int64(0)
        else:
            suit += 1


@inlined
def _free_kings(t: Words) -> None:
    t[FREE_KINDS] |= _kings(t) * t[KINGS_FILL]


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
            rises = True
            if t[CUTS] & bit_of(slot):
                if rank == t[LAST]:
                    _free_kings(t)
                else:
                    t[FREE_KINDS] |= bit_of(kind)
                    t[BARE_KINDS] |= bit_of(_kind_below(kind))
    return rises


@routine
def _is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game."""
    t[FREE_KINDS] = t[BARE_KINDS] = 0
    for kind in range(26):
        rank, begun = kind % 13, t[BEGUN + kind]
        if rank < t[LAST] and t[ENDED + _kind_below(kind)] > begun:
            t[FREE_KINDS] |= bit_of(kind)
        if rank and t[ENDED + kind] > t[BEGUN + _kind_above(kind)]:
            t[BARE_KINDS] |= bit_of(kind)
    if t[SPACES] > 0:
        _free_kings(t)
    for suit in range(4):
        t[RISEN + suit] = t[HEIGHTS + suit]
    on_top, stay, changed = t[TOPS], t[HERE] & ~t[CUTS], True
    while changed:
        changed = _rise(t, on_top)
        rest = stay & (t[SHOWN] | on_top)
        while rest:
            slot = first_of(rest)
            rest &= rest - 1
            card = t[CARDS + slot]
            if not (_is_up(t, row_of(RISEN), card) or t[FREE_KINDS] & bit_of(_kind(card))):
                continue
            stay &= ~bit_of(slot)
            changed = True
            if t[BOTTOMS] & bit_of(slot):
                _free_kings(t)
                continue
            on_top |= bit_of(slot - 1)
            below = _kind(t[CARDS + slot - 1])
            t[BARE_KINDS] |= bit_of(below)
            if below % 13:
                t[FREE_KINDS] |= bit_of(_kind_above(below))
    return bool(t[RISEN + 0] + t[RISEN + 1] + t[RISEN + 2] + t[RISEN + 3] < 4 * (t[LAST] + 1))


@inlined
def _list_moves(t: Words) -> int:
    """List the moves of the position; return their number."""
    count, rest = int64(0), t[SHOWN]
    while rest:
        slot = first_of(rest)
        rest &= rest - 1
        card = t[CARDS + slot]
        if t[CUTS] & bit_of(slot) == 0 and _has_room(t, slot):
            t[MOVES + count] = slot
            count += 1
        if t[TOPS] & bit_of(slot) and t[HEIGHTS + card // 13] == card % 13 and _can_be_bared(t, slot):
            t[MOVES + count] = slot | UP
            count += 1
    return count


@inlined
def _read(t: Words, cuts: int, up: int) -> None:
    """Write the position of two words."""
    t[CUTS] = cuts
    for suit in range(4):
        t[HEIGHTS + suit] = up >> HEIGHT_BITS * suit & 15


@inlined
def _is_new(t: Words, keys: Words, slots: Slots, count: int) -> bool:
    """Add the position to those that are known; return whether it is new."""
    t[KEY + 0], t[KEY + 1] = t[CUTS], 0
    for suit in range(4):
        t[KEY + 1] |= t[HEIGHTS + suit] << HEIGHT_BITS * suit
    return is_new_key(t, row_of(KEY), int64(KEY_WORDS), keys, slots, count)


@kernel
def _count(t: Words, keys: Words, slots: Slots, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as far as they go."""
    _read(t, t[FIRST_CUTS], t[FIRST_UP])
    _settle(t)
    count, visited, steps, before = int64(0), int64(0), int64(0), int64(0)
    count += _is_new(t, keys, slots, count)
    while visited < count:
        if visited == before:  # all positions with one move less are visited
            before = count
            if steps < len(counts):
                counts[steps] = count
            steps += 1
        cuts, up = keys[KEY_WORDS * visited], keys[KEY_WORDS * visited + 1]
        _read(t, cuts, up)
        _look(t)
        if t[HERE] == 0:
            return int64(WON)
        moves = int64(0)
        if not _is_refuted(t):
            moves = _list_moves(t)
        for number in range(moves):
            slot, goes_up = t[MOVES + number] & (UP - 1), t[MOVES + number] // UP
            _read(t, cuts, up)
            t[CUTS] = t[CUTS] | bit_of(slot) if goes_up == 0 else t[CUTS] & ~bit_of(slot)
            t[HEIGHTS + t[CARDS + slot] // 13] += goes_up
            _settle(t)
            if _is_new(t, keys, slots, count):
                count += 1
                if count > limit:
                    return count
        visited += 1
    return count
