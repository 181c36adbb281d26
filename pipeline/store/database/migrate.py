"""Upgrades and downgrades of a database. Alembic takes a tenth of a second to import, so it is imported only when there
is a migration to run."""

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
"""Alembic's name for the newest revision."""
MIGRATION_LOCK = Lock()
"""Held during a migration, because Alembic keeps its context in module globals."""


def _config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__path__[0])))
    config.attributes["connection"] = connection
    return config


def revisions() -> list[str]:
    """Return all revisions that this version of Dealmill knows, oldest first."""
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(_config())
    return [revision.revision for revision in reversed(list(script.walk_revisions()))]


def current(store: Database) -> str | None:
    """Return the revision of the database; None if it has no tables yet.

    Raises
    ------
    StoreError
        If it is not a Dealmill store, or its revision is damaged.
    """
    if store.vacant():
        return None
    with store.reading() as connection:
        return revision_of(connection)


def upgrade(store: Database, revision: str = HEAD) -> None:
    """Upgrade the database to `revision` in one transaction. The newest tables are created directly in an empty
    database.

    Raises
    ------
    StoreError
        If the database is newer than this version of Dealmill, or workers hold leases.
    """
    current(store)  # rejects a file that is not a store before anything is written
    with MIGRATION_LOCK, store.rebuilding() as connection:
        found = revision_of(connection)
        if found is None and revision == HEAD:
            create_tables(connection)
        elif found != REVISION or revision != HEAD:
            _check_known(found)
            if found != REVISION:
                _check_no_leases(connection)
            _migrate("upgrade", connection, revision)


def downgrade(store: Database, revision: str) -> None:
    """Downgrade the database to `revision` (``base`` for none) in one transaction. The data of the tables and columns
    that are dropped is lost.

    Raises
    ------
    StoreError
        If the database has no tables, or is newer than this version of Dealmill, or workers hold leases.
    """
    if current(store) is None:
        raise StoreError(f"the database {shown(store.url)} has no tables, so there is nothing to downgrade")
    with MIGRATION_LOCK, store.rebuilding() as connection:
        _check_known(revision_of(connection))
        _check_no_leases(connection)
        _migrate("downgrade", connection, revision)


def _migrate(direction: Literal["upgrade", "downgrade"], connection: Connection, revision: str) -> None:
    from alembic import command
    from alembic.util import CommandError

    try:
        getattr(command, direction)(_config(connection), revision)
    except CommandError as error:
        raise StoreError(str(error)) from error


def _check_known(revision: str | None) -> None:
    if revision is not None and revision not in revisions():
        raise StoreError(f"the database is newer ({revision}) than this version of Dealmill; install a newer Dealmill")


def _check_no_leases(connection: Connection) -> None:
    """Check that no worker holds a lease, and lock the jobs until the migration is over. A worker writes its results to
    the tables as they were when it started. Workers that start later check the revision first.

    Raises
    ------
    StoreError
        If workers hold leases.
    """
    held, longest = 0, 0.0
    for table in (jobs, audit_jobs):
        if not inspect(connection).has_table(table.name):
            continue
        if connection.dialect.name == "postgresql":  # on SQLite, this transaction is the only writer
            connection.execute(text(f"LOCK TABLE {table.name} IN EXCLUSIVE MODE"))
        left = table.c.leased_until - clock()
        count, seconds = connection.execute(
            select(func.count(), func.max(left)).where(table.c.state == LEASED, left > 0)
        ).one()
        held, longest = held + count, max(longest, seconds or 0.0)
    if held:
        raise StoreError(
            f"workers hold leases ({held:,}); stop all commands that work on this database (they resume where "
            f"they stopped) and try again; leases of dead workers expire within {longest:,.0f} s"
        )
