"""Pages of the results of runs that are stored as rows.

A page starts beyond the last position of the previous one, so the thousandth page is as fast as the first."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple, Self

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    FromClause,
    Row,
    Select,
    and_,
    bindparam,
    func,
    literal_column,
    null,
    or_,
    select,
)

from dealmill.pipeline.arguments import MAX_INTEGER
from dealmill.pipeline.errors import DamagedResults
from dealmill.pipeline.evidence.referee import Judgement, Outcome
from dealmill.pipeline.games.verdict import Code, Verdict
from dealmill.pipeline.results.conditions import WORDS
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import NUMBER_LIST, one_of
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import items, judgements, runs, sources, verdicts
from dealmill.pipeline.store.filters import BEHIND, Filter, Ordering
from dealmill.pipeline.store.runs.finding import list_runs
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.arrow import COLUMNS
from dealmill.pipeline.store.storages.storage import (
    NO_RESULTS,
    Page,
    newest_judgement,
    next_job,
    result_columns,
)

QUALIFIED = {column.name: f"verdicts.{column.name}" for column in verdicts.c}


class Conditions(NamedTuple):
    """A filter without the ends of its ranges, which are parameters of its statements. Each of its `words` is an
    expression of SQL and the numbers that it lets through."""

    words: tuple[tuple[str, tuple[Code, ...]], ...]
    audit: Outcome | None
    ranges: tuple[Order, ...]

    @classmethod
    def of(cls, filter_: Filter) -> Self:
        """Return the conditions of a filter."""
        words = ((each.sql, filter_.words(each)) for each in WORDS if each.sql)
        return cls(tuple((sql, codes) for sql, codes in words if codes), filter_.audit, tuple(filter_.ranges))


def parameters(run: RunStatus, filter_: Filter) -> dict[str, int]:
    """Return the parameters of a statement for a run and a filter. Callers add ``most``, the number of rows, and for
    `by_position` the positions ``first`` and ``last``."""
    return {"run": run.id, "source": run.source, **_range_ends(filter_)}


def _range_ends(filter_: Filter) -> dict[str, int]:
    """Return the parameters for the ranges of a filter."""
    numbers: dict[str, int] = {}
    for order, ends in filter_.ranges.items():
        numbers |= zip(_ends(order), ends, strict=True)
    return numbers


def _ends(order: Order) -> tuple[str, str]:
    """Return the names of the parameters for a range."""
    return f"least_{order.name}", f"greatest_{order.name}"


@lru_cache
def select_by_position(filter_: Conditions, backwards: bool) -> Select[*tuple[Any, ...]]:
    """Select the first ``most`` matching verdicts at the positions ``first`` to ``last``; the last ones if
    `backwards`."""
    source: BindParameter[int] = bindparam("source")
    position = judgements.c.position if filter_.audit else verdicts.c.position
    matching = _selected(filter_, lambda column: column == bindparam("run"), source).where(
        position.between(bindparam("first"), bindparam("last"))
    )
    return _with_items(matching.order_by(position.desc() if backwards else position), lambda _: source)


@lru_cache
def select_by_number(filter_: Conditions, ordering: Ordering) -> Select[*tuple[Any, ...]]:
    """Select the first ``most`` matching verdicts of the runs ``numbers`` in the given order."""
    number = _number(ordering.order, _source_of(verdicts))
    first = number.desc() if ordering.descending else number.asc()
    matching = _selected(filter_, lambda column: one_of(column, NUMBER_LIST), _source_of(verdicts))
    matching = matching.order_by(first.nulls_last(), verdicts.c.run_id, verdicts.c.position)
    return _with_items(matching, _source_of)


@lru_cache
def select_counts(filter_: Conditions) -> Select[*tuple[Any, ...]]:
    """Select the number of matching verdicts of a run by verdict and node count."""
    matching = _selected(filter_, lambda column: column == bindparam("run"), bindparam("source")).subquery()
    return select(matching.c.verdict, matching.c.nodes, func.count()).group_by(matching.c.verdict, matching.c.nodes)


def _source_of(rows: FromClause) -> ColumnElement[int]:
    """Return the expression for the source of the run of a verdict."""
    return select(runs.c.source_id).where(runs.c.id == rows.c.run_id).correlate(rows).scalar_subquery()


def _with_items(
    matching: Select[*tuple[Any, ...]], source_of: Callable[[FromClause], ColumnElement[int]]
) -> Select[*tuple[Any, ...]]:
    """Select the first of these verdicts with their lines and layouts, in any order.

    The verdicts are selected first, and items are then fetched by scalar subqueries, so that no query planner joins the
    complete tables.
    """
    first_rows = matching.limit(bindparam("most", type_=BigInteger)).subquery()
    item = (
        select(column)
        .where(items.c.source_id == source_of(first_rows), items.c.position == first_rows.c.position)
        .scalar_subquery()
        for column in ITEM_COLUMNS
    )
    verdict = (first_rows.c[column.name] for column in VERDICT_COLUMNS)
    judged = (first_rows.c[name] for name in ("outcome", "step", "reason"))
    return select(first_rows.c.position, *item, *verdict, *judged, first_rows.c.run_id)


def _selected(
    filter_: Conditions, of_runs: Callable[[ColumnElement[int]], ColumnElement[bool]], source: ColumnElement[int]
) -> Select[*tuple[Any, ...]]:
    """Select the verdicts of some runs that match a filter, with their judgements if an outcome is wanted."""
    judged = (null().label("outcome"), null().label("step"), null().label("reason"))
    matching: Select[*tuple[Any, ...]] = select(verdicts, *judged)
    if filter_.audit:
        matching = _judged(filter_.audit).where(of_runs(judgements.c.run_id))
    matching = matching.where(of_runs(verdicts.c.run_id))
    for sql, codes in filter_.words:
        number: ColumnElement[int] = literal_column(sql.format_map(QUALIFIED), BigInteger)
        matching = matching.where(number.in_([int(code) for code in codes]))
    for order in filter_.ranges:
        least, greatest = _ends(order)
        measured = _number(order, source)
        # what is invalid is to be reported, not left out
        invalid = or_(measured > MAX_INTEGER, measured.is_(None) & (order is Order.NODES))
        matching = matching.where(or_(measured.between(bindparam(least), bindparam(greatest)), invalid))
    return matching


def _number(order: Order, source: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the expression for the number by which verdicts are ordered or filtered. `source` is that of their run."""
    name = order.measure.field
    if name in verdicts.c:
        return _expression(order, verdicts.c[name])
    return (
        select(_expression(order, items.c[name]))
        .select_from(items)
        .where(items.c.source_id == source, items.c.position == verdicts.c.position)
        .correlate(verdicts)
        .scalar_subquery()
    )


def _expression(order: Order, column: ColumnElement[Any]) -> ColumnElement[Any]:
    return literal_column(str(order.measure.sql).format(column), BigInteger)


def _judged(outcome: Outcome) -> Select[*tuple[Any, ...]]:
    """Select the verdicts whose newest judgement has the given outcome."""
    query: Select[*tuple[Any, ...]] = (
        select(verdicts, judgements.c.outcome, judgements.c.step, judgements.c.reason)
        .select_from(
            judgements.join(
                verdicts,
                and_(verdicts.c.run_id == judgements.c.run_id, verdicts.c.position == judgements.c.position),
            )
        )
        .where(
            judgements.c.outcome == int(outcome),
            newest_judgement(),
        )
    )
    if outcome is not Outcome.VALID:  # add the literal condition of the partial index
        query = query.where(judgements.c.outcome != literal_column("1"))
    return query


COUNTED = RowCheck(verdicts.c.verdict, verdicts.c.nodes)
ITEM_COLUMNS = tuple(items.c[name] for name in COLUMNS if name not in verdicts.c)
VERDICT_COLUMNS = tuple(verdicts.c[name] for name in COLUMNS if name not in items.c)
RESULT_COLUMNS = (verdicts.c.position, *ITEM_COLUMNS, *VERDICT_COLUMNS)
"""The columns of a result in the order of `COLUMNS`, in which those of an item come first."""
ROW = RowCheck(*RESULT_COLUMNS)
SEARCHED = 50_000
"""The most verdicts that are read for one page of a filter: some milliseconds."""
JUDGED_ROW = RowCheck(*RESULT_COLUMNS, judgements.c.outcome, judgements.c.step, judgements.c.reason)
RUN_OF_ROW = itemgetter(-1)


def searched(
    database: Database, run: RunStatus, filter_: Filter, after: int, before: int, limit: int, *, backwards: bool
) -> Page:
    """Return the matching verdicts among the next `SEARCHED` ones, beginning with a job that may have some."""
    with database.reading() as connection:
        job = next_job(connection, run.id, filter_, after, before, backwards=backwards)
    if job is None:
        return Page(run, NO_RESULTS, None)
    if backwards:
        before = min(before, job[1])
        after = max(after, before - 1 - SEARCHED)
    else:
        after = max(after, job[0] - 1)
        before = min(before, after + 1 + SEARCHED)
    check_complete(database, run, after, before)
    rows = between(database, run, filter_, after, before, limit, backwards=backwards)
    searched_to = after + 1 if backwards else before - 1
    return page_of(run, filter_, rows, int(rows[-1][0]) if len(rows) == limit else searched_to)


def between(
    database: Database, run: RunStatus, filter_: Filter, after: int, before: int, limit: int, *, backwards: bool
) -> list[Row[*tuple[Any, ...]]]:
    """Return the rows of a page in order."""
    query = select_by_position(Conditions.of(filter_), backwards)
    where = {**parameters(run, filter_), "first": after + 1, "last": before - 1, "most": limit}
    with database.reading() as connection:
        rows = connection.execute(query, where).all()
    return sorted(rows, key=itemgetter(0), reverse=backwards)


def first_pages(
    database: Database, numbers: Sequence[int], filter_: Filter, ordering: Ordering, limit: int
) -> list[Page]:
    """Return the first `limit` matching verdicts of these runs in the given order, a page for each run with some. Only
    these runs are read, and those that lack verdicts, without those that cannot be read."""
    query, ends = select_by_number(Conditions.of(filter_), ordering), _range_ends(filter_)
    with database.reading() as connection:
        lacking = set(connection.execute(LACKING, {"numbers": numbers}).scalars())
    runs = {run.id: run for run in list_runs(database, lacking)}
    for run in runs.values():
        check_complete(database, run)
    unreadable = lacking.difference(runs)
    while True:
        readable = [number for number in numbers if number not in unreadable]
        with database.reading() as connection:
            rows = connection.execute(query, {"numbers": readable, "most": limit, **ends}).all()
        new = {RUN_OF_ROW(row) for row in rows}.difference(runs)
        runs |= {run.id: run for run in list_runs(database, new)}
        if new <= runs.keys():
            break
        unreadable |= new.difference(runs)
    of_runs = groupby(sorted(rows, key=RUN_OF_ROW), RUN_OF_ROW)
    return [page_of(runs[number], filter_, list(of_run), None) for number, of_run in of_runs]


def page_of(run: RunStatus, filter_: Filter, rows: Sequence[Row[*tuple[Any, ...]]], end: int | None) -> Page:
    """Return the page with the results in these rows."""
    if not rows:
        return Page(run, NO_RESULTS, end)
    columns = list(zip(*rows, strict=True))
    results, judged = columns[: len(COLUMNS)], columns[len(COLUMNS) : -1] if filter_.audit else []
    (JUDGED_ROW if judged else ROW).check_results(run.id, [*results, *judged])
    judgements = [Judgement(Outcome(outcome), step, reason) for outcome, step, reason in zip(*judged, strict=True)]
    return Page(run, result_columns(columns), end, judgements)


@cache
def _verdicts_between(backwards: bool) -> Select[*tuple[Any, ...]]:
    position = verdicts.c.position
    return (
        select(position, *VERDICT_COLUMNS)
        .where(verdicts.c.run_id == bindparam("run"), position.between(bindparam("first"), bindparam("last")))
        .order_by(position.desc() if backwards else position)
        .limit(bindparam("most", type_=BigInteger))
    )


@cache
def _items_between(backwards: bool) -> Select[*tuple[Any, ...]]:
    position = items.c.position
    return (
        select(position, *ITEM_COLUMNS)
        .where(items.c.source_id == bindparam("source"), position.between(bindparam("first"), bindparam("last")))
        .order_by(position.desc() if backwards else position)
    )


NO_ITEM = (None, *(None for _ in ITEM_COLUMNS))


def unfiltered(database: Database, run: RunStatus, after: int, before: int, limit: int, *, backwards: bool) -> Page:
    """Return a page of all results. Verdicts and layouts are read one after the other, each in the order of their
    table, because looking up the layout of each verdict takes longer."""
    with database.reading() as connection:
        where = {"run": run.id, "first": after + 1, "last": before - 1, "most": limit}
        answered = list(zip(*connection.execute(_verdicts_between(backwards), where).all(), strict=True))
        positions: Sequence[int] = answered[0] if answered else ()
        if run.finished:
            first, stop = after, min(before, run.items + 1)
            if len(positions) == limit:
                first, stop = (positions[-1], stop) if backwards else (first, positions[-1])
            _check_no_gap(run, positions, first, stop)
        if not positions:
            return Page(run, NO_RESULTS, None)
        least, greatest = sorted((positions[0], positions[-1]))
        where = {"source": run.source, "first": least, "last": greatest}
        dealt = list(zip(*connection.execute(_items_between(backwards), where).all(), strict=True))
    if not dealt or dealt[0] != positions:
        items_at = {row[0]: row for row in zip(*dealt, strict=True)}
        dealt = list(zip(*(items_at.get(position, NO_ITEM) for position in positions), strict=True))
    columns: list[Sequence[Any]] = [positions, *dealt[1:], *answered[1:]]
    ROW.check_results(run.id, columns)
    return Page(run, result_columns(columns), int(positions[-1]))


def _check_no_gap(run: RunStatus, positions: Sequence[int], after: int, before: int) -> None:
    """Check that a finished run has a verdict at each position between `after` and `before`.

    Raises
    ------
    DamagedError
        If there is none at some, which are not among its `positions`.
    """
    if sum(after < position < before for position in positions) == before - after - 1:
        return
    inside = sorted(position for position in positions if after < position < before)
    for left, right in pairwise([after, *inside, before]):
        if right - left > 1:
            raise DamagedResults(run.id, left + 1, right - 1, NO_VERDICT)


NO_VERDICT = "there is no verdict on record"
VALID = verdicts.c.verdict.in_(list(map(int, Verdict)))
VALID_VERDICTS = (
    select(verdicts.c.run_id, func.count().label("verdicts"))
    .where(one_of(verdicts.c.run_id, NUMBER_LIST), VALID)
    .group_by(verdicts.c.run_id)
    .subquery()
)
LACKING = (
    select(runs.c.id)
    .select_from(
        runs.join(sources, sources.c.id == runs.c.source_id).outerjoin(
            VALID_VERDICTS, VALID_VERDICTS.c.run_id == runs.c.id
        )
    )
    .where(
        one_of(runs.c.id, NUMBER_LIST),
        func.coalesce(VALID_VERDICTS.c.verdicts, 0).is_distinct_from(sources.c.accepted),
    )
)
"""The runs without a valid verdict on each layout."""


def check_complete(database: Database, run: RunStatus, after: int = 0, before: int = BEHIND) -> None:
    """Check that a finished run has a valid verdict at each position between `after` and `before`: a filter or a join
    leaves out those that are missing.

    Raises
    ------
    DamagedError
        If there is none at some.
    """
    if not run.finished:
        return
    before = min(before, run.items + 1)
    position = verdicts.c.position
    rows = (verdicts.c.run_id == run.id, position.between(after + 1, before - 1), VALID)
    with database.reading() as connection:
        if connection.execute(select(func.count()).where(*rows)).scalar_one() == before - after - 1:
            return
        positions = connection.execute(select(position).where(*rows).order_by(position)).scalars()
        last, following = next(
            (left, right) for left, right in pairwise([after, *positions, before]) if right - left > 1
        )
    unfiltered(database, run, last, following, following - last - 1, backwards=False)  # tells what is wrong
    raise DamagedResults(run.id, last + 1, following - 1, NO_VERDICT)
