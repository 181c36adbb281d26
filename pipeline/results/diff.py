"""Comparison of two runs."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record.differences import Difference, differences
from dealmill.pipeline.store.runs.status import RunStatus


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two runs of a game: the layouts whose verdicts, values or evidence differ.

    Differences in version and node count are ignored. Iterating compares the runs in the store: runs over the same
    source item by item, others layout by layout. If one run is packed, they are compared up to the end of the shorter
    one. If evidence of a packed run differs and cannot be computed again, because another version is installed or the
    record is damaged, a block of deals counts as one difference, unless verdicts differ too.
    """

    store: Database
    one: RunStatus
    other: RunStatus

    def __repr__(self) -> str:
        return f"<Diff of runs {self.one.id} and {self.other.id}>"

    def __iter__(self) -> Iterator[Difference]:
        return differences(self.store, self.one, self.other)

    @property
    def equal(self) -> bool:
        """Whether there are no differences."""
        return next(iter(self), None) is None

    @property
    def compared(self) -> int:
        """The number of verdicts of the run that has fewer."""
        return min(self.one.solved, self.other.solved)

    @property
    def deals_of_both(self) -> int | None:
        """The number of deals compared, if one of two runs over the same deals has more deals; None otherwise."""
        aligned = Storage.PACKED in (self.one.storage, self.other.storage) and self.one.items != self.other.items
        return min(self.one.items, self.other.items) if aligned else None

    @property
    def unfinished(self) -> list[RunStatus]:
        """The runs of the two that have layouts without a verdict."""
        return [run for run in (self.one, self.other) if not run.finished]


def diff(store: Database, one: RunStatus, other: RunStatus) -> Diff:
    """Compare two runs of a game.

    Raises
    ------
    UsageError
        If they are of different games, or one is packed and the other is not over the same deals.
    """
    if one.game != other.game:
        raise UsageError(
            f"run {one.id} is of {one.game}, but run {other.id} is of {other.game}: compare runs of the same game"
        )
    packed = next((run for run in (one, other) if run.storage is Storage.PACKED), None)
    if packed and _deals_key(one) != _deals_key(other):
        raise UsageError(
            f"run {packed.id} is packed and can only be compared with a run over the same deals: run {one.id} is over "
            f"{one.source_name}, run {other.id} over {other.source_name}"
        )
    return Diff(store, one, other)


def _deals_key(run: RunStatus) -> tuple[object, ...]:
    """Return the identity of the deals of a run, without the number of the last deal."""
    deals = dict(run.deals or {"source": run.source})
    deals.pop("last", None)
    return run.game, run.generator, deals
