"""Workers: those that report to the store, and those that hold a lease or have claimed or finished a job in the last
hour."""

import json
import socket
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from sqlalchemy import (
    BigInteger,
    Float,
    Select,
    Text,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    union_all,
)

from dealmill.pipeline.printable import printable
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, JOB_TABLES, LEASED, engines, jobs, runs, workers
from dealmill.pipeline.store.runs.job_totals import sizes

MINUTE, HOUR = 60.0, 3_600.0
REPORT_SECONDS = 10.0
"""The time between two reports of a worker."""
REPORTED = 3 * REPORT_SECONDS
"""How long a report counts, in seconds: a worker that has not reported since is gone or cut off."""


@dataclass(frozen=True, slots=True)
class Held:
    """A job leased to a worker: items `first` to `last` of a run or an audit, claimed `seconds` ago.

    `kind` is ``run`` or ``audit``, and `id` its number. The job is `late` if its lease has expired, so that another
    worker can claim it soon.
    """

    kind: str
    id: int
    first: int
    last: int
    seconds: float
    late: bool

    @property
    def what(self) -> str:
        """The run or audit in words: ``run 7``."""
        return f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process.

    `name` is ``host:pid`` and `version` that of its Dealmill. `jobs` and `items` count what it finished in the last
    hour; `rate` is in items per second over the last minute. `seen` is the number of seconds since it last claimed or
    finished a job; None if it has not in the last hour. `reported` is the number of seconds since it last reported;
    None if it has not for half a minute. `lacks` has the name and version of each engine on record that it cannot use.
    """

    name: str
    version: str | None
    jobs: int
    items: int
    rate: float | None
    seen: float | None
    holds: list[Held]
    reported: float | None
    lacks: list[tuple[str, str]]


@cache
def worker_name(process: int) -> str:
    """Return the name that a worker process puts on the jobs it claims: ``host:pid version``."""
    return f"{socket.gethostname()}:{process} {version('dealmill')}"


def local_process(worker: str) -> int | None:
    """Return the process number of a worker of this machine, or None if it runs on another or its name is damaged."""
    host, _, process = worker.partition(" ")[0].rpartition(":")
    local = host == socket.gethostname() and process.isascii() and process.isdecimal() and len(process) < 10
    return int(process) if local else None


def machines_of(database: Database, run: int) -> list[str]:
    """Return the names of the machines whose workers did the finished jobs of a run, in alphabetical order."""
    done = (jobs.c.run_id == run, jobs.c.state == DONE, jobs.c.worker.is_not(None))
    with database.reading() as connection:
        workers = connection.execute(select(cast(jobs.c.worker, Text)).distinct().where(*done)).scalars()
        return sorted({printable(worker.partition(" ")[0].rpartition(":")[0]) for worker in workers} - {""})


def report(database: Database, names: Sequence[str], parent: str, lacks: Collection[tuple[str, str]]) -> None:
    """Report the children of a parent of worker processes, in place of its earlier report. `lacks` has the names and
    versions of engines that they cannot use. Reports that are a day old are deleted."""
    rows = [{"name": name, "parent": parent, "lacks": json.dumps(sorted(lacks))} for name in names]
    with database.writing() as connection:
        connection.execute(delete(workers).where(workers.c.parent == parent))
        connection.execute(insert(workers).values(seen=clock()), rows)
        connection.execute(delete(workers).where(workers.c.seen < clock() - 24 * HOUR))


def end_reports(database: Database, parent: str) -> None:
    """Delete the report of a parent of worker processes, which have ended."""
    with database.writing() as connection:
        connection.execute(delete(workers).where(workers.c.parent == parent))


def list_workers(database: Database) -> list[Worker]:
    """Return the workers that report, hold a lease, or have claimed or finished a job in the last hour, ordered by
    name."""
    with database.reading() as connection:
        now = connection.execute(select(clock())).scalar_one()
        every = union_all(*(_rows_of(noun, now - HOUR) for noun in JOB_TABLES)).cte()
        size = sizes(every)
        done = every.c.finished > now - HOUR
        recent = every.c.finished > now - MINUTE
        rows = connection.execute(
            select(
                every.c.worker,
                func.sum(case((done, 1), else_=0)).label("jobs"),
                func.sum(case((done, size), else_=0)).label("items"),
                func.sum(case((recent, size), else_=0)).label("recent"),
                func.min(case((recent, every.c.started))).label("since"),
                func.max(func.coalesce(every.c.finished, every.c.started)).label("seen"),
            ).group_by(every.c.worker)
        ).all()
        held = defaultdict(list)
        for row in connection.execute(select(every).where(every.c.state == LEASED).order_by(every.c.started)):
            seconds, late = max(now - row.started, 0.0), row.leased_until < now
            held[row.worker].append(Held(row.kind, row.parent, row.first, row.stop - 1, seconds, late))
        reports = connection.execute(select(workers).where(workers.c.seen.between(now - REPORTED, now + MINUTE))).all()
    at_work = {row.worker: row for row in rows}
    reported = {row.name: row for row in reports}
    listed = []
    for worker in sorted({*at_work, *reported}):
        job, reporting = at_work.get(worker), reported.get(worker)
        name, _, number = worker.partition(" ")
        listed.append(
            Worker(
                name=name,
                version=number or None,
                jobs=int(job.jobs) if job else 0,
                items=int(job.items) if job else 0,
                rate=int(job.recent) / max(now - job.since, 1e-3) if job and job.since is not None else None,
                seen=max(now - job.seen, 0.0) if job else None,
                holds=held[worker],
                reported=max(now - reporting.seen, 0.0) if reporting else None,
                lacks=[(engine, lacking) for engine, lacking in json.loads(reporting.lacks)] if reporting else [],
            )
        )
    return listed


def releases_with(database: Database, engine: str, number: str) -> list[str]:
    """Return the versions of Dealmill whose workers have done jobs with a version of an engine, in order."""
    done = (engines.c.name == engine, engines.c.version == number, jobs.c.state == DONE, jobs.c.worker.is_not(None))
    query = select(cast(jobs.c.worker, Text)).distinct().select_from(jobs.join(runs).join(engines)).where(*done)
    with database.reading() as connection:
        names = connection.execute(query).scalars().all()
    return sorted({printable(name.partition(" ")[2]) for name in names} - {""})


def _rows_of(noun: str, since: float) -> Select[tuple[object, ...]]:
    """Select the jobs of a table that a worker holds, or has claimed or finished `since` some time. Damaged values are
    cast instead of reported, because the result is only a snapshot for display."""
    table = JOB_TABLES[noun]
    seen = func.coalesce(table.c.finished, table.c.started) > since
    return select(
        literal(noun).label("kind"),
        table.c[f"{noun}_id"].label("parent"),
        cast(table.c.worker, Text).label("worker"),
        table.c.state,
        *(cast(table.c[name], BigInteger).label(name) for name in ("first", "stop")),
        *(cast(table.c[name], Float).label(name) for name in ("started", "finished", "leased_until")),
    ).where(table.c.worker.is_not(None), or_(table.c.state == LEASED, seen))
