"""The compiled check for canonical layouts of Tantrix.

The tiles on the field are ordered by x, then y. So the earlier tiles that a tile can touch are the previous tile and
two consecutive tiles in the column to its left, and a pointer into that column only moves forward. No board is needed.

There are few branches, because coordinates are hard to predict: an error is recorded, and reading continues.
"""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Bytes, Mask, Numbers, count_bits, inlined, kernel, lowest_bit
from dealmill.pipeline.games.tantrix.tiles import COLOURS, HAND, LEAST, MAX_ON_FIELD, SIDES, TILES

Words = NDArray[np.uint64]

COMMA, COLON, BLANK, SLASH = (ord(sign) for sign in ",: /")
MINUS, NOUGHT = np.uint64(ord("-")), np.uint64(ord("0"))
ZERO, ONE, TWO, NINE, TEN = (np.uint64(number) for number in (0, 1, 2, 9, 10))

TILE_LENGTH, TILES_IN_HAND, MAX_TILES = np.uint64(SIDES), np.uint64(HAND), np.uint64(MAX_ON_FIELD)
HAND_LENGTH = len("/") + HAND * len(" BBGGRR")
"""The bytes from the slash to the end of a layout. A tile on the field takes fewer bytes, so a tile that begins before
the slash can be read without checking for the end of the text."""
ROW = 256
"""The space (x, y) has the number ROW · x + y."""
ORIGIN = 0
NOWHERE = -ROW * ROW
"""Less than any space."""

CODES = len(COLOURS) ** SIDES
"""The number of codes. The code of a tile in its orientation is a number of six digits in base 4, one for each side."""
DIGITS = np.full(256, CODES, dtype=np.int64)
"""The digit of each colour, by its letter; for any other byte, a number greater than all codes."""
for digit, colour in enumerate(COLOURS):
    DIGITS[ord(colour)] = digit

NO_TILE = 63
ALL_TILES = np.uint64((1 << len(TILES)) - 1)
OPPOSITE = 6
"""The bits between the digit of a side and that of the opposite side."""
ABOVE, RIGHT, RIGHT_BELOW = (3 << 2 * (SIDES - 1 - side) for side in range(3))
"""The digits of the first three sides."""


def _numbers(least: Mapping[str, str]) -> Bytes:
    """Return the index in `TILES` of the tile with each code; `NO_TILE` if the tile is not in `least`."""
    codes = map("".join, product(COLOURS, repeat=SIDES))
    known = [TILES.index(least[tile]) if tile in least else NO_TILE for tile in codes]
    return np.array([*known, NO_TILE], dtype=np.uint8)


PLACED = _numbers(LEAST)
IN_HAND = _numbers({tile: tile for tile in TILES})


class Field(NamedTuple):
    """The tiles on the field, numbered from 1 in their order. Number 0 is a sentinel that touches no tile."""

    spaces: Numbers
    codes: Numbers
    links: Words
    """For each tile, the set of tiles that touch it."""


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    room = MAX_ON_FIELD + 1
    field = Field(np.full(room, NOWHERE), np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.uint64))
    for i in range(len(starts)):
        canonical[i] = ends[i] - starts[i] > HAND_LENGTH and _is_layout(
            text, np.uint64(starts[i]), np.uint64(ends[i] - HAND_LENGTH), field
        )
    return canonical


@inlined
def _is_layout(text: Bytes, begin: np.uint64, slash: np.uint64, field: Field) -> bool:
    """Check the text that starts at `begin` and has `HAND_LENGTH` bytes from `slash` on."""
    at, tiles, left = begin, ZERO, ZERO
    seen = ZERO
    sound, centred = True, False
    while at < slash and tiles < MAX_TILES:
        tiles += ONE
        x, at, x_is_canonical = _number(text, at)
        comma = text[at] == COMMA
        y, at, y_is_canonical = _number(text, at + ONE)
        colon = text[at] == COLON
        code = tile_code(text, at + ONE)
        at += TILE_LENGTH + TWO
        blank = text[at - ONE] == BLANK
        space = ROW * x + y
        ordered = space > field.spaces[tiles - ONE]
        left, fits = _join(field, tiles, space, code, left)
        sound &= x_is_canonical & comma & y_is_canonical & colon & blank & ordered & fits
        centred |= space == ORIGIN
        seen |= ONE << np.uint64(PLACED[code])
    if not (sound and centred and at == slash and text[slash] == SLASH):
        return False
    in_hand, in_order = _hand(text, slash + ONE)
    seen |= in_hand
    real = seen <= ALL_TILES and count_bits(seen) == tiles + TILES_IN_HAND
    return bool(in_order and real and _are_joined(field.links, tiles))


@inlined
def _number(text: Bytes, at: np.uint64) -> tuple[int, np.uint64, bool]:
    """Read a number of at most two digits at `at`; return it, the index after it, and whether it is canonical.

    If it is not canonical, the number returned is an arbitrary one from -255 to 255.
    """
    negative = np.uint64(text[at] == MINUS)
    at += negative
    tens, ones = np.uint64(text[at]) - NOUGHT, np.uint64(text[at + ONE]) - NOUGHT
    two_digits = np.uint64(ones <= NINE)
    number = int(np.int64(tens * TEN + ones if two_digits else tens) & 255)
    plain = (tens <= NINE) & ((tens > ZERO) | (negative + two_digits == ZERO))
    return (-number if negative else number), at + ONE + two_digits, bool(plain)


@inlined
def tile_code(text: Bytes, at: np.uint64) -> int:
    """Return the code of the tile whose six letters are at `at`; `CODES` if one of them is not a colour."""
    code = 0
    for side in range(SIDES):
        code = code << 2 | int(DIGITS[text[at + np.uint64(side)]])
    return code if code < CODES else CODES


@inlined
def _join(field: Field, tile: np.uint64, space: int, code: int, left: np.uint64) -> tuple[np.uint64, bool]:
    """Add a tile, and record which of the earlier tiles it touches.

    `left` is the number of the first tile that does not come before the space to the left of the previous tile. Returns
    the same number for this tile, and whether its edges match.
    """
    field.spaces[tile], field.codes[tile], field.links[tile] = space, code, ZERO
    while field.spaces[left] < space - ROW:
        left += ONE
    touches = field.spaces[left] == space - ROW
    fits = _link(field, tile, left, touches, RIGHT)
    left_above = left + np.uint64(touches)
    fits &= _link(field, tile, left_above, field.spaces[left_above] == space - ROW + 1, RIGHT_BELOW)
    fits &= _link(field, tile, tile - ONE, field.spaces[tile - ONE] == space - 1, ABOVE)
    return left, fits


@inlined
def _link(field: Field, tile: np.uint64, neighbour: np.uint64, touches: bool, sides: int) -> bool:
    """Record whether two tiles touch, and return False if they do and their edge does not match.

    `sides` masks the digit of the other tile's side at the edge; this tile has the opposite side there.
    """
    field.links[tile] |= np.uint64(touches) << neighbour
    field.links[neighbour] |= np.uint64(touches) << tile
    matches = (field.codes[tile] << OPPOSITE ^ field.codes[neighbour]) & sides == 0
    return bool(matches | (not touches))


@inlined
def _hand(text: Bytes, at: np.uint64) -> tuple[np.uint64, bool]:
    """Read the tiles in hand from `at` on, each after a blank; return their set, and whether they are in order."""
    seen, last, in_order = ZERO, -1, True
    for _ in range(HAND):
        number = int(IN_HAND[tile_code(text, at + ONE)])
        in_order &= (text[at] == BLANK) & (number > last)
        seen |= ONE << np.uint64(number)
        last = number
        at += TILE_LENGTH + ONE
    return seen, in_order


@inlined
def _are_joined(links: Words, tiles: np.uint64) -> bool:
    """Return whether all tiles can be reached from the first one."""
    reached = waiting = TWO
    while waiting:
        neighbours = links[lowest_bit(waiting)] & ~reached
        waiting = waiting & (waiting - ONE) | neighbours
        reached |= neighbours
    return bool(reached == (TWO << tiles) - TWO)
