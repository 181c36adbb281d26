"""The entries of a part of a source: layouts as flat arrays, and rejects."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dealmill.pipeline.games.batch import Numbers, Texts, concatenate_texts, pack
from dealmill.pipeline.games.contract import Layout, Reject


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Consecutive entries of a source, layouts and rejects, in order."""

    lines: Numbers
    """The number of the line in which each layout starts."""
    layouts: Texts
    rejects: Sequence[Reject]
    reject_indexes: Numbers
    """The index of each reject among all entries, from 0."""

    def __len__(self) -> int:
        return len(self.layouts) + len(self.rejects)

    @classmethod
    def of(cls, entries: Sequence[Layout | Reject]) -> "Entries":
        """Return entries that were read one by one."""
        layouts = [entry for entry in entries if isinstance(entry, Layout)]
        bad = [(place, entry) for place, entry in enumerate(entries) if isinstance(entry, Reject)]
        return cls(
            np.array([layout.line for layout in layouts], dtype=np.int64),
            pack([layout.text for layout in layouts]),
            [reject for _, reject in bad],
            np.array([place for place, _ in bad], dtype=np.int64),
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
    )


def deal_entries(first: int, layouts: Texts) -> Entries:
    """Return numbered deals as entries; `first` is the number of the first deal, and lines are deal numbers."""
    nothing = np.zeros(0, dtype=np.int64)
    return Entries(np.arange(first, first + len(layouts), dtype=np.int64), layouts, [], nothing)
