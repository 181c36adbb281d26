"""Batches: how layouts go into a kernel and verdicts with evidence come out, all as flat arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.verdict import Verdict

Bytes = NDArray[np.uint8]
Codes = NDArray[np.int8]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """N texts in UTF-8, concatenated: number i is ``text[starts[i]:starts[i + 1]]``.

    Canonical layouts and evidence are ASCII without line ends; what is to be checked may be any bytes.
    """

    text: Bytes
    starts: Numbers
    """N + 1 numbers."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Numbers:
        """The length of each, in bytes."""
        return self.starts[1:] - self.starts[:-1]

    @property
    def together(self) -> Bytes:
        """All of them, one behind the other."""
        return self.text[self.starts[0] : self.starts[-1]]

    def part(self, first: int, stop: int) -> "Texts":
        """The texts number `first` to before `stop`."""
        return Texts(self.text, self.starts[first : stop + 1])

    def chosen(self, numbers: Numbers) -> "Texts":
        """The texts with these numbers, in the order of the numbers."""
        lengths = self.lengths[numbers]
        starts = lengths_to_starts(lengths)
        moves = np.repeat(self.starts[:-1][numbers] - starts[:-1], lengths)
        return Texts(self.text[moves + np.arange(starts[-1])], starts)


class Solved(NamedTuple):
    """What an engine says of N layouts. A value counts only where the verdict is scored; there is no evidence where it
    is undecided."""

    verdicts: Codes
    values: Numbers
    nodes: Numbers
    evidence: Texts

    def part(self, first: int, stop: int) -> "Solved":
        """What it says of the layouts number `first` to before `stop`."""
        part = slice(first, stop)
        return Solved(self.verdicts[part], self.values[part], self.nodes[part], self.evidence.part(first, stop))

    def chosen(self, numbers: Numbers) -> "Solved":
        """What it says of the layouts with these numbers, in the order of the numbers."""
        return Solved(self.verdicts[numbers], self.values[numbers], self.nodes[numbers], self.evidence.chosen(numbers))


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


class Results(NamedTuple):
    """What a kernel writes: an entry per layout, and the evidence itself one behind the other.

    ``values[i]`` is read for scored layouts only; ``ends[i]`` is where the evidence of layout i ends. There is none of
    undecided ones.
    """

    verdicts: Codes
    values: Numbers
    nodes: Numbers
    ends: Numbers
    evidence: Bytes


Kernel = Callable[[Bytes, Numbers, int, int, Results], int]
"""``kernel(text, starts, first, limit, results) -> next``

Solves layouts from number `first` on, as long as there is room for evidence, which it writes from 0 on; returns the
number of the first layout it did not come to. Layouts are given as in `Texts`.
"""

ROOM = 1 << 20

VERDICTS = {int(verdict): verdict for verdict in Verdict}
"""Looked up here, since asking the enumeration takes as long as solving some layouts does."""


def pack(texts: Sequence[str]) -> Texts:
    """Texts as flat arrays. Surrogates, which no other text has in UTF-8, are encoded like all other characters."""
    whole = "".join(texts)
    if whole.isascii():
        return Texts(np.frombuffer(whole.encode("ascii"), dtype=np.uint8), lengths_to_starts(list(map(len, texts))))
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return Texts(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths_to_starts(list(map(len, encoded))))


def rows(texts: Bytes) -> Texts:
    """Texts of one length, a row each."""
    count, width = texts.shape
    return Texts(texts.reshape(-1), np.arange(count + 1, dtype=np.int64) * width)


def unpack(texts: Texts) -> list[str]:
    """Flat arrays as texts. In what is not UTF-8, the bytes that are wrong are replaced."""
    whole = texts.together.tobytes()
    ends = (texts.starts - texts.starts[0]).tolist()
    if whole.isascii():
        characters = whole.decode("ascii")
        return [characters[start:end] for start, end in pairwise(ends)]
    return [_decoded(whole[start:end]) for start, end in pairwise(ends)]


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace")


def run_kernel(kernel: Kernel, layouts: Texts, limit: int, longest: int) -> Solved:
    """Send layouts through a kernel; `longest` bounds the bytes of one layout's evidence.

    Raises
    ------
    ValueError
        If evidence is longer than that: kernels write without looking whether there is room.
    """
    count = len(layouts)
    verdicts = np.zeros(count, dtype=np.int8)
    values, nodes, ends = (np.zeros(count, dtype=np.int64) for _ in range(3))
    evidence: list[Texts] = []
    first = 0
    while first < count:
        room = np.empty(max(ROOM, longest), dtype=np.uint8)
        reached = kernel(layouts.text, layouts.starts, first, limit, Results(verdicts, values, nodes, ends, room))
        starts = np.concatenate(([0], ends[first:reached]))
        if np.diff(starts).max() > longest:
            raise ValueError(f"evidence is longer than the {longest} bytes that there is room for")
        evidence.append(Texts(room[: starts[-1]], starts))
        first = reached
    return Solved(verdicts, values, nodes, concatenated(evidence or [pack([])]))


def joined(parts: Sequence[Solved]) -> Solved:
    """What was said of some layouts and of those behind them."""
    return Solved(
        np.concatenate([part.verdicts for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.nodes for part in parts]),
        concatenated([part.evidence for part in parts]),
    )


def listed(solved: Solved) -> Batch:
    """The same in lists, with None for what does not count."""
    words = [VERDICTS[code] for code in solved.verdicts.tolist()]
    values, evidence = solved.values.tolist(), unpack(solved.evidence)
    return Batch(
        verdicts=words,
        values=[value if word is Verdict.SCORED else None for word, value in zip(words, values, strict=True)],
        nodes=solved.nodes.tolist(),
        evidence=[None if word is Verdict.UNDECIDED else text for word, text in zip(words, evidence, strict=True)],
    )


def concatenated(parts: Sequence[Texts]) -> Texts:
    """Texts and those behind them."""
    if len(parts) == 1:
        return parts[0]
    return Texts(
        np.concatenate([part.together for part in parts]),
        lengths_to_starts(np.concatenate([part.lengths for part in parts])),
    )


def lengths_to_starts(lengths: Sequence[int] | Numbers) -> Numbers:
    """Where texts of these lengths begin, one behind the other, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts
