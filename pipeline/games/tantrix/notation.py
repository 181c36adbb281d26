"""The representation of spaces and tiles in kernels, and its conversion from and to text.

A space is the number 256 · (x + 128) + y + 128, so numbers have the order by x, then y. A tile in its orientation is 24
bits: four bits for each side, clockwise from the top side (the highest bits), with one of the four set for the colour
of the side. Since B, G, R, Y are the bits 1, 2, 4, 8, numbers have the alphabetical order of the tiles.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Bytes, kernel
from dealmill.pipeline.games.tantrix.tiles import SIDES

ROW = 256
CENTRE = 128
ORIGIN = np.uint64(ROW * CENTRE + CENTRE)
SPACES = ROW * ROW

Words = NDArray[np.uint64]
"""An array of spaces, tiles, or other unsigned numbers."""

WHOLE_TILE = np.uint64((1 << 24) - 1)
NO_TILE = np.uint64(0)
FOUR, TWENTY = np.uint64(4), np.uint64(20)

LETTERS = np.frombuffer(b"?BG?R???Y", dtype=np.uint8)
"""The letter of each colour, by its bit."""
BITS = np.zeros(128, dtype=np.uint64)
BITS[LETTERS] = np.arange(len(LETTERS))
"""The bit of each colour, by its letter."""
MINUS, DIGIT, COMMA, COLON, BLANK, SLASH = (ord(sign) for sign in "-0,: /")


@kernel
def turned(tile: np.uint64) -> np.uint64:
    """Return the tile turned anticlockwise by one side."""
    return (tile << FOUR | tile >> TWENTY) & WHOLE_TILE


@kernel
def least_rotation(tile: np.uint64) -> np.uint64:
    """Return the alphabetically first rotation of a tile."""
    least = tile
    for _ in range(SIDES - 1):
        tile = turned(tile)
        least = min(least, tile)
    return least


@kernel
def read_number(text: Bytes, at: int) -> tuple[int, int]:
    """Return the integer at `at`, and the index after it."""
    negative = text[at] == MINUS
    if negative:
        at += 1
    number = 0
    while at < len(text) and DIGIT <= text[at] < DIGIT + 10:
        number = 10 * number + text[at] - DIGIT
        at += 1
    return -number if negative else number, at


@kernel
def read_space(text: Bytes, at: int) -> tuple[np.uint64, int]:
    """Return the space ``x,y`` at `at`, and the index after it."""
    x, at = read_number(text, at)
    y, at = read_number(text, at + 1)
    return np.uint64(ROW * (x + CENTRE) + y + CENTRE), at


@kernel
def read_tile(text: Bytes, at: int) -> np.uint64:
    """Return the tile whose six letters are at `at`."""
    tile = NO_TILE
    for side in range(SIDES):
        tile = tile << FOUR | BITS[text[at + side]]
    return tile


@kernel
def write_number(number: int | np.int64, text: Bytes, end: int) -> int:
    """Write an integer of at most three digits at `end`, and return the new end."""
    if number < 0:
        text[end] = MINUS
        end += 1
        number = -number
    if number >= 100:
        text[end] = DIGIT + number // 100
        end += 1
    if number >= 10:
        text[end] = DIGIT + number // 10 % 10
        end += 1
    text[end] = DIGIT + number % 10
    return end + 1


@kernel
def write_tile(tile: np.uint64, text: Bytes, end: int) -> int:
    """Write the six letters of a tile at `end`, and return the new end."""
    for side in range(SIDES):
        text[end + side] = LETTERS[tile >> np.uint64(4 * (SIDES - 1 - side)) & np.uint64(15)]
    return end + SIDES


@kernel
def write_placed(space: np.uint64, tile: np.uint64, text: Bytes, end: int) -> int:
    """Write ``x,y:COLOURS`` at `end`, and return the new end."""
    end = write_number(np.int64(space) // ROW - CENTRE, text, end)
    text[end] = COMMA
    end = write_number(np.int64(space) % ROW - CENTRE, text, end + 1)
    text[end] = COLON
    return write_tile(tile, text, end + 1)
