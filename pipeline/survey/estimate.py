"""What a survey says of all deals, now and at any stage before, by what is kept of each block of deals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dealmill.pipeline.errors import DifferenceError
from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.packed.packs import next_pack
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.survey.interval import Interval, deviation, of_mean, of_share


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the first `deals` of a survey say of all: the winnability, or where deals are `scored`, the mean value."""

    deals: int
    counts: Mapping[Verdict, int]
    value_sum: int
    value_squares: int

    def count(self, verdict: Verdict) -> int:
        """How many of them have this verdict."""
        return self.counts.get(verdict, 0)

    @property
    def scored(self) -> bool:
        """Whether deals have values."""
        return self.count(Verdict.SCORED) > 0

    @property
    def unknown(self) -> int:
        """How many deals nobody knows of: undecided or failed."""
        return self.count(Verdict.UNDECIDED) + self.count(Verdict.FAILED)

    @property
    def value(self) -> float:
        """The share of deals that are winnable, or the mean value of those that are scored."""
        if self.scored:
            return self.value_sum / self.count(Verdict.SCORED)
        return self.count(Verdict.WINNABLE) / self.deals

    @property
    def deviation(self) -> float:
        """The standard deviation of the values."""
        return deviation(self.count(Verdict.SCORED), self.value_sum, self.value_squares)

    @property
    def interval(self) -> Interval:
        """Where that of all deals lies with a confidence of 95 per cent. Of the mean it says nothing about what the
        unknown would be worth."""
        if self.scored:
            return of_mean(self.count(Verdict.SCORED), self.value_sum, self.value_squares)
        return of_share(self.count(Verdict.WINNABLE), self.unknown, self.deals)


def course(store: Database, run: int, blocks_at: Sequence[int]) -> list[Estimate]:
    """What a survey said after so many blocks, in ascending order, as far as all deals before are solved. It is made of
    what is kept of each block, so it does not hang on what the jobs were."""
    counted, sums = [], []
    after = 0
    while (kept := next_pack(store, run, after)) and kept.first == after + 1 and kept.verdicts is not None:
        if len(kept.verdicts) % BLOCK:
            break  # damaged: a survey has whole blocks
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
    """What the deals of a finished survey say; None if there are none. Those are left out by which others have made it
    grow meanwhile.

    Raises
    ------
    DifferenceError
        If something of it is not on record.
    """
    if not run.items:
        return None
    reached = course(store, run.id, [run.items // BLOCK])
    if not reached or not _as_counted(reached[0], run):
        raise DifferenceError(
            f"verdicts on the first {run.items:,} deals of run {run.id} are missing on record, or damaged: "
            f"dealmill audit {run.id} says where"
        )
    return reached[0]


def _as_counted(found: Estimate, run: RunStatus) -> bool:
    """Whether what is kept of each block comes to what the jobs have counted."""
    return found.value_sum == run.value_sum and all(found.count(one) == run.counts.get(one, 0) for one in Verdict)
