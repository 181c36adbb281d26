"""The compiled check for canonical layouts of Memory."""

from string import ascii_letters

import numpy as np

from dealmill.kernels import Bytes, Mask, Numbers, count_bits, inlined, kernel
from dealmill.pipeline.games.memory.layout import MAX_CARDS

NO_LETTER = np.uint64(1 << 63)
BITS = np.full(256, NO_LETTER, dtype=np.uint64)
"""One bit for each letter, and `NO_LETTER` for any other byte."""
for number, letter in enumerate(ascii_letters):
    BITS[ord(letter)] = 1 << number
ZERO, ONE = np.uint64(0), np.uint64(1)


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        filled = 0 < ends[i] - starts[i] <= MAX_CARDS
        canonical[i] = filled and _is_layout(text, np.uint64(starts[i]), np.uint64(ends[i]))
    return canonical


@inlined
def _is_layout(text: Bytes, begin: np.uint64, end: np.uint64) -> bool:
    """Return whether every letter occurs an even number of times, and letters occur twice on average."""
    seen = odd = ZERO
    for at in range(begin, end):
        bit = BITS[text[at]]
        seen |= bit
        odd ^= bit
    return bool(odd == ZERO and seen < NO_LETTER and count_bits(seen) << ONE == end - begin)
