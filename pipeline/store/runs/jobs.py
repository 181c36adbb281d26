"""The jobs of runs: ranges of positions, cut as layouts are ingested or as a survey grows."""

from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    delete,
    exists,
    func,
    select,
    text,
    update,
)

from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import (
    DONE,
    IS_PENDING,
    PENDING,
    Control,
    jobs,
    runs,
)
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.job_totals import TOTALS
from dealmill.pipeline.store.runs.leases import Installed, JobTable, waiting
from dealmill.pipeline.store.runs.planned import lock_run
from dealmill.pipeline.store.runs.workable import workable_runs

OF_JOB = runs.alias("of_job")


SOLVING = JobTable(
    noun="run",
    with_parents=jobs,
    run=jobs.c.run_id,
    totals=TOTALS,
    workable_parents=workable_runs,
    not_halted=exists().where(OF_JOB.c.id == jobs.c.run_id, OF_JOB.c.control == Control.ACTIVE),
    cancelled=exists().where(OF_JOB.c.id == jobs.c.run_id, OF_JOB.c.control == Control.CANCELLED),
)

IS_PENDING_JOB = text(f"jobs.{IS_PENDING}")


def more_urgent_job(connection: Connection, job: int, installed: Installed) -> int | None:
    """Return the first job that can be claimed of the run with the highest priority, if that is higher than the
    priority of this job's run; None otherwise."""
    return connection.execute(_more_urgent_job(frozenset(installed)), {"job": job}).scalar()


@cache
def _more_urgent_job(installed: Installed) -> Select[int]:
    named, higher = jobs.alias("named"), runs.alias("higher")

    def first_job(run: ColumnElement[int]) -> Select[int]:
        """Select the first job of a run that can be claimed, by the index of pending jobs; SQLite would read those of
        all runs."""
        query = select(jobs.c.id).with_hint(jobs, "INDEXED BY ix_jobs_pending", "sqlite")
        return query.where(jobs.c.run_id == run, IS_PENDING_JOB, waiting(SOLVING)).order_by(jobs.c.first).limit(1)

    priority = select(runs.c.priority).join(named, named.c.run_id == runs.c.id).where(named.c.id == bindparam("job"))
    run = (
        select(higher.c.id)
        .where(
            higher.c.priority > priority.scalar_subquery(),
            higher.c.id.in_(workable_runs(installed)),
            first_job(higher.c.id).correlate(higher).scalar_subquery().is_not(None),
        )
        .order_by(higher.c.priority.desc(), higher.c.id)
        .limit(1)
    )
    return first_job(run.scalar_subquery())


def paused_jobs(database: Database) -> dict[int, int]:
    """Return the number of pending jobs of each paused run that has some."""
    query = (
        select(jobs.c.run_id, func.count())
        .where(IS_PENDING_JOB, jobs.c.run_id.in_(select(runs.c.id).where(runs.c.control == Control.PAUSED)))
        .group_by(jobs.c.run_id)
        .order_by(jobs.c.run_id)
    )
    with database.reading() as connection:
        return dict(tuple(row) for row in connection.execute(query))


CHUNK = 25_000
"""Items per job of a run stored as rows: some tens of milliseconds of work for the fastest engines, so little is lost
with a worker. A multiple of the block size, see `dealmill.pipeline.store.storages.item_blocks`."""

MAX_ITEMS_PER_JOB = 2_000_000
"""The most items per job: one to two seconds of work for the fastest engines."""

JOBS_FOR_PACE = 20
"""The finished jobs whose speed is that of a run."""


JOBS_OVER = (
    select(jobs)
    .where(jobs.c.run_id == bindparam("run"), jobs.c.first < bindparam("end"), jobs.c.stop > bindparam("start"))
    .order_by(jobs.c.first)
)


END_OF_LAST = select(jobs.c.stop).where(jobs.c.run_id == bindparam("run")).order_by(jobs.c.first.desc()).limit(1)


def cut_jobs(connection: Connection, run: int, count: int, complete: bool, chunk: int = CHUNK) -> None:
    """Cut the items of a run that belong to no job yet into jobs of `chunk` items. `count` is the number of items of
    its source. While the source is not `complete`, only full chunks are cut."""
    end = count if complete else count - count % chunk
    starts = range(connection.execute(END_OF_LAST, {"run": run}).scalar() or 1, end + 1, chunk)
    leases.insert_jobs(connection, SOLVING, run, [(first, min(first + chunk, end + 1)) for first in starts])


def grow(database: Database, run: int, items: int, chunk: int) -> None:
    """Cut jobs so that a run over an endless deal range has at least `items` items, a multiple of the block size.

    Raises
    ------
    NotFoundError
        If the run was deleted.
    """
    with database.writing() as connection:
        lock_run(connection, run)
        cut_jobs(connection, run, items, True, chunk)


def withdraw(database: Database, run: int, items: int) -> None:
    """Delete the pending jobs of a run over an endless deal range behind the first `items`, a multiple of the block
    size, or behind the block of the last job that was begun, if that is further."""
    with database.writing() as connection:
        lock_run(connection, run)
        begun = select(func.max(jobs.c.stop)).where(jobs.c.run_id == run, jobs.c.state != PENDING)
        last = (connection.execute(begun).scalar() or 1) - 1
        stop = max(items, -(-last // BLOCK) * BLOCK) + 1
        pending = (jobs.c.run_id == run, jobs.c.state == PENDING)
        connection.execute(delete(jobs).where(*pending, jobs.c.first >= stop))
        connection.execute(update(jobs).where(*pending, jobs.c.stop > stop).values(stop=stop))


def pace(database: Database, run: int) -> float | None:
    """Return the speed of the fastest of the last `JOBS_FOR_PACE` finished jobs, in items per second of one worker;
    None if no job is done."""
    last = (
        select(jobs.c.stop - jobs.c.first, jobs.c.finished - jobs.c.started)
        .where(jobs.c.run_id == run, jobs.c.state == DONE)
        .order_by(jobs.c.first.desc())
        .limit(JOBS_FOR_PACE)
    )
    with database.reading() as connection:
        return max((items / max(seconds, 1e-3) for items, seconds in connection.execute(last)), default=None)


def jobs_over(connection: Connection, run: int, first: int, stop: int) -> list[Row[*tuple[Any, ...]]]:
    """Return the rows of the jobs that overlap the positions `[first, stop)`, in order."""
    return list(connection.execute(JOBS_OVER, {"run": run, "start": first, "end": stop}).all())
