"""What a reader finds in a part of a source: layouts as flat arrays, and what is none."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dealmill.pipeline.games.batch import Numbers, Texts, concatenated, pack
from dealmill.pipeline.games.contract import Layout, Reject


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The next entries of a source, layouts and rejects, in their order."""

    lines: Numbers
    """The line that each layout starts in."""
    layouts: Texts
    rejects: Sequence[Reject]
    places: Numbers
    """Which of all entries the rejects are, from 0."""

    def __len__(self) -> int:
        return len(self.layouts) + len(self.rejects)

    @classmethod
    def of(cls, entries: Sequence[Layout | Reject]) -> "Entries":
        """Entries as one finds them one by one."""
        layouts = [entry for entry in entries if isinstance(entry, Layout)]
        bad = [(place, entry) for place, entry in enumerate(entries) if isinstance(entry, Reject)]
        return cls(
            np.array([layout.line for layout in layouts], dtype=np.int64),
            pack([layout.text for layout in layouts]),
            [reject for _, reject in bad],
            np.array([place for place, _ in bad], dtype=np.int64),
        )

    def behind(self, count: int) -> "Entries":
        """Those behind the first `count`."""
        rejects = int(np.searchsorted(self.places, count))
        layouts = count - rejects
        return Entries(
            self.lines[layouts:],
            self.layouts.part(layouts, len(self.layouts)),
            self.rejects[rejects:],
            self.places[rejects:] - count,
        )


def joined_entries(parts: Sequence[Entries]) -> Entries:
    """Entries and those behind them."""
    if len(parts) == 1:
        return parts[0]
    before = np.cumsum([0, *map(len, parts)])
    return Entries(
        np.concatenate([part.lines for part in parts]),
        concatenated([part.layouts for part in parts]),
        [reject for part in parts for reject in part.rejects],
        np.concatenate([part.places + count for part, count in zip(parts, before, strict=False)]),
    )


def dealt(first: int, layouts: Texts) -> Entries:
    """Numbered deals, the first of which has this number; their lines are their numbers."""
    nothing = np.zeros(0, dtype=np.int64)
    return Entries(np.arange(first, first + len(layouts), dtype=np.int64), layouts, [], nothing)
