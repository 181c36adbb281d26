"""Open a store for use. Its revision must be the one of this version of Dealmill."""

from sqlalchemy import Connection

from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database.connections import Database, database_url, read_only, shown
from dealmill.pipeline.store.database.revision import create_tables, revision_of
from dealmill.pipeline.store.database.tables import REVISION


def open_store(url: str, *, writable: bool = True, statement_seconds: float | None = None) -> Database:
    """Open the store. Nothing is created; `create_store` creates an embedded file that is missing or empty.

    Unless it is `writable`, the database itself refuses every write. A statement that takes more than
    `statement_seconds` is ended with a `SlowQuery` error.

    Raises
    ------
    StoreError
        If the database cannot be reached or has another revision.
    """
    found = database_url(url)
    store = Database(found if writable else read_only(found), statement_seconds)
    try:
        check_tables(store)
    except StoreError:
        store.close()  # SQLite keeps files next to one that is open
        raise
    return store


def check_tables(store: Database) -> None:
    """Check that the store has the revision of this version of Dealmill. Another process may migrate it at any time.

    Raises
    ------
    StoreError
        If it has another revision, or is a server's database without tables, or cannot be reached.
    """
    if not store.vacant():
        with store.reading() as connection:
            check_revision(connection)


def check_revision(connection: Connection) -> None:
    """Check, in a transaction, what `check_tables` checks."""
    revision = revision_of(connection)
    if revision == REVISION:
        return
    from dealmill.pipeline.store.database import migrate  # rarely needed

    place = shown(connection.engine.url)
    if revision is None:
        raise StoreError(f"the database {place} has no tables yet; create them with: dealmill db upgrade")
    if revision in migrate.revisions():
        raise StoreError(
            f"the database {place} is of an older version ({revision}); upgrade it with: dealmill db upgrade"
        )
    raise StoreError(
        f"the database {place} is newer ({revision}) than this version of Dealmill ({REVISION}); install a newer "
        "Dealmill"
    )


def create_store(store: Database) -> None:
    """Create the file and the tables of an embedded store, unless they exist. A server's database is changed only by
    `dealmill db upgrade`.

    Raises
    ------
    StoreError
        If the file cannot be created.
    """
    if store.vacant():
        with store.rebuilding() as connection:
            if revision_of(connection) is None:  # otherwise another command has just created them
                create_tables(connection)
