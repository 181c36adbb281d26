"""Create, upgrade, downgrade, back up and copy the tables of a store.

A new SQLite file gets its tables when the first source is stored. The tables of a PostgreSQL database are created and
changed only by `upgrade`, `downgrade` and `copy`. In all functions, `url` is the URL of the database; None means
``DEALMILL_DATABASE_URL``.
"""

from contextlib import closing
from os import PathLike
from pathlib import Path

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.progress.events import Progress
from dealmill.pipeline.progress.notebook import in_notebook
from dealmill.pipeline.store.copy import Copy, copy_store
from dealmill.pipeline.store.database import revisions, web_role
from dealmill.pipeline.store.database.backup import back_up
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.planning.installation import check_listable
from dealmill.pipeline.system.settings import settings


def upgrade(url: str | None = None, revision: str = "head", *, yes: bool = False) -> str | None:
    """Run the migrations up to `revision`, all or none, and return the revision of the database.

    Raises
    ------
    StoreError
        If the database is newer than this Dealmill or older than Dealmill 0.1.0, is not a store, or workers hold
        leases; or unless `yes` is given, if the deals of some compact runs could not be listed afterwards.
    """
    with closing(_database(url)) as database:
        if yes:
            revisions.upgrade(database, revision)
        else:
            revisions.upgrade(database, revision, check_listable)
        return revisions.current(database)


def create_web_role(url: str | None = None, web_url: str | None = None) -> str:
    """Create the user that `web_url` names on the PostgreSQL server of the database, let it read the store, and return
    its name. A user that exists gets the password of `web_url`. None means ``DEALMILL_WEB_DATABASE_URL``.

    The grants are for the tables of this version of Dealmill: repeat the call after each upgrade.

    Raises
    ------
    UsageError
        If the store is an SQLite file, or `web_url` does not name a user of its own for this database.
    StoreError
        If that user could write, the tables are not those of this Dealmill, or the user of `url` may not create others.
    """
    if (chosen := settings().web_database_url if web_url is None else web_url) is None:
        raise UsageError(
            f"set {web_role.SETTING} to postgresql://USER:PASSWORD@HOST/NAME, with the user that is to be created"
        )
    with closing(_database(url)) as database:
        return web_role.create_web_role(database, database_url(chosen))


def downgrade(url: str | None = None, *, revision: str) -> str | None:
    """Undo the migrations after `revision`, all or none, and return the revision of the database.

    The oldest revision is ``0010``, that of Dealmill 0.1.0. Data that the older tables cannot hold is deleted. Compact
    runs are solved again by earlier versions than 0.3.0, which store their verdicts one by one.

    Raises
    ------
    StoreError
        If the database is newer than this Dealmill or older than Dealmill 0.1.0, has no revision of that name, or
        workers hold leases.
    """
    with closing(_database(url)) as database:
        revisions.downgrade(database, revision)
        return revisions.current(database)


def check_downgrade(revision: str, url: str | None = None) -> list[int]:
    """Check that the database can be downgraded to `revision`, and return the numbers of the compact runs that must be
    solved again then. Nothing is changed.

    Raises
    ------
    StoreError
        If it cannot.
    """
    with closing(_database(url)) as database:
        return revisions.check_downgrade(database, revision)


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


def copy(target: str, url: str | None = None, progress: Progress = in_notebook) -> Copy:
    """Copy a whole store into the database with the URL `target`, an SQLite file or a PostgreSQL database, and compare
    both.

    Commands and workers can read the store meanwhile; those that write wait, and give up after a minute. If the copy is
    interrupted, the same call goes on with it. Nothing else can use the target before it is complete.

    Raises
    ------
    UsageError
        If both are the same database.
    StoreError
        If there is no store yet, it is of another revision than this Dealmill, or the target is not empty.
    StoreUnavailable
        If one of them does not answer or accepts no writes, or its disk is full.
    DamagedError
        If a row has values that the target cannot hold.
    DifferenceError
        If the copy differs from the store; it stays unfinished.
    """
    with closing(_database(url)) as source, closing(Database(database_url(target))) as empty:
        return copy_store(source, empty, progress)


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
