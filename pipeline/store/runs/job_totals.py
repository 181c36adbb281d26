"""The totals of a job, the number of each verdict in it and other sums; and whether they can be added up."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    and_,
    case,
    cast,
    literal,
    select,
)

from dealmill.pipeline.errors import DamagedError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import (
    DONE,
    jobs,
)

MAX_ADDEND = 2**56
"""The largest number of a job that is added up. A job with a larger one is damaged."""


def bounded(column: ColumnElement[int], least: int = 0) -> ColumnElement[int]:
    """Return a column for sums: whole numbers from `least` to `MAX_ADDEND`; anything else counts as `MAX_ADDEND`, so
    that the sum is none that is right."""
    valid = and_(column.between(least, MAX_ADDEND), column == cast(column, BigInteger))
    return case((valid, column), else_=MAX_ADDEND)


def sizes(jobs: FromClause) -> ColumnElement[int]:
    """Return the number of items of each job, for sums."""
    return bounded(jobs.c.stop) - bounded(jobs.c.first)


VERDICT_WORDS = tuple(verdict.word for verdict in Verdict)
TOTALS = (*VERDICT_WORDS, "unproved", "value_sum", "nodes")
"""The columns of a job with sums over its verdicts."""
ADDS_UP = and_(
    *(jobs.c[name].between(-MAX_ADDEND if name == "value_sum" else 0, MAX_ADDEND) for name in TOTALS),
    *(jobs.c[name] == cast(jobs.c[name], BigInteger) for name in ("unproved", "value_sum", "nodes")),
    sum((jobs.c[word] for word in VERDICT_WORDS), start=literal(0))
    == case((jobs.c.state == DONE, sizes(jobs)), else_=0),
)
"""The condition that the totals of a job are whole numbers that can be added up, and that it has as many verdicts as
items if it is done, and none otherwise."""
SPREAD = ("least_value", "greatest_value", "value_counts", "least_nodes", "greatest_nodes", "node_counts")
"""The columns of a job with the distribution of its values and node counts; NULL until it is done."""


@dataclass(frozen=True, slots=True)
class JobTotals:
    """The number of items of a finished job, and how many of them are winnable and unwinnable."""

    items: int
    winnable: int
    unwinnable: int


def totals_from_the_first(database: Database, run: int) -> Iterator[JobTotals]:
    """Yield the totals of the jobs of a run in order of position, up to the first job that is not finished.

    Raises
    ------
    DamagedError
        If a job cannot be read, or its totals do not add up.
    """
    columns = (jobs.c.first, jobs.c.stop, jobs.c.winnable, jobs.c.unwinnable)
    check = RowCheck(*columns)
    query = select(*columns).where(jobs.c.run_id == run, jobs.c.state == DONE).order_by(jobs.c.first)
    following = 1
    with database.reading() as connection:
        for first, stop, winnable, unwinnable in connection.execute(query):
            if first != following:
                return
            if error := check.error((first, stop, winnable, unwinnable)):
                raise damaged_job(run, first, error)
            if not _add_up(stop - first, winnable, unwinnable):
                raise damaged_job(run, first, f"jobs.winnable is {winnable}, and jobs.unwinnable is {unwinnable}")
            yield JobTotals(stop - first, winnable, unwinnable)
            following = stop


def damaged_job(run: int, first: int, reason: str) -> DamagedError:
    """Return the error for a job that cannot be read."""
    return DamagedError(
        f"the job of run {run} at item {first} cannot be read: {reason}; find all faults with: dealmill audit {run}"
    )


def _add_up(items: int, winnable: int, unwinnable: int) -> bool:
    return min(winnable, unwinnable) >= 0 and winnable + unwinnable <= items
