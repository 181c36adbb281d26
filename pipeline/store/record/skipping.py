"""Skipping the jobs whose totals rule out that any of their verdicts matches a filter."""

from functools import lru_cache

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, false, func, not_, or_, select

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.filters import ALL, Filter
from dealmill.pipeline.store.jobs import LONGEST
from dealmill.pipeline.store.tables import DONE, jobs


def next_job(
    connection: Connection, run: int, wanted: Filter, after: int, before: int, *, backwards: bool
) -> tuple[int, int] | None:
    """Return the range `[first, stop)` of the first finished job between the positions `after` and `before` (both
    exclusive) that may have a matching verdict, or of the last one if `backwards`; None if there is none."""
    if after + 1 >= before:
        return None
    where = {"run": run, "behind": after - LONGEST, "after": after, "last": before - 1}
    for name, (low, high) in (("values", wanted.value), ("nodes", wanted.nodes)):
        where |= {f"least_{name}": low, f"greatest_{name}": high}
    query = _next_job(wanted.verdict, wanted.value != ALL, wanted.nodes != ALL, backwards)
    found = connection.execute(query, where).one_or_none()
    return None if found is None else (found.first, found.stop)


@lru_cache
def _next_job(verdicts: tuple[Verdict, ...], values: bool, nodes: bool, backwards: bool) -> Select[int, int]:
    """Select the job of `next_job` for a filter by these verdicts, and by values and nodes if these are limited."""
    without_match = list[ColumnElement[bool]]()  # each condition rules out a match, and is NULL if a total is missing
    if verdicts:
        without_match.append(and_(*(jobs.c[verdict.word] == 0 for verdict in verdicts)))
    if values:
        without_match += [jobs.c.scored == 0, *_outside("values", jobs.c.least_value, jobs.c.greatest_value)]
    if nodes:
        without_match += _outside("nodes", jobs.c.least_nodes, jobs.c.greatest_nodes)
    return (
        select(jobs.c.first, jobs.c.stop)
        .where(
            jobs.c.run_id == bindparam("run"),
            jobs.c.first > bindparam("behind"),  # a job is not longer, so few rows are read
            jobs.c.first <= bindparam("last"),
            jobs.c.stop - 1 > bindparam("after"),
            jobs.c.state == DONE,
            not_(func.coalesce(or_(false(), *without_match), false())),
        )
        .order_by(jobs.c.first.desc() if backwards else jobs.c.first)
        .limit(1)
    )


def _outside(name: str, least: ColumnElement[int], greatest: ColumnElement[int]) -> list[ColumnElement[bool]]:
    return [least > bindparam(f"greatest_{name}"), greatest < bindparam(f"least_{name}")]
