"""The action log: who did what to the store, when and why. An entry is written in the transaction of its action.

The entries are numbered without gaps, and every run, audit, retraction and deletion must have one. An audit checks
both.
"""

import getpass
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import version
from typing import Any

from sqlalchemy import Connection, Row, Select, case, exists, func, insert, or_, select, text, union_all

from dealmill.pipeline.errors import DamagedError
from dealmill.pipeline.store.database.connections import Database, instant
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.row_checks import RowCheck, readable
from dealmill.pipeline.store.database.tables import Control, actions, audits, engines, runs
from dealmill.pipeline.system.settings import settings

LOCK = text("LOCK TABLE actions IN EXCLUSIVE MODE")
LATEST = select(func.max(actions.c.id))
ENTRY_COUNT = select(func.count(), func.min(actions.c.id), func.max(actions.c.id))
INSERT_ACTION = insert(actions).values(at=clock())

LISTED = (
    actions.c.at,
    actions.c.who,
    actions.c.what,
    actions.c.run_id,
    actions.c.audit_id,
    engines.c.name,
    engines.c.version,
    actions.c.why,
    actions.c.dealmill,
)
LISTED_CHECK = RowCheck(*LISTED)
RUN, RERUN = "run", "rerun"
"""What the entries say that begin a run, and one that repeats another."""
RETRACT, UNRETRACT = "retract", "unretract"
"""What the entries say that retract the verdicts of an engine version, and that undo it."""
DELETE, DELETE_SOURCE = "delete", "delete source"
"""What the entries say that delete a run, and the source of a deleted run."""


@dataclass(frozen=True, slots=True)
class Action:
    """An entry of the action log."""

    at: datetime
    who: str
    what: str
    run: int | None
    audit: int | None
    engine: str
    version: str
    why: str | None
    dealmill: str


def record(
    connection: Connection, what: str, engine: int, *, run: int | None = None, audit: int | None = None, why: str | None
) -> None:
    """Insert an entry for an action of the user who runs this process. Wait for other transactions that insert one, so
    call this last in a transaction to keep the wait of others short."""
    if connection.dialect.name == "postgresql":  # on SQLite, this transaction is the only writer
        connection.execute(LOCK)
    connection.execute(
        INSERT_ACTION,
        {
            "id": (connection.execute(LATEST).scalar() or 0) + 1,
            "who": f"{_user()}@{socket.gethostname()}",
            "what": what,
            "engine_id": engine,
            "run_id": run,
            "audit_id": audit,
            "why": why,
            "dealmill": _version(),
        },
    )


@cache  # reading it takes a millisecond
def _version() -> str:
    return version("dealmill")


def _user() -> str:
    if name := settings().user:
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user that has no name
        return str(os.getuid())


def list_actions(
    database: Database, run: int | None = None, *, skip: int = 0, limit: int | None = None, descending: bool = False
) -> list[Action]:
    """Return the entries of the action log, or those for a run and for retractions of its engine version: at most
    `limit` of them after the first `skip`, oldest first, or newest first if `descending`, without those that cannot be
    read (see `readable`)."""
    order = actions.c.id.desc() if descending else actions.c.id
    listed = select(*LISTED, actions.c.id).select_from(actions.outerjoin(engines))
    query = listed.order_by(order).offset(skip).limit(limit)
    if run is not None:
        engine = select(runs.c.engine_id).where(runs.c.id == run).scalar_subquery()
        of_run = select(actions.c.id).where(actions.c.run_id == run)
        retractions = select(actions.c.id).where(
            actions.c.engine_id == engine, actions.c.what.in_((RETRACT, UNRETRACT))
        )
        query = query.where(actions.c.id.in_(union_all(of_run, retractions)))
    return _read(database, query)


def actions_of_reruns(database: Database, run: int) -> list[Action]:
    """Return the entries that began reruns of a run, oldest first, without those that cannot be read."""
    repeating = select(runs.c.id).where(runs.c.repeats == run)
    query = select(*LISTED, actions.c.id).select_from(actions.outerjoin(engines)).order_by(actions.c.id)
    return _read(database, query.where(actions.c.what == RERUN, actions.c.run_id.in_(repeating)))


def _read(database: Database, query: Select[*tuple[Any, ...]]) -> list[Action]:
    with database.reading() as connection:
        rows = connection.execute(query).all()
    return list(readable(rows, _action))


def _action(row: Row[*tuple[Any, ...]]) -> Action:
    *entry, number = row
    error = LISTED_CHECK.error(entry)
    at = None if error else instant(entry[0])
    if at is None:
        error = error or f"actions.at is {entry[0]}, which is not a valid time"
        raise DamagedError(f"entry {number} of the action log cannot be read: {error}")
    return Action(at, *entry[1:])


def log_faults(database: Database) -> Iterator[str]:
    """Yield what is wrong with the action log: missing entries, and runs, audits and retractions without an entry."""
    with database.reading() as connection:
        count, first, last = connection.execute(ENTRY_COUNT).one()
        if count and (first, last) != (1, count):
            yield f"the action log has {count:,} entries, numbered from {first} to {last}: entries are missing"
        for message, query in _without_entry():
            for row in connection.execute(query).all():
                yield message.format(*row)


@cache
def _without_entry() -> tuple[tuple[str, Select[*tuple[Any, ...]]], ...]:
    """Return queries for rows that contradict the action log, each with a message format for such a row."""
    entry, run, audit, engine = actions.c, runs.c, audits.c, engines.c
    of_run = (entry.run_id == run.id, entry.engine_id == run.engine_id, entry.what.in_((RUN, RERUN)))
    of_audit = (entry.audit_id == audit.id, entry.run_id == audit.run_id, entry.what == "audit")
    why = (
        select(case((entry.what == RETRACT, entry.why)))
        .where(entry.engine_id == engine.id, entry.what.in_((RETRACT, UNRETRACT)))
        .order_by(entry.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    otherwise = or_(
        engine.retracted_why.is_distinct_from(why), engine.retracted.is_(None) != engine.retracted_why.is_(None)
    )
    deleted = exists().where(entry.run_id == run.id, entry.what == DELETE)
    gone = or_(
        entry.run_id.is_not(None) & ~exists().where(run.id == entry.run_id),
        entry.audit_id.is_not(None) & ~exists().where(audit.id == entry.audit_id),
    )
    return (
        ("run {} has no entry in the action log", select(run.id).where(~exists().where(*of_run))),
        ("audit {} has no entry in the action log", select(audit.id).where(~exists().where(*of_audit))),
        (
            "the retraction of {} version {} differs from the action log",
            select(engine.name, engine.version).where(otherwise),
        ),
        (
            "run {} is deleted, but that is not in the action log",
            select(run.id).where(run.control == Control.DELETED, ~deleted),
        ),
        (
            "run {} was deleted by the action log, but is there",
            select(run.id).where(run.control != Control.DELETED, deleted),
        ),
        ("entry {} of the action log refers to a missing run or audit", select(entry.id).where(gone)),
    )
