"""Recorded engine versions, and the retraction of faulty ones: their verdicts stay recorded, but are no longer shown as
results."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from dealmill.pipeline.errors import NotFoundError, RetractedError, UsageError
from dealmill.pipeline.store.database.bulk import insert_once
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import engines, rules
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.finding import list_runs
from dealmill.pipeline.store.runs.status import RunStatus

ENGINE_COLUMNS = (engines.c.id, engines.c.name, engines.c.version, engines.c.retracted_why, engines.c.checked_as)
LOCKED = (
    select(*ENGINE_COLUMNS)
    .where(engines.c.name == bindparam("name"), engines.c.version == bindparam("version"))
    .with_for_update(key_share=True)
)
OF_FAMILY = (
    select(*ENGINE_COLUMNS, rules.c.digest)
    .select_from(engines.join(rules, engines.c.version.like("%-" + rules.c.digest)))
    .where(rules.c.family == bindparam("family"))
    .order_by(engines.c.id)
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


def retract(database: Database, engine: str, version: str, why: str) -> list[RunStatus]:
    """Retract all verdicts of a version of an engine (its full name), including future ones; return its runs. `engine`
    may also be a family of games whose rules are on record, and `version` that of the family: this retracts the engines
    of all its games that it has made.

    A version that is already retracted keeps its reason.

    Raises
    ------
    UsageError
        If `why` is empty.
    """
    _check_reason(why, "the reason is empty: say what is wrong with the engine")
    with database.writing() as connection:
        for recorded in _on_record(connection, engine, version):
            if recorded.why is None:
                _set(connection, recorded, clock(), why)
                log.record(connection, log.RETRACT, recorded.id, why=why)
    return runs_of_engine(database, engine, version)


def unretract(database: Database, engine: str, version: str, why: str) -> list[RunStatus]:
    """Undo the retraction of a version of an engine (full name) or a family, and return its runs, whose verdicts are
    shown again.

    Raises
    ------
    UsageError
        If `why` is empty, or the version is not retracted.
    """
    _check_reason(why, "the reason is empty: say why the retraction is undone")
    with database.writing() as connection:
        retracted = [each for each in _on_record(connection, engine, version) if each.why is not None]
        if not retracted:
            raise UsageError(f"version {version} of {engine} is not retracted")
        for recorded in retracted:
            _set(connection, recorded, None, None)
            log.record(connection, log.UNRETRACT, recorded.id, why=why)
    return runs_of_engine(database, engine, version)


def _on_record(connection: Connection, name: str, version: str) -> list[EngineVersion]:
    """Return the recorded versions of an engine, or of the engines of all games of a family, that are this version.

    Raises
    ------
    NotFoundError
        If the store has no runs of them.
    """
    recorded = _versions(connection, name)
    if version not in recorded:
        have = ", ".join(sorted(recorded)) or "none"
        raise NotFoundError(f"the store has no runs of {name} version {version}; it has runs of versions: {have}")
    return recorded[version]


def _versions(connection: Connection, name: str) -> dict[str, list[EngineVersion]]:
    """Return the recorded versions of an engine, or those of the engines of a family by the version of the family."""
    versions: dict[str, list[EngineVersion]] = {}
    if "/" in name:
        for row in connection.execute(select(*ENGINE_COLUMNS).where(engines.c.name == name)):
            versions[row.version] = [EngineVersion(*row)]
    else:
        for *columns, digest in connection.execute(OF_FAMILY, {"family": name}):
            of_engine = EngineVersion(*columns)
            versions.setdefault(of_engine.version.removesuffix(f"-{digest}"), []).append(of_engine)
    return versions


def _set(connection: Connection, engine: EngineVersion, when: ColumnElement[float] | None, why: str | None) -> None:
    connection.execute(update(engines).where(engines.c.id == engine.id).values(retracted=when, retracted_why=why))


def _check_reason(why: str, request: str) -> None:
    if not why or not why.strip():
        raise UsageError(request)


def runs_of_engine(database: Database, engine: str, version: str) -> list[RunStatus]:
    """Return the runs of a version of an engine or family, oldest first."""
    with database.reading() as connection:
        recorded = {(each.name, each.version) for each in _versions(connection, engine).get(version, [])}
    return [run for run in list_runs(database) if (run.engine, run.version) in recorded]
