"""The differences between two runs, by kind, and their node counts.

Two runs stored as rows are compared by a query. If one is compact, they are compared block by block.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
    union_all,
)

from dealmill.pipeline.arguments import DifferenceKind
from dealmill.pipeline.digests import block_of, block_range
from dealmill.pipeline.errors import DamagedResults, NotFoundError, UsageError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.contract import DECIDED
from dealmill.pipeline.node_counts import NodeCounts, NodeSample, compare_nodes
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import one_of
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import DONE, items, jobs, verdicts
from dealmill.pipeline.store.results import matching_runs
from dealmill.pipeline.store.runs.jobs import bounded
from dealmill.pipeline.store.runs.status import NUMBERS, RunStatus, check_not_deleted
from dealmill.pipeline.store.runs.workers import machines_of
from dealmill.pipeline.store.storages.choice import storage_of
from dealmill.pipeline.store.storages.rows import recorded_verdict
from dealmill.pipeline.store.storages.rows_pages import check_complete
from dealmill.pipeline.store.storages.storage import RecordedVerdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIFFERENCES_PER_FETCH, COUNTS_PER_FETCH = 1_000, 20_000
"""Rows that are read at once: of differences, and of node counts."""
PART = 5_000
"""The positions of a part of a comparison."""
LEFT, RIGHT = 1, 2
"""The sides of a comparison."""
LAYOUT = RowCheck(items.c.layout)
NODES = RowCheck(verdicts.c.position, verdicts.c.nodes)


@dataclass(frozen=True, slots=True)
class Difference:
    """A layout on which two runs differ, with their verdicts. `same_question` says whether two verdicts can contradict
    each other."""

    layout: str
    one: RecordedVerdict
    other: RecordedVerdict
    same_question: bool = True

    @property
    def kind(self) -> DifferenceKind:
        """What the difference means."""
        left, right = self.one, self.other
        decided = left.verdict in DECIDED, right.verdict in DECIDED
        if left.position is None or right.position is None or (left.verdict is None) != (right.verdict is None):
            return DifferenceKind.MISSING
        if decided == (True, True) and not self.same_question:
            return DifferenceKind.QUESTION
        if decided == (True, True) and (left.verdict, left.value) != (right.verdict, right.value):
            return DifferenceKind.CONTRADICTED
        if left.verdict is right.verdict:  # also of a block of deals, where both are None
            return DifferenceKind.EVIDENCE
        names = {(True, False): DifferenceKind.LOST, (False, True): DifferenceKind.GAINED}
        return names.get(decided, DifferenceKind.UNDECIDED)


def have_same_question(left: RunStatus, right: RunStatus) -> bool:
    """Return whether the engines of two runs answer the same question, as is assumed of one that is not installed."""
    if left.game != right.game:
        return False
    try:
        return len({find_engine(run.rules_engine)[1].rules_name for run in (left, right)}) == 1
    except NotFoundError:
        return True


def _are_stored(left: RunStatus, right: RunStatus) -> bool:
    """Return whether the layouts of both runs are stored."""
    return left.storage.stores_layouts and right.storage.stores_layouts


def differences(database: Database, left: RunStatus, right: RunStatus, *, missing: bool = True) -> Iterator[Difference]:
    """Yield the layouts on which two runs differ in verdict, value or evidence.

    Two runs stored as rows are compared item by item if they have the same source, and otherwise layout by layout at
    any positions (see `_pairs`). If one of them is compact, both must be over the same deals, and are compared up to
    the end of the shorter run; only blocks with different digests are solved again. Without `missing`, some layouts on
    which only one run has a verdict are left out early.

    Raises
    ------
    DamagedError
        If a layout or a verdict cannot be read.
    """
    if _are_stored(left, right):
        return _differing_rows(database, left, right, missing=missing)
    return _differing_blocks(database, left, right)


@dataclass(frozen=True, slots=True)
class DiffPart:
    """The differences of a part of two runs. `reached` is the position in the first run up to which they have been
    compared by now."""

    reached: int
    differences: list[Difference]


def difference_parts(
    database: Database, left: RunStatus, right: RunStatus, *, missing: bool = True
) -> Iterator[DiffPart]:
    """Yield the differences in parts, most of which take some hundredths of a second. Runs over different sources,
    which are compared layout by layout, are one part."""
    if not _are_stored(left, right):
        for reached, part in _blocks_with_differences(database, left, right):
            yield DiffPart(reached, list(part))
    elif left.source != right.source:
        yield DiffPart(left.items, list(_differing_rows(database, left, right, missing=missing)))
    else:
        _check_complete(database, left, right)
        for first in range(1, left.items + 1, PART):
            reached = min(first + PART - 1, left.items)
            yield DiffPart(reached, list(_rows(database, left, right, first, reached, missing=missing)))


def _differing_blocks(database: Database, left: RunStatus, right: RunStatus) -> Iterator[Difference]:
    for _, part in _blocks_with_differences(database, left, right):
        yield from part


def _blocks_with_differences(
    database: Database, left: RunStatus, right: RunStatus
) -> Iterator[tuple[int, Iterator[Difference]]]:
    """Yield the last position and the differences of each block that may have some, and of the last block."""
    ours, theirs = (storage_of(run).block_fingerprints(database, run) for run in (left, right))
    count = min(left.items, right.items)
    for number in range(block_of(count) + 1):
        if number not in ours or ours[number] != theirs.get(number):
            whole = block_range(number, left.items) == block_range(number, right.items)
            solved = number in ours or number in theirs
            first, stop = block_range(number, count)
            yield stop - 1, _differing_in_block(database, left, right, first, stop, sure=whole and solved)
    yield count, iter(())


def _differing_in_block(
    database: Database, left: RunStatus, right: RunStatus, first: int, stop: int, *, sure: bool
) -> Iterator[Difference]:
    """Yield the differences in a block. If it is `sure` that there are some, but none is found, yield one for the whole
    block."""
    deals_of_both = (storage_of(run).deals_of(run) for run in (left, right))
    deals = next(deals for deals in deals_of_both if deals is not None).part(first, stop)
    left_verdicts, right_verdicts = (
        storage_of(run).recorded_verdicts(database, run, first, stop, evidence=True) for run in (left, right)
    )
    if left_verdicts is None or right_verdicts is None:
        left_verdicts, right_verdicts = (
            storage_of(run).recorded_verdicts(database, run, first, stop, evidence=False) or [] for run in (left, right)
        )
    some, same = False, have_same_question(left, right)
    for layout, ours, theirs in zip(deals, left_verdicts, right_verdicts, strict=True):
        if ours != theirs:
            some = True
            yield Difference(layout.text, ours, theirs, same)
    if sure and not some:
        nothing = RecordedVerdict(first, None, None, None)
        yield Difference(f"the layout or the evidence of one of {deals.name}", nothing, nothing)


def _rows(
    database: Database, left: RunStatus, right: RunStatus, first: int = 1, last: int | None = None, *, missing: bool
) -> Iterator[Difference]:
    """Yield the differences; with a `last` position, only those of a range of positions of the same source."""
    differing, same = _differing(left, right, first, last, missing=missing), have_same_question(left, right)
    with database.browsing() as connection:
        for row in connection.execution_options(yield_per=DIFFERENCES_PER_FETCH).execute(differing):
            ours = recorded_verdict(left, row.here, (row.verdict, row.value, row.evidence))
            theirs = recorded_verdict(right, row.there, (row.other_verdict, row.other_value, row.other_evidence))
            if error := LAYOUT.error(row):
                run, position = (left, row.here) if row.here is not None else (right, row.there)
                raise DamagedResults(run.id, position, position, error)
            yield Difference(row.layout, ours, theirs, same)


def _differing_rows(database: Database, left: RunStatus, right: RunStatus, *, missing: bool) -> Iterator[Difference]:
    _check_complete(database, left, right)
    yield from _rows(database, left, right, missing=missing)


def _check_complete(database: Database, *of: RunStatus) -> None:
    """Check that the sources of runs stored as rows have all of their items, and finished runs a verdict on each: a
    join leaves out what is missing.

    Raises
    ------
    DamagedError
        If something is missing.
    """
    for run in {run.source: run for run in of}.values():
        of_source = (items.c.source_id == run.source, items.c.position.between(1, run.items))
        with database.reading() as connection:
            if connection.execute(select(func.count()).where(*of_source)).scalar_one() == run.items:
                continue
            positions = connection.execute(select(items.c.position).where(*of_source).order_by(items.c.position))
            missing = next(
                (expected for expected, position in enumerate(positions.scalars(), start=1) if position != expected),
                run.items,
            )
        raise DamagedResults(run.id, missing, missing, "its layout is missing from the source")
    for run in of:
        check_complete(database, run)


def _differing(
    left: RunStatus, right: RunStatus, first: int, last: int | None, *, missing: bool
) -> Select[*tuple[Any, ...]]:
    pairs = _pairs(left, right)
    mine, theirs = verdicts.alias("mine"), verdicts.alias("theirs")
    comparable = ("verdict", "value", "evidence") if left.game == right.game else ("verdict", "value")
    changed = [mine.c[name].is_distinct_from(theirs.c[name]) for name in comparable]
    order = (pairs.c.here,) if left.source == right.source else (pairs.c.here.nulls_last(), pairs.c.there)
    alone = or_(pairs.c.here.is_(None), pairs.c.there.is_(None))
    query: Select[*tuple[Any, ...]] = (
        select(
            func.coalesce(*(_layout(*each) for each in ((left, pairs.c.here), (right, pairs.c.there)))).label("layout"),
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
            pairs.join(mine, and_(mine.c.run_id == left.id, mine.c.position == pairs.c.here), isouter=missing).join(
                theirs, and_(theirs.c.run_id == right.id, theirs.c.position == pairs.c.there), isouter=missing
            )
        )
        .where(or_(alone, *changed))
        .order_by(*order)
    )
    return query if last is None else query.where(pairs.c.here.between(first, last))


def _pairs(left: RunStatus, right: RunStatus) -> FromClause:
    """Return the pairs of items to compare: the columns `here` and `there` are their positions.

    Items of the same source are compared by position. Otherwise each item is compared with the `first` item of the
    other run with its layout. This shows every layout with different results, and every contradiction, without
    comparing all occurrences of a layout with each other: results that equal both firsts are equal.
    """
    if left.source == right.source:
        return (
            select(items.c.position.label("here"), items.c.position.label("there"))
            .where(items.c.source_id == left.source)
            .subquery("pairs")
        )
    item = _items_of_both(left, right).c
    first_here, first_there = case((item.in_left, item.first_here)), case((item.in_right, item.first_there))
    return (
        select(
            case((item.side == LEFT, item.position), else_=first_here).label("here"),
            case((item.side == RIGHT, item.position), else_=first_there).label("there"),
        )
        .where(or_(item.side == LEFT, not_(item.in_left), item.position != item.first_there))
        .subquery("pairs")
    )


def _pairs_of_layouts(left: RunStatus, right: RunStatus) -> FromClause:
    """Return the pair of the `first` items of each layout that two runs over different sources share, with the columns
    of `_pairs`."""
    item = _items_of_both(left, right).c
    return (
        select(item.first_here.label("here"), item.first_there.label("there"))
        .where(item.side == LEFT, item.in_right, item.position == item.first_here)
        .subquery("pairs")
    )


def _layout(run: RunStatus, position: ColumnElement[int]) -> ColumnElement[str]:
    """Return the layout of an item."""
    row = select(items.c.layout).where(items.c.source_id == run.source, items.c.position == position)
    return row.scalar_subquery()


def _items_of_both(left: RunStatus, right: RunStatus) -> FromClause:
    """Return the items of two runs: `side` (`LEFT` or `RIGHT`) and `position`; and of their layout, whether it is
    `in_left` and `in_right`, and if so, the positions of its first items there, `first_here` and `first_there`. Decided
    items come first, then others with a verdict.

    Layouts of related games are the same if all that follows the name of the game is.

    The database sorts the digests, or these texts, of all layouts. With joins instead, SQLite took minutes for 200,000
    items, since it sometimes builds no index for them.
    """
    related = left.game != right.game
    certainty = case((verdicts.c.verdict.in_(sorted(DECIDED)), 0), (verdicts.c.verdict.is_not(None), 1), else_=2)
    item = union_all(
        *(
            select(
                literal(side).label("side"),
                (func.substr(items.c.layout, len(run.game) + 2) if related else items.c.digest).label("key"),
                items.c.position,
                certainty.label("certainty"),
            )
            .outerjoin(verdicts, and_(verdicts.c.run_id == run.id, verdicts.c.position == items.c.position))
            .where(items.c.source_id == run.source)
            for side, run in ((LEFT, left), (RIGHT, right))
        )
    ).subquery("items_of_both")

    def first(column: ColumnElement[Any], side: ColumnElement[Any]) -> ColumnElement[Any]:
        order = (side, item.c.certainty, item.c.position)
        return func.first_value(column).over(partition_by=item.c.key, order_by=order)

    return select(
        item.c.side,
        item.c.position,
        (first(item.c.side, item.c.side) == LEFT).label("in_left"),
        (first(item.c.side, item.c.side.desc()) == RIGHT).label("in_right"),
        first(item.c.position, item.c.side).label("first_here"),
        first(item.c.position, item.c.side.desc()).label("first_there"),
    ).subquery("sides")


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
        number = counts[DifferenceKind.EVIDENCE]
        ordered = {str(kind): counts[kind] for kind in DifferenceKind if counts[kind]}
        return cls(ordered, (lengths[0] / number, lengths[1] / number) if number else None)


def compared(database: Database, left: RunStatus, right: RunStatus) -> int:
    """Return the number of items on which both runs have a verdict or, if their sources differ, of layouts."""
    if left.source != right.source and _are_stored(left, right):
        pairs = _pairs_of_layouts(left, right)
        solved = [
            exists().where(verdicts.c.run_id == run.id, verdicts.c.position == position)
            for run, position in ((left, pairs.c.here), (right, pairs.c.there))
        ]
        with database.reading() as connection:
            return connection.execute(select(func.count()).select_from(pairs).where(*solved)).scalar_one()
    if left.finished and right.finished:
        return min(left.items, right.items)
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


def node_counts(database: Database, left: RunStatus, right: RunStatus) -> NodeCounts | None:
    """Compare the node counts of two runs; None if no layout was decided by both.

    Raises
    ------
    UsageError
        If one of the runs is packed, so that its node counts are not stored one by one.
    DamagedError
        If a stored node count is not a number.
    """
    for run in (left, right):
        if not run.storage.stores_layouts:
            raise UsageError(f"run {run.id} is packed: the node counts of its layouts are not stored")
        check_complete(database, run)
    with database.browsing() as connection:
        rows = connection.execution_options(yield_per=COUNTS_PER_FETCH).execute(_decided_by_both(left, right))
        return compare_nodes(_node_columns(rows.partitions(), left, right))


def _node_columns(parts: Iterable[Sequence[Any]], left: RunStatus, right: RunStatus) -> "Iterator[NDArray[Any]]":
    import numpy as np  # loads slowly

    for part in parts:
        _check_nodes(part, left, right)
        yield np.array([*map(tuple, part)]).T  # NumPy would look for an interface in each row


def _check_nodes(rows: Sequence[Any], left: RunStatus, right: RunStatus) -> None:
    """Check rows of the positions and node counts of two runs."""
    here, there, ours, theirs = zip(*rows, strict=True)
    NODES.check_results(left.id, (here, ours))
    NODES.check_results(right.id, (there, theirs))


def node_sample(database: Database, left: RunStatus, right: RunStatus, limit: int) -> NodeSample | None:
    """Return the node counts at `limit` positions that are evenly spaced over two runs stored as rows over one source;
    None for other runs, and if no layout in the sample was decided by both."""
    if not _are_stored(left, right) or left.source != right.source:
        return None
    positions = sorted({1 + number * left.items // limit for number in range(limit)}) if left.items else []
    with database.reading() as connection:
        rows = connection.execute(_decided_by_both(left, right, sampled=True), {"numbers": positions}).all()
    if not rows:
        return None
    _check_nodes(rows, left, right)
    return NodeSample([(position, ours, theirs) for position, _, ours, theirs in rows])


def _decided_by_both(left: RunStatus, right: RunStatus, *, sampled: bool = False) -> Select[*tuple[Any, ...]]:
    """Select the positions and node counts of the layouts that both runs decided; if `sampled`, only at the positions
    bound to `NUMBERS`."""
    mine, theirs = verdicts.alias("mine"), verdicts.alias("theirs")
    decided = [side.c.verdict.in_(sorted(DECIDED)) for side in (mine, theirs)]
    query: Select[*tuple[Any, ...]] = select(mine.c.position, theirs.c.position, mine.c.nodes, theirs.c.nodes)
    if left.source == right.source:
        joined = mine.join(theirs, mine.c.position == theirs.c.position)
    else:
        pairs = _pairs_of_layouts(left, right)
        joined = pairs.join(mine, mine.c.position == pairs.c.here).join(theirs, theirs.c.position == pairs.c.there)
    return (
        query.select_from(joined)
        .where(mine.c.run_id == left.id, theirs.c.run_id == right.id, *decided)
        .where(*[one_of(mine.c.position, NUMBERS)] * sampled)
        .order_by(mine.c.position)
    )


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two runs of a game: the layouts whose verdicts, values or evidence differ; or between
    runs of related games: the deals whose verdicts differ.

    Differences in version and node count are ignored. Iterating compares the runs in the store: runs over the same
    source item by item, others layout by layout. If one run is packed, they are compared up to the end of the shorter
    one. If evidence of a packed run differs and cannot be computed again, because another version is installed, a block
    of deals counts as one difference, unless verdicts differ too.
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
        """
        missing = DifferenceKind.MISSING not in self.ignored
        try:
            for number, difference in enumerate(differences(self.database, self.one, self.other, missing=missing)):
                if number == 0:  # `equal` reads no further
                    self._check_not_deleted()
                if difference.kind not in self.ignored:
                    yield difference
        except DamagedResults:
            self._check_not_deleted()
            raise
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
        return node_counts(self.database, self.one, self.other)

    def parts(self) -> Iterator[DiffPart]:
        """Yield the differences in parts by position in the first run, so that a long comparison shows its progress.
        Runs over different sources that are stored as rows are compared in one part."""
        missing = DifferenceKind.MISSING not in self.ignored
        try:
            for part in difference_parts(self.database, self.one, self.other, missing=missing):
                self._check_not_deleted()
                yield replace(part, differences=[each for each in part.differences if each.kind not in self.ignored])
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
        return compared(self.database, self.one, self.other)

    @property
    def deals_of_both(self) -> int | None:
        """The number of deals compared, if one of two runs over the same deals has more deals; None otherwise."""
        left, right = self.one, self.other
        return None if _are_stored(left, right) or left.items == right.items else min(left.items, right.items)

    @property
    def unfinished(self) -> list[RunStatus]:
        """The runs of the two that have layouts without a verdict."""
        return [run for run in (self.one, self.other) if not run.finished]


def diff(
    database: Database,
    left: RunStatus,
    right: RunStatus,
    ignored: Collection[DifferenceKind | str] = (),
    *,
    by_deal: bool = False,
) -> Diff:
    """Compare two runs of a game or, `by_deal`, of related games, without differences of the `ignored` kinds.

    Raises
    ------
    UsageError
        If they are of different games, or of games that are not related, one is packed and the other is not over the
        same deals, or there is no such kind.
    """
    if unknown := {str(kind) for kind in ignored} - {*DifferenceKind}:
        raise UsageError(f"there is no kind of difference {min(unknown)!r}; choose from: {', '.join(DifferenceKind)}")
    if left.game != right.game and not (by_deal and _are_related(left, right)):
        hint = ", or these by their deals, with --by-deal" if _are_related(left, right) else ""
        raise UsageError(
            f"run {left.id} is of {left.game}, but run {right.id} is of {right.game}: compare runs of the same game"
            f"{hint}"
        )
    if not _comparable(left, right):
        dealt = right if left.storage.stores_layouts else left
        raise UsageError(
            f"run {dealt.id} is packed and can only be compared with a run over the same deals: run {left.id} is over "
            f"{left.source_name}, run {right.id} over {right.source_name}"
        )
    return Diff(database, left, right, frozenset(map(DifferenceKind, ignored)))


def diffs(database: Database, run: RunStatus, ignored: Collection[DifferenceKind | str] = ()) -> Iterator[Diff]:
    """Yield the diffs of a run and each other run that answers the same question, oldest first, on the layouts that
    both have. Retracted runs are left out, and packed ones over other deals.

    Raises
    ------
    UsageError
        If there is no such kind.
    """
    for rival in matching_runs(database, run.game, None, None, retracted=False):
        if rival.id != run.id and have_same_question(run, rival) and _comparable(run, rival):
            yield diff(database, run, rival, [*ignored, DifferenceKind.MISSING])


def _are_related(left: RunStatus, right: RunStatus) -> bool:
    """Return whether the games of two runs differ only in their rules, so that a layout of both says the same."""
    return left.rules is not None and right.rules is not None and left.rules.family == right.rules.family


def _comparable(left: RunStatus, right: RunStatus) -> bool:
    """Return whether two runs of a game can be compared: layouts that are not stored cannot be looked up."""
    return _are_stored(left, right) or _deals_key(left) == _deals_key(right)


def _deals_key(run: RunStatus) -> tuple[object, ...]:
    """Return the identity of the deals of a run, without the number of the last deal."""
    deals = dict(run.deals or {"source": run.source})
    deals.pop("last", None)
    return run.game, run.generator, deals
