"""Recorded engine versions, and the retraction of faulty ones: their verdicts stay recorded, but are no longer shown as
results."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from dealmill.pipeline.errors import NotFoundError, RetractedError, UsageError
from dealmill.pipeline.store.database.bulk import insert_once
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import engines
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.status import RunStatus, list_runs

ENGINE_COLUMNS = (engines.c.id, engines.c.name, engines.c.version, engines.c.retracted_why, engines.c.checked_as)
LOCKED = (
    select(*ENGINE_COLUMNS)
    .where(engines.c.name == bindparam("name"), engines.c.version == bindparam("version"))
    .with_for_update(key_share=True)
)
INSERT_ENGINE = insert(engines)


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """A version of an engine. `why` is the reason for its retraction, None if it is not retracted. For `checked_as` see
    `dealmill.pipeline.store.runs.planned.PlannedRun`."""

    id: int
    name: str
    version: str
    why: str | None
    checked_as: str | None


def enter_engine(connection: Connection, name: str, version: str, checked_as: str | None = None) -> EngineVersion:
    """Return an engine version; insert it if it is new. Its row stays locked until the end of the transaction, so that
    no two commands plan the same run.

    Raises
    ------
    RetractedError
        If it was retracted, so that no new runs can be planned with it.
    UsageError
        If it is on record with other rules.
    """
    key = {"name": name, "version": version}
    row = connection.execute(LOCKED, key).one_or_none()
    if row is None:
        insert_once(connection, INSERT_ENGINE, {**key, "checked_as": checked_as})
        row = connection.execute(LOCKED, key).one()
    entered = EngineVersion(*row)
    if entered.checked_as != checked_as:
        before = "of an installed engine" if entered.checked_as is None else f"checked as {entered.checked_as}"
        raise UsageError(f"version {version} of {name} is already on record, {before}: choose another version")
    if entered.why is not None:
        raise RetractedError(f"version {version} of {name} was retracted ({entered.why}): install another version")
    return entered


def retract(store: Database, engine: str, version: str, why: str) -> list[RunStatus]:
    """Retract all verdicts of a version of an engine (its full name), including future ones; return its runs.

    A version that is already retracted keeps its reason.

    Raises
    ------
    UsageError
        If `why` is empty.
    """
    _check_reason(why, "the reason is empty: say what is wrong with the engine")
    with store.writing() as connection:
        recorded = _on_record(connection, engine, version)
        if recorded.why is None:
            _set(connection, recorded, clock(), why)
            log.record(connection, log.RETRACT, recorded.id, why=why)
    return runs_of_engine(store, engine, version)


def unretract(store: Database, engine: str, version: str, why: str) -> list[RunStatus]:
    """Undo the retraction of an engine (full name) version, and return its runs, whose verdicts are shown again.

    Raises
    ------
    UsageError
        If `why` is empty, or the version is not retracted.
    """
    _check_reason(why, "the reason is empty: say why the retraction is undone")
    with store.writing() as connection:
        recorded = _on_record(connection, engine, version)
        if recorded.why is None:
            raise UsageError(f"version {version} of {engine} is not retracted")
        _set(connection, recorded, None, None)
        log.record(connection, log.UNRETRACT, recorded.id, why=why)
    return runs_of_engine(store, engine, version)


def _on_record(connection: Connection, name: str, version: str) -> EngineVersion:
    """Return a recorded engine version.

    Raises
    ------
    NotFoundError
        If the store has no runs of it.
    """
    rows = connection.execute(select(*ENGINE_COLUMNS).where(engines.c.name == name))
    recorded = {row.version: EngineVersion(*row) for row in rows}
    if version not in recorded:
        have = ", ".join(sorted(recorded)) or "none"
        raise NotFoundError(f"the store has no runs of {name} version {version}; it has runs of versions: {have}")
    return recorded[version]


def _set(connection: Connection, engine: EngineVersion, when: ColumnElement[float] | None, why: str | None) -> None:
    connection.execute(update(engines).where(engines.c.id == engine.id).values(retracted=when, retracted_why=why))


def _check_reason(why: str, request: str) -> None:
    if not why or not why.strip():
        raise UsageError(request)


def runs_of_engine(store: Database, engine: str, version: str) -> list[RunStatus]:
    """Return the runs of a version of an engine, oldest first."""
    return [run for run in list_runs(store) if (run.engine, run.version) == (engine, version)]
