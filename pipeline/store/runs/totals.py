"""The totals of each job of a run."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select

from dealmill.pipeline.errors import DamagedWarning
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import DONE, jobs


@dataclass(frozen=True, slots=True)
class JobTotals:
    """The number of items of a finished job, and how many of them are winnable and unwinnable."""

    items: int
    winnable: int
    unwinnable: int


def totals_from_the_first(store: Database, run: int) -> Iterator[JobTotals]:
    """Yield the totals of the jobs of a run in order of position, up to the first job that is not finished or, with a
    `DamagedWarning`, is damaged."""
    columns = (jobs.c.first, jobs.c.stop, jobs.c.winnable, jobs.c.unwinnable)
    shape = Shape(*columns)
    query = select(*columns).where(jobs.c.run_id == run, jobs.c.state == DONE).order_by(jobs.c.first)
    following = 1
    with store.reading() as connection:
        for first, stop, winnable, unwinnable in connection.execute(query):
            if first != following:
                return
            if shape.trouble((first, stop, winnable, unwinnable)) or not _add_up(stop - first, winnable, unwinnable):
                message = f"the totals of the job at item {following} of run {run} are damaged"
                warnings.warn(DamagedWarning(f"{message}; find all faults with: dealmill audit {run}"), stacklevel=2)
                return
            yield JobTotals(stop - first, winnable, unwinnable)
            following = stop


def _add_up(items: int, winnable: int, unwinnable: int) -> bool:
    return min(winnable, unwinnable) >= 0 and winnable + unwinnable <= items
