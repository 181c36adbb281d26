"""The differences between two runs.

Two runs stored as rows are compared by a query. If one is packed, they are compared block by block (see `Storage`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import FromClause, Select, and_, func, or_, select

from dealmill.pipeline.digests import block_of, block_range
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.rows import Rows, recorded_verdict
from dealmill.pipeline.store.runs import RunStatus
from dealmill.pipeline.store.storage import RecordedVerdict
from dealmill.pipeline.store.storages import storage_of
from dealmill.pipeline.store.tables import Shape, Storage, items, verdicts

FETCHED = 1_000
LAYOUT = Shape(items.c.layout)


@dataclass(frozen=True, slots=True)
class Difference:
    """A layout on which two runs differ, with their verdicts. The layout is None if its row is missing."""

    layout: str | None
    one: RecordedVerdict
    other: RecordedVerdict


def differences(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    """Yield the layouts on which two runs differ in verdict, value or evidence.

    Two runs stored as rows are compared item by item if they have the same source, and otherwise layout by layout at
    any positions. If one of them is packed, both must be over the same deals, and are compared up to the end of the
    shorter run; only blocks with different digests are solved again.
    """
    if one.storage is other.storage is Storage.ROWS:
        return _differing_rows(store, one, other)
    return _differing_blocks(store, one, other)


def _differing_blocks(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    ours, theirs = (storage_of(run).marks(store, run) for run in (one, other))
    count = min(one.items, other.items)
    for number in range(block_of(count) + 1):
        if number not in ours or ours[number] != theirs.get(number):
            whole = block_range(number, one.items) == block_range(number, other.items)
            solved = number in ours or number in theirs
            yield from _differing_in_block(store, one, other, *block_range(number, count), sure=whole and solved)


def _differing_in_block(
    store: Database, one: RunStatus, other: RunStatus, first: int, stop: int, *, sure: bool
) -> Iterator[Difference]:
    """Yield the differences in a block. If it is `sure` that there are some, but none is found, yield one for the whole
    block."""
    from dealmill.pipeline.store.packed_solving import deals_of  # loads the compiler

    deals = deals_of(one if one.storage is Storage.PACKED else other).part(first, stop)
    here, there = (storage_of(run).recorded_verdicts(store, run, first, stop, evidence=True) for run in (one, other))
    if here is None or there is None:
        here, there = (
            storage_of(run).recorded_verdicts(store, run, first, stop, evidence=False) or [] for run in (one, other)
        )
    some = False
    for layout, ours, theirs in zip(deals, here, there, strict=True):
        if ours != theirs:
            some = True
            yield Difference(layout.text, ours, theirs)
    if sure and not some:
        nothing = RecordedVerdict(first, None, None, None)
        yield Difference(f"the layout or the evidence of one of {deals.name}", nothing, nothing)


def _differing_rows(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    with store.browsing() as connection:
        differing = connection.execution_options(yield_per=FETCHED).execute(_differing(one, other))
        for row in differing:
            ours = recorded_verdict(row.here, (row.verdict, row.value, row.evidence))
            theirs = recorded_verdict(row.there, (row.other_verdict, row.other_value, row.other_evidence))
            yield Difference(None if LAYOUT.trouble(row) else row.layout, ours, theirs)
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
            yield Difference(None, ours, theirs)


def _differing(one: RunStatus, other: RunStatus) -> Select[*tuple[Any, ...]]:
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
    return query


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
