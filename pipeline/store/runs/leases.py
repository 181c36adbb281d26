"""Leases: a job of any kind is claimed by one worker at a time, finished once, and freed when its worker dies.

Fencing: every claim increments `attempt`, and results are written only in the transaction that marks the job done for
the attempt that claimed it. A worker that resumes after its lease has expired finds another attempt, or no such job,
and writes nothing. So each item gets exactly one result, even if processes are killed or messages are lost or repeated.

The parent of the workers renews the leases of jobs that are being done (`dealmill.workers.renewal`), however long they
take. So a lease expires only if its worker is silent: it was killed or stopped, or is cut off from the database.

A job whose worker dies or is silent is split in two, and both halves are tried again. So a layout that kills its worker
ends up in a job of its own. A job that its worker releases unfinished is tried again after a pause, which grows with
every attempt.

Leases use the clock of the database. If it is set forward, leases expire early, and the fence rejects late results. If
it is set back, a lease or a pause that started in what is now the future ends at once.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Float,
    FromClause,
    Integer,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from dealmill.pipeline.evidence.digests import BLOCK, block_of, block_range
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, JOB_TABLES, LEASED, PENDING, audits, engines, runs

PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds before a released job is tried again, after its first attempt, its second, and so on."""
SLEW = 1.0
"""Seconds that the clock of the database may be set back before leases that start in the future are ended."""
SILENT = "its worker was silent for longer than its lease"
KNOWN_TO_BE_GONE = 0.0
"""The `leased_until` of a lease whose worker is known to be dead; `jobs.trouble` says why."""

ATTEMPTS = 5
"""The number of attempts after which an error is considered permanent, and the layouts of the job are recorded as
failed."""
LEAST_ITEMS = 10
"""The fewest items of the jobs into which the rest of a slow one is cut."""
MAX_CLAIMS = ATTEMPTS + 3
"""The number of attempts after which a job is stuck: not even the failure could be recorded, so commands stop waiting
for it."""

Installed = Collection[tuple[str, str]]
"""The installed engines: full name and version of each."""


@dataclass(frozen=True, eq=False)
class JobTable:
    """A table of jobs of one kind.

    `noun` says what the parent of a job is: a ``run`` or an ``audit``. `workable_parents` selects those that can be
    worked on with the installed engines. `not_halted` is the condition that users have not stopped the parent of a job,
    and `cancelled` that they have cancelled it. `run` is the column of the run that a job is about, in `with_parents`,
    the table joined with others. `totals` are the columns that a finished job fills.
    """

    noun: str
    with_parents: FromClause
    run: Column[int]
    totals: tuple[str, ...]
    workable_parents: Callable[[Installed], Select[tuple[int]]]
    not_halted: ColumnElement[bool]
    cancelled: ColumnElement[bool]

    @property
    def table(self) -> Table:
        """The table."""
        return JOB_TABLES[self.noun]

    @property
    def parent(self) -> Column[int]:
        """The column with the id of the parent of a job."""
        return self.table.c[f"{self.noun}_id"]


@dataclass(frozen=True, slots=True)
class Lease:
    """A claimed job with the range `[first, stop)`. `error` says why its previous attempt ended, if there was one.
    If that is because the engine did not start, it is `unstarted`: the attempt says nothing about the layouts, and does
    not count."""

    id: int
    parent: int
    first: int
    stop: int
    attempt: int
    error: str | None
    unstarted: bool


def insert_jobs(connection: Connection, jobs: JobTable, parent: int, spans: list[tuple[int, int]]) -> None:
    """Insert a pending job for each of the half-open ranges `spans`."""
    insert_rows(
        connection,
        jobs.table,
        (jobs.parent.name, "first", "stop", "state", "attempt", *jobs.totals),
        [(parent, first, stop, PENDING, 0, *(0 for _ in jobs.totals)) for first, stop in spans],
    )


def claim(connection: Connection, jobs: JobTable, job_id: int, worker: str, seconds: float) -> Lease | None:
    """Claim a job for `seconds`; return None if it is not pending, has to wait for the end of a pause, or users have
    stopped its parent."""
    claimed = connection.execute(
        _claiming(jobs), {"job_id": job_id, "claimant": worker, "seconds": seconds}
    ).one_or_none()
    return None if claimed is None else Lease(*claimed)


def _columns(jobs: JobTable) -> tuple[Column[Any], ...]:
    """Return the columns of a `Lease`."""
    table = jobs.table
    return table.c.id, jobs.parent, table.c.first, table.c.stop, table.c.attempt, table.c.trouble, table.c.unstarted


@cache
def _claiming(jobs: JobTable) -> ReturningUpdate[*tuple[Any, ...]]:
    table = jobs.table
    return (
        update(table)
        .where(table.c.id == bindparam("job_id"), waiting(jobs), jobs.not_halted)
        .values(
            state=LEASED,
            attempt=table.c.attempt + 1,
            worker=bindparam("claimant"),
            started=clock(),
            leased_until=clock() + bindparam("seconds"),
        )
        .returning(*_columns(jobs))
    )


def finish(
    connection: Connection, jobs: JobTable, lease: Lease, totals: Mapping[str, object], stop: int | None = None
) -> bool:
    """Mark a job done, in the transaction that writes its results. Return False if another attempt holds the job.

    If only the items before `stop` were done, the job ends there, and the rest is cut into pending jobs (`pieces`).
    """
    end = lease.stop if stop is None else stop
    mine = connection.execute(_finishing(jobs), {**_of(lease), "end": end, **totals})
    if mine.rowcount != 1:
        return False
    if end < lease.stop:
        insert_jobs(connection, jobs, lease.parent, list(pieces(end, lease.stop, end - lease.first)))
    return True


def pieces(first: int, stop: int, length: int) -> Iterator[tuple[int, int]]:
    """Cut the rest `[first, stop)` of a job into ranges of `length` items, as many as were done in time, or of
    `LEAST_ITEMS` if these were fewer: a single hard layout says little about the next ones.

    If these are shorter than a block, only the rest of the block is cut, so that slow runs do not have a row for every
    few items, and blocks are completed one after the other; what is left will be cut when it is done.
    """
    length = max(length, LEAST_ITEMS)
    end = stop if length >= BLOCK else min(stop, block_range(block_of(first), stop)[1])
    for start in range(first, end, length):
        yield start, min(start + length, end)
    if end < stop:
        yield end, stop


def halves(first: int, stop: int) -> list[tuple[int, int]]:
    """Split a range in two, at the end of a block if it is longer than one."""
    grain = BLOCK if stop - first > BLOCK else 1
    middle = first + max((stop - first) // (2 * grain), 1) * grain
    return [(first, middle), (middle, stop)]


@cache
def _finishing(jobs: JobTable) -> Update:
    end = {"state": DONE, "stop": bindparam("end"), "finished": clock(), "leased_until": None}
    return update(jobs.table).where(_held(jobs)).values(**end, trouble=None, unstarted=False)


def release(
    database: Database, jobs: JobTable, lease: Lease, error: str, *, unstarted: bool = False, hopeless: bool = False
) -> None:
    """Release an unfinished job, to be tried again after a pause; if that is `hopeless`, the job is stuck at once.
    `unstarted` says that its engine did not start."""
    pause = PAUSES[min(lease.attempt, len(PAUSES)) - 1]
    freed = {"state": PENDING, "leased_until": clock() + pause, "trouble": error, "unstarted": unstarted}
    if hopeless:
        freed["attempt"] = max(lease.attempt, MAX_CLAIMS + 1)
    with database.writing() as connection:
        connection.execute(update(jobs.table).where(_held(jobs)).values(freed), _of(lease))


def refuse(database: Database, jobs: JobTable, job_id: int, error: str) -> None:
    """Leave a pending job to others for a moment, because this worker cannot load what it needs. This is no attempt: it
    says nothing about the items."""
    table = jobs.table
    with database.writing() as connection:
        connection.execute(
            update(table)
            .where(table.c.id == job_id, waiting(jobs))
            .values(leased_until=clock() + PAUSES[0], trouble=f"not begun: {error}", unstarted=True)
        )


def unstarted_runs(database: Database, jobs: JobTable) -> set[int]:
    """Return the runs with pending jobs whose engine did not start."""
    unstarted = (jobs.table.c.state == PENDING) & jobs.table.c.unstarted
    query = select(jobs.run).distinct().select_from(jobs.with_parents).where(unstarted)
    with database.reading() as connection:
        return set(connection.execute(query).scalars())


@dataclass(frozen=True, slots=True)
class JobInHand:
    """The job that a worker does: its id and attempt, and the name of the worker."""

    job_id: int
    attempt: int
    worker: str


def renew(database: Database, jobs: JobTable, in_hand: Collection[JobInHand], seconds: float) -> list[JobInHand]:
    """Renew the leases of these jobs for `seconds`, where less than two thirds of that are left. Return the jobs whose
    parent was cancelled; their leases are not renewed."""
    cancelled, due = list[JobInHand](), list[JobInHand]()
    with database.reading() as connection:
        rows = connection.execute(_leases(jobs), {"job_ids": [job.job_id for job in in_hand]}).all()
    for *lease, left, is_cancelled in rows:
        if (job := JobInHand(*lease)) in in_hand:
            if is_cancelled:
                cancelled.append(job)
            elif left < seconds * 2 / 3:
                due.append(job)
    if due:
        with database.writing() as connection:
            for job in due:
                parameters = {"job_id": job.job_id, "claim": job.attempt, "claimant": job.worker, "seconds": seconds}
                connection.execute(_renewing(jobs), parameters)
    return cancelled


@cache
def _leases(jobs: JobTable) -> Select[*tuple[Any, ...]]:
    table = jobs.table
    left = table.c.leased_until - clock()
    query: Select[*tuple[Any, ...]] = select(table.c.id, table.c.attempt, table.c.worker, left, jobs.cancelled)
    return query.where(table.c.id.in_(bindparam("job_ids", expanding=True)), table.c.state == LEASED)


@cache
def _renewing(jobs: JobTable) -> Update:
    table = jobs.table
    return (
        update(table)
        .where(
            table.c.id == bindparam("job_id"),
            table.c.attempt == bindparam("claim"),
            table.c.worker == bindparam("claimant"),
            table.c.state == LEASED,
        )
        .values(leased_until=clock() + bindparam("seconds"))
    )


def expire(database: Database, jobs: JobTable, worker: str, error: str) -> list[Lease]:
    """End the leases of a worker that has died, and return them."""
    ended = _leased_to(jobs, worker).values(leased_until=KNOWN_TO_BE_GONE, trouble=error, unstarted=False)
    with database.writing() as connection:
        return [Lease(*row) for row in connection.execute(ended.returning(*_columns(jobs)))]


def give_back(database: Database, jobs: JobTable, worker: str) -> None:
    """Make the jobs of a worker pending that was killed on purpose. This was no attempt: it says nothing about the
    items."""
    attempt = jobs.table.c.attempt - 1  # the next claim may have the same number: a dead worker needs no fence
    with database.writing() as connection:
        connection.execute(_leased_to(jobs, worker).values(state=PENDING, attempt=attempt, leased_until=None))


def _leased_to(jobs: JobTable, worker: str) -> Update:
    return update(jobs.table).where(jobs.table.c.worker == worker, jobs.table.c.state == LEASED)


def leased(database: Database, jobs: JobTable) -> set[str]:
    """Return the names of the workers that hold leases."""
    query = select(jobs.table.c.worker).where(jobs.table.c.state == LEASED)
    with database.reading() as connection:
        return set(map(str, connection.execute(query).scalars()))


def free_expired(database: Database, jobs: JobTable) -> None:
    """Make jobs with expired leases pending again. Split each in two, unless it is of one item."""
    table, expired = jobs.table, _expired(jobs)
    with database.reading() as connection:
        if not connection.execute(select(exists().where(expired))).scalar_one():
            return
    with database.writing() as connection:
        # A locked row is being finished by a worker that is late or hangs.
        free = (
            select(table.c.id, jobs.parent, table.c.first, table.c.stop)
            .where(expired)
            .with_for_update(of=table, skip_locked=True)
        )
        rows = connection.execute(free).all()
        long = [row for row in rows if row.stop - row.first > 1]
        connection.execute(delete(table).where(table.c.id.in_([row.id for row in long])))
        for _, parent, first, stop in long:
            insert_jobs(connection, jobs, parent, halves(first, stop))
        error = func.coalesce(case((table.c.leased_until == KNOWN_TO_BE_GONE, table.c.trouble)), SILENT)
        connection.execute(
            update(table)
            .where(table.c.id.in_([row.id for row in rows]), expired)
            .values(state=PENDING, leased_until=None, trouble=error, unstarted=False)
        )


@cache
def _expired(jobs: JobTable) -> ColumnElement[bool]:
    over = or_(jobs.table.c.leased_until <= clock(), jobs.table.c.started > clock() + SLEW)
    return and_(jobs.table.c.state == LEASED, over)


def pending(
    database: Database, jobs: JobTable, installed: Installed, limit: int, parents: Collection[int] | None = None
) -> list[int]:
    """Return the ids of at most `limit` pending jobs that can be worked on with these engines, oldest first: of all
    runs or audits, or of some."""
    query, parameters = _pending(jobs, frozenset(installed)), {"limit": limit}
    with database.reading() as connection:
        if parents is None:
            return list(connection.execute(query, parameters).scalars())
        return list(connection.execute(query.where(jobs.parent.in_(parents)), parameters).scalars())


@cache
def _pending(jobs: JobTable, installed: Installed) -> Select[int]:
    job_id = jobs.table.c.id
    workable = select(job_id).where(waiting(jobs), jobs.parent.in_(jobs.workable_parents(installed)))
    return workable.order_by(job_id).limit(bindparam("limit", type_=Integer))


def longest_wait(database: Database, jobs: JobTable, installed: Installed) -> float | None:
    """Return how many seconds ago the oldest run or audit was planned that has a job to claim with these engines; None
    if there is no such job."""
    parents = {"run": runs, "audit": audits}[jobs.noun]
    has_job = exists().where(jobs.parent == parents.c.id, waiting(jobs))
    oldest = select(clock() - func.min(parents.c.created)).where(
        has_job, parents.c.id.in_(jobs.workable_parents(installed))
    )
    with database.reading() as connection:
        return connection.execute(oldest).scalar()


def has_leased(database: Database, jobs: JobTable, parent: int) -> bool:
    """Return whether a worker has claimed a job of a parent."""
    claimed = exists().where(jobs.parent == parent, jobs.table.c.state == LEASED)
    with database.reading() as connection:
        return connection.execute(select(claimed)).scalar_one()


def stuck(database: Database, jobs: JobTable, parents: Collection[int] | Select[tuple[int]]) -> list[Lease]:
    """Return the pending jobs of these parents that have been claimed more than `MAX_CLAIMS` times."""
    table = jobs.table
    exhausted = (table.c.state == PENDING) & (table.c.attempt > MAX_CLAIMS)
    query = select(*_columns(jobs)).where(exhausted, jobs.parent.in_(parents)).order_by(table.c.id)
    with database.reading() as connection:
        return [Lease(*row) for row in connection.execute(query)]


def workable(connection: Connection, jobs: JobTable, job_id: int, installed: Installed) -> bool:
    """Return whether a job can be worked on with these engines."""
    return connection.execute(_whether_workable(jobs, frozenset(installed)), {"job_id": job_id}).scalar_one()


@cache
def _whether_workable(jobs: JobTable, installed: Installed) -> Select[bool]:
    return select(
        exists().where(jobs.table.c.id == bindparam("job_id"), jobs.parent.in_(jobs.workable_parents(installed)))
    )


def unfinished(database: Database, jobs: JobTable, installed: Installed) -> int:
    """Return the number of pending and leased jobs that can be worked on with these engines, except stuck ones."""
    query = select(func.count()).select_from(jobs.table).where(_unfinished(jobs, installed))
    with database.reading() as connection:
        return connection.execute(query).scalar_one()


def unfinished_runs(database: Database, jobs: JobTable, installed: Installed) -> set[int]:
    """Return the runs that the jobs are about which `unfinished` counts."""
    query = select(jobs.run).distinct().select_from(jobs.with_parents).where(_unfinished(jobs, installed))
    with database.reading() as connection:
        return set(connection.execute(query).scalars())


def _unfinished(jobs: JobTable, installed: Installed) -> ColumnElement[bool]:
    state = jobs.table.c.state
    open_ones = (state == LEASED) | ((state == PENDING) & (jobs.table.c.attempt <= MAX_CLAIMS))
    return and_(state.in_((PENDING, LEASED)), open_ones, jobs.parent.in_(jobs.workable_parents(installed)))


@dataclass(frozen=True, slots=True)
class UnworkableJobs:
    """The number of pending jobs of an engine that cannot be worked on, and whether the engine was retracted."""

    engine: str
    version: str
    retracted: bool
    count: int


def unworkable(database: Database, jobs: JobTable, installed: Installed) -> list[UnworkableJobs]:
    """Return the pending jobs that cannot be worked on with these engines, grouped by engine. Those that users have
    stopped are not among them."""
    retracted = engines.c.retracted_why.is_not(None)
    query = (
        select(engines.c.name, engines.c.version, retracted, func.count())
        .select_from(
            jobs.with_parents.join(runs, runs.c.id == jobs.run).join(engines, engines.c.id == runs.c.engine_id)
        )
        .where(jobs.table.c.state == PENDING, jobs.not_halted, jobs.parent.not_in(jobs.workable_parents(installed)))
        .group_by(engines.c.name, engines.c.version, retracted)
        .order_by(engines.c.name, engines.c.version)
    )
    with database.reading() as connection:
        rows = connection.execute(query).all()
    return [UnworkableJobs(engine, version, bool(gone), count) for engine, version, gone, count in rows]


def waiting(jobs: JobTable) -> ColumnElement[bool]:
    """Return the condition that a job can be claimed. During a pause, `leased_until` is the end of the pause."""
    until = jobs.table.c.leased_until
    farthest = bindparam("farthest", callable_=lambda: PAUSES[-1] + SLEW, type_=Float)  # read at each execution
    over = or_(until.is_(None), until <= clock(), until > clock() + farthest)
    return and_(jobs.table.c.state == PENDING, over)


def _held(jobs: JobTable) -> ColumnElement[bool]:
    """Return the condition that a job is still held by an attempt, whose parameters are those `_of` its lease. The
    range is compared as well, because SQLite reuses the numbers of deleted rows."""
    table = jobs.table
    return and_(
        table.c.id == bindparam("lease_id"),
        jobs.parent == bindparam("lease_parent"),
        table.c.first == bindparam("lease_first"),
        table.c.stop == bindparam("lease_stop"),
        table.c.state == LEASED,
        table.c.attempt == bindparam("lease_attempt"),
    )


def _of(lease: Lease) -> dict[str, int]:
    """Return the parameters of `_held`."""
    return {f"lease_{name}": getattr(lease, name) for name in ("id", "parent", "first", "stop", "attempt")}
