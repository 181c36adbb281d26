"""Numbered deals of Camelot.

Deal k of seed s is the deck AAAA2222…0000JJJJQQQQKKKK, shuffled with the stream of that deal (see
`dealmill.pipeline.games.philox`); the first card of the shuffled deck is dealt first.
"""

import numpy as np

from dealmill.kernels import Bytes, Texts, kernel, open_stream, shuffle, texts_from_rows
from dealmill.pipeline.games.camelot.layout import CARDS, COPIES, VALUES

NEW_DECK = np.repeat(np.frombuffer(VALUES.encode("ascii"), dtype=np.uint8), COPIES)


def deal(seed: int, first: int, count: int) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`."""
    decks = np.tile(NEW_DECK, (count, 1))
    _shuffle_each(np.uint64(seed), np.uint64(first), decks)
    return texts_from_rows(decks)


@kernel
def _shuffle_each(seed: np.uint64, first: np.uint64, decks: Bytes) -> None:
    stream = np.empty(8, dtype=np.uint64)
    for i in range(len(decks)):
        open_stream(stream, seed, first + np.uint64(i))
        shuffle(stream, decks[i], CARDS)
