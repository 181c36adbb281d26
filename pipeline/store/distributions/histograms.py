"""Histograms of the values and node counts of runs.

Each job records the distributions of its numbers, counted in bars, and they add up to that of the run. The limits of
bars depend only on the least and the greatest number. They are such that the bars of some numbers never cross the
limits of the bars of more numbers.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck, shown_value
from dealmill.pipeline.store.database.tables import DONE, jobs
from dealmill.pipeline.store.runs.job_totals import damaged_job

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Numbers

MAX_BARS = 32

Limits = Callable[[int, int], list[int]]
"""A function from the least and the greatest number to the starts of the bars and the end of the last bar."""


class Distribution(NamedTuple):
    """The number of numbers in each bar that is not empty, by the start of the bar. `least` and `greatest` are None if
    there are no numbers."""

    least: int | None
    greatest: int | None
    counts: Mapping[int, int]


NONE = Distribution(None, None, {})


def equal_bars(least: int, greatest: int) -> list[int]:
    """Return the limits of at most `MAX_BARS` bars of equal width, a power of two."""
    width = 1
    while greatest // width - least // width >= MAX_BARS:
        width *= 2
    return [width * start for start in range(least // width, greatest // width + 2)]


def doubling_bars(least: int, greatest: int) -> list[int]:
    """Return the limits of bars whose width doubles, for numbers that are not negative: 0, 1, 2 to 3, 4 to 7, …"""
    return [(1 << bits) >> 1 for bits in range(least.bit_length(), greatest.bit_length() + 2)]


def distribution_of(numbers: "Numbers", limits: Limits) -> Distribution:
    """Return the distribution of some numbers."""
    import numpy as np

    if not len(numbers):
        return NONE
    least, greatest = int(numbers.min()), int(numbers.max())
    if greatest - least < len(numbers):  # count equal numbers first: finding the bar of each takes ten times as long
        counted = np.bincount(numbers - least)
        offsets = np.flatnonzero(counted)
        numbers, times = offsets + least, counted[offsets]
    else:
        times = np.ones(len(numbers), dtype=np.int64)
    starts = limits(least, greatest)
    indexes = np.searchsorted(np.array(starts[1:-1], dtype=np.int64), numbers, side="right")
    totals = np.bincount(indexes, times).astype(np.int64).tolist()
    return Distribution(least, greatest, {start: count for start, count in zip(starts, totals, strict=False) if count})


def sum_of(parts: Iterable[Distribution], limits: Limits) -> Distribution:
    """Return the distribution of the numbers of all parts, whose bars have the same kind of limits."""
    parts = list(parts)
    lows = [part.least for part in parts if part.least is not None]
    highs = [part.greatest for part in parts if part.greatest is not None]
    if not lows:
        return NONE
    least, greatest = min(lows), max(highs)
    starts = limits(least, greatest)
    counts = Counter[int]()
    for part in parts:
        for start, count in part.counts.items():
            counts[starts[bisect_right(starts, start) - 1]] += count
    return Distribution(least, greatest, dict(sorted(counts.items())))


LIMITS: Mapping[str, Limits] = {"value": equal_bars, "nodes": doubling_bars}
DISTRIBUTION_COLUMNS: Mapping[str, tuple[str, str, str]] = {
    "value": ("least_value", "greatest_value", "value_counts"),
    "nodes": ("least_nodes", "greatest_nodes", "node_counts"),
}
"""The columns of a job with the least and the greatest number, and with the counts."""


def distribution_columns(values: "Numbers", nodes: "Numbers") -> dict[str, object]:
    """Return the columns of a job with the distributions of these values and node counts."""
    columns: dict[str, object] = {}
    pairs: tuple[tuple[str, Numbers], ...] = (("value", values), ("nodes", nodes))
    for column, numbers in pairs:
        least, greatest, counts = distribution_of(numbers, LIMITS[column])
        written = {str(start): count for start, count in counts.items()}
        columns |= zip(DISTRIBUTION_COLUMNS[column], (least, greatest, written), strict=True)
    return columns


def distributions(database: Database, run: int, column: str) -> Iterator[tuple[int, Distribution]]:
    """Yield the number of items of each finished job of a run, with the distribution of their numbers. Jobs of compact
    runs from before revision 0011 have none and are left out.

    Raises
    ------
    DamagedError
        If a job cannot be read, or its distribution is not one that Dealmill writes.
    """
    columns = (jobs.c.first, jobs.c.stop, *(jobs.c[name] for name in DISTRIBUTION_COLUMNS[column]))
    check = RowCheck(*columns)
    query = select(*columns).where(jobs.c.run_id == run, jobs.c.state == DONE)
    with database.reading() as connection:
        # ordered, since SQLite would read the finished jobs of all runs by their state otherwise
        rows = connection.execute(query.order_by(jobs.c.first)).all()
    for row in rows:
        if error := check.error(row):
            raise damaged_job(run, row.first, error)
        first, stop, least, greatest, counts = row
        if counts is None:
            continue
        distribution = _read(LIMITS[column], least, greatest, counts)
        if distribution is None:
            name = DISTRIBUTION_COLUMNS[column][-1]
            raise damaged_job(run, first, f"jobs.{name} is {shown_value(counts)}, not a distribution")
        yield stop - first, distribution


def _read(limits: Limits, least: int | None, greatest: int | None, counts: Mapping[str, object]) -> Distribution | None:
    """Return a stored distribution; None if it is not one that Dealmill writes."""
    if least is None or greatest is None:
        return None if counts else NONE
    starts = {str(start): start for start in limits(least, greatest)[:-1]}
    bars = {starts[key]: count for key, count in counts.items() if key in starts and type(count) is int}
    return Distribution(least, greatest, bars) if len(bars) == len(counts) else None


def extremes(database: Database, run: int) -> tuple[int | None, int | None]:
    """Return the least and the greatest value of a run; None for both if there are no values.

    Raises
    ------
    DamagedError
        If the recorded values are not numbers.
    """
    columns = (jobs.c.first, jobs.c.least_value, jobs.c.greatest_value)
    check, values = RowCheck(*columns), list[int]()
    with database.reading() as connection:
        for row in connection.execute(select(*columns).where(jobs.c.run_id == run)):
            if error := check.error(row):
                raise damaged_job(run, row.first, error)
            values += [value for value in row[1:] if value is not None]
    return min(values, default=None), max(values, default=None)


@dataclass(frozen=True, slots=True)
class Bar:
    """The number of verdicts whose value or node count is `low` to `high`, both inclusive."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of a measure, such as the values or the node counts of a run, over `items` items.

    There are at most 32 bars, all equally wide. Bars of node counts double in width: 0, 1, 2 to 3, 4 to 7, … The bars
    have no gaps between them.
    """

    column: str
    items: int
    bars: list[Bar]

    def bound(self, share: float) -> int:
        """Return a number that at least this share of the numbers do not exceed: the end of the first bar with which
        the bars reach it."""
        needed = share * sum(bar.count for bar in self.bars)
        reached = accumulate(bar.count for bar in self.bars)
        return next(bar.high for bar, count in zip(self.bars, reached, strict=True) if count >= needed)


def histogram_of(database: Database, run: int, column: str) -> Histogram | None:
    """Return the histogram of a run; None if no verdict has such a number, or none is recorded. See `distributions`.

    Node counts, and the frequencies of values, are not recorded in compact runs of Dealmill before revision 0011.
    """
    parts = list(distributions(database, run, column))
    bars = bars_of(sum_of((part for _, part in parts), LIMITS[column]), LIMITS[column])
    return Histogram(column, sum(items for items, _ in parts), bars) if any(bar.count for bar in bars) else None


def histogram_of_numbers(measure: str, numbers: Sequence[int]) -> Histogram | None:
    """Return the histogram of numbers; None if there are none."""
    import numpy as np

    bars = bars_of(distribution_of(np.array(numbers, dtype=np.int64), equal_bars), equal_bars)
    return Histogram(measure, len(numbers), bars) if bars else None


def bars_of(distribution: Distribution, limits: Limits) -> list[Bar]:
    """Return the bars from that of the least to that of the greatest number; some of them may be empty."""
    if distribution.least is None or distribution.greatest is None:
        return []
    starts = limits(distribution.least, distribution.greatest)
    return [Bar(low, after - 1, distribution.counts.get(low, 0)) for low, after in pairwise(starts)]
