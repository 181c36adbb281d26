"""Batches of layouts, verdicts and evidence, as flat arrays for kernels; and entries, the layouts and rejects of a part
of a source."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.descriptions import DECIDED, Layout, Reject
from dealmill.pipeline.games.verdict import Verdict

DECIDED_CODES = [int(verdict) for verdict in DECIDED]

Bytes = NDArray[np.uint8]
Codes = NDArray[np.int8]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """N texts in UTF-8, concatenated: text i is ``text[starts[i]:starts[i + 1]]``.

    Canonical layouts and evidence are ASCII without line ends; unchecked texts may be any bytes.
    """

    text: Bytes
    starts: Numbers
    """N + 1 offsets in bytes."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Numbers:
        """The length of each text, in bytes."""
        return self.starts[1:] - self.starts[:-1]

    @property
    def concatenated_text(self) -> Bytes:
        """All texts, concatenated."""
        return self.text[self.starts[0] : self.starts[-1]]

    def part(self, first: int, stop: int) -> "Texts":
        """Return the texts `[first, stop)`, counted from 0."""
        return Texts(self.text, self.starts[first : stop + 1])

    def take(self, numbers: Numbers) -> "Texts":
        """Return the texts with these indexes, in the order of the indexes."""
        lengths = self.lengths[numbers]
        starts = lengths_to_starts(lengths)
        moves = np.repeat(self.starts[:-1][numbers] - starts[:-1], lengths)
        return Texts(self.text[moves + np.arange(starts[-1])], starts)


class Solved(NamedTuple):
    """The output of an engine for N layouts, as arrays of length N.

    Values are meaningful only for scored verdicts, and evidence for all but undecided ones. Verdicts of programs and
    imported ones may be claims without evidence: these are `unproved`, and undecided ones may be marked so, too.
    """

    verdicts: Codes
    values: Numbers
    nodes: Numbers
    evidence: Texts
    unproved: Mask | None = None

    @property
    def numbers(self) -> dict[str, tuple[Numbers, Mask | None]]:
        """The columns of a result that are numbers, by name, and which of them are meaningful; None if all are."""
        scored = self.verdicts == int(Verdict.SCORED)
        return {
            "verdict": (self.verdicts.astype(np.int64), None),
            "nodes": (self.nodes, None),
            "value": (self.values, scored),
        }

    @property
    def has_evidence(self) -> Mask:
        """Which verdicts have evidence."""
        explained: Mask = self.verdicts != int(Verdict.UNDECIDED)
        return explained if self.unproved is None else explained & ~self.unproved

    @property
    def claims(self) -> int:
        """The number of verdicts that are claims without evidence."""
        return int(np.count_nonzero(~self.has_evidence & np.isin(self.verdicts, DECIDED_CODES)))

    def part(self, first: int, stop: int) -> "Solved":
        """Return the output for the layouts `[first, stop)`, counted from 0."""
        part = slice(first, stop)
        unproved = None if self.unproved is None else self.unproved[part]
        evidence = self.evidence.part(first, stop)
        return Solved(self.verdicts[part], self.values[part], self.nodes[part], evidence, unproved)

    def take(self, numbers: Numbers) -> "Solved":
        """Return the output for the layouts with these indexes, in the order of the indexes."""
        unproved = None if self.unproved is None else self.unproved[numbers]
        evidence = self.evidence.take(numbers)
        return Solved(self.verdicts[numbers], self.values[numbers], self.nodes[numbers], evidence, unproved)


@dataclass(frozen=True, slots=True)
class Batch:
    """The output of an engine for N layouts, as lists of length N.

    `values` is None unless the verdict is scored; `evidence` is None where the verdict is undecided or a claim.
    """

    verdicts: list[Verdict]
    values: list[int | None]
    nodes: list[int]
    evidence: list[str | None]

    @classmethod
    def of(cls, answers: Iterable[Sequence[Any]]) -> Self:
        """Return the batch of these answers, each of which has an entry for each list, in their order."""
        lists = [list(column) for column in zip(*answers, strict=True)]
        return cls(*lists) if lists else cls([], [], [], [])

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def columns(self) -> dict[str, Sequence[Any]]:
        """The lists by the names of the columns of a result, in their order."""
        return {"verdict": self.verdicts, "value": self.values, "nodes": self.nodes, "evidence": self.evidence}


class Results(NamedTuple):
    """The arrays that a kernel writes: one entry per layout, and the evidence of all layouts, concatenated.

    ``values[i]`` is read for scored layouts only. ``ends[i]`` is the offset at which the evidence of layout i ends; an
    undecided layout has none.
    """

    verdicts: Codes
    values: Numbers
    nodes: Numbers
    ends: Numbers
    evidence: Bytes


Kernel = Callable[[Bytes, Numbers, int, int, Results], int]
"""``kernel(text, starts, first, limit, results) -> next``

Solves layouts from index `first` on while there is room for their evidence, which is written from offset 0 on. Returns
the index of the first layout that it did not reach. Layouts are given as in `Texts`.
"""

ROOM = 1 << 20

VERDICT_OF_CODE = {int(verdict): verdict for verdict in Verdict}
"""Verdicts by number: calling the enumeration takes as long as solving some layouts."""


def to_texts(texts: Sequence[str]) -> Texts:
    """Return texts as flat arrays. Surrogates are encoded like any other character (``surrogatepass``)."""
    whole = "".join(texts)
    if whole.isascii():
        return Texts(np.frombuffer(whole.encode("ascii"), dtype=np.uint8), lengths_to_starts(list(map(len, texts))))
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return Texts(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths_to_starts(list(map(len, encoded))))


def texts_from_rows(texts: Bytes) -> Texts:
    """Return texts of equal length, given as the rows of an array."""
    count, width = texts.shape
    return Texts(texts.reshape(-1), np.arange(count + 1, dtype=np.int64) * width)


def to_strings(texts: Texts) -> list[str]:
    """Return flat arrays as strings. Bytes that are not valid UTF-8 are replaced by U+FFFD."""
    whole = texts.concatenated_text.tobytes()
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
    """Run a kernel on layouts; `longest` is the maximum length in bytes of one layout's evidence.

    Raises
    ------
    ValueError
        If evidence is longer than that: kernels do not check for room while they write.
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
            raise ValueError(f"evidence is longer than the maximum of {longest} bytes")
        evidence.append(Texts(room[: starts[-1]], starts))
        first = reached
    return Solved(verdicts, values, nodes, concatenate_texts(evidence or [to_texts([])]))


def concatenate_solved(parts: Sequence[Solved]) -> Solved:
    """Concatenate the outputs for consecutive parts of a batch."""
    unproved = None
    if any(part.unproved is not None for part in parts):
        unproved = np.concatenate([~part.has_evidence for part in parts])
    return Solved(
        np.concatenate([part.verdicts for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.nodes for part in parts]),
        concatenate_texts([part.evidence for part in parts]),
        unproved,
    )


def to_batch(solved: Solved) -> Batch:
    """Convert arrays to lists, with None for values and evidence that are not meaningful."""
    words = [VERDICT_OF_CODE[code] for code in solved.verdicts.tolist()]
    values, evidence = solved.values.tolist(), to_strings(solved.evidence)
    return Batch(
        verdicts=words,
        values=[value if word is Verdict.SCORED else None for word, value in zip(words, values, strict=True)],
        nodes=solved.nodes.tolist(),
        evidence=[text if has else None for has, text in zip(solved.has_evidence.tolist(), evidence, strict=True)],
    )


def to_solved(batch: Batch) -> Solved:
    """Convert lists to arrays; the inverse of `to_batch`."""
    return Solved(
        np.array(batch.verdicts, dtype=np.int8),
        np.array([value or 0 for value in batch.values], dtype=np.int64),
        np.array(batch.nodes, dtype=np.int64),
        to_texts([text or "" for text in batch.evidence]),
        np.array([text is None for text in batch.evidence], dtype=np.bool_) if None in batch.evidence else None,
    )


def concatenate_texts(parts: Sequence[Texts]) -> Texts:
    """Concatenate lists of texts."""
    if len(parts) == 1:
        return parts[0]
    return Texts(
        np.concatenate([part.concatenated_text for part in parts]),
        lengths_to_starts(np.concatenate([part.lengths for part in parts])),
    )


def lengths_to_starts(lengths: Sequence[int] | Numbers) -> Numbers:
    """Return the offsets at which concatenated texts of these lengths start, and the end of the last one (N + 1)."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Consecutive entries of a source, layouts and rejects, in order."""

    lines: Numbers
    """The number of the line in which each layout starts."""
    layouts: Texts
    rejects: Sequence[Reject]
    reject_indexes: Numbers
    """The index of each reject among all entries, from 0."""
    solved: Solved | None = None
    """The verdicts on the layouts, if they are imported with them."""

    def __len__(self) -> int:
        return len(self.layouts) + len(self.rejects)

    @property
    def text_bytes(self) -> int:
        """The length of all layouts and evidence, in bytes."""
        evidence = self.solved.evidence.concatenated_text.size if self.solved else 0
        return self.layouts.concatenated_text.size + evidence

    @classmethod
    def of(cls, entries: Sequence[Layout | Reject]) -> "Entries":
        """Return entries that were read one by one."""
        layouts = [entry for entry in entries if isinstance(entry, Layout)]
        bad = [(index, entry) for index, entry in enumerate(entries) if isinstance(entry, Reject)]
        return cls(
            np.array([layout.line for layout in layouts], dtype=np.int64),
            to_texts([layout.text for layout in layouts]),
            [reject for _, reject in bad],
            np.array([index for index, _ in bad], dtype=np.int64),
        )

    def after(self, count: int) -> "Entries":
        """Return the entries after the first `count`."""
        rejects = int(np.searchsorted(self.reject_indexes, count))
        layouts = count - rejects
        return Entries(
            self.lines[layouts:],
            self.layouts.part(layouts, len(self.layouts)),
            self.rejects[rejects:],
            self.reject_indexes[rejects:] - count,
            None if self.solved is None else self.solved.part(layouts, len(self.layouts)),
        )


def concatenate_entries(parts: Sequence[Entries]) -> Entries:
    """Concatenate consecutive parts of the entries of a source."""
    if len(parts) == 1:
        return parts[0]
    before = np.cumsum([0, *map(len, parts)])
    return Entries(
        np.concatenate([part.lines for part in parts]),
        concatenate_texts([part.layouts for part in parts]),
        [reject for part in parts for reject in part.rejects],
        np.concatenate([part.reject_indexes + count for part, count in zip(parts, before, strict=False)]),
        concatenate_solved([part.solved for part in parts if part.solved]) if parts[0].solved else None,
    )


def deal_entries(numbers: Numbers, layouts: Texts) -> Entries:
    """Return numbered deals as entries, whose lines are the numbers."""
    return Entries(numbers, layouts, [], np.zeros(0, dtype=np.int64))
