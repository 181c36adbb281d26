"""The backup of a store in an SQLite file, while commands and workers go on."""

import os
import secrets
import sqlite3
from pathlib import Path

from dealmill.pipeline.errors import OutputError, UsageError
from dealmill.pipeline.progress.events import Copying, Progress, silent
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import new_identity
from dealmill.pipeline.store.database.urls import shown

PAGES = 10_000
"""Pages copied between two reports of progress: 40 MB."""


def back_up(database: Database, target: Path, progress: Progress = silent) -> int:
    """Copy a store as it is at one moment into a new file, and return the size of the file in bytes.

    Commands and workers may go on. The file appears under its name only when it is complete.

    Raises
    ------
    UsageError
        If the store is on PostgreSQL, which has tools of its own.
    OutputError
        If the target exists or cannot be written.
    """
    if not database.embedded:
        raise UsageError(f"the store {shown(database.url)} is on PostgreSQL: back it up with pg_dump or pg_basebackup")
    _check_new(target)
    part = target.with_name(f".dealmill-{secrets.token_hex(8)}.part")
    try:
        part.touch(exist_ok=False)
        _copy(database, part, progress)
        _check_new(target)  # another program may have written it in the meantime
        part.rename(target)
    except OSError as error:
        raise OutputError(f"the backup {target} cannot be written: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise OutputError(f"the backup {target} cannot be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)
    return target.stat().st_size


def _check_new(target: Path) -> None:
    if os.path.lexists(target):
        raise OutputError(f"{target} exists: name a new file for the backup")


def _copy(database: Database, part: Path, progress: Progress) -> None:
    def report(_status: int, left: int, pages: int) -> None:
        progress(Copying(pages - left, pages))

    with database.reading() as connection:
        source = connection.connection.dbapi_connection
        assert isinstance(source, sqlite3.Connection)  # noqa: S101 -- it is embedded
        copy = sqlite3.connect(part)
        try:
            source.backup(copy, pages=PAGES, progress=report)
            if copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'store'").fetchone():  # from revision 0023 on
                copy.execute("UPDATE store SET identity = ?", [new_identity()])
                copy.commit()
            copy.execute("PRAGMA journal_mode=DELETE")  # nothing beside the file
        finally:
            copy.close()
    with part.open("rb") as file:
        os.fsync(file.fileno())
