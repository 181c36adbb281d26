"""The compiled check for canonical layouts of Camelot."""

import numpy as np

from dealmill.kernels import Bytes, Mask, Numbers, inlined, kernel
from dealmill.pipeline.games.camelot.layout import CARDS, COPIES, VALUES

DIGIT = 4
"""The bits of the counter of one value."""
SHARES = np.zeros(256, dtype=np.uint64)
"""For each symbol, the amount it adds to a word that holds the counters of all values; 0 for any other byte."""
for number, symbol in enumerate(VALUES):
    SHARES[ord(symbol)] = 1 << DIGIT * number
WHOLE_DECK = np.uint64(sum(COPIES << DIGIT * number for number in range(len(VALUES))))
ZERO = np.uint64(0)


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        canonical[i] = ends[i] - starts[i] == CARDS and _is_deck(text, np.uint64(starts[i]), np.uint64(ends[i]))
    return canonical


@inlined
def _is_deck(text: Bytes, begin: np.uint64, end: np.uint64) -> bool:
    """Return whether 52 bytes are a deck, by counting all values at once.

    An overflow cannot go unnoticed: 16 cards of one value would count as one card of the next value, so the counters
    would add up to less than 52.
    """
    counters = ZERO
    for at in range(begin, end):
        counters += SHARES[text[at]]
    return bool(counters == WHOLE_DECK)
