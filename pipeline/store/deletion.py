"""Deletion of runs and sources. What a run or a source takes up is deleted; its row stays, so that its number is never
used again, and the action log can still be checked (docs/decisions/0055-deletion.md)."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import Connection, Select, delete, exists, func, or_, select, update

from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import (
    JOB_TABLES,
    LEASED,
    PENDING,
    Control,
    audit_jobs,
    audits,
    blocks,
    faults,
    items,
    jobs,
    judgements,
    rejects,
    runs,
    source_blocks,
    sources,
    verdicts,
)
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.planned import NOT_DELETED, lock_run
from dealmill.pipeline.store.runs.status import SILENT_READER, RunStatus
from dealmill.pipeline.store.sources.source import Source

VACUUM_SECONDS = 5.0
"""How long to wait for the exclusive access that giving back space needs."""


def check_deletable(
    database: Database, subject: RunStatus | Source, subjects: Sequence[RunStatus | Source] = ()
) -> None:
    """Check that nothing depends on a run or a source, except runs among the `subjects`, which are deleted before it.

    Raises
    ------
    StoreError
        If something does, and what.
    """
    with database.reading() as connection:
        _check(connection, subject, [run.id for run in subjects if isinstance(run, RunStatus)])


def delete_subject(database: Database, subject: RunStatus | Source) -> None:
    """Delete a run with its verdicts and audits, or a source with its layouts and rejects, in one transaction.

    Raises
    ------
    StoreError
        If something depends on it.
    NotFoundError
        If a run was deleted before.
    """
    with database.writing() as connection:
        if isinstance(subject, Source):
            _delete_source(connection, subject)
        else:
            _delete_run(connection, subject)


def give_back_space(database: Database) -> bool:
    """Make the file of an embedded store as small as its rows allow. Return False if others are using it; the space is
    used for new rows then. PostgreSQL does this by itself."""
    if not database.embedded:
        return True
    with database.reading() as connection:
        held = [select(exists().where(table.c.state == LEASED)) for table in JOB_TABLES.values()]
        if any(connection.execute(query).scalar() for query in held):
            return False
    vacuum = sqlite3.connect(database.path, timeout=VACUUM_SECONDS, isolation_level=None)
    try:
        vacuum.execute("VACUUM")
        vacuum.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error:  # it is locked, or the disk has no room for a copy
        return False
    finally:
        vacuum.close()
    return True


def _delete_run(connection: Connection, run: RunStatus) -> None:
    # A reader that cuts jobs for the run holds the row of its source.
    connection.execute(select(sources.c.id).where(sources.c.id == run.source).with_for_update())
    engine = lock_run(connection, run.id)
    _check(connection, run)
    of_run = select(audits.c.id).where(audits.c.run_id == run.id)
    for table in (faults, audit_jobs):
        connection.execute(delete(table).where(table.c.audit_id.in_(of_run)))
    for table in (judgements, verdicts, blocks, jobs):
        connection.execute(delete(table).where(table.c.run_id == run.id))
    connection.execute(update(runs).where(runs.c.id == run.id).values(control=Control.DELETED))
    why = f"{run.solved} verdicts on {run.source_name}"
    log.record(connection, log.DELETE, engine, run=run.id, why=why)


def _delete_source(connection: Connection, source: Source) -> None:
    connection.execute(select(sources.c.id).where(sources.c.id == source.id).with_for_update())
    _check(connection, source)
    for table in (items, rejects, source_blocks):
        connection.execute(delete(table).where(table.c.source_id == source.id))
    empty = replace(source, accepted=0, duplicates=0, rejected=0, complete=False)
    nothing = {"accepted": 0, "duplicates": 0, "rejected": 0, "complete": False, "advanced": None, "seal": empty.seal}
    connection.execute(update(sources).where(sources.c.id == source.id).values(nothing))
    last = select(runs.c.id, runs.c.engine_id).where(runs.c.source_id == source.id).order_by(runs.c.id.desc()).limit(1)
    if deleted := connection.execute(last).one_or_none():  # a source without a run is in no entry at all
        why = f"source {source.id}: {source.name}"
        log.record(connection, log.DELETE_SOURCE, deleted.engine_id, run=deleted.id, why=why)


def _check(connection: Connection, subject: RunStatus | Source, deleted: Collection[int] = ()) -> None:
    reasons = _of_source(subject) if isinstance(subject, Source) else _of_run(subject, deleted)
    what = f"source {subject.id}" if isinstance(subject, Source) else f"run {subject.id}"
    for query, reason in reasons:
        if (obstacle := connection.execute(query.limit(1)).scalar()) is not None:
            raise StoreError(f"{what} cannot be deleted: {reason.format(obstacle)}")


def _of_run(run: RunStatus, deleted: Collection[int]) -> list[tuple[Select[int], str]]:
    """Return queries for what depends on a run, each with a message for the number that it finds."""
    open_audit = exists().where(audit_jobs.c.audit_id == audits.c.id, audit_jobs.c.state.in_((PENDING, LEASED)))
    held = (jobs.c.run_id == run.id, jobs.c.state == LEASED, jobs.c.leased_until > clock())
    queried = sources.c.name.startswith(f"query:{run.id}:", autoescape=True)
    return [
        (
            select(runs.c.id).where(runs.c.repeats == run.id, NOT_DELETED, runs.c.id.not_in(deleted)),
            "run {0} is a rerun of it; delete run {0} first, or both with --reruns",
        ),
        (
            select(sources.c.id).where(queried, or_(sources.c.accepted > 0, sources.c.complete)),
            "source {0} has the layouts of a query of it; delete source:{0} first",
        ),
        (
            select(audits.c.id).where(audits.c.run_id == run.id, open_audit),
            f"audit {{0}} of it is not finished; finish it with: dealmill audit {run.id}",
        ),
        (
            select(func.count()).select_from(jobs).where(*held).having(func.count() > 0),
            f"workers hold jobs of it ({{0}}); stop them with: dealmill cancel {run.id}, and wait until they are done",
        ),
    ]


def _of_source(source: Source) -> list[tuple[Select[int], str]]:
    """Return queries for what depends on a source, each with a message for the number that it finds."""
    read = (
        sources.c.id == source.id,
        sources.c.complete.is_(False),
        sources.c.advanced > clock() - SILENT_READER.total_seconds(),
    )
    return [
        (
            select(runs.c.id).where(runs.c.source_id == source.id, NOT_DELETED).order_by(runs.c.id),
            "run {0} is over it; delete run {0} first",
        ),
        (select(sources.c.id).where(*read), "it is being read; stop the command that reads it, and wait a minute"),
    ]
