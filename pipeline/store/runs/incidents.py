"""Incidents: outages of the database and the broker, deaths of workers, and retries of jobs. They are kept for a month,
for those who want to know in the morning what happened at night. They are not part of the record."""

import socket
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, insert, select, update

from dealmill.pipeline.printable import printable
from dealmill.pipeline.store.database.connections import Database, instant
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import incidents

OUTAGE, DEATH, RETRY = "outage", "death", "retry"
HOUR, MONTH = 3_600.0, 30 * 86_400.0
"""How long the same incident on a machine is counted instead of recorded again, and how long incidents are kept."""
LONGEST = 1_000
"""The most characters of an incident."""


@dataclass(frozen=True, slots=True)
class Incident:
    """What happened on a machine, and how often: the first time and the last time. `kind` is ``outage``, ``death`` or
    ``retry``. An outage that is over happened once, and its last time is its end."""

    machine: str
    kind: str
    what: str
    first: datetime
    last: datetime
    count: int


def record_incident(database: Database, kind: str, what: str, *, seconds: float = 0.0) -> None:
    """Record an incident on this machine that began some `seconds` ago and is over. If the same one was recorded within
    the last hour, count it there. Incidents of more than a month ago are deleted."""
    same = (incidents.c.machine == bindparam("where"), incidents.c.kind == kind, incidents.c.what == bindparam("text"))
    text = printable(what)[:LONGEST]
    with database.writing() as connection:
        counted = connection.execute(
            update(incidents)
            .where(*same, incidents.c.first > clock() - HOUR)
            .values(last=clock(), count=incidents.c.count + 1),
            {"where": socket.gethostname(), "text": text},
        )
        if counted.rowcount:
            return
        connection.execute(
            insert(incidents).values(
                machine=socket.gethostname(), kind=kind, what=text, first=clock() - seconds, last=clock(), count=1
            )
        )
        connection.execute(delete(incidents).where(incidents.c.last < clock() - MONTH))


def list_incidents(database: Database, since: datetime | None = None) -> list[Incident]:
    """Return the incidents, or those that happened `since` some time, in the order in which they began."""
    recent: tuple[ColumnElement[bool], ...] = () if since is None else (incidents.c.last >= since.timestamp(),)
    with database.reading() as connection:
        rows = connection.execute(select(incidents).where(*recent).order_by(incidents.c.first, incidents.c.id)).all()
    listed = []
    for _, machine, kind, what, first, last, count in rows:
        begun, ended = instant(first), instant(last)
        if begun is not None and ended is not None:
            listed.append(Incident(machine, kind, what, begun, ended, count))
    return listed
