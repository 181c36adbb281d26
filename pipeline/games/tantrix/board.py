"""The field and its legal moves, as kernels.

Rules 1 to 5 of the statement, with what it leaves open decided by its words:

- An empty space with *at least* three tiles around it is forced.
- The sides along a forced space are the straight lines of empty spaces that begin beside it and run along an unbroken
  row of tiles that begins with one of the tiles around it; see `_mark_side`. This reading, and not that of the
  first space of each line only, gives the sample's answer.
- Rules 4 and 5 hold for every placement, so also for one into a forced space.

Every empty space beside a tile is *open*. For each one the field holds its links: like a tile (see `notation`), but
four bits for each side where a tile touches it and none elsewhere. So the colours that a side must not have are one
number of 24 bits for each space, and a tile as it lies fits if it has no bit in common with it.

A field is an array of all spaces × (TILE, LINKS, TWICE, CONTROLLED), all zero when empty. Beside it goes the array of
the open spaces in their order, of which the first so many count.
"""

import numpy as np

from dealmill.pipeline.games.batch import Numbers
from dealmill.pipeline.games.kernel import kernel
from dealmill.pipeline.games.tantrix.notation import NO_TILE, ROW, SPACES, turned
from dealmill.pipeline.games.tantrix.tiles import HAND, MOST_ON_FIELD, SIDES

TURNED_HAND = HAND * SIDES
OPEN_ROOM = SIDES * MOST_ON_FIELD
"""Room for the open spaces while tiles are placed in any order, so that they may be apart from each other."""
MOST_MOVES = 2 * HAND * (6 + 2 * (MOST_ON_FIELD - 1))
"""A tile shows a colour twice, so it can meet a tile beside its space in two ways at most; and a tile that joins others
adds at most three open spaces and takes one, so that there are six for the first tile and two more for each other one.
"""
MOVE_ROOM = MOST_MOVES + 1
"""One more, for a placement that is written but not counted."""

STEPS = np.array([1, ROW, ROW - 1, -1, -ROW, 1 - ROW])
"""To the spaces around, clockwise from the one above."""

TILE, LINKS, TWICE, CONTROLLED = range(4)
"""The tile; the links; the colours (four bits) of two links or more; 1 if the space lies along a forced one."""
ONE_PER_SIDE = 0x111111
MOVE_SHIFT = 24


@kernel
def empty_field() -> Numbers:
    """A field without tiles."""
    return np.zeros((SPACES, 4), dtype=np.int64)


@kernel
def clear(field: Numbers, spaces: Numbers) -> None:
    """Empty some spaces; to take all tiles away, those with tiles and the open ones."""
    for space in spaces:
        for column in range(field.shape[1]):
            field[space, column] = 0


@kernel
def place(field: Numbers, open_spaces: Numbers, count: int, space: int, tile: int) -> int:
    """Put a tile, as it lies, on an empty space, and return how many spaces are open now."""
    if field[space, LINKS]:
        count = _remove(open_spaces, count, space)
    field[space, TILE] = tile
    for side in range(SIDES):
        neighbour = space + STEPS[side]
        if field[neighbour, TILE] == NO_TILE:
            links = field[neighbour, LINKS]
            if links == 0:
                count = _insert(open_spaces, count, neighbour)
            colour = tile >> _shift(side) & 15
            if links & colour * ONE_PER_SIDE:
                field[neighbour, TWICE] |= colour
            field[neighbour, LINKS] = links | colour << _shift((side + 3) % SIDES)
    return count


@kernel
def _shift(side: int) -> int:
    """How far the four bits of a side are from the right."""
    return 4 * (SIDES - 1 - side)


@kernel
def _insert(ordered: Numbers, count: int, number: int) -> int:
    """Put a number in its place among the first `count` ones, and return how many these are now."""
    at = count
    while at > 0 and ordered[at - 1] > number:
        ordered[at] = ordered[at - 1]
        at -= 1
    ordered[at] = number
    return count + 1


@kernel
def _remove(ordered: Numbers, count: int, number: int) -> int:
    """Take a number out of the first `count` ones, and return how many these are now."""
    at = 0
    while ordered[at] != number:
        at += 1
    for i in range(at, count - 1):
        ordered[i] = ordered[i + 1]
    return count - 1


@kernel
def turn_hand(hand: Numbers, turned_hand: Numbers) -> None:
    """All rotations of five tiles, in alphabetical order."""
    count = 0
    for i in range(HAND):
        tile = hand[i]
        for _ in range(SIDES):
            count = _insert(turned_hand, count, tile)
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
    """The placements that rules 1, 2, 4 and 5 allow on the open spaces, or on the forced ones among them."""
    found = 0
    for space in spaces:
        if field[space, CONTROLLED] or (forced_only and not _is_forced(field[space, LINKS])):
            continue
        forbidden = _forbidden(field, space)
        for tile in turned_hand:
            moves[found] = space << MOVE_SHIFT | tile  # counted or not: a branch would cost a third more
            found += tile & forbidden == 0
    return found


@kernel
def _forbidden(field: Numbers, space: int) -> int:
    """The colours that the sides of a tile on `space` must not have: where a tile touches it all but the tile's own,
    elsewhere those that the empty space there has two of already.
    """
    forbidden = 0
    for side in range(SIDES):
        link = field[space, LINKS] >> _shift(side) & 15
        twice = field[space + STEPS[side], TWICE]
        forbidden = forbidden << 4 | (link ^ 15 if link else twice)
    return forbidden


@kernel
def _is_forced(links: int) -> bool:
    """Whether there are three tiles around or more: three bits."""
    but_lowest = links & (links - 1)
    return but_lowest & (but_lowest - 1) != 0


@kernel
def _mark_controlled(field: Numbers, spaces: Numbers) -> int:
    """Mark the spaces along forced ones as controlled, and return how many are forced."""
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
    """Mark the spaces on the line from `space` towards `side`, as long as there are tiles in the row beside it."""
    step = STEPS[side]
    beside = STEPS[(side + 2 * turn) % SIDES]
    space += step
    while field[space, TILE] == NO_TILE and field[space + beside, TILE] != NO_TILE:
        field[space, CONTROLLED] = 1
        space += step
