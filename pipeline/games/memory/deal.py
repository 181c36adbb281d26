"""Numbered deals of Memory.

Deal k of seed s is the first `pairs` pairs of A A B B C C … (after Z come a, b, …), shuffled with the stream of that
deal (see `dealmill.pipeline.games.philox`).
"""

import numpy as np

from dealmill.kernels import Bytes, Texts, kernel, open_stream, shuffle, texts_from_rows

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def deal(seed: int, first: int, count: int, pairs: int = 25) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`."""
    sorted_cards = np.frombuffer(LETTERS[:pairs].encode("ascii"), dtype=np.uint8).repeat(2)
    layouts = np.tile(sorted_cards, (count, 1))
    _shuffle_each(np.uint64(seed), np.uint64(first), layouts)
    return texts_from_rows(layouts)


@kernel
def _shuffle_each(seed: np.uint64, first: np.uint64, layouts: Bytes) -> None:
    stream = np.empty(8, dtype=np.uint64)
    for i in range(len(layouts)):
        open_stream(stream, seed, first + np.uint64(i))
        shuffle(stream, layouts[i], layouts.shape[1])
