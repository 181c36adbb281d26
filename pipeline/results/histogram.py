"""Histograms of the values and node counts of a run."""

from dataclasses import dataclass
from itertools import pairwise

from dealmill.pipeline.distribution import Distribution, Limits, sum_of
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.distributions import LIMITS, Column, distributions


@dataclass(frozen=True, slots=True)
class Bar:
    """The number of verdicts whose value or node count is `low` to `high`, both inclusive."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of the values or node counts of a run, summed over its finished jobs, which have `items` items.

    There are at most 32 bars of values, all equally wide. Bars of node counts double in width: 0, 1, 2 to 3, 4 to 7, …
    The bars have no gaps between them.
    """

    column: Column
    items: int
    bars: list[Bar]


def histogram_of(store: Database, run: int, column: Column) -> Histogram | None:
    """Return the histogram of a run; None if no verdict has such a number, or none is recorded.

    Node counts, and the frequencies of values, are not recorded in packed runs of Dealmill before revision 0011.
    """
    parts = list(distributions(store, run, column))
    bars = bars_of(sum_of((part for _, part in parts), LIMITS[column]), LIMITS[column])
    return Histogram(column, sum(items for items, _ in parts), bars) if bars else None


def bars_of(found: Distribution, limits: Limits) -> list[Bar]:
    """Return the bars from that of the least to that of the greatest number; some of them may be empty."""
    if found.least is None or found.greatest is None:
        return []
    starts = limits(found.least, found.greatest)
    return [Bar(low, after - 1, found.counts.get(low, 0)) for low, after in pairwise(starts)]
