"""Two runs side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record.differences import Difference, differences
from dealmill.pipeline.store.runs.status import RunStatus


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences of two runs of a game: all layouts on which they do not give the same verdict with the same value
    and evidence. Versions and node counts may differ.

    Iterating compares them in the store. Runs over the same source are compared item by item, others layout by layout;
    if one is packed, as far as the shorter one goes. If evidence of a packed run differs that cannot be solved again,
    since another version is installed or the record was damaged, a block of deals counts as one difference, unless
    verdicts differ too.
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
        """Whether there is no difference."""
        return next(iter(self), None) is None

    @property
    def compared(self) -> int:
        """How many verdicts both have."""
        return min(self.one.solved, self.other.solved)

    @property
    def deals_of_both(self) -> int | None:
        """How many deals were compared if one of two runs over the same deals has more; None if all were."""
        aligned = Storage.PACKED in (self.one.storage, self.other.storage) and self.one.items != self.other.items
        return min(self.one.items, self.other.items) if aligned else None

    @property
    def unfinished(self) -> list[RunStatus]:
        """Those of the two that have layouts without a verdict."""
        return [run for run in (self.one, self.other) if not run.finished]


def compare(store: Database, one: RunStatus, other: RunStatus) -> Diff:
    """Compare two runs of a game.

    Raises
    ------
    UsageError
        If there is nothing to compare.
    """
    if one.game != other.game:
        raise UsageError(f"run {one.id} is of {one.game}, run {other.id} of {other.game}: nothing to compare")
    packed = next((run for run in (one, other) if run.storage is Storage.PACKED), None)
    if packed and _beginning(one) != _beginning(other):
        raise UsageError(
            f"run {packed.id} is stored packed, and is compared with a run over the same deals only: run {one.id} is "
            f"over {one.source_name}, run {other.id} over {other.source_name}"
        )
    return Diff(store, one, other)


def _beginning(run: RunStatus) -> tuple[object, ...]:
    """All that says which deals a run is over, but for the last one."""
    deals = dict(run.deals or {"source": run.source})
    deals.pop("last", None)
    return run.game, run.generator, deals
