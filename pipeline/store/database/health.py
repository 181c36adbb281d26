"""The file, version and clock of a database."""

import time
from pathlib import Path

from sqlalchemy import select, text

from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database.connections import Database, clock

LEAST_SQLITE = (3, 38)
VERSION = {"sqlite": "SELECT sqlite_version()", "postgresql": "SHOW server_version"}


def file_of(store: Database) -> Path | None:
    """Return the file of an embedded store; None for a server."""
    return store.path if store.embedded else None


def server_version(store: Database) -> str:
    """Return the name and version of the database, such as ``sqlite 3.45.1``.

    Raises
    ------
    StoreUnavailable
        If the database cannot be reached.
    StoreError
        If its version is too old.
    """
    kind = store.url.get_backend_name()
    with store.reading() as connection:
        version = connection.execute(text(VERSION[kind])).scalar_one()
    if kind == "sqlite" and tuple(map(int, version.split("."))) < LEAST_SQLITE:
        least = ".".join(map(str, LEAST_SQLITE))
        raise StoreError(
            f"this Python uses SQLite {version}, but Dealmill needs {least} or newer for its JSON functions; use a "
            "Python with a newer SQLite, or PostgreSQL"
        )
    return f"{kind} {version}"


def clock_difference(store: Database) -> float:
    """Return how many seconds this machine's clock is ahead of the database's, including the time of the query."""
    with store.reading() as connection:
        return time.time() - connection.execute(select(clock())).scalar_one()
