"""The compiled check for canonical layouts of Tantrix loop."""

import numpy as np

from dealmill.kernels import Bytes, Mask, Numbers, inlined, kernel
from dealmill.pipeline.games.tantrix.canonical import BLANK, IN_HAND, NO_TILE, SLASH, tile_code
from dealmill.pipeline.games.tantrix.loop.layout import LEAST_TILES, MAX_TILES
from dealmill.pipeline.games.tantrix.tiles import COLOURS, TILES

FIRST_TILE = len("R / ")
TILE_PITCH = len("BBGGRR ")
BEARS = np.zeros((256, NO_TILE + 1), dtype=np.bool_)
"""Whether a tile of the set has a colour, by the letter of the colour and the number of the tile in `TILES`."""
for number, tile in enumerate(TILES):
    for colour in COLOURS:
        BEARS[ord(colour), number] = colour in tile


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        tiles, rest = divmod(ends[i] - starts[i] - FIRST_TILE + 1, TILE_PITCH)
        fits = rest == 0 and LEAST_TILES <= tiles <= MAX_TILES
        canonical[i] = fits and _is_layout(text, np.uint64(starts[i]), tiles)
    return canonical


@inlined
def _is_layout(text: Bytes, begin: np.uint64, tiles: int) -> bool:
    """Check a text of the right length for this number of tiles: all have the colour, and they are in order."""
    sound = (text[begin + np.uint64(1)] == BLANK) & (text[begin + np.uint64(2)] == SLASH)
    last = -1
    for tile in range(tiles):
        at = begin + np.uint64(FIRST_TILE + TILE_PITCH * tile)
        number = int(IN_HAND[tile_code(text, at)])
        sound &= (text[at - np.uint64(1)] == BLANK) & (number > last) & BEARS[text[begin], number]
        last = number
    return bool(sound)
