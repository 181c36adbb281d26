"""The log of actions: who did what to the store, when and why. Written in the transaction that does it."""

import getpass
import os
import socket
from dataclasses import dataclass
from importlib.metadata import version

from sqlalchemy import Connection, insert, select

from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.tables import actions, engines


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
    """Enter an action of the user who runs this process."""
    connection.execute(
        insert(actions).values(
            at=clock(),
            who=f"{_user()}@{socket.gethostname()}",
            what=what,
            engine_id=engine,
            run_id=run,
            audit_id=audit,
            why=why,
            dealmill=version("dealmill"),
        )
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user without a name
        return str(os.getuid())


def list_actions(store: Database) -> list[Action]:
    """The whole log, oldest first."""
    query = (
        select(
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
        .select_from(actions.join(engines))
        .order_by(actions.c.id)
    )
    with store.reading() as connection:
        return [Action(*row) for row in connection.execute(query)]
