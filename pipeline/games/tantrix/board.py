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

A field is an array of shape (spaces, 4) with the columns TILE, LINKS, TWICE and CONTROLLED, all zero when empty. The
open spaces are kept in a separate sorted array, of which the first `count` entries are valid.
"""

import numpy as np

from dealmill.game import Numbers, kernel
from dealmill.pipeline.games.tantrix.notation import NO_TILE, ROW, SPACES, turned
from dealmill.pipeline.games.tantrix.tiles import HAND, MOST_ON_FIELD, SIDES

TURNED_HAND = HAND * SIDES
OPEN_ROOM = SIDES * MOST_ON_FIELD
"""The most open spaces while tiles are placed in any order, when they need not be connected."""
MOST_MOVES = 2 * HAND * (6 + 2 * (MOST_ON_FIELD - 1))
"""The most legal moves. A tile has two sides of each colour, so it can match a neighbouring tile in at most two ways.
The first tile has six open spaces around it, and each further tile adds at most three and occupies one."""
MOVE_ROOM = MOST_MOVES + 1
"""Includes one entry for a placement that is written but not counted."""

STEPS = np.array([1, ROW, ROW - 1, -1, -ROW, 1 - ROW])
"""The steps to the neighbouring spaces, clockwise from the one above."""

TILE, LINKS, TWICE, CONTROLLED = range(4)
"""The tile; the links; the colours (four bits) of at least two links; 1 if the space is along a forced space."""
ONE_PER_SIDE = 0x111111
MOVE_SHIFT = 24


@kernel
def empty_field() -> Numbers:
    """Return a field without tiles."""
    return np.zeros((SPACES, 4), dtype=np.int64)


@kernel
def clear(field: Numbers, spaces: Numbers) -> None:
    """Reset some spaces. To empty the field, reset the spaces with tiles and the open spaces."""
    for space in spaces:
        for column in range(field.shape[1]):
            field[space, column] = 0


@kernel
def place(field: Numbers, open_spaces: Numbers, count: int, space: int, tile: int) -> int:
    """Place a tile in its orientation on an empty space, and return the new number of open spaces."""
    if field[space, LINKS]:
        count = _remove(open_spaces, count, space)
    field[space, TILE] = tile
    for side in range(SIDES):
        neighbour = space + STEPS[side]
        if field[neighbour, TILE] == NO_TILE:
            links = field[neighbour, LINKS]
            if links == 0:
                count = insert(open_spaces, count, neighbour)
            colour = tile >> _shift(side) & 15
            if links & colour * ONE_PER_SIDE:
                field[neighbour, TWICE] |= colour
            field[neighbour, LINKS] = links | colour << _shift((side + 3) % SIDES)
    return count


@kernel
def _shift(side: int) -> int:
    """Return the index of the lowest bit of a side."""
    return 4 * (SIDES - 1 - side)


@kernel
def insert(ordered: Numbers, count: int, number: int) -> int:
    """Insert a number into the first `count` sorted numbers, and return the new count."""
    at = count
    while at > 0 and ordered[at - 1] > number:
        ordered[at] = ordered[at - 1]
        at -= 1
    ordered[at] = number
    return count + 1


@kernel
def _remove(ordered: Numbers, count: int, number: int) -> int:
    """Remove a number from the first `count` numbers, and return the new count."""
    at = 0
    while ordered[at] != number:
        at += 1
    for i in range(at, count - 1):
        ordered[i] = ordered[i + 1]
    return count - 1


@kernel
def turn_hand(hand: Numbers, turned_hand: Numbers) -> None:
    """Write all rotations of the five tiles in hand to `turned_hand`, in alphabetical order."""
    count = 0
    for i in range(HAND):
        tile = hand[i]
        for _ in range(SIDES):
            count = insert(turned_hand, count, tile)
            tile = turned(tile)


@kernel
def list_moves(field: Numbers, open_spaces: Numbers, count: int, turned_hand: Numbers, moves: Numbers) -> int:
    """Write all legal moves to `moves`, as space · 2²⁴ + tile in ascending order, and return their number."""
    spaces = open_spaces[:count]
    forced = _mark_controlled(field, spaces)
    found = 0
    if forced:
        found = _placements(field, spaces, True, turned_hand, moves)
    if found == 0:
        found = _placements(field, spaces, False, turned_hand, moves)
    if forced:
        for space in spaces:
            field[space, CONTROLLED] = 0
    return found


@kernel
def _placements(field: Numbers, spaces: Numbers, forced_only: bool, turned_hand: Numbers, moves: Numbers) -> int:
    """Write the placements that rules 1, 2, 4 and 5 allow on the open (or the forced) spaces; return their number."""
    found = 0
    for space in spaces:
        if field[space, CONTROLLED] or (forced_only and not _is_forced(field[space, LINKS])):
            continue
        forbidden = _forbidden(field, space)
        for tile in turned_hand:
            moves[found] = space << MOVE_SHIFT | tile  # written in any case: a branch would cost a third more
            found += tile & forbidden == 0
    return found


@kernel
def _forbidden(field: Numbers, space: int) -> int:
    """Return the colours that the sides of a tile on `space` must not have.

    Next to a tile, these are all colours but the one that tile shows; next to an empty space, the colours of which that
    space already has two links.
    """
    forbidden = 0
    for side in range(SIDES):
        link = field[space, LINKS] >> _shift(side) & 15
        twice = field[space + STEPS[side], TWICE]
        forbidden = forbidden << 4 | (link ^ 15 if link else twice)
    return forbidden


@kernel
def _is_forced(links: int) -> bool:
    """Return whether a space has at least three neighbouring tiles, that is, whether its links have three bits set."""
    but_lowest = links & (links - 1)
    return but_lowest & (but_lowest - 1) != 0


@kernel
def _mark_controlled(field: Numbers, spaces: Numbers) -> int:
    """Mark the spaces along forced spaces as controlled, and return the number of forced spaces."""
    forced = 0
    for space in spaces:
        if _is_forced(field[space, LINKS]):
            forced += 1
            for side in range(SIDES):
                for turn in (1, SIDES - 1):
                    if field[space + STEPS[(side + turn) % SIDES], TILE] != NO_TILE:
                        _mark_side(field, space, side, turn)
    return forced


@kernel
def _mark_side(field: Numbers, space: int, side: int, turn: int) -> None:
    """Mark the spaces on the line from `space` towards `side`, while there are tiles in the row next to the line."""
    step = STEPS[side]
    beside = STEPS[(side + 2 * turn) % SIDES]
    space += step
    while field[space, TILE] == NO_TILE and field[space + beside, TILE] != NO_TILE:
        field[space, CONTROLLED] = 1
        space += step
