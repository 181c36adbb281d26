"""Numbered deals of Peg row: each hole but the last has a peg or not, and two pegs stand in the first two holes."""

import numpy as np

from dealmill.kernels import Texts, below, open_stream, to_texts


def deal(seed: int, first: int, count: int, holes: int = 14) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`, with a number of holes."""
    return to_texts([_row(seed, number, holes) for number in range(first, first + count)])


def _row(seed: int, number: int, holes: int) -> str:
    stream = np.empty(8, dtype=np.uint64)
    open_stream(stream, np.uint64(seed), np.uint64(number))
    return "oo" + "".join(".o"[below(stream, 2)] for _ in range(holes - 3)) + "."
