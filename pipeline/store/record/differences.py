"""The differences between two runs.

Two runs stored as rows are compared by a query. If one is packed, they are compared block by block through `Record`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import FromClause, Select, and_, func, or_, select

from dealmill.pipeline.fingerprint import block_of, block_range
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import Storage, items, verdicts
from dealmill.pipeline.store.record import record_of, rows
from dealmill.pipeline.store.record.contract import Said
from dealmill.pipeline.store.record.rows.reading import said_by
from dealmill.pipeline.store.runs.status import RunStatus

FETCHED = 1_000
LAYOUT = Shape(items.c.layout)


@dataclass(frozen=True, slots=True)
class Difference:
    """A layout on which two runs differ, with their verdicts. The layout is None if its row is missing."""

    layout: str | None
    one: Said
    other: Said


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
    ours, theirs = (record_of(run).marks(store, run) for run in (one, other))
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
    from dealmill.pipeline.store.record.packed.again import deals_of  # loads the compiler

    deals = deals_of(one if one.storage is Storage.PACKED else other).part(first, stop)
    here, there = (record_of(run).said(store, run, first, stop, bare=False) for run in (one, other))
    if here is None or there is None:
        here, there = (record_of(run).said(store, run, first, stop, bare=True) or [] for run in (one, other))
    some = False
    for layout, ours, theirs in zip(deals, here, there, strict=True):
        if ours != theirs:
            some = True
            yield Difference(layout.text, ours, theirs)
    if sure and not some:
        nothing = Said(first, None, None, None)
        yield Difference(f"the layout or the evidence of one of {deals.name}", nothing, nothing)


def _differing_rows(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    with store.browsing() as connection:
        differing = connection.execution_options(yield_per=FETCHED).execute(_differing(one, other))
        for row in differing:
            ours, theirs = said_by(row.here, row[2:5]), said_by(row.there, row[6:9])
            yield Difference(None if LAYOUT.trouble(row) else row.layout, ours, theirs)
    if one.source == other.source:
        yield from _differing_missing(store, one, other)


def _differing_missing(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    """Yield the differences on items that are missing from the source."""
    there = select(items.c.position).where(items.c.source_id == one.source, items.c.position.between(1, one.items))
    with store.reading() as connection:
        if connection.execute(select(func.count()).select_from(there.subquery())).scalar_one() == one.items:
            return
        said = select(verdicts.c.position).where(verdicts.c.run_id.in_((one.id, other.id))).distinct()
        lost = list(connection.execute(said.except_(there).order_by(verdicts.c.position)).scalars())
    for position in lost:
        [ours], [theirs] = (rows.said(store, run, position, position + 1, bare=False) for run in (one, other))
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
