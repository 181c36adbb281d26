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
from dealmill.pipeline.results.record import ANSWER
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
        for run, position in ((left, pairs.c.left_position), (right, pairs.c.right_position))
    ]
    with database.reading() as connection:
        return connection.execute(select(func.count()).select_from(pairs).where(*solved)).scalar_one()


def _rows(
    database: Database, left: RunStatus, right: RunStatus, first: int = 1, last: int | None = None, *, missing: bool
) -> Iterator[Difference]:
    """Yield the differences; with a `last` position, only those of a range of positions of the same source."""
    differing, same = _differing(left, right, first, last, missing=missing), have_same_question(left, right)
    with database.browsing() as connection:
        rows = connection.execution_options(yield_per=DIFFERENCES_PER_FETCH).execute(differing)
        for layout, line, left_position, right_position, *answers in rows:
            left_verdict = recorded_verdict(left, left_position, answers[: len(ANSWER)])
            right_verdict = recorded_verdict(right, right_position, answers[len(ANSWER) :])
            if error := ITEM.error((layout, line)):
                run, position = (left, left_position) if left_position is not None else (right, right_position)
                raise DamagedResults(run.id, position, position, error)
            yield Difference(layout, left_verdict, right_verdict, same, line)


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
    left_position, right_position = pairs.c.left_position, pairs.c.right_position
    left_verdicts, right_verdicts = verdicts.alias("left_verdicts"), verdicts.alias("right_verdicts")
    comparable = [name for name in ANSWER if name != "evidence" or left.game == right.game]
    changed = [left_verdicts.c[name].is_distinct_from(right_verdicts.c[name]) for name in comparable]
    order = (left_position,) if left.source == right.source else (left_position.nulls_last(), right_position)
    alone = or_(left_position.is_(None), right_position.is_(None))
    sides = ((left, left_position), (right, right_position))
    query: Select[*tuple[Any, ...]] = (
        select(
            *(func.coalesce(*(_field(name, *each) for each in sides)).label(name) for name in ("layout", "line")),
            left_position,
            right_position,
            *(of_run.c[name] for of_run in (left_verdicts, right_verdicts) for name in ANSWER),
        )
        .select_from(
            pairs.join(
                left_verdicts,
                and_(left_verdicts.c.run_id == left.id, left_verdicts.c.position == left_position),
                isouter=missing,
            ).join(
                right_verdicts,
                and_(right_verdicts.c.run_id == right.id, right_verdicts.c.position == right_position),
                isouter=missing,
            )
        )
        .where(or_(alone, *changed))
        .order_by(*order)
    )
    return query if last is None else query.where(left_position.between(first, last))


def _pairs(left: RunStatus, right: RunStatus) -> FromClause:
    """Return the pairs of items to compare: the columns `left_position` and `right_position` are their positions.

    Items of the same source are compared by position. Otherwise each item is compared with the `first` item of the
    other run with its layout. This shows every layout with different results, and every contradiction, without
    comparing all occurrences of a layout with each other: results that equal both firsts are equal.
    """
    if left.source == right.source:
        return (
            select(items.c.position.label("left_position"), items.c.position.label("right_position"))
            .where(items.c.source_id == left.source, items.c.position <= min(left.items, right.items))
            .subquery("pairs")
        )
    item = _items_of_both(left, right).c
    first_left, first_right = case((item.in_left, item.first_left)), case((item.in_right, item.first_right))
    return (
        select(
            case((item.side == LEFT, item.position), else_=first_left).label("left_position"),
            case((item.side == RIGHT, item.position), else_=first_right).label("right_position"),
        )
        .where(or_(item.side == LEFT, not_(item.in_left), item.position != item.first_right))
        .subquery("pairs")
    )


def pairs_of_layouts(left: RunStatus, right: RunStatus) -> FromClause:
    """Return the pair of the `first` items of each layout that two runs over different sources share, with the columns
    of `_pairs`."""
    item = _items_of_both(left, right).c
    return (
        select(item.first_left.label("left_position"), item.first_right.label("right_position"))
        .where(item.side == LEFT, item.in_right, item.position == item.first_left)
        .subquery("pairs")
    )


def _field(name: str, run: RunStatus, position: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the layout of an item, or another field of it."""
    row = select(items.c[name]).where(items.c.source_id == run.source, items.c.position == position)
    return row.scalar_subquery()


def _items_of_both(left: RunStatus, right: RunStatus) -> FromClause:
    """Return the items of two runs: `side` (`LEFT` or `RIGHT`) and `position`; and of their layout, whether it is
    `in_left` and `in_right`, and if so, the positions of its first items there, `first_left` and `first_right`. Decided
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
        first(item.c.position, item.c.side).label("first_left"),
        first(item.c.position, item.c.side.desc()).label("first_right"),
    ).subquery("sides")
