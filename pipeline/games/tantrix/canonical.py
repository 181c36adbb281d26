"""The compiled check for canonical layouts of Tantrix.

The tiles on the field are ordered by x, then y. So the tiles that touch a tile and come before it are the previous tile
and two consecutive ones in the column to the left, where the position only moves forward from tile to tile. No board is
needed to find them.

There are few branches, because coordinates are hard to predict: when something is wrong, that is noted and reading goes
on.
"""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.batch import Bytes, Mask, Numbers
from dealmill.pipeline.games.bits import count_bits, lowest_bit
from dealmill.pipeline.games.kernel import inlined, kernel
from dealmill.pipeline.games.tantrix.tiles import COLOURS, HAND, LEAST, MOST_ON_FIELD, SIDES, TILES

Words = NDArray[np.uint64]

COMMA, COLON, BLANK, SLASH = (ord(sign) for sign in ",: /")
MINUS, NOUGHT = np.uint64(ord("-")), np.uint64(ord("0"))
ZERO, ONE, TWO, NINE, TEN = (np.uint64(number) for number in (0, 1, 2, 9, 10))

TILE_LENGTH, TILES_IN_HAND, MOST_TILES = np.uint64(SIDES), np.uint64(HAND), np.uint64(MOST_ON_FIELD)
HAND_LENGTH = len("/") + HAND * len(" BBGGRR")
"""The bytes from the slash to the end of a layout: more than a tile on the field takes, so a tile that begins before
the slash can be read without looking for the end of the text."""
ROW = 256
"""The space (x, y) is the number ROW · x + y."""
ORIGIN = 0
NOWHERE = -ROW * ROW
"""Less than any space."""

CODES = len(COLOURS) ** SIDES
"""A tile as it lies is a number of six digits, one for each side."""
DIGITS = np.full(256, CODES, dtype=np.int64)
"""By the letter of a colour, its digit; for all other bytes a number greater than any code."""
for digit, colour in enumerate(COLOURS):
    DIGITS[ord(colour)] = digit

NO_TILE = 63
ALL_TILES = np.uint64((1 << len(TILES)) - 1)
OPPOSITE = 6
"""Bits from the digit of a side to that of the opposite one."""
ABOVE, RIGHT, RIGHT_BELOW = (3 << 2 * (SIDES - 1 - side) for side in range(3))
"""The digits of the first three sides."""


def _numbers(least: Mapping[str, str]) -> Bytes:
    """For each code, the number of the tile as in `TILES`; `NO_TILE` if `least` does not have it."""
    codes = map("".join, product(COLOURS, repeat=SIDES))
    known = [TILES.index(least[tile]) if tile in least else NO_TILE for tile in codes]
    return np.array([*known, NO_TILE], dtype=np.uint8)


PLACED = _numbers(LEAST)
IN_HAND = _numbers({tile: tile for tile in TILES})


class Field(NamedTuple):
    """The tiles on the field, numbered from 1 in their order. Number 0 is a sentinel that no tile touches."""

    spaces: Numbers
    codes: Numbers
    links: Words
    """For each tile, the set of those that touch it."""


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Check which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    room = MOST_ON_FIELD + 1
    field = Field(np.full(room, NOWHERE), np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.uint64))
    for i in range(len(starts)):
        canonical[i] = ends[i] - starts[i] > HAND_LENGTH and _is_layout(
            text, np.uint64(starts[i]), np.uint64(ends[i] - HAND_LENGTH), field
        )
    return canonical


@inlined
def _is_layout(text: Bytes, begin: np.uint64, slash: np.uint64, field: Field) -> bool:
    """Check the text that begins at `begin` and has `HAND_LENGTH` more bytes from `slash` on."""
    at, tiles, left = begin, ZERO, ZERO
    seen = ZERO
    sound, centred = True, False
    while at < slash and tiles < MOST_TILES:
        tiles += ONE
        x, at, x_is_canonical = _number(text, at)
        comma = text[at] == COMMA
        y, at, y_is_canonical = _number(text, at + ONE)
        colon = text[at] == COLON
        code = _code(text, at + ONE)
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
    """Read the number of at most two digits at `at`; return it, where the text goes on, and whether it is canonical.

    A number that is not canonical is read as any number from -255 to 255.
    """
    negative = np.uint64(text[at] == MINUS)
    at += negative
    tens, ones = np.uint64(text[at]) - NOUGHT, np.uint64(text[at + ONE]) - NOUGHT
    two_digits = np.uint64(ones <= NINE)
    number = int(np.int64(tens * TEN + ones if two_digits else tens) & 255)
    plain = (tens <= NINE) & ((tens > ZERO) | (negative + two_digits == ZERO))
    return (-number if negative else number), at + ONE + two_digits, bool(plain)


@inlined
def _code(text: Bytes, at: np.uint64) -> int:
    """The code of the tile whose six letters are at `at`; `CODES` if one of them is not the letter of a colour."""
    code = 0
    for side in range(SIDES):
        code = code << 2 | int(DIGITS[text[at + np.uint64(side)]])
    return code if code < CODES else CODES


@inlined
def _join(field: Field, tile: np.uint64, space: int, code: int, left: np.uint64) -> tuple[np.uint64, bool]:
    """Add a tile, and note which of the tiles before it it touches.

    All tiles before number `left` come before the space to the left of the last tile. Returns the same number for this
    tile, and whether its edges match.
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
def _link(field: Field, tile: np.uint64, other: np.uint64, touches: bool, sides: int) -> bool:
    """Note whether two tiles touch each other, and return False if they do and the edge does not match.

    The other tile has the side with the digit `sides` at the edge, and this tile the opposite side.
    """
    field.links[tile] |= np.uint64(touches) << other
    field.links[other] |= np.uint64(touches) << tile
    matches = (field.codes[tile] << OPPOSITE ^ field.codes[other]) & sides == 0
    return bool(matches | (not touches))


@inlined
def _hand(text: Bytes, at: np.uint64) -> tuple[np.uint64, bool]:
    """Read the tiles in hand from `at` on, a blank before each; return their set, and whether they are in order."""
    seen, last, in_order = ZERO, -1, True
    for _ in range(HAND):
        number = int(IN_HAND[_code(text, at + ONE)])
        in_order &= (text[at] == BLANK) & (number > last)
        seen |= ONE << np.uint64(number)
        last = number
        at += TILE_LENGTH + ONE
    return seen, in_order


@inlined
def _are_joined(links: Words, tiles: np.uint64) -> bool:
    """Whether all tiles can be reached from the first one."""
    reached = waiting = TWO
    while waiting:
        found = links[lowest_bit(waiting)] & ~reached
        waiting = waiting & (waiting - ONE) | found
        reached |= found
    return bool(reached == (TWO << tiles) - TWO)
