"""What a database says of itself."""

import time
from pathlib import Path

from sqlalchemy import select, text

from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database.connections import Database, clock

LEAST_SQLITE = (3, 38)
VERSION = {"sqlite": "SELECT sqlite_version()", "postgresql": "SHOW server_version"}


def file_of(store: Database) -> Path | None:
    """The file of an embedded store."""
    return store.path if store.embedded else None


def server_version(store: Database) -> str:
    """Name and version of the database.

    Raises
    ------
    StoreUnavailable
        If it does not answer.
    StoreError
        If it is too old.
    """
    kind = store.url.get_backend_name()
    with store.reading() as connection:
        version = connection.execute(text(VERSION[kind])).scalar_one()
    if kind == "sqlite" and tuple(map(int, version.split("."))) < LEAST_SQLITE:
        least = ".".join(map(str, LEAST_SQLITE))
        raise StoreError(
            f"this Python comes with SQLite {version}, and Dealmill needs {least} or newer for its JSON functions: use "
            "a Python that has one, or PostgreSQL"
        )
    return f"{kind} {version}"


def clock_difference(store: Database) -> float:
    """How many seconds this machine's clock is ahead of the database's; what the answer took to come is within."""
    with store.reading() as connection:
        return time.time() - connection.execute(select(clock())).scalar_one()
