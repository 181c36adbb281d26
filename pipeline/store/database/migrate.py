"""Bringing a database to a migration. Alembic is loaded only where there is one to run: that takes a tenth of a
second."""

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection, func, inspect, select, text

from dealmill import migrations
from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database.connections import Database, clock, shown
from dealmill.pipeline.store.database.revision import create_tables, revision_of
from dealmill.pipeline.store.database.tables import LEASED, REVISION, audit_jobs, jobs

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "head"
"""What Alembic calls the newest revision."""
ALONE = Lock()
"""Held during a migration: Alembic keeps the one it is in among the globals of its modules."""


def _config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__path__[0])))
    config.attributes["connection"] = connection
    return config


def revisions() -> list[str]:
    """All migrations this code knows, oldest first."""
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(_config())
    return [revision.revision for revision in reversed(list(script.walk_revisions()))]


def current(store: Database) -> str | None:
    """The migration the database stands at; None if it has no tables yet.

    Raises
    ------
    StoreError
        If it is not a store, or its revision is damaged.
    """
    if store.vacant():
        return None
    with store.reading() as connection:
        return revision_of(connection)


def upgrade(store: Database, revision: str = HEAD) -> None:
    """Run the migrations up to `revision`, all or none. A database that has no tables gets the newest ones at once.

    Raises
    ------
    StoreError
        If the database is newer than this code, or workers have jobs in hand.
    """
    current(store)  # refuses a file of something else before anything is written
    with ALONE, store.rebuilding() as connection:
        found = revision_of(connection)
        if found is None and revision == HEAD:
            create_tables(connection)
        elif found != REVISION or revision != HEAD:
            _known(found)
            if found != REVISION:
                _at_rest(connection)
            _migrate("upgrade", connection, revision)


def downgrade(store: Database, revision: str) -> None:
    """Take migrations back down to `revision` (``base`` for none), all or none. What only they held is lost.

    Raises
    ------
    StoreError
        If the database is newer than this code, or workers have jobs in hand.
    """
    if current(store) is None:
        raise StoreError(f"the database {shown(store.url)} has no tables, so there is nothing to downgrade")
    with ALONE, store.rebuilding() as connection:
        _known(revision_of(connection))
        _at_rest(connection)
        _migrate("downgrade", connection, revision)


def _migrate(direction: Literal["upgrade", "downgrade"], connection: Connection, revision: str) -> None:
    from alembic import command
    from alembic.util import CommandError

    try:
        getattr(command, direction)(_config(connection), revision)
    except CommandError as error:
        raise StoreError(str(error)) from error


def _known(revision: str | None) -> None:
    if revision is not None and revision not in revisions():
        raise StoreError(f"the database is newer ({revision}) than this Dealmill; install a newer one")


def _at_rest(connection: Connection) -> None:
    """See that no worker has a job in hand, and that none takes one before the migration is over: a worker writes what
    it has solved into the tables that it knew when it began. Later ones look at the revision first, and refuse."""
    held, longest = 0, 0.0
    for table in (jobs, audit_jobs):
        if not inspect(connection).has_table(table.name):
            continue
        if connection.dialect.name == "postgresql":  # SQLite has one writer at a time, and that is us
            connection.execute(text(f"LOCK TABLE {table.name} IN EXCLUSIVE MODE"))
        left = table.c.leased_until - clock()
        count, seconds = connection.execute(
            select(func.count(), func.max(left)).where(table.c.state == LEASED, left > 0)
        ).one()
        held, longest = held + count, max(longest, seconds or 0.0)
    if held:
        raise StoreError(
            f"workers have jobs in hand ({held:,}): stop all commands that work on this database (they will go on "
            f"where they were), and try again; leases of workers that are gone end within {longest:,.0f} s"
        )
