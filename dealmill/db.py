"""The database of a store: its tables are created, upgraded and downgraded by migrations; a file is backed up.

A new SQLite file gets its tables when something is first stored in it; those of a server are only changed by `upgrade`.
In all functions `url` is that of the database; None means ``DEALMILL_DATABASE_URL``.
"""

from contextlib import closing
from os import PathLike
from pathlib import Path

from dealmill.pipeline.progress import Progress, silent
from dealmill.pipeline.settings import settings
from dealmill.pipeline.store.database import migrate
from dealmill.pipeline.store.database.backup import back_up
from dealmill.pipeline.store.database.connections import Database, database_url


def upgrade(url: str | None = None, revision: str = "head") -> str | None:
    """Run the migrations up to `revision`, all or none, and return the revision of the database.

    Raises
    ------
    StoreError
        If the database is newer than this Dealmill or not a store, or workers hold leases.
    """
    with closing(_database(url)) as database:
        migrate.upgrade(database, revision)
        return migrate.current(database)


def downgrade(url: str | None = None, *, revision: str) -> str | None:
    """Undo the migrations after `revision` (``base`` drops every table), all or none, and return the revision.

    What only the tables of later revisions hold is lost.

    Raises
    ------
    StoreError
        If the database is newer than this Dealmill, or workers hold leases.
    """
    with closing(_database(url)) as database:
        migrate.downgrade(database, revision)
        return migrate.current(database)


def backup(file: str | PathLike[str], url: str | None = None, progress: Progress = silent) -> int:
    """Copy an embedded store, as it is at one moment, into a new file, and return the size of the file in bytes.

    Commands and workers may go on meanwhile.

    Raises
    ------
    UsageError
        If the store is on PostgreSQL, which has tools of its own.
    OutputError
        If the file exists or cannot be written.
    StoreError
        If there is no store yet, or it cannot be read.
    """
    with closing(_database(url)) as database:
        return back_up(database, Path(file), progress)


def current(url: str | None = None) -> str | None:
    """Return the revision of the database; None if it has no tables yet. Nothing is changed.

    Raises
    ------
    StoreError
        If it is not a store.
    DamagedError
        If its revision is damaged.
    """
    with closing(_database(url)) as database:
        return migrate.current(database)


def _database(url: str | None) -> Database:
    return Database(database_url(settings().database_url.get_secret_value() if url is None else url))
