"""The totals of each job of a run."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, jobs


@dataclass(frozen=True, slots=True)
class JobTotals:
    """The number of items of a finished job, and how many of them are winnable and unwinnable."""

    items: int
    winnable: int
    unwinnable: int


def totals_from_the_first(store: Database, run: int) -> Iterator[JobTotals]:
    """Yield the totals of the jobs of a run in order of position, up to the first job that is not finished."""
    query = (
        select(jobs.c.first, jobs.c.stop, jobs.c.winnable, jobs.c.unwinnable)
        .where(jobs.c.run_id == run, jobs.c.state == DONE)
        .order_by(jobs.c.first)
    )
    following = 1
    with store.reading() as connection:
        for first, stop, winnable, unwinnable in connection.execute(query):
            if first != following:
                return
            yield JobTotals(stop - first, winnable, unwinnable)
            following = stop
