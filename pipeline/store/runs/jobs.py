"""The jobs of runs: ranges of positions, cut as layouts are ingested or as a survey grows; sums over them; and the
runs and audits that an installation can work on."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    tuple_,
    update,
)

from dealmill.pipeline.errors import DamagedError
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.games import games_of
from dealmill.pipeline.games.contract import GENERATOR
from dealmill.pipeline.games.installed import families
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import (
    DONE,
    IS_PENDING,
    PENDING,
    STORES_LAYOUTS,
    Control,
    audits,
    blocks,
    engines,
    jobs,
    runs,
    sources,
)
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.leases import Installed, JobTable, waiting
from dealmill.pipeline.store.runs.planned import lock_run

OVER = runs.join(sources).join(engines)
ACTIVE = runs.c.control == Control.ACTIVE
OF_JOB = runs.alias("of_job")


def workable_runs(installed: Installed) -> Select[tuple[int]]:
    """Select the active runs of installed engines that are not retracted. If their layouts are not stored, the
    installed generator of their deals must be the one recorded."""
    readable = STORES_LAYOUTS | _dealt_here(installed)
    not_retracted = engines.c.retracted_why.is_(None)
    return select(runs.c.id).select_from(OVER).where(_known(installed), readable, not_retracted, ACTIVE)


def unlisted_runs(installed: Installed) -> Select[int, str, str]:
    """Select the numbers, engines and versions of the runs whose layouts are not stored and whose blocks cannot be
    solved again with these engines and the installed generators."""
    again = and_(_known(installed), _dealt_here(installed))
    of_run = exists().where(blocks.c.run_id == runs.c.id)
    columns = select(runs.c.id, engines.c.name, engines.c.version).select_from(OVER)
    return columns.where(~STORES_LAYOUTS, of_run, ~again).order_by(runs.c.id)


def audits_of(installed: Installed) -> Select[tuple[int]]:
    """Select the audits that can be worked on, including those of retracted engines. If the layouts of the run are
    stored, an audit only needs the referee, which depends on the name of the engine, or on that of the engine as which
    imported verdicts are checked. Otherwise it needs the same version of the engine and the same generator."""
    rules_engine = func.coalesce(engines.c.checked_as, engines.c.name)
    has_referee = rules_engine.in_(sorted({name for name, _ in installed})) | sources.c.rules.is_not(None)
    workable = (STORES_LAYOUTS & has_referee) | (~STORES_LAYOUTS & _known(installed) & _dealt_here(installed))
    return select(audits.c.id).select_from(audits.join(OVER, audits.c.run_id == runs.c.id)).where(workable)


def _known(installed: Installed) -> ColumnElement[bool]:
    return tuple_(engines.c.name, engines.c.version).in_(sorted(installed))


def _dealt_here(installed: Installed) -> ColumnElement[bool]:
    """Return the condition that the deals of a source of these engines can be dealt here."""
    recorded = [
        sources.c.generator
        == literal(f"{GENERATOR} ").concat(sources.c.game).concat(f"/{family.deals.version}-").concat(sources.c.rules)
        for family in families().values()
    ]
    return or_(sources.c.generator.in_([game.generator for game in games_of(name for name, _ in installed)]), *recorded)


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


VERDICTS = tuple(verdict.word for verdict in Verdict)
TOTALS = (*VERDICTS, "unproved", "value_sum", "nodes")
"""The columns of a job with sums over its verdicts."""
ADDS_UP = and_(
    *(jobs.c[name].between(-MAX_ADDEND if name == "value_sum" else 0, MAX_ADDEND) for name in TOTALS),
    *(jobs.c[name] == cast(jobs.c[name], BigInteger) for name in ("unproved", "value_sum", "nodes")),
    sum((jobs.c[word] for word in VERDICTS), start=literal(0)) == case((jobs.c.state == DONE, sizes(jobs)), else_=0),
)
"""The condition that the totals of a job are whole numbers that can be added up, and that it has as many verdicts as
items if it is done, and none otherwise."""
SPREAD = ("least_value", "greatest_value", "value_counts", "least_nodes", "greatest_nodes", "node_counts")
"""The columns of a job with the distribution of its values and node counts; NULL until it is done."""
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

LAST = 20

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
    leases.cut(connection, SOLVING, run, [(first, min(first + chunk, end + 1)) for first in starts])


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
    """Return the speed of the fastest of the last `LAST` finished jobs, in items per second of one worker; None if no
    job is done."""
    last = (
        select(jobs.c.stop - jobs.c.first, jobs.c.finished - jobs.c.started)
        .where(jobs.c.run_id == run, jobs.c.state == DONE)
        .order_by(jobs.c.first.desc())
        .limit(LAST)
    )
    with database.reading() as connection:
        return max((items / max(seconds, 1e-3) for items, seconds in connection.execute(last)), default=None)


def jobs_over(connection: Connection, run: int, first: int, stop: int) -> list[Row[*tuple[Any, ...]]]:
    """Return the rows of the jobs that overlap the positions `[first, stop)`, in order."""
    return list(connection.execute(JOBS_OVER, {"run": run, "start": first, "end": stop}).all())


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
