"""Opening the store for use: only a database of the code's own migration is."""

from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database.connections import Database, database_url, shown
from dealmill.pipeline.store.database.revision import create_tables, revision_of
from dealmill.pipeline.store.database.tables import REVISION


def open_store(url: str) -> Database:
    """Open the store. Nothing is created: an embedded file that is missing or empty is left to `create_store`.

    Raises
    ------
    StoreError
        If the database cannot be reached or does not stand at this code's migration.
    """
    store = Database(database_url(url))
    try:
        check_tables(store)
    except StoreError:
        store.close()  # SQLite keeps files beside one that is open
        raise
    return store


def check_tables(store: Database) -> None:
    """See that the tables of a store are those of this code; somebody else may migrate them at any time.

    Raises
    ------
    StoreError
        If they are not, or a server's database has none, or the database cannot be reached.
    """
    if store.vacant():
        return
    with store.reading() as connection:
        revision = revision_of(connection)
    if revision == REVISION:
        return
    from dealmill.pipeline.store.database import migrate  # loads Alembic, and is rarely needed

    place = shown(store.url)
    if revision is None:
        raise StoreError(f"the database {place} has no tables yet; create them with: dealmill db upgrade")
    if revision in migrate.revisions():
        raise StoreError(
            f"the database {place} is of an older version ({revision}); upgrade it with: dealmill db upgrade"
        )
    raise StoreError(f"the database {place} is newer ({revision}) than this Dealmill ({REVISION}); install a newer one")


def create_store(store: Database) -> None:
    """Create the file and the tables of an embedded store that has none yet; a server's database is only changed by
    `dealmill db upgrade`.

    Raises
    ------
    StoreError
        If the file cannot be created.
    """
    if store.vacant():
        with store.rebuilding() as connection:
            if revision_of(connection) is None:  # else another command was faster
                create_tables(connection)
