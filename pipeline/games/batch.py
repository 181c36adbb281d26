"""Batches: how layouts go into a kernel and verdicts with evidence come out, all as flat arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.games.contract import Verdict

Bytes = NDArray[np.uint8]
Codes = NDArray[np.int8]
Numbers = NDArray[np.int64]

Kernel = Callable[[Bytes, Numbers, int, int, Codes, Numbers, Numbers, Bytes, Numbers], int]
"""``kernel(text, starts, first, limit, verdicts, values, nodes, evidence, ends) -> next``

Solves layouts from number `first` on, as long as `evidence` has room, and returns the number of the first one it
did not come to. Layout i is ``text[starts[i]:starts[i + 1]]`` (ASCII, without a line end). It writes ``verdicts[i]``,
``values[i]`` (read for scored layouts only), ``nodes[i]``, the evidence itself into `evidence` from 0 on, and
``ends[i]``, where that of layout i ends.
"""

ROOM = 1 << 20


@dataclass(frozen=True, slots=True)
class Batch:
    """What an engine says of N layouts: four lists of length N.

    `values` is None unless the verdict is scored; `evidence` is None where the verdict is undecided.
    """

    verdicts: list[Verdict]
    values: list[int | None]
    nodes: list[int]
    evidence: list[str | None]

    def __len__(self) -> int:
        return len(self.verdicts)


def pack(layouts: Sequence[str]) -> tuple[Bytes, Numbers]:
    """Layouts as one array of bytes, and where each starts (N + 1 numbers)."""
    text = np.frombuffer("".join(layouts).encode("ascii"), dtype=np.uint8)
    starts = np.zeros(len(layouts) + 1, dtype=np.int64)
    np.cumsum([len(layout) for layout in layouts], out=starts[1:])
    return text, starts


def unpack(text: Bytes, ends: Numbers) -> list[str]:
    """The texts that stand one behind the other in `text` (ASCII), the i-th up to ``ends[i]``."""
    if not len(ends):
        return []
    whole = text[: ends[-1]].tobytes().decode("ascii")
    stops = ends.tolist()
    return [whole[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]


def solve_batch(kernel: Kernel, layouts: Sequence[str], limit: int, longest: int) -> Batch:
    """Send layouts through a kernel; `longest` bounds the bytes of one layout's evidence."""
    text, starts = pack(layouts)
    count = len(layouts)
    verdicts = np.zeros(count, dtype=np.int8)
    values = np.zeros(count, dtype=np.int64)
    nodes = np.zeros(count, dtype=np.int64)
    ends = np.zeros(count, dtype=np.int64)
    room = np.empty(max(ROOM, longest), dtype=np.uint8)
    evidence: list[str] = []
    first = 0
    while first < count:
        reached = kernel(text, starts, first, limit, verdicts, values, nodes, room, ends)
        evidence += unpack(room, ends[first:reached])
        first = reached
    words = [Verdict(code) for code in verdicts.tolist()]
    return Batch(
        verdicts=words,
        values=[value if word is Verdict.SCORED else None for word, value in zip(words, values.tolist(), strict=True)],
        nodes=nodes.tolist(),
        evidence=[None if word is Verdict.UNDECIDED else trace for word, trace in zip(words, evidence, strict=True)],
    )
