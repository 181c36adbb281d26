"""The differences between two runs, by kind, and their node counts.

Two runs stored as rows are compared by a query. If one is packed, they are compared block by block.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import FromClause, Select, and_, func, or_, select

from dealmill.pipeline.arguments import DifferenceKind
from dealmill.pipeline.digests import block_of, block_range
from dealmill.pipeline.errors import DamagedError, NotFoundError, UsageError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.contract import DECIDED
from dealmill.pipeline.node_counts import NodeCounts, NodeSample, compare_nodes
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import one_of
from dealmill.pipeline.store.database.shapes import Shape
from dealmill.pipeline.store.database.tables import Storage, items, verdicts
from dealmill.pipeline.store.runs.status import NUMBERS, RunStatus, check_not_deleted
from dealmill.pipeline.store.runs.workers import machines_of
from dealmill.pipeline.store.storages.choice import storage_of
from dealmill.pipeline.store.storages.rows import Rows, recorded_verdict
from dealmill.pipeline.store.storages.storage import RecordedVerdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

FETCHED, COUNTED = 1_000, 20_000
"""Rows that are read at once: of differences, and of node counts."""
PART = 5_000
"""The positions of a part of a comparison."""
LAYOUT = Shape(items.c.layout)


@dataclass(frozen=True, slots=True)
class Difference:
    """A layout on which two runs differ, with their verdicts. The layout is None if its row is missing.
    `same_question` says whether two verdicts can contradict each other."""

    layout: str | None
    one: RecordedVerdict
    other: RecordedVerdict
    same_question: bool = True

    @property
    def kind(self) -> DifferenceKind:
        """What the difference means."""
        one, other = self.one, self.other
        decided = one.verdict in DECIDED, other.verdict in DECIDED
        if one.fault or other.fault:
            return DifferenceKind.DAMAGED
        if (one.verdict is None) != (other.verdict is None):
            return DifferenceKind.MISSING
        if decided == (True, True) and not self.same_question:
            return DifferenceKind.QUESTION
        if decided == (True, True) and (one.verdict, one.value) != (other.verdict, other.value):
            return DifferenceKind.CONTRADICTED
        if one.verdict is other.verdict:  # also of a block of deals, where both are None
            return DifferenceKind.EVIDENCE
        names = {(True, False): DifferenceKind.LOST, (False, True): DifferenceKind.GAINED}
        return names.get(decided, DifferenceKind.UNDECIDED)


def have_same_question(one: RunStatus, other: RunStatus) -> bool:
    """Return whether the engines of two runs answer the same question, as is assumed of one that is not installed."""
    try:
        return len({find_engine(run.judged_as)[1].rules_name for run in (one, other)}) == 1
    except NotFoundError:
        return True


def differences(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    """Yield the layouts on which two runs differ in verdict, value or evidence.

    Two runs stored as rows are compared item by item if they have the same source, and otherwise layout by layout at
    any positions. If one of them is packed, both must be over the same deals, and are compared up to the end of the
    shorter run; only blocks with different digests are solved again.
    """
    if one.storage is other.storage is Storage.ROWS:
        return _differing_rows(store, one, other)
    return _differing_blocks(store, one, other)


@dataclass(frozen=True, slots=True)
class DiffPart:
    """The differences of a part of two runs. `reached` is the position in the first run up to which they have been
    compared by now."""

    reached: int
    differences: list[Difference]


def difference_parts(store: Database, one: RunStatus, other: RunStatus) -> Iterator[DiffPart]:
    """Yield the differences in parts, most of which take some hundredths of a second. Runs over different sources,
    which are compared layout by layout, are one part."""
    if Storage.PACKED in (one.storage, other.storage):
        for reached, found in _blocks_with_differences(store, one, other):
            yield DiffPart(reached, list(found))
    elif one.source != other.source:
        yield DiffPart(one.items, list(_differing_rows(store, one, other)))
    else:
        for first in range(1, one.items + 1, PART):
            reached = min(first + PART - 1, one.items)
            yield DiffPart(reached, list(_rows(store, one, other, first, reached)))
        yield DiffPart(one.items, list(_differing_missing(store, one, other)))


def _differing_blocks(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    for _, found in _blocks_with_differences(store, one, other):
        yield from found


def _blocks_with_differences(
    store: Database, one: RunStatus, other: RunStatus
) -> Iterator[tuple[int, Iterator[Difference]]]:
    """Yield the last position and the differences of each block that may have some, and of the last block."""
    ours, theirs = (storage_of(run).marks(store, run) for run in (one, other))
    count = min(one.items, other.items)
    for number in range(block_of(count) + 1):
        if number not in ours or ours[number] != theirs.get(number):
            whole = block_range(number, one.items) == block_range(number, other.items)
            solved = number in ours or number in theirs
            first, stop = block_range(number, count)
            yield stop - 1, _differing_in_block(store, one, other, first, stop, sure=whole and solved)
    yield count, iter(())


def _differing_in_block(
    store: Database, one: RunStatus, other: RunStatus, first: int, stop: int, *, sure: bool
) -> Iterator[Difference]:
    """Yield the differences in a block. If it is `sure` that there are some, but none is found, yield one for the whole
    block."""
    from dealmill.pipeline.store.storages.packed_solving import deals_of

    deals = deals_of(one if one.storage is Storage.PACKED else other).part(first, stop)
    here, there = (storage_of(run).recorded_verdicts(store, run, first, stop, evidence=True) for run in (one, other))
    if here is None or there is None:
        here, there = (
            storage_of(run).recorded_verdicts(store, run, first, stop, evidence=False) or [] for run in (one, other)
        )
    some, same = False, have_same_question(one, other)
    for layout, ours, theirs in zip(deals, here, there, strict=True):
        if ours != theirs:
            some = True
            yield Difference(layout.text, ours, theirs, same)
    if sure and not some:
        nothing = RecordedVerdict(first, None, None, None)
        yield Difference(f"the layout or the evidence of one of {deals.name}", nothing, nothing)


def _rows(
    store: Database, one: RunStatus, other: RunStatus, first: int = 1, last: int | None = None
) -> Iterator[Difference]:
    """Yield the differences; with a `last` position, only those of a range of positions of the same source."""
    differing, same = _differing(one, other, first, last), have_same_question(one, other)
    with store.browsing() as connection:
        for row in connection.execution_options(yield_per=FETCHED).execute(differing):
            ours = recorded_verdict(row.here, (row.verdict, row.value, row.evidence))
            theirs = recorded_verdict(row.there, (row.other_verdict, row.other_value, row.other_evidence))
            yield Difference(None if LAYOUT.trouble(row) else row.layout, ours, theirs, same)


def _differing_rows(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    yield from _rows(store, one, other)
    if one.source == other.source:
        yield from _differing_missing(store, one, other)


def _differing_missing(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    """Yield the differences on items that are missing from the source."""
    there = select(items.c.position).where(items.c.source_id == one.source, items.c.position.between(1, one.items))
    with store.reading() as connection:
        if connection.execute(select(func.count()).select_from(there.subquery())).scalar_one() == one.items:
            return
        solved = select(verdicts.c.position).where(verdicts.c.run_id.in_((one.id, other.id))).distinct()
        lost = list(connection.execute(solved.except_(there).order_by(verdicts.c.position)).scalars())
    for position in lost:
        [ours], [theirs] = (
            Rows().recorded_verdicts(store, run, position, position + 1, evidence=True) for run in (one, other)
        )
        if ours != theirs:
            yield Difference(None, ours, theirs, have_same_question(one, other))


def _differing(one: RunStatus, other: RunStatus, first: int, last: int | None) -> Select[*tuple[Any, ...]]:
    pairs = _pairs(one, other)
    mine, theirs = verdicts.alias("mine"), verdicts.alias("theirs")
    changed = [mine.c[name].is_distinct_from(theirs.c[name]) for name in ("verdict", "value", "evidence")]
    order = (pairs.c.here,) if one.source == other.source else (pairs.c.here.nulls_last(), pairs.c.there)
    alone = or_(pairs.c.here.is_(None), pairs.c.there.is_(None))
    query: Select[*tuple[Any, ...]] = (
        select(
            pairs.c.layout,
            pairs.c.here,
            mine.c.verdict,
            mine.c.value,
            mine.c.evidence,
            pairs.c.there,
            theirs.c.verdict.label("other_verdict"),
            theirs.c.value.label("other_value"),
            theirs.c.evidence.label("other_evidence"),
        )
        .select_from(
            pairs.outerjoin(mine, and_(mine.c.run_id == one.id, mine.c.position == pairs.c.here)).outerjoin(
                theirs, and_(theirs.c.run_id == other.id, theirs.c.position == pairs.c.there)
            )
        )
        .where(or_(alone, *changed))
        .order_by(*order)
    )
    return query if last is None else query.where(pairs.c.here.between(first, last))


def _pairs(one: RunStatus, other: RunStatus) -> FromClause:
    """Return the pairs of items to compare: columns `here` and `there` (positions) and `layout`."""
    if one.source == other.source:
        return (
            select(items.c.position.label("here"), items.c.position.label("there"), items.c.layout)
            .where(items.c.source_id == one.source)
            .subquery("pairs")
        )
    mine, theirs = (
        select(items.c.layout, func.min(items.c.position).label("position"))
        .where(items.c.source_id == source)
        .group_by(items.c.layout)
        .subquery(name)
        for source, name in ((one.source, "ours"), (other.source, "others"))
    )
    return (
        select(
            mine.c.position.label("here"),
            theirs.c.position.label("there"),
            func.coalesce(mine.c.layout, theirs.c.layout).label("layout"),
        )
        .select_from(mine.join(theirs, mine.c.layout == theirs.c.layout, full=True))
        .subquery("pairs")
    )


@dataclass(frozen=True, slots=True)
class DiffSummary:
    """The differences between two runs in figures: their number by kind (see `DifferenceKind`), and for layouts with
    other evidence its mean length in the first run and in the other."""

    counts: Mapping[str, int]
    evidence_lengths: tuple[float, float] | None

    @classmethod
    def of(cls, differences: Iterable[Difference]) -> "DiffSummary":
        """Count the differences."""
        counts, lengths = Counter[str](), [0, 0]
        for difference in differences:
            counts[difference.kind] += 1
            if difference.kind is DifferenceKind.EVIDENCE:
                lengths[0] += len(difference.one.evidence or "")
                lengths[1] += len(difference.other.evidence or "")
        other = counts[DifferenceKind.EVIDENCE]
        ordered = {str(kind): counts[kind] for kind in DifferenceKind if counts[kind]}
        return cls(ordered, (lengths[0] / other, lengths[1] / other) if other else None)


def node_counts(store: Database, one: RunStatus, other: RunStatus) -> NodeCounts | None:
    """Compare the node counts of two runs; None if no layout was decided by both.

    Raises
    ------
    UsageError
        If one of the runs is packed, so that its node counts are not stored one by one.
    DamagedError
        If a stored node count is not a number.
    """
    for run in (one, other):
        if run.storage is Storage.PACKED:
            raise UsageError(f"run {run.id} is packed: the node counts of its layouts are not stored")
    with store.browsing() as connection:
        found = connection.execution_options(yield_per=COUNTED).execute(_decided_by_both(one, other))
        return compare_nodes(_node_columns(found.partitions(), one, other))


def _node_columns(parts: Iterable[Sequence[Any]], one: RunStatus, other: RunStatus) -> "Iterator[NDArray[Any]]":
    import numpy as np  # loads slowly

    for part in parts:
        columns = np.array([*map(tuple, part)]).T  # NumPy would look for an interface in each row
        if columns.dtype != np.int64:
            raise DamagedError(
                f"a node count of run {one.id} or {other.id} cannot be read; find all faults with: dealmill audit "
                f"{one.id}"
            )
        yield columns


def node_sample(store: Database, one: RunStatus, other: RunStatus, most: int) -> NodeSample | None:
    """Return the node counts at `most` positions that are evenly spaced over two runs stored as rows over one source;
    None for other runs, and if no layout in the sample was decided by both."""
    if Storage.PACKED in (one.storage, other.storage) or one.source != other.source:
        return None
    positions = sorted({1 + number * one.items // most for number in range(most)}) if one.items else []
    with store.reading() as connection:
        rows = connection.execute(_decided_by_both(one, other, sampled=True), {"numbers": positions}).all()
    counts = [(position, ours, theirs) for position, _, ours, theirs in rows if type(ours) is type(theirs) is int]
    return NodeSample(counts) if counts else None


def _decided_by_both(one: RunStatus, other: RunStatus, *, sampled: bool = False) -> Select[*tuple[Any, ...]]:
    """Select the positions and node counts of the layouts that both runs decided; if `sampled`, only at the positions
    bound to `NUMBERS`."""
    mine, theirs = verdicts.alias("mine"), verdicts.alias("theirs")
    decided = [side.c.verdict.in_([int(verdict) for verdict in DECIDED]) for side in (mine, theirs)]
    query: Select[*tuple[Any, ...]] = select(mine.c.position, theirs.c.position, mine.c.nodes, theirs.c.nodes)
    if one.source == other.source:
        joined = mine.join(theirs, mine.c.position == theirs.c.position)
    else:
        pairs = _pairs(one, other)
        joined = pairs.join(mine, mine.c.position == pairs.c.here).join(theirs, theirs.c.position == pairs.c.there)
    return (
        query.select_from(joined)
        .where(mine.c.run_id == one.id, theirs.c.run_id == other.id, *decided)
        .where(*[one_of(mine.c.position, NUMBERS)] * sampled)
        .order_by(mine.c.position)
    )


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
        """
        for number, difference in enumerate(differences(self.store, self.one, self.other)):
            if number == 0:  # `equal` reads no further
                self._check_not_deleted()
            if difference.kind not in self.ignored:
                yield difference
        self._check_not_deleted()

    @property
    def summary(self) -> DiffSummary:
        """The differences in figures; computed at each use."""
        return DiffSummary.of(self)

    @property
    def nodes(self) -> NodeCounts | None:
        """The node counts of the layouts that both runs decided; None if there are none. Computed at each use.

        Raises
        ------
        UsageError
            If one of the runs is packed, so that its node counts are not stored one by one.
        DamagedError
            If a stored node count is not a number.
        """
        return node_counts(self.store, self.one, self.other)

    def parts(self) -> Iterator[DiffPart]:
        """Yield the differences in parts by position in the first run, so that a long comparison shows its progress.
        Runs over different sources that are stored as rows are compared in one part."""
        for part in difference_parts(self.store, self.one, self.other):
            self._check_not_deleted()
            yield replace(part, differences=[each for each in part.differences if each.kind not in self.ignored])

    def _check_not_deleted(self) -> None:
        check_not_deleted(self.store, [self.one.id, self.other.id])

    def node_sample(self, most: int) -> NodeSample | None:
        """Return the node counts at up to `most` evenly spaced positions; None unless both runs are stored as rows over
        the same source, and if no layout in the sample was decided by both."""
        return node_sample(self.store, self.one, self.other, most)

    @property
    def cost_ratio(self) -> float | None:
        """The processor seconds that a layout took in the other run, divided by those in the first; None if one of them
        is not on record."""
        costs = [run.cpu_seconds / run.solved for run in (self.one, self.other) if run.cpu_seconds and run.solved]
        return costs[1] / costs[0] if len(costs) == 2 else None

    @property
    def machines(self) -> tuple[list[str], list[str]]:
        """The names of the machines that solved the first run, and the other one."""
        one, other = (machines_of(self.store, run.id) for run in (self.one, self.other))
        return one, other

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


def diff(store: Database, one: RunStatus, other: RunStatus, ignored: Collection[DifferenceKind | str] = ()) -> Diff:
    """Compare two runs of a game, without differences of the `ignored` kinds.

    Raises
    ------
    UsageError
        If they are of different games, one is packed and the other is not over the same deals, or there is no such
        kind.
    """
    if unknown := {str(kind) for kind in ignored} - {*DifferenceKind}:
        raise UsageError(f"there is no kind of difference {min(unknown)!r}; choose from: {', '.join(DifferenceKind)}")
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
    return Diff(store, one, other, frozenset(map(DifferenceKind, ignored)))


def _deals_key(run: RunStatus) -> tuple[object, ...]:
    """Return the identity of the deals of a run, without the number of the last deal."""
    deals = dict(run.deals or {"source": run.source})
    deals.pop("last", None)
    return run.game, run.generator, deals
