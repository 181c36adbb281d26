"""The estimate of a survey for all deals, now and at each earlier stage, from the sums of each block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from dealmill.pipeline.errors import DifferenceError
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.choice import storage_of
from dealmill.pipeline.survey.interval import Interval, deviation, of_mean, of_share


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
    def value(self) -> float | None:
        """The mean value of the scored deals, or the share of winnable deals; None if some are unknown, since the share
        is then not known either."""
        if self.scored:
            return self.value_sum / self.count(Verdict.SCORED)
        return None if self.unknown else self.count(Verdict.WINNABLE) / self.deals

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

    def errors_from(self, expectation: float) -> float | None:
        """Return how far the estimate is from the exact figure, in standard errors of a sample of this size.

        None if the answers of some deals are unknown, so that the estimate is biased, or the values do not vary.
        """
        spread = self.deviation if self.scored else sqrt(expectation * (1 - expectation))
        if self.unknown or self.value is None or not spread:
            return None
        return abs(self.value - expectation) * sqrt(self.deals) / spread


def estimates_after(database: Database, run: RunStatus, blocks_at: Sequence[int]) -> list[Estimate]:
    """Return the estimates of a survey after the numbers of blocks `blocks_at`, in ascending order.

    Numbers beyond the first deal that is not solved are left out. The estimates are computed from the sums of each
    block, so they do not depend on the division into jobs.
    """
    counted, sums = storage_of(run).block_sums(database, run)
    counts = np.cumsum(counted, axis=0)
    moments = np.cumsum(sums.astype(object), axis=0)  # squares can add up to more than 64 bits
    return [
        Estimate(
            number * BLOCK,
            dict(zip(Verdict, counts[number - 1].tolist(), strict=True)),
            *moments[number - 1].tolist(),
        )
        for number in blocks_at
        if number <= len(counts)
    ]


def estimate_so_far(database: Database, run: RunStatus) -> Estimate | None:
    """Return the estimate from the whole blocks before the first deal of a survey that is not solved; None if there is
    no such block."""
    solved_blocks = len(storage_of(run).block_sums(database, run)[0])
    return next(iter(estimates_after(database, run, [solved_blocks])), None) if solved_blocks else None


def estimate(database: Database, run: RunStatus) -> Estimate | None:
    """Return the estimate of a finished survey, or None if it has no deals.

    Only the deals of `run` count, not those by which another command has since extended the survey.

    Raises
    ------
    DifferenceError
        If verdicts are missing or damaged.
    """
    if not run.items:
        return None
    reached = estimates_after(database, run, [run.items // BLOCK])
    if not reached or not _matches_totals(reached[0], run):
        raise DifferenceError(
            f"verdicts on the first {run.items:,} deals of run {run.id} are missing or damaged; find them with: "
            f"dealmill audit {run.id}"
        )
    return reached[0]


def _matches_totals(sums: Estimate, run: RunStatus) -> bool:
    """Return whether the recorded sums of the blocks add up to the totals of the jobs."""
    return sums.value_sum == run.value_sum and all(
        sums.count(verdict) == run.counts.get(verdict, 0) for verdict in Verdict
    )
