"""Batches: how layouts go into a kernel and verdicts with evidence come out, all as flat arrays."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.contract import Batch, Verdict

Bytes = NDArray[np.uint8]
Codes = NDArray[np.int8]
Numbers = NDArray[np.int64]


class Results(NamedTuple):
    """What a kernel writes: an entry per layout, and the evidence itself one behind the other.

    ``values[i]`` is read for scored layouts only; ``ends[i]`` is where the evidence of layout i ends.
    """

    verdicts: Codes
    values: Numbers
    nodes: Numbers
    ends: Numbers
    evidence: Bytes


Kernel = Callable[[Bytes, Numbers, int, int, Results], int]
"""``kernel(text, starts, first, limit, results) -> next``

Solves layouts from number `first` on, as long as there is room for evidence, which it writes from 0 on; returns the
number of the first layout it did not come to. Layout i is ``text[starts[i]:starts[i + 1]]`` (ASCII, no line end).
"""

ROOM = 1 << 20

VERDICTS = {int(verdict): verdict for verdict in Verdict}
"""Looked up here, since asking the enumeration takes as long as solving some layouts does."""


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
    results = Results(
        verdicts=np.zeros(count, dtype=np.int8),
        values=np.zeros(count, dtype=np.int64),
        nodes=np.zeros(count, dtype=np.int64),
        ends=np.zeros(count, dtype=np.int64),
        evidence=np.empty(max(ROOM, longest), dtype=np.uint8),
    )
    evidence: list[str] = []
    first = 0
    while first < count:
        reached = kernel(text, starts, first, limit, results)
        evidence += unpack(results.evidence, results.ends[first:reached])
        first = reached
    words = [VERDICTS[code] for code in results.verdicts.tolist()]
    return Batch(
        verdicts=words,
        values=[
            value if word is Verdict.SCORED else None
            for word, value in zip(words, results.values.tolist(), strict=True)
        ],
        nodes=results.nodes.tolist(),
        evidence=[None if word is Verdict.UNDECIDED else trace for word, trace in zip(words, evidence, strict=True)],
    )
