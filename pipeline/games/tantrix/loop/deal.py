"""Numbered deals of Tantrix loop.

Deal k of seed s: the 42 tiles that have the colour, each in its alphabetically first rotation, are put in alphabetical
order and shuffled with the stream of that deal (see `dealmill.pipeline.games.philox`). The first `tiles` of them are
the layout.
"""

import numpy as np

from dealmill.kernels import Bytes, Texts, kernel, open_stream, shuffle, texts_from_rows
from dealmill.pipeline.games.tantrix.loop.canonical import FIRST_TILE, TILE_PITCH
from dealmill.pipeline.games.tantrix.tiles import COLOURS, TILES


def deal(seed: int, first: int, count: int, tiles: int = 20, colour: int = 3) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`; `colour` is 1 to 4 for B, G, R and Y."""
    letter = COLOURS[colour - 1]
    names = np.array([list(f"{tile} ".encode()) for tile in TILES if letter in tile], dtype=np.uint8)
    layouts = np.empty((count, FIRST_TILE + TILE_PITCH * tiles), dtype=np.uint8)
    layouts[:, :FIRST_TILE] = list(f"{letter} / ".encode())
    _choose_each(np.uint64(seed), np.uint64(first), tiles, names, layouts)
    return texts_from_rows(layouts[:, :-1])


@kernel
def _choose_each(seed: np.uint64, first: np.uint64, tiles: int, names: Bytes, layouts: Bytes) -> None:
    stream = np.empty(8, dtype=np.uint64)
    numbers = np.empty(len(names), dtype=np.uint8)
    for i in range(len(layouts)):
        open_stream(stream, seed, first + np.uint64(i))
        for number in range(len(names)):
            numbers[number] = number
        shuffle(stream, numbers, len(names))
        chosen = np.zeros(len(names), dtype=np.bool_)
        for k in range(tiles):
            chosen[numbers[k]] = True
        start = FIRST_TILE
        for number in range(len(names)):
            if chosen[number]:
                for at in range(TILE_PITCH):
                    layouts[i, start + at] = names[number, at]
                start += TILE_PITCH
