"""Numbered deals of Hi-Q.

Deal k of seed s: the holes, numbered 0 … 32 row by row, are shuffled with the stream of that deal (see
`dealmill.pipeline.games.philox`), and the first `pegs` of them get pegs.
"""

import numpy as np

from dealmill.kernels import Bytes, Texts, kernel, open_stream, shuffle, texts_from_rows
from dealmill.pipeline.games.hi_q.layout import HOLES, ROWS

EMPTY = "/".join("O" * length for length in ROWS)
PLACES = np.array([place for place, sign in enumerate(EMPTY) if sign == "O"])
"""The index of each hole in the canonical text."""
PEG = ord("X")


def deal(seed: int, first: int, count: int, pegs: int = 16) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`."""
    boards = np.tile(np.frombuffer(EMPTY.encode("ascii"), dtype=np.uint8), (count, 1))
    _put_pegs(np.uint64(seed), np.uint64(first), pegs, boards)
    return texts_from_rows(boards)


@kernel
def _put_pegs(seed: np.uint64, first: np.uint64, pegs: int, boards: Bytes) -> None:
    stream = np.empty(8, dtype=np.uint64)
    holes = np.empty(HOLES, dtype=np.uint8)
    for i in range(len(boards)):
        open_stream(stream, seed, first + np.uint64(i))
        for hole in range(HOLES):
            holes[hole] = hole
        shuffle(stream, holes, HOLES)
        for peg in range(pegs):
            boards[i, PLACES[holes[peg]]] = PEG
