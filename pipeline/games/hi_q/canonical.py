"""The compiled check for canonical layouts of Hi-Q."""

import numpy as np

from dealmill.kernels import Bytes, Mask, Numbers, inlined, kernel
from dealmill.pipeline.games.hi_q.layout import CANONICAL_LENGTH, ROWS

PEG, HOLE = ord("X"), ord("O")
SLASH = ord("/")
SEPARATES = np.array([sign == "/" for sign in "/".join("O" * length for length in ROWS)])
"""Whether each byte of a layout separates two rows."""


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        canonical[i] = ends[i] - starts[i] == CANONICAL_LENGTH and _is_board(text, np.uint64(starts[i]))
    return canonical


@inlined
def _is_board(text: Bytes, begin: np.uint64) -> bool:
    """Return whether the text is a board; every byte is checked, without branches."""
    fits = True
    for index in range(CANONICAL_LENGTH):
        sign = text[begin + np.uint64(index)]
        hole = (sign == PEG) | (sign == HOLE)
        fits &= (sign == SLASH) if SEPARATES[index] else hole
    return fits
