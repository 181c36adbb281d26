"""Workers, as seen in the rows of jobs: those that hold a lease, or have claimed or finished a job in the last hour."""

import socket
from collections import defaultdict
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
    func,
    literal,
    or_,
    select,
    union_all,
)

from dealmill.pipeline.printable import printable
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, JOB_TABLES, LEASED, jobs
from dealmill.pipeline.store.runs.jobs import sizes

MINUTE, HOUR = 60.0, 3_600.0


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
    finished a job.
    """

    name: str
    version: str | None
    jobs: int
    items: int
    rate: float | None
    seen: float
    holds: list[Held]


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


def list_workers(database: Database) -> list[Worker]:
    """Return the workers that hold a lease, or have claimed or finished a job in the last hour, ordered by name."""
    with database.reading() as connection:
        now = connection.execute(select(clock())).scalar_one()
        every = union_all(*(_rows_of(noun, now - HOUR) for noun in JOB_TABLES)).cte()
        size = sizes(every)
        done = every.c.finished > now - HOUR
        recent = every.c.finished > now - MINUTE
        counted = connection.execute(
            select(
                every.c.worker,
                func.sum(case((done, 1), else_=0)).label("jobs"),
                func.sum(case((done, size), else_=0)).label("items"),
                func.sum(case((recent, size), else_=0)).label("recent"),
                func.min(case((recent, every.c.started))).label("since"),
                func.max(func.coalesce(every.c.finished, every.c.started)).label("seen"),
            )
            .group_by(every.c.worker)
            .order_by(every.c.worker)
        ).all()
        held = defaultdict(list)
        for row in connection.execute(select(every).where(every.c.state == LEASED).order_by(every.c.started)):
            seconds, late = max(now - row.started, 0.0), row.leased_until < now
            held[row.worker].append(Held(row.kind, row.parent, row.first, row.stop - 1, seconds, late))
    return [
        Worker(
            name=row.worker.partition(" ")[0],
            version=row.worker.partition(" ")[2] or None,
            jobs=int(row.jobs),
            items=int(row.items),
            rate=None if row.since is None else int(row.recent) / max(now - row.since, 1e-3),
            seen=max(now - row.seen, 0.0),
            holds=held[row.worker],
        )
        for row in counted
    ]


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
