"""Create, upgrade, downgrade and back up the tables of a store.

A new SQLite file gets its tables when the first source is stored. The tables of a PostgreSQL database are created and
changed only by `upgrade` and `downgrade`. In all functions, `url` is the URL of the database; None means
``DEALMILL_DATABASE_URL``.
"""

from contextlib import closing
from os import PathLike
from pathlib import Path

from dealmill.pipeline.notebook import in_notebook
from dealmill.pipeline.progress import Progress
from dealmill.pipeline.settings import settings
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import back_up
from dealmill.pipeline.store.database.urls import database_url


def upgrade(url: str | None = None, revision: str = "head") -> str | None:
    """Run the migrations up to `revision`, all or none, and return the revision of the database.

    Raises
    ------
    StoreError
        If the database is newer than this Dealmill or older than Dealmill 0.1.0, is not a store, or workers hold
        leases.
    """
    with closing(_database(url)) as database:
        revisions.upgrade(database, revision)
        return revisions.current(database)


def downgrade(url: str | None = None, *, revision: str) -> str | None:
    """Undo the migrations after `revision`, all or none, and return the revision of the database.

    The oldest revision is ``0010``, that of Dealmill 0.1.0. Data that the older tables cannot hold is deleted.

    Raises
    ------
    StoreError
        If the database is newer than this Dealmill or older than Dealmill 0.1.0, has no revision of that name, or
        workers hold leases.
    """
    with closing(_database(url)) as database:
        revisions.downgrade(database, revision)
        return revisions.current(database)


def check_downgrade(revision: str) -> None:
    """Check that databases can be downgraded to `revision`. Nothing is changed.

    Raises
    ------
    StoreError
        If not.
    """
    revisions.check_downgrade(revision)


def backup(file: str | PathLike[str], url: str | None = None, progress: Progress = in_notebook) -> int:
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
    """Return the revision of the database, or None if it has no tables yet. Nothing is changed.

    Raises
    ------
    StoreError
        If the database is not a store.
    DamagedError
        If its revision is damaged.
    """
    with closing(_database(url)) as database:
        return revisions.current(database)


def _database(url: str | None) -> Database:
    return Database(database_url(settings().database_url if url is None else url))
