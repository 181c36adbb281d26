"""Leases: a job of any kind is claimed by one worker at a time, finished once, and freed when its worker is gone.

The fence: every claim counts `attempt` up, and results are written only in the transaction that marks the job done for
the very attempt that claimed it. A worker that wakes up after its lease has run out finds another attempt, or no such
job, and writes nothing. So whatever is killed, sent twice or lost, each item gets exactly one result.

A job whose worker is gone is split, and its halves are tried anew: so a layout that kills its worker ends up alone, and
a job that takes longer than a lease becomes shorter ones. A job that its worker gives back undone is tried again after
a pause, which grows with every try.

Leases go by the clock of the database. If that is set forward, they end early, and the fence keeps what comes late out.
If it is set back, a lease that began in what is now the future ends at once, and so does such a pause.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    and_,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.tables import DONE, LEASED, PENDING, engines, runs

PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds before a job that was given back undone is tried again, after its first try, its second, and so on."""
SLEW = 1.0
"""Seconds that the clock of the database may be set back before its leases are those of another time."""
NO_RETURN = "its worker did not come back within the lease"
KNOWN_TO_BE_GONE = 0.0
"""When a lease ended whose worker is known to be gone; what ended that is on record."""

ATTEMPTS = 5
"""After so many claims, whatever keeps a job from being done is not passing: its layouts have failed."""
MOST_CLAIMS = ATTEMPTS + 3
"""After so many, not even that can be recorded, and nobody need wait for the job."""

Installed = Collection[tuple[str, str]]
"""Full name and version of the engines that are installed here."""


@dataclass(frozen=True, eq=False)
class JobTable:
    """A table of jobs: the column of what a job is a part of, its totals, and the owners that can be worked on. `run`
    is the run that a job is about, in the table `joined` with others. Jobs are split into whole multiples of `grain`
    items."""

    table: Table
    owner: Column[int]
    joined: FromClause
    run: Column[int]
    totals: tuple[str, ...]
    owners: Callable[[Installed], Select[tuple[int]]]
    grain: ColumnElement[int]


@dataclass(frozen=True, slots=True)
class Lease:
    """A claimed job. `trouble` says what ended its last attempt, if there was one."""

    id: int
    owner: int
    first: int
    stop: int
    attempt: int
    trouble: str | None


def cut(connection: Connection, jobs: JobTable, owner: int, spans: list[tuple[int, int]]) -> None:
    """Make pending jobs of these spans (first item, and the one behind the last)."""
    insert_rows(
        connection,
        jobs.table,
        (jobs.owner.name, "first", "stop", "state", "attempt", *jobs.totals),
        [(owner, first, stop, PENDING, 0, *(0 for _ in jobs.totals)) for first, stop in spans],
    )


def claim(connection: Connection, jobs: JobTable, job: int, worker: str, seconds: float) -> Lease | None:
    """Take a job for so many seconds; None if it is not pending, or has to wait."""
    table = jobs.table
    claimed = connection.execute(
        update(table)
        .where(table.c.id == job, _waiting(jobs))
        .values(
            state=LEASED,
            attempt=table.c.attempt + 1,
            worker=worker,
            started=clock(),
            leased_until=clock() + seconds,
        )
        .returning(table.c.id, jobs.owner, table.c.first, table.c.stop, table.c.attempt, table.c.trouble)
    ).one_or_none()
    return None if claimed is None else Lease(*claimed)


def finish(connection: Connection, jobs: JobTable, lease: Lease, totals: Mapping[str, int]) -> bool:
    """Mark a job done in the transaction that writes its results; False if it is no longer this attempt's."""
    mine = connection.execute(
        update(jobs.table)
        .where(_held(jobs, lease))
        .values(state=DONE, finished=clock(), leased_until=None, trouble=None, **totals)
    )
    return mine.rowcount == 1


def release(store: Database, jobs: JobTable, lease: Lease, trouble: str) -> None:
    """Give a job back undone, to be tried again after a pause."""
    pause = PAUSES[min(lease.attempt, len(PAUSES)) - 1]
    with store.writing() as connection:
        connection.execute(
            update(jobs.table)
            .where(_held(jobs, lease))
            .values(state=PENDING, leased_until=clock() + pause, trouble=trouble)
        )


def expire(store: Database, jobs: JobTable, job: int, worker: str, trouble: str) -> None:
    """End the lease of a worker that is known to be gone."""
    table = jobs.table
    with store.writing() as connection:
        connection.execute(
            update(table)
            .where(table.c.id == job, table.c.worker == worker, table.c.state == LEASED)
            .values(leased_until=KNOWN_TO_BE_GONE, trouble=trouble)
        )


def leased(store: Database, jobs: JobTable) -> list[tuple[str, Lease]]:
    """Return the leased jobs, each with the name of its worker."""
    table = jobs.table
    columns = (table.c.id, jobs.owner, table.c.first, table.c.stop, table.c.attempt, table.c.trouble)
    query = select(table.c.worker, *columns).where(table.c.state == LEASED).order_by(table.c.id)
    with store.reading() as connection:
        return [(str(worker), Lease(*row)) for worker, *row in connection.execute(query)]


def free_expired(store: Database, jobs: JobTable) -> None:
    """Make jobs pending again whose lease has run out: in two halves, as long as they can be halved."""
    table = jobs.table
    over = or_(table.c.leased_until < clock(), table.c.started > clock() + SLEW)
    expired = and_(table.c.state == LEASED, over)
    with store.reading() as connection:
        if not connection.execute(select(exists().where(expired))).scalar_one():
            return
    with store.writing() as connection:
        # One that is held by a transaction is being finished: by a worker that is late, or that stands still.
        free = (
            select(table.c.id, jobs.owner, table.c.first, table.c.stop, jobs.grain.label("grain"))
            .where(expired)
            .with_for_update(of=table, skip_locked=True)
        )
        found = connection.execute(free).all()
        long = [row for row in found if row.stop - row.first > row.grain]
        connection.execute(delete(table).where(table.c.id.in_([row.id for row in long])))
        for _, owner, first, stop, grain in long:
            middle = first + max((stop - first) // (2 * grain), 1) * grain
            cut(connection, jobs, owner, [(first, middle), (middle, stop)])
        told = func.coalesce(case((table.c.leased_until == KNOWN_TO_BE_GONE, table.c.trouble)), NO_RETURN)
        connection.execute(
            update(table)
            .where(table.c.id.in_([row.id for row in found]), expired)
            .values(state=PENDING, leased_until=None, trouble=told)
        )


def pending(store: Database, jobs: JobTable, installed: Installed, most: int) -> list[int]:
    """The first pending jobs that can be worked on with these engines, oldest first."""
    table = jobs.table
    query = (
        select(table.c.id)
        .where(_waiting(jobs), jobs.owner.in_(jobs.owners(installed)))
        .order_by(table.c.id)
        .limit(most)
    )
    with store.reading() as connection:
        return list(connection.execute(query).scalars())


def stuck(store: Database, jobs: JobTable, owners: Collection[int] | Select[tuple[int]]) -> list[Lease]:
    """The pending jobs of these owners that have been claimed so often in vain that nobody need wait for them."""
    table = jobs.table
    columns = (table.c.id, jobs.owner, table.c.first, table.c.stop, table.c.attempt, table.c.trouble)
    query = select(*columns).where(table.c.state == PENDING, table.c.attempt > MOST_CLAIMS, jobs.owner.in_(owners))
    with store.reading() as connection:
        return [Lease(*row) for row in connection.execute(query.order_by(table.c.id))]


def workable(store: Database, jobs: JobTable, job: int, installed: Installed) -> bool:
    """Whether a job can be worked on with these engines."""
    query = select(exists().where(jobs.table.c.id == job, jobs.owner.in_(jobs.owners(installed))))
    with store.reading() as connection:
        return connection.execute(query).scalar_one()


def unfinished(store: Database, jobs: JobTable, installed: Installed) -> int:
    """How many jobs that can be worked on with these engines are pending or leased, but for those that are stuck."""
    state, table = jobs.table.c.state, jobs.table
    open_ones = (state == LEASED) | ((state == PENDING) & (table.c.attempt <= MOST_CLAIMS))
    query = (
        select(func.count())
        .select_from(table)
        .where(state.in_((PENDING, LEASED)), open_ones, jobs.owner.in_(jobs.owners(installed)))
    )
    with store.reading() as connection:
        return connection.execute(query).scalar_one()


def unworkable(store: Database, jobs: JobTable, installed: Installed) -> list[tuple[str, str, bool, int]]:
    """The pending jobs that cannot be worked on with these engines: full name and version of their engine, whether that
    was retracted, and how many."""
    retracted = engines.c.retracted.is_not(None)
    query = (
        select(engines.c.name, engines.c.version, retracted, func.count())
        .select_from(jobs.joined.join(runs, runs.c.id == jobs.run).join(engines, engines.c.id == runs.c.engine_id))
        .where(jobs.table.c.state == PENDING, jobs.owner.not_in(jobs.owners(installed)))
        .group_by(engines.c.name, engines.c.version, retracted)
        .order_by(engines.c.name, engines.c.version)
    )
    with store.reading() as connection:
        return [(name, version, bool(gone), count) for name, version, gone, count in connection.execute(query)]


def _waiting(jobs: JobTable) -> ColumnElement[bool]:
    """Whether a job can be claimed. While it has to pause, it is leased to nobody."""
    until = jobs.table.c.leased_until
    over = or_(until.is_(None), until < clock(), until > clock() + PAUSES[-1] + SLEW)
    return and_(jobs.table.c.state == PENDING, over)


def _held(jobs: JobTable, lease: Lease) -> ColumnElement[bool]:
    """Whether a job is still this attempt's. The range belongs to it: SQLite gives numbers of deleted rows again."""
    table = jobs.table
    return and_(
        table.c.id == lease.id,
        jobs.owner == lease.owner,
        table.c.first == lease.first,
        table.c.stop == lease.stop,
        table.c.state == LEASED,
        table.c.attempt == lease.attempt,
    )
