"""Stores on servers, and the processor seconds of a server alone: they carry over to a machine of its own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from dealmill.pipeline.store.database.connections import Database, engine_for
from dealmill.pipeline.store.database.revisions import create_tables
from dealmill.pipeline.store.database.urls import database_url
from tests.servers import Postgres, running_postgres

TICKS = os.sysconf("SC_CLK_TCK")
PARENT, OWN, ENDED = 1, slice(11, 13), slice(13, 15)
"""Places in ``/proc/PID/stat`` behind the name: the parent; ticks of user and system, of a process itself, and of its
children that have ended."""
CONNECTIONS = 500
"""As in compose.yaml."""


def cpu_seconds(process: int) -> float:
    """User and system seconds of a process, of its children, and of those that have ended."""
    stat = _stat(process)
    ticks = sum(map(int, stat[OWN] + stat[ENDED]))
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))) and int(stat[PARENT]) == process:
            ticks += sum(map(int, stat[OWN]))
    return ticks / TICKS


def _stat(process: int) -> list[str]:
    """The fields of a process behind its name; none if it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


@contextmanager
def large_postgres() -> Iterator[Postgres]:
    """A server that takes as many connections as that of compose.yaml."""
    with running_postgres() as server:
        database = Database(database_url(server.new_database()))
        outside(database, f"ALTER SYSTEM SET max_connections = {CONNECTIONS}")
        database.close()
        with server.away():
            pass
        yield server


def new_store(server: Postgres) -> Database:
    """A new store with its tables."""
    return with_tables(Database(database_url(server.new_database())))


def with_tables(database: Database) -> Database:
    """The same store, with tables."""
    with database.rebuilding() as connection:
        create_tables(connection)
    return database


def outside(database: Database, statement: str) -> None:
    """Execute a statement that PostgreSQL takes outside transactions only."""
    with engine_for(database.url, None, None).connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(statement))
