"""The diff of two runs: their differences, node counts and costs."""

from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sqlalchemy import select

from dealmill.pipeline.arguments import DifferenceKind
from dealmill.pipeline.errors import DamagedResults, UsageError, VersionError
from dealmill.pipeline.results.node_counts import NodeCounts, NodeSample
from dealmill.pipeline.results.time_ratio import TimeRatio
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, jobs
from dealmill.pipeline.store.diffs.blocks import block_parts
from dealmill.pipeline.store.diffs.difference import (
    Difference,
    DiffPart,
    DiffSummary,
    have_same_question,
    layouts_are_stored,
)
from dealmill.pipeline.store.diffs.nodes import node_counts, node_sample
from dealmill.pipeline.store.diffs.rows import count_shared_layouts, differing_rows, row_parts
from dealmill.pipeline.store.diffs.times import job_time_ratio
from dealmill.pipeline.store.queries.results import matching_runs
from dealmill.pipeline.store.runs.finding import check_not_deleted
from dealmill.pipeline.store.runs.job_totals import bounded
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.runs.workers import machines_of
from dealmill.pipeline.store.storages.choice import storage_of


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two runs of a game: the layouts whose results differ in what fingerprints cover; or
    between runs of related games: the deals whose verdicts differ.

    Differences in version and node count are ignored. Iterating compares the runs in the store: runs over the same
    source item by item, others layout by layout. Runs over the same deals are compared up to the end of the shorter
    one. If the digests of a block differ, but none of its results, the block counts as one difference: a layout is
    another one.
    """

    database: Database
    one: RunStatus
    other: RunStatus
    ignored: Set[DifferenceKind] = frozenset()
    """Kinds of differences that are left out."""

    def __repr__(self) -> str:
        return f"<Diff of runs {self.one.id} and {self.other.id}>"

    def __iter__(self) -> Iterator[Difference]:
        """Yield the differences.

        Raises
        ------
        NotFoundError
            If one of the runs was deleted meanwhile.
        DamagedError
            If a layout or a verdict cannot be read.
        VersionError
            If results of a compact run differ, and another version of its engine is installed.
        """
        with self._neither_deleted():
            for number, difference in enumerate(self._differences()):
                if number == 0:  # `equal` reads no further
                    self._check_not_deleted()
                if difference.kind not in self.ignored:
                    yield difference

    def _differences(self) -> Iterator[Difference]:
        if layouts_are_stored(self.one, self.other):
            return differing_rows(self.database, self.one, self.other, missing=self._with_missing)
        return (difference for part in self._parts() for difference in part.differences)

    @property
    def summary(self) -> DiffSummary:
        """The differences in figures; computed at each use."""
        return DiffSummary.of(self)

    @property
    def nodes(self) -> NodeCounts | None:
        """The node counts of the layouts that both runs decided; None if there are none, or one of them counted no
        nodes. Computed at each use.

        Raises
        ------
        UsageError
            If one of the runs is compact, so that its node counts are not stored one by one.
        DamagedError
            If a stored node count is not a number.
        """
        return node_counts(self.database, self.one, self.other)

    def parts(self) -> Iterator[DiffPart]:
        """Yield the differences in parts by position in the first run, so that a long comparison shows its progress.
        Runs over different sources that are stored as rows are compared in one part."""
        with self._neither_deleted():
            for part in self._parts():
                self._check_not_deleted()
                yield replace(part, differences=[each for each in part.differences if each.kind not in self.ignored])

    def _parts(self) -> Iterator[DiffPart]:
        if layouts_are_stored(self.one, self.other):
            return row_parts(self.database, self.one, self.other, missing=self._with_missing)
        return block_parts(self.database, self.one, self.other)

    @property
    def _with_missing(self) -> bool:
        return DifferenceKind.MISSING not in self.ignored

    @contextmanager
    def _neither_deleted(self) -> Iterator[None]:
        """Check at the end that neither run was deleted meanwhile, which also explains results that cannot be read."""
        try:
            yield
        except DamagedResults:
            self._check_not_deleted()
            raise
        self._check_not_deleted()

    def _check_not_deleted(self) -> None:
        check_not_deleted(self.database, [self.one.id, self.other.id])

    def node_sample(self, limit: int) -> NodeSample | None:
        """Return the node counts at up to `limit` evenly spaced positions; None unless both runs are stored as rows
        over the same source, and if no layout in the sample was decided by both."""
        return node_sample(self.database, self.one, self.other, limit)

    @property
    def cost_ratio(self) -> float | None:
        """The processor seconds that a layout took in the other run, divided by those in the first; None if one of them
        is not on record."""
        costs = [run.cpu_seconds / run.solved for run in (self.one, self.other) if run.cpu_seconds and run.solved]
        return costs[1] / costs[0] if len(costs) == 2 else None

    @property
    def time_ratio(self) -> TimeRatio | None:
        """The processor time of the jobs of the other run, divided by that of the same jobs of the first; None if the
        runs are over different sources, or no job of both has its time on record. Computed at each use."""
        return job_time_ratio(self.database, self.one, self.other)

    @property
    def machines(self) -> tuple[list[str], list[str]]:
        """The names of the machines that solved the first run, and the other one."""
        left, right = (machines_of(self.database, run.id) for run in (self.one, self.other))
        return left, right

    @property
    def equal(self) -> bool:
        """Whether there are no differences."""
        return next(iter(self), None) is None

    @property
    def compared(self) -> int:
        """The number of items on which both runs have a verdict or, if their sources differ, of layouts; computed at
        each use."""
        left, right = self.one, self.other
        if left.source != right.source and layouts_are_stored(left, right):
            return count_shared_layouts(self.database, left, right)
        if left.finished and right.finished:
            return min(left.items, right.items)
        return _count_solved_by_both(self.database, left, right)

    @property
    def deals_of_both(self) -> int | None:
        """The number of deals compared, if one of two runs over the same deals has more deals; None otherwise."""
        left, right = self.one, self.other
        same_deals = left.source == right.source or not layouts_are_stored(left, right)
        return min(left.items, right.items) if same_deals and left.items != right.items else None

    @property
    def unfinished(self) -> list[RunStatus]:
        """The runs of the two that have layouts without a verdict."""
        return [run for run in (self.one, self.other) if not run.finished]


def diff(
    database: Database,
    left: RunStatus,
    right: RunStatus,
    ignored: Iterable[DifferenceKind | str] | str = (),
    *,
    by_deal: bool = False,
) -> Diff:
    """Compare two runs of a game or, `by_deal`, of related games, without differences of the `ignored` kinds.

    Raises
    ------
    UsageError
        If they are of different games, or of games that are not related, one is compact and the other is not over the
        same deals, or there is no such kind.
    """
    kinds = _kinds(ignored)
    if left.game != right.game and not (by_deal and _are_related(left, right)):
        hint = ", or these by their deals, with --by-deal" if _are_related(left, right) else ""
        raise UsageError(
            f"run {left.id} is of {left.game}, but run {right.id} is of {right.game}: compare runs of the same game"
            f"{hint}"
        )
    if not _comparable(left, right):
        dealt = right if left.storage.stores_layouts else left
        raise UsageError(
            f"run {dealt.id} is compact and can only be compared with a run over the same deals: run {left.id} is over "
            f"{left.source_name}, run {right.id} over {right.source_name}"
        )
    return Diff(database, left, right, kinds)


def diffs(database: Database, run: RunStatus, ignored: Iterable[DifferenceKind | str] | str = ()) -> Iterator[Diff]:
    """Yield the diffs of a run and each other run that answers the same question, oldest first, on the layouts that
    both have. Retracted runs are left out, and compact ones over other deals, or that cannot be solved again here.

    Raises
    ------
    UsageError
        If there is no such kind.
    """
    kinds = _kinds(ignored) | {DifferenceKind.MISSING}
    for rival in matching_runs(database, run.game, None, None, retracted=False):
        if rival.id != run.id and have_same_question(run, rival) and _comparable(run, rival) and _is_readable(rival):
            yield diff(database, run, rival, kinds)


def _kinds(names: Iterable[DifferenceKind | str] | str) -> frozenset[DifferenceKind]:
    """Return the kinds of differences with these names, of which a text is one."""
    chosen = {names} if isinstance(names, str) else {*names}
    if unknown := {str(name) for name in chosen} - {*DifferenceKind}:
        raise UsageError(f"there is no kind of difference {min(unknown)!r}; choose from: {', '.join(DifferenceKind)}")
    return frozenset(map(DifferenceKind, chosen))


def _count_solved_by_both(database: Database, left: RunStatus, right: RunStatus) -> int:
    """Return the number of positions that finished jobs of both runs cover."""
    columns = bounded(jobs.c.first), bounded(jobs.c.stop)
    with database.reading() as connection:
        ends = [
            end
            for run in (left, right)
            for first, stop in connection.execute(select(*columns).where(jobs.c.run_id == run.id, jobs.c.state == DONE))
            for end in ((first, 1), (stop, -1))
        ]
    count = depth = reached = 0
    for position, step in sorted(ends):
        count += (position - reached) * (depth == 2)
        depth, reached = depth + step, position
    return count


def _are_related(left: RunStatus, right: RunStatus) -> bool:
    """Return whether the games of two runs differ only in their rules, so that a layout of both says the same."""
    return left.rules is not None and right.rules is not None and left.rules.family == right.rules.family


def _comparable(left: RunStatus, right: RunStatus) -> bool:
    """Return whether two runs of a game can be compared: layouts that are not stored cannot be looked up."""
    return layouts_are_stored(left, right) or _deals_key(left) == _deals_key(right)


def _is_readable(run: RunStatus) -> bool:
    """Return whether the results of a run can be read with the versions that are installed."""
    try:
        storage_of(run).check_readable(run)
    except VersionError:
        return False
    return True


def _deals_key(run: RunStatus) -> tuple[object, ...]:
    """Return the identity of the deals of a run, without the number of the last deal."""
    deals = dict(run.deals or {"source": run.source})
    deals.pop("last", None)
    return run.game, run.generator, deals
