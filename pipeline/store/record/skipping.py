"""Skipping the jobs whose totals rule out that any of their verdicts matches a filter."""

from sqlalchemy import ColumnElement, Connection, and_, false, func, not_, or_, select

from dealmill.pipeline.store.database.tables import DONE, jobs
from dealmill.pipeline.store.queue.solving import LONGEST
from dealmill.pipeline.store.record.contract import ALL, Wanted


def next_job(
    connection: Connection, run: int, wanted: Wanted, after: int, before: int, *, backwards: bool
) -> tuple[int, int] | None:
    """Return the range `[first, stop)` of the first finished job between the positions `after` and `before` (both
    exclusive) that may have a matching verdict, or of the last one if `backwards`; None if there is none."""
    if after + 1 >= before:
        return None
    query = (
        select(jobs.c.first, jobs.c.stop)
        .where(
            jobs.c.run_id == run,
            jobs.c.first > after - LONGEST,  # a job is not longer, so few rows are read
            jobs.c.first <= before - 1,
            jobs.c.stop - 1 > after,
            jobs.c.state == DONE,
            not_(func.coalesce(or_(false(), *_without_match(wanted)), false())),
        )
        .order_by(jobs.c.first.desc() if backwards else jobs.c.first)
        .limit(1)
    )
    found = connection.execute(query).one_or_none()
    return None if found is None else (found.first, found.stop)


def _without_match(wanted: Wanted) -> list[ColumnElement[bool]]:
    """Return conditions on the totals of a job, each of which rules out a match. They are NULL if the totals are not
    recorded."""
    conditions = list[ColumnElement[bool]]()
    if wanted.verdicts:
        conditions.append(and_(*(jobs.c[verdict.word] == 0 for verdict in wanted.verdicts)))
    if wanted.values != ALL:
        conditions += [jobs.c.scored == 0, *_outside(jobs.c.least_value, jobs.c.greatest_value, wanted.values)]
    if wanted.nodes != ALL:
        conditions += _outside(jobs.c.least_nodes, jobs.c.greatest_nodes, wanted.nodes)
    return conditions


def _outside(
    least: ColumnElement[int], greatest: ColumnElement[int], ends: tuple[int, int]
) -> list[ColumnElement[bool]]:
    low, high = ends
    return [least > high, greatest < low]
