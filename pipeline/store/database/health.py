"""What a database says of itself."""

import time
from pathlib import Path

from sqlalchemy import select, text

from dealmill.pipeline.store.database.connections import Database, clock

VERSION = {"sqlite": "SELECT sqlite_version()", "postgresql": "SHOW server_version"}


def file_of(store: Database) -> Path | None:
    """The file of an embedded store."""
    return store.path if store.embedded else None


def server_version(store: Database) -> str:
    """JobTable and version of the database.

    Raises
    ------
    StoreUnavailable
        If it does not answer.
    """
    kind = store.url.get_backend_name()
    with store.reading() as connection:
        return f"{kind} {connection.execute(text(VERSION[kind])).scalar_one()}"


def clock_difference(store: Database) -> float:
    """How many seconds this machine's clock is ahead of the database's; what the answer took to come is within."""
    with store.reading() as connection:
        return time.time() - connection.execute(select(clock())).scalar_one()
