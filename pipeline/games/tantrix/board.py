"""Kernels for the field and its legal moves.

The kernels implement rules 1 to 5 of the problem statement. Where it is ambiguous, they take it literally:

- An empty space with *at least* three neighbouring tiles is forced.
- The sides along a forced space are the straight lines of empty spaces that start next to it and run along an unbroken
  row of tiles, the first of which touches the forced space; see `_mark_side`. Only this reading gives the answer of the
  problem statement's sample; the first space of each line is not enough.
- Rules 4 and 5 apply to every placement, also in a forced space.

Every empty space next to a tile is *open*. The field stores the links of each open space in the notation of a tile (see
`notation`): four bits for each side that touches a tile, and none for other sides. So the colours that the sides of a
tile on a space must not have are one number of 24 bits, and a tile fits iff it has no bit in common with that number.

A field is an array with a word for each space, zero when empty: from the lowest bit on, the tile (24 bits); the links
(24 bits); the colours (four bits) of at least two links; and a bit that is set if the space is along a forced space.
Of a space with a tile, only the tile matters. The open spaces are kept in a separate sorted array, of which the first
`count` entries are valid.

Words are unsigned: for a signed index, compiled code checks at each access whether it counts from the end.
"""

import numpy as np

from dealmill.kernels import inlined, kernel
from dealmill.pipeline.games.tantrix.notation import NO_TILE, ROW, SPACES, WHOLE_TILE, Words, turned
from dealmill.pipeline.games.tantrix.tiles import HAND, MAX_ON_FIELD, SIDES

TURNED_HAND = HAND * SIDES
OPEN_ROOM = SIDES * MAX_ON_FIELD
"""The most open spaces while tiles are placed in any order, when they need not be connected."""
MAX_MOVES = 2 * HAND * (6 + 2 * (MAX_ON_FIELD - 1))
"""The most legal moves. A tile has two sides of each colour, so it can match a neighbouring tile in at most two ways.
The first tile has six open spaces around it, and each further tile adds at most three and occupies one."""
MOVE_ROOM = MAX_MOVES + 1
"""Includes one entry for a placement that is written but not counted."""

STEPS = np.array([1, ROW, ROW - 1, -1, -ROW, 1 - ROW]).astype(np.uint64)
"""The steps to the neighbouring spaces, clockwise from the one above."""

LINKS, TWICE, CONTROLLED = np.uint64(24), np.uint64(48), np.uint64(52)
"""The lowest bits of the parts of a word that follow the tile."""
ONE_PER_SIDE = np.uint64(0x111111)
MOVE_SHIFT = np.uint64(24)
ZERO, ONE, COLOURS = np.uint64(0), np.uint64(1), np.uint64(15)


@kernel
def empty_field() -> Words:
    """Return a field without tiles."""
    return np.zeros(SPACES, dtype=np.uint64)


@kernel
def clear(field: Words, spaces: Words) -> None:
    """Reset some spaces. To empty the field, reset the spaces with tiles and the open spaces."""
    for space in spaces:
        field[space] = 0


@kernel
def place(field: Words, open_spaces: Words, count: np.uint64, space: np.uint64, tile: np.uint64) -> np.uint64:
    """Place a tile in its orientation on an empty space, and return the new number of open spaces."""
    if field[space]:
        count = _remove(open_spaces, count, space)
    field[space] = tile
    for side in range(SIDES):
        neighbour = space + STEPS[side]
        word = field[neighbour]
        if word == ZERO:
            count = insert(open_spaces, count, neighbour)
        colour = tile >> _shift(side) & COLOURS
        is_second = word >> LINKS & colour * ONE_PER_SIDE != ZERO
        word |= colour << LINKS + _shift((side + 3) % SIDES)
        field[neighbour] = word | (colour << TWICE if is_second else ZERO)
    return count


@inlined
def _shift(side: int) -> np.uint64:
    """Return the index of the lowest bit of a side."""
    return np.uint64(4 * (SIDES - 1 - side))


@kernel
def insert(ordered: Words, count: np.uint64, number: np.uint64) -> np.uint64:
    """Insert a number into the first `count` sorted numbers, and return the new count."""
    at = count
    while at > ZERO and ordered[at - ONE] > number:
        ordered[at] = ordered[at - ONE]
        at -= ONE
    ordered[at] = number
    return count + ONE


@kernel
def sort(numbers: Words) -> None:
    """Sort numbers."""
    for i in range(len(numbers)):
        insert(numbers, np.uint64(i), numbers[i])


@kernel
def _remove(ordered: Words, count: np.uint64, number: np.uint64) -> np.uint64:
    """Remove a number from the first `count` numbers, and return the new count."""
    at = ZERO
    while ordered[at] != number:
        at += ONE
    for i in range(at, count - ONE):
        ordered[i] = ordered[i + ONE]
    return count - ONE


@kernel
def turn_hand(hand: Words, turned_hand: Words) -> None:
    """Write all rotations of the five tiles in hand to `turned_hand`, in no particular order."""
    count = ZERO
    for i in range(HAND):
        tile = hand[i]
        for _ in range(SIDES):
            turned_hand[count] = tile
            tile = turned(tile)
            count += ONE


@kernel
def list_moves(field: Words, open_spaces: Words, count: np.uint64, turned_hand: Words, moves: Words) -> int:
    """Write all legal moves to `moves`, as space · 2²⁴ + tile in ascending order, and return their number."""
    spaces = open_spaces[:count]
    forced = _mark_controlled(field, spaces)
    end = ZERO
    if forced:
        end = _placements(field, spaces, True, turned_hand, moves)
    if end == ZERO:
        end = _placements(field, spaces, False, turned_hand, moves)
    if forced:
        for space in spaces:
            field[space] &= (ONE << CONTROLLED) - ONE
    legal = moves[:end]
    sort(legal)  # takes little time: spaces are in order, and few tiles fit on each
    return len(legal)


@kernel
def _placements(field: Words, spaces: Words, forced_only: bool, turned_hand: Words, moves: Words) -> np.uint64:
    """Write the placements that rules 1, 2, 4 and 5 allow on the open (or the forced) spaces; return their number."""
    end = ZERO
    for space in spaces:
        if field[space] >> CONTROLLED or (forced_only and not _is_forced(field[space])):
            continue
        forbidden = _forbidden(field, space)
        for tile in turned_hand:
            moves[end] = space << MOVE_SHIFT | tile  # written in any case: a branch would cost a third more
            end += np.uint64(tile & forbidden == ZERO)
    return end


@inlined
def _forbidden(field: Words, space: np.uint64) -> np.uint64:
    """Return the colours that the sides of a tile on `space` must not have.

    Next to a tile, these are all colours but the one that tile shows; next to an empty space, the colours of which that
    space already has two links.
    """
    links = field[space] >> LINKS
    forbidden = ZERO
    for side in range(SIDES):
        link = links >> _shift(side) & COLOURS
        twice = field[space + STEPS[side]] >> TWICE & COLOURS
        forbidden = forbidden << np.uint64(4) | (link ^ COLOURS if link else twice)
    return forbidden


@inlined
def _is_forced(word: np.uint64) -> bool:
    """Return whether a space has at least three neighbouring tiles, that is, whether its links have three bits set."""
    links = word >> LINKS & WHOLE_TILE
    but_lowest = links & (links - ONE)
    return bool(but_lowest & (but_lowest - ONE) != ZERO)


@inlined
def _has_tile(word: np.uint64) -> bool:
    return bool(word & WHOLE_TILE != NO_TILE)


@kernel
def _mark_controlled(field: Words, spaces: Words) -> int:
    """Mark the spaces along forced spaces as controlled, and return the number of forced spaces."""
    forced = 0
    for space in spaces:
        if _is_forced(field[space]):
            forced += 1
            for side in range(SIDES):
                for turn in (1, SIDES - 1):
                    if _has_tile(field[space + STEPS[(side + turn) % SIDES]]):
                        _mark_side(field, space, side, turn)
    return forced


@kernel
def _mark_side(field: Words, space: np.uint64, side: int, turn: int) -> None:
    """Mark the spaces on the line from `space` towards `side`, while there are tiles in the row next to the line."""
    step = STEPS[side]
    beside = STEPS[(side + 2 * turn) % SIDES]
    space += step
    while not _has_tile(field[space]) and _has_tile(field[space + beside]):
        field[space] |= ONE << CONTROLLED
        space += step
