"""Opening the store for use: only a database of the code's own migration is."""

from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database.connections import Database, database_url, revision_of, shown
from dealmill.pipeline.store.database.tables import REVISION


def open_store(url: str) -> Database:
    """Open the store. A fresh embedded file gets its tables; a server's database is never changed unasked.

    Raises
    ------
    StoreError
        If the database cannot be reached or does not stand at this code's migration.
    """
    store = Database(database_url(url))
    if store.embedded and _revision(store) is None:
        from dealmill.pipeline.store.database import migrate  # slow to load, and rarely needed

        migrate.upgrade(store)
    check_tables(store)
    return store


def check_tables(store: Database) -> None:
    """See that the tables of a store are those of this code; somebody else may migrate them at any time.

    Raises
    ------
    StoreError
        If they are not, or there are none, or the database cannot be reached.
    """
    revision, place = _revision(store), shown(store.url)
    if revision == REVISION:
        return
    from dealmill.pipeline.store.database import migrate  # slow to load, and rarely needed

    if revision is None:
        raise StoreError(f"the database {place} has no tables yet; create them with: dealmill db upgrade")
    if revision in migrate.revisions():
        raise StoreError(
            f"the database {place} is of an older version ({revision}); upgrade it with: dealmill db upgrade"
        )
    raise StoreError(f"the database {place} is newer ({revision}) than this Dealmill ({REVISION}); install a newer one")


def _revision(store: Database) -> str | None:
    with store.reading() as connection:
        return revision_of(connection)
