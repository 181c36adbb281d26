"""The log of actions: who did what to the store, when and why. Written in the transaction that does it.

The entries are a chain: the digest of each covers the digest of the one before, so none can be changed or taken away
without changing all that follow. Entries at the end can be taken away; but every run, every audit and every retraction
has one, and an audit looks for them.
"""

import getpass
import os
import socket
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from sqlalchemy import Connection, Select, case, exists, insert, or_, select, text

from dealmill.pipeline.errors import DamagedWarning
from dealmill.pipeline.seals import seal
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import actions, audits, engines, runs

ENTRY = (
    actions.c.id,
    actions.c.who,
    actions.c.what,
    actions.c.run_id,
    actions.c.audit_id,
    engines.c.name,
    engines.c.version,
    actions.c.why,
    actions.c.dealmill,
)
"""What the digest of an entry covers, beside the digest of the one before."""
FETCHED = 1_000

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
LISTED_SHAPE = Shape(*LISTED)
RETRACT, UNRETRACT = "retract", "unretract"
"""What the entries say that retract the verdicts of an engine version, and that undo it."""
YEAR_10_000 = 253_402_300_800
"""In seconds since 1970; the first that no calendar of Python has."""


@dataclass(frozen=True, slots=True)
class Action:
    """An entry of the log; `at` in seconds since 1970."""

    at: float
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
    """Enter an action of the user who runs this process, and wait until no other transaction enters one. It comes last
    in a transaction, so that others wait as short as can be."""
    if connection.dialect.name == "postgresql":  # SQLite has one writer at a time, and that is us
        connection.execute(text("LOCK TABLE actions IN EXCLUSIVE MODE"))
    latest = select(actions.c.id, actions.c.digest).order_by(actions.c.id.desc()).limit(1)
    before, digest = connection.execute(latest).one_or_none() or (0, None)
    named = connection.execute(select(engines.c.name, engines.c.version).where(engines.c.id == engine)).one()
    who, dealmill = f"{_user()}@{socket.gethostname()}", version("dealmill")
    connection.execute(
        insert(actions).values(
            id=before + 1,
            at=clock(),
            who=who,
            what=what,
            engine_id=engine,
            run_id=run,
            audit_id=audit,
            why=why,
            dealmill=dealmill,
            digest=seal("action", digest, before + 1, who, what, run, audit, *named, why, dealmill),
        )
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user without a name
        return str(os.getuid())


def list_actions(store: Database) -> list[Action]:
    """The whole log, oldest first. Of entries that cannot be read there is a `DamagedWarning`."""
    query = select(*LISTED, actions.c.id).select_from(actions.outerjoin(engines)).order_by(actions.c.id)
    found = []
    with store.reading() as connection:
        for *entry, number in connection.execute(query):
            trouble = LISTED_SHAPE.trouble(entry)
            if trouble is None and not 0 <= entry[0] < YEAR_10_000:
                trouble = f"actions.at is {entry[0]}, which is no time"
            if trouble:
                told = f"entry {number} of the log of actions cannot be read: {trouble}"
                warnings.warn(DamagedWarning(told), stacklevel=2)
            else:
                found.append(Action(*entry))
    return found


def log_faults(store: Database) -> Iterator[str]:
    """What is wrong with the log: entries that were changed, and runs, audits and retractions that have none."""
    entries = (
        select(*ENTRY, actions.c.digest)
        .select_from(actions.outerjoin(engines, engines.c.id == actions.c.engine_id))
        .order_by(actions.c.id)
    )
    before = None
    with store.browsing() as connection:
        for *entry, digest in connection.execution_options(yield_per=FETCHED).execute(entries):
            if seal("action", before, *entry) != digest:
                yield f"entry {entry[0]} of the log of actions was changed, or the one before it is gone"
            before = digest
        for told, query in _without_entry():
            for row in connection.execute(query).all():
                yield told.format(*row)


def _without_entry() -> Iterator[tuple[str, Select[*tuple[Any, ...]]]]:
    """What is to be said of the rows of a query, none of which a sound log has."""
    entry, run, audit, engine = actions.c, runs.c, audits.c, engines.c
    of_run = (entry.run_id == run.id, entry.engine_id == run.engine_id, entry.what.in_(("run", "rerun")))
    yield "run {} has no entry in the log of actions", select(run.id).where(~exists().where(*of_run))
    of_audit = (entry.audit_id == audit.id, entry.run_id == audit.run_id, entry.what == "audit")
    yield "audit {} has no entry in the log of actions", select(audit.id).where(~exists().where(*of_audit))
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
    yield (
        "the retraction of {} version {} is not the one in the log of actions",
        select(engine.name, engine.version).where(otherwise),
    )
    gone = or_(
        entry.run_id.is_not(None) & ~exists().where(run.id == entry.run_id),
        entry.audit_id.is_not(None) & ~exists().where(audit.id == entry.audit_id),
    )
    yield "entry {} of the log of actions is about a run or an audit that is gone", select(entry.id).where(gone)
