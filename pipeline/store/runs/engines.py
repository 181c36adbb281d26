"""Recorded engine versions, and their retraction."""

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from dealmill.pipeline.errors import NotFoundError, RetractedError
from dealmill.pipeline.store import actions
from dealmill.pipeline.store.database.bulk import insert_once
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.tables import engines


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """A version of an engine. `why` is the reason for its retraction, None if it is not retracted."""

    id: int
    name: str
    version: str
    why: str | None


def enter_engine(connection: Connection, name: str, version: str) -> EngineVersion:
    """Return an engine version; insert it if it is new. Its row stays locked until the end of the transaction, so that
    no two commands plan the same run.

    Raises
    ------
    RetractedError
        If it was retracted, so that no new runs can be planned with it.
    """
    wanted = (
        select(engines.c.id, engines.c.name, engines.c.version, engines.c.retracted_why)
        .where(engines.c.name == name, engines.c.version == version)
        .with_for_update(key_share=True)
    )
    row = connection.execute(wanted).one_or_none()
    if row is None:
        insert_once(connection, engines, name=name, version=version)
        row = connection.execute(wanted).one()
    entered = EngineVersion(*row)
    if entered.why is not None:
        raise RetractedError(f"version {version} of {name} was retracted ({entered.why}): install another version")
    return entered


def retract_engine(store: Database, name: str, version: str, why: str) -> str | None:
    """Retract all verdicts of an engine version, including future ones. Return the reason of an earlier retraction,
    which stays in force, or None.

    Raises
    ------
    NotFoundError
        If the store has no runs of that version.
    """
    with store.writing() as connection:
        known = connection.execute(
            select(engines.c.id, engines.c.version, engines.c.retracted_why).where(engines.c.name == name)
        ).all()
        row = next((row for row in known if row.version == version), None)
        if row is None:
            have = ", ".join(sorted(row.version for row in known)) or "none"
            raise NotFoundError(f"the store has no runs of {name} version {version}; it has runs of versions: {have}")
        if row.retracted_why is None:
            connection.execute(
                update(engines).where(engines.c.id == row.id).values(retracted=clock(), retracted_why=why)
            )
            actions.record(connection, "retract", row.id, why=why)
        before: str | None = row.retracted_why
    return before
