"""Confidence intervals at a level of 95 %."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from dealmill.pipeline.digests import BLOCK
from dealmill.pipeline.errors import DifferenceError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.packs import next_pack
from dealmill.pipeline.store.runs import RunStatus, totals_from_the_first

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


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate from the first `deals` deals of a survey: the winnability or, if deals are `scored`, the mean value.

    `value_sum` and `value_squares` are the sums of the values and of their squares.
    """

    deals: int
    counts: Mapping[Verdict, int]
    value_sum: int
    value_squares: int

    def count(self, verdict: Verdict) -> int:
        """Return the number of deals with a verdict."""
        return self.counts.get(verdict, 0)

    @property
    def scored(self) -> bool:
        """Whether deals have values."""
        return self.count(Verdict.SCORED) > 0

    @property
    def unknown(self) -> int:
        """The number of deals whose answer is unknown: undecided or failed."""
        return self.count(Verdict.UNDECIDED) + self.count(Verdict.FAILED)

    @property
    def value(self) -> float:
        """The share of winnable deals, or the mean value of the scored deals."""
        if self.scored:
            return self.value_sum / self.count(Verdict.SCORED)
        return self.count(Verdict.WINNABLE) / self.deals

    @property
    def deviation(self) -> float:
        """The standard deviation of the values."""
        return deviation(self.count(Verdict.SCORED), self.value_sum, self.value_squares)

    @property
    def interval(self) -> Interval:
        """The 95 % confidence interval for all deals. That of a mean value ignores the unknown deals."""
        if self.scored:
            return of_mean(self.count(Verdict.SCORED), self.value_sum, self.value_squares)
        return of_share(self.count(Verdict.WINNABLE), self.unknown, self.deals)


def estimates_after(store: Database, run: int, blocks_at: Sequence[int]) -> list[Estimate]:
    """Return the estimates of a survey after the numbers of blocks `blocks_at`, in ascending order.

    Numbers beyond the first deal that is not solved are left out. The estimates are computed from the recorded sums of
    each block, so they do not depend on the division into jobs.
    """
    counted, sums = [], []
    after = 0
    while (kept := next_pack(store, run, after)) and kept.first == after + 1 and kept.verdicts is not None:
        if len(kept.verdicts) % BLOCK:
            break  # damaged: a survey has only whole blocks
        in_blocks = kept.verdicts.reshape(-1, BLOCK)
        counted.append(np.stack([np.count_nonzero(in_blocks == int(verdict), axis=1) for verdict in Verdict], axis=1))
        sums.append(kept.moments)
        after = kept.stop - 1
    if not counted:
        return []
    counts, moments = np.cumsum(np.concatenate(counted), axis=0), np.cumsum(np.concatenate(sums), axis=0)
    return [
        Estimate(
            number * BLOCK,
            dict(zip(Verdict, counts[number - 1].tolist(), strict=True)),
            *moments[number - 1].tolist(),
        )
        for number in blocks_at
        if number <= len(counts)
    ]


def estimate(store: Database, run: RunStatus) -> Estimate | None:
    """Return the estimate of a finished survey, or None if it has no deals.

    Only the deals of `run` count, not those by which another command has since extended the survey.

    Raises
    ------
    DifferenceError
        If verdicts are missing or damaged.
    """
    if not run.items:
        return None
    reached = estimates_after(store, run.id, [run.items // BLOCK])
    if not reached or not _matches_totals(reached[0], run):
        raise DifferenceError(
            f"verdicts on the first {run.items:,} deals of run {run.id} are missing or damaged; find them with: "
            f"dealmill audit {run.id}"
        )
    return reached[0]


def _matches_totals(found: Estimate, run: RunStatus) -> bool:
    """Return whether the recorded sums of the blocks add up to the totals of the jobs."""
    return found.value_sum == run.value_sum and all(found.count(one) == run.counts.get(one, 0) for one in Verdict)


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


def convergence_of(store: Database, run: int) -> list[Point]:
    """Return the winnability after some of the finished jobs of a run, counted from the first layout on."""
    points: list[Point] = []
    last = None
    items = winnable = unwinnable = 0
    for job in totals_from_the_first(store, run):
        items, winnable, unwinnable = items + job.items, winnable + job.winnable, unwinnable + job.unwinnable
        if winnable + unwinnable:
            last = Point(items, winnable / items, of_share(winnable, items - winnable - unwinnable, items))
            if not points or items >= GROWTH * points[-1].layouts:
                points.append(last)
    return points if last is None or last is points[-1] else [*points, last]
