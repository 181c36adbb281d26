"""Confidence intervals at a level of 95 %, what they rest on, and how they narrow as deals are solved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Self

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.distributions.histograms import Bar
from dealmill.pipeline.store.runs.job_totals import totals_from_the_first

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


@dataclass(frozen=True, slots=True)
class Winnability(Interval):
    """The 95 % confidence interval of the share of winnable layouts, and the sample that it is computed from.

    Of the `layouts` in the sample, `winnable` have this verdict, and `undecided` are undecided or failed. The referee
    `refused` some verdicts. These and the undecided ones count both ways: as lost at the low end, as won at the high
    end. `unproved` claims without evidence are trusted.
    """

    layouts: int
    winnable: int
    undecided: int
    unproved: int
    refused: int

    @classmethod
    def of(cls, counts: Mapping[Verdict, int], unproved: int = 0, refused: int = 0) -> Self:
        """Return the winnability of a sample with at least one verdict."""
        won, lost = counts.get(Verdict.WINNABLE, 0), counts.get(Verdict.UNWINNABLE, 0)
        layouts = sum(counts.values())
        # how many refused verdicts are wins is not known: the low end takes all for wins, the high end all for losses
        least = max(won - refused, 0)
        greatest = layouts - max(lost - refused, 0)
        interval = of_share(least, greatest - least, layouts)
        return cls(interval.low, interval.high, layouts, won, layouts - won - lost, unproved, refused)

    @property
    def share(self) -> float | None:
        """The share of winnable layouts in the sample; None while it is not known, since some count both ways."""
        return None if self.undecided or self.refused else self.winnable / self.layouts

    @property
    def basis(self) -> str:
        """What the interval rests on, to be written after it: empty if each verdict is decided and has evidence that
        the referee has not refused."""
        undecided = [f"{self.undecided:,} not decided"] if self.undecided else []
        refused = [f"{self.refused:,} refused by the referee"] if self.refused else []
        both_ways = [f"; {' and '.join([*undecided, *refused])} count both ways"] if undecided or refused else []
        trusted = [f"; {self.unproved:,} without evidence are trusted"] if self.unproved else []
        return "".join([*both_ways, *trusted])


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
    """The 95 % confidence interval of the share of winnable layouts after the first `layouts` layouts of a run."""

    layouts: int
    interval: Winnability


def convergence_of(database: Database, run: int) -> list[Point]:
    """Return the winnability after some of the finished jobs of a run, counted from the first layout on."""
    points: list[Point] = []
    last = None
    items = winnable = unwinnable = 0
    for job in totals_from_the_first(database, run):
        items, winnable, unwinnable = items + job.items, winnable + job.winnable, unwinnable + job.unwinnable
        if winnable + unwinnable:
            undecided = items - winnable - unwinnable
            counts = {Verdict.WINNABLE: winnable, Verdict.UNWINNABLE: unwinnable, Verdict.UNDECIDED: undecided}
            last = Point(items, Winnability.of(counts))
            if not points or items >= GROWTH * points[-1].layouts:
                points.append(last)
    return points if last is None or last is points[-1] else [*points, last]
