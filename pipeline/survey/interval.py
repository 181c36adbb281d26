"""Confidence intervals at a level of 95 %, and how they narrow as deals are solved."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.histograms import Bar
from dealmill.pipeline.store.runs.jobs import totals_from_the_first

Z = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval from `low` to `high`."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of its width."""
        return (self.high - self.low) / 2


def of_share(hits: int, unknown: int, count: int) -> Interval:
    """Return the interval of a share, from a sample of `count` with `hits` hits and `unknown` unknown results.

    This is the score interval of Wilson ("Probable inference, the law of succession, and statistical inference", 1927),
    widened to cover both extremes: that none of the unknown results are hits, and that all are.
    """
    return Interval(_wilson(hits, count)[0], _wilson(hits + unknown, count)[1])


def of_mean(count: int, total: int, squares: int) -> Interval:
    """Return the interval of a mean, from a sample of `count` values (at least one), their sum and sum of squares."""
    mean = total / count
    reach = Z * deviation(count, total, squares) / sqrt(count)
    return Interval(mean - reach, mean + reach)


def of_grouped_mean(mean: float, bars: Sequence[Bar]) -> Interval:
    """Return the interval of a mean, from a histogram of the values: those of a bar all count as its middle."""
    middles = [(bar.count, bar.low + bar.high) for bar in bars]  # doubled, so that sums are exact
    count, total, squares = (sum(number * doubled**power for number, doubled in middles) for power in range(3))
    reach = of_mean(count, total, squares).half_width / 2
    return Interval(mean - reach, mean + reach)


def deviation(count: int, total: int, squares: int) -> float:
    """Return the sample standard deviation; 0 for a single value.

    The sums are integers, so no precision is lost if values are close together.
    """
    return sqrt((count * squares - total * total) / (count * (count - 1))) if count > 1 else 0.0


def _wilson(hits: int, count: int) -> tuple[float, float]:
    if not count:
        return 0.0, 1.0
    share = hits / count
    centre = share + Z * Z / (2 * count)
    reach = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    whole = 1 + Z * Z / count
    low, high = (centre - reach) / whole, (centre + reach) / whole
    return min(max(low, 0.0), share), max(min(high, 1.0), share)  # the share must stay inside despite rounding


GROWTH = 1.1
"""The least factor between the numbers of layouts of two points: ten million layouts give less than 170 points."""


@dataclass(frozen=True, slots=True)
class Point:
    """The share of winnable ones among the first `layouts` layouts of a run, with its 95 % confidence interval.

    Undecided and failed layouts widen the interval: it covers both that none of them can be won, and that all can.
    """

    layouts: int
    share: float
    interval: Interval


def convergence_of(database: Database, run: int) -> list[Point]:
    """Return the winnability after some of the finished jobs of a run, counted from the first layout on."""
    points: list[Point] = []
    last = None
    items = winnable = unwinnable = 0
    for job in totals_from_the_first(database, run):
        items, winnable, unwinnable = items + job.items, winnable + job.winnable, unwinnable + job.unwinnable
        if winnable + unwinnable:
            last = Point(items, winnable / items, of_share(winnable, items - winnable - unwinnable, items))
            if not points or items >= GROWTH * points[-1].layouts:
                points.append(last)
    return points if last is None or last is points[-1] else [*points, last]
