"""Numbered deals: rows of random digits from 1 to 5."""

import numpy as np
from dealmill.kernels import Texts, below, open_stream, to_texts


def deal(seed: int, first: int, count: int, squares: int = 12) -> Texts:
    """Return the deals `[first, first + count)` of a seed."""
    rows = [_row(seed, number, squares) for number in range(first, first + count)]
    return to_texts(rows)


def _row(seed: int, number: int, squares: int) -> str:
    """Deal a row. A deal must not depend on other deals."""
    stream = np.empty(8, dtype=np.uint64)
    open_stream(stream, np.uint64(seed), np.uint64(number))
    return "".join(str(1 + below(stream, 5)) for _ in range(squares))
