"""The differences between two runs that are stored as rows, selected by one query."""

from collections.abc import Iterator
from typing import Any

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

from dealmill.pipeline.errors import DamagedResults
from dealmill.pipeline.games.descriptions import DECIDED
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import items, verdicts
from dealmill.pipeline.store.diffs.difference import Difference, DiffPart, have_same_question
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.rows import recorded_verdict
from dealmill.pipeline.store.storages.rows_pages import check_complete

DIFFERENCES_PER_FETCH = 1_000
"""Rows that are read at once."""
PART = 5_000
"""The positions of a part of a comparison."""
LEFT, RIGHT = 1, 2
"""The sides of a comparison."""
ITEM = RowCheck(items.c.layout, items.c.line)


def differing_rows(database: Database, left: RunStatus, right: RunStatus, *, missing: bool) -> Iterator[Difference]:
    """Yield the layouts on which two runs differ in verdict, value or evidence. Runs over the same source are compared
    item by item, others layout by layout at any positions (see `_pairs`). Without `missing`, some layouts on which only
    one run has a verdict are left out early.

    Raises
    ------
    DamagedError
        If a layout or a verdict cannot be read.
    """
    _check_complete(database, left, right)
    yield from _rows(database, left, right, missing=missing)


def row_parts(database: Database, left: RunStatus, right: RunStatus, *, missing: bool) -> Iterator[DiffPart]:
    """Yield the `differing_rows` in parts, each of which takes some hundredths of a second. Runs over different sources
    are one part."""
    if left.source != right.source:
        yield DiffPart(left.items, list(differing_rows(database, left, right, missing=missing)))
        return
    _check_complete(database, left, right)
    for first in range(1, left.items + 1, PART):
        reached = min(first + PART - 1, left.items)
        yield DiffPart(reached, list(_rows(database, left, right, first, reached, missing=missing)))


def count_shared_layouts(database: Database, left: RunStatus, right: RunStatus) -> int:
    """Return the number of layouts on which two runs over different sources have a verdict."""
    pairs = pairs_of_layouts(left, right)
    solved = [
        exists().where(verdicts.c.run_id == run.id, verdicts.c.position == position)
        for run, position in ((left, pairs.c.here), (right, pairs.c.there))
    ]
    with database.reading() as connection:
        return connection.execute(select(func.count()).select_from(pairs).where(*solved)).scalar_one()


def _rows(
    database: Database, left: RunStatus, right: RunStatus, first: int = 1, last: int | None = None, *, missing: bool
) -> Iterator[Difference]:
    """Yield the differences; with a `last` position, only those of a range of positions of the same source."""
    differing, same = _differing(left, right, first, last, missing=missing), have_same_question(left, right)
    with database.browsing() as connection:
        for row in connection.execution_options(yield_per=DIFFERENCES_PER_FETCH).execute(differing):
            ours = recorded_verdict(left, row.here, (row.verdict, row.value, row.evidence))
            theirs = recorded_verdict(right, row.there, (row.other_verdict, row.other_value, row.other_evidence))
            if error := ITEM.error((row.layout, row.line)):
                run, position = (left, row.here) if row.here is not None else (right, row.there)
                raise DamagedResults(run.id, position, position, error)
            yield Difference(row.layout, ours, theirs, same, row.line)


def _check_complete(database: Database, left: RunStatus, right: RunStatus) -> None:
    """Check that the sources of two runs have all of their items, and finished runs a verdict on each: a
    join leaves out what is missing.

    Raises
    ------
    DamagedError
        If something is missing.
    """
    for run in {run.source: run for run in (left, right)}.values():
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
    for run in (left, right):
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
    sides = ((left, pairs.c.here), (right, pairs.c.there))
    query: Select[*tuple[Any, ...]] = (
        select(
            *(func.coalesce(*(_field(name, *each) for each in sides)).label(name) for name in ("layout", "line")),
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
            .where(items.c.source_id == left.source, items.c.position <= min(left.items, right.items))
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


def pairs_of_layouts(left: RunStatus, right: RunStatus) -> FromClause:
    """Return the pair of the `first` items of each layout that two runs over different sources share, with the columns
    of `_pairs`."""
    item = _items_of_both(left, right).c
    return (
        select(item.first_here.label("here"), item.first_there.label("there"))
        .where(item.side == LEFT, item.in_right, item.position == item.first_here)
        .subquery("pairs")
    )


def _field(name: str, run: RunStatus, position: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the layout of an item, or another field of it."""
    row = select(items.c[name]).where(items.c.source_id == run.source, items.c.position == position)
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
            .where(items.c.source_id == run.source, items.c.position <= run.items)
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
