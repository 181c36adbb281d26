"""The revision of a database: its check when a store is opened, and the creation of tables, upgrades and downgrades by
the commands of ``dealmill db``."""

import re
import secrets
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    exists,
    func,
    select,
    text,
)

from dealmill import migrations
from dealmill.pipeline.errors import DamagedError, StoreError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import (
    JOB_TABLES,
    LEASED,
    REVISION,
    STORES_LAYOUTS,
    blocks,
    farm,
    items,
    jobs,
    metadata,
    runs,
    sources,
    store,
)
from dealmill.pipeline.store.database.urls import database_url, read_only, shown
from dealmill.pipeline.store.database.views import create_views

if TYPE_CHECKING:
    from alembic.config import Config

TABLE = "alembic_version"
alembic_version = Table(
    TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""The table as Alembic creates it. It has one row, which Alembic updates."""
unfinished_copy = Table(
    "unfinished_copy",
    MetaData(),
    Column("source", Text, nullable=False, comment="URL of the store that is copied"),
    Column("revision", String(32), nullable=False),
)
"""The table that marks a database as an unfinished copy of a store, which has no revision yet. It has one row, and goes
when the copy is finished."""
OURS = {table.name for table in (sources, items, runs, jobs)}
"""Tables that every store has had from its first revision."""
NAMES = {
    "sqlite": text("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"),
    "postgresql": text(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace <> 'pg_catalog'::regnamespace "
        "AND pg_table_is_visible(oid)"
    ),
}
"""The names of the tables of a database. Workers ask for them before every job, and SQLAlchemy's inspector, which
prepares its queries anew each time, takes five times as long."""
FORM = re.compile(r"(?!0000)[0-9]{4}")
OLDEST = "0010"
"""The oldest revision that can be upgraded, and the one to which a database can be downgraded: that of Dealmill 0.1.0,
the first release (docs/decisions/0046-migrations-from-the-first-release.md)."""


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None if it has no Dealmill tables.

    Raises
    ------
    StoreError
        If it is an SQLite file with tables of another program, or an unfinished copy.
    DamagedError
        If ``alembic_version`` does not hold exactly one valid revision.
    """
    url = shown(connection.engine.url)
    tables = set(connection.execute(NAMES[connection.dialect.name]).scalars())
    ours = tables >= OURS
    if unfinished_copy.name in tables:
        [source] = connection.execute(select(unfinished_copy.c.source)).scalars()
        raise StoreError(f"{url} is an unfinished copy of {source}; finish it by running dealmill db copy again")
    if connection.dialect.name == "sqlite" and not ours and tables - {TABLE}:
        names = ", ".join(sorted(tables - {TABLE})[:3])
        raise StoreError(f"{url} is not a Dealmill store, but has other tables ({names}); change the database URL")
    if TABLE not in tables:
        if ours:
            raise _damaged(url, "is missing")
        return None
    written = connection.execute(select(alembic_version.c.version_num)).scalars().all()
    if not written and not ours:
        return None
    if len(written) != 1:
        raise _damaged(url, f"has {len(written) or 'no'} rows instead of one")
    [revision] = written
    if not isinstance(revision, str) or not FORM.fullmatch(revision):
        raise _damaged(url, f"holds {revision!r:.40}, which is not a valid revision")

    return revision


def create_tables(connection: Connection) -> None:
    """Create the tables and views of the newest revision in an empty database. The result equals that of all
    migrations, in a fraction of their time (docs/decisions/0030-starting.md)."""
    for tables in (metadata, farm):
        tables.create_all(connection, checkfirst=False)
    connection.execute(store.insert().values(identity=new_identity()))
    create_views(connection)
    alembic_version.create(connection, checkfirst=True)  # Dealmill 0.1.0 left it where it dropped all others
    connection.execute(alembic_version.insert().values(version_num=REVISION))


def new_identity() -> str:
    """Return a random identity for a store."""
    return secrets.token_hex(8)


def identity_of(database: Database) -> str:
    """Return the identity of a store, which no other store has.

    Raises
    ------
    DamagedError
        If it has none, or several.
    """
    with database.reading() as connection:
        identities = connection.execute(select(store.c.identity)).scalars().all()
    if len(identities) != 1:
        raise DamagedError(
            f"the table {store.name} of the database {shown(database.url)} has {len(identities) or 'no'} rows instead "
            "of one; leave or insert one, with any text that no other store has"
        )
    return str(identities[0])


def begin_copy(source: Database, target: Database) -> None:
    """Make a database an unfinished copy of a store, without any rows, unless it is one already. It gets tables if it
    has none.

    Raises
    ------
    StoreError
        If it is the unfinished copy of another store, its tables are of another revision, or have rows.
    """
    origin = shown(source.url.set(database=str(source.path)) if source.embedded else source.url)
    if not target.vacant():
        with target.reading() as connection:
            if unfinished_copy.name in connection.execute(NAMES[connection.dialect.name]).scalars():
                _check_goes_on(connection, origin)
                return
            if revision_of(connection) is not None:
                check_revision(connection)
                _check_empty(connection)
    with target.rebuilding() as connection:
        if revision_of(connection) is None:
            create_tables(connection)
        connection.execute(alembic_version.delete())
        unfinished_copy.create(connection)
        connection.execute(unfinished_copy.insert().values(source=origin, revision=REVISION))


def finish_copy(connection: Connection) -> None:
    """Make an unfinished copy a store."""
    unfinished_copy.drop(connection)
    connection.execute(alembic_version.insert().values(version_num=REVISION))


def _check_goes_on(connection: Connection, origin: str) -> None:
    [started] = connection.execute(select(unfinished_copy)).all()
    if tuple(started) != (origin, REVISION):
        raise StoreError(
            f"{shown(connection.engine.url)} is an unfinished copy of {started.source} at revision {started.revision}, "
            f"not of {origin} at {REVISION}; finish that one, or name an empty database"
        )


def _check_empty(connection: Connection) -> None:
    for table in metadata.sorted_tables:
        if connection.execute(select(exists(select(table)))).scalar_one():
            raise StoreError(
                f"{shown(connection.engine.url)} is not empty: its table {table.name} has rows; name an empty database"
            )


def _damaged(url: str, what: str) -> DamagedError:
    return DamagedError(
        f"the table {TABLE} of the database {url} {what}; restore the database from a backup, or if you are sure of "
        f"its revision, write that to the table (the revision of this version of Dealmill is {REVISION})"
    )


def open_store(url: str, *, writable: bool = True, statement_seconds: float | None = None) -> Database:
    """Open the store. Nothing is created; `create_store` creates an embedded file that is missing or empty.

    Unless it is `writable`, the database itself refuses every write. A statement that takes more than
    `statement_seconds` is ended with a `SlowQuery` error.
    """
    parsed_url = database_url(url)
    database = Database(parsed_url if writable else read_only(parsed_url), statement_seconds)
    try:
        check_tables(database)
    except StoreError:
        database.close()  # SQLite keeps files next to one that is open
        raise
    return database


def check_tables(database: Database) -> None:
    """Check that the store has the revision of this version of Dealmill. Another process may migrate it at any time."""
    if not database.vacant():
        with database.reading() as connection:
            check_revision(connection)


def check_revision(connection: Connection) -> None:
    """Check, in a transaction, what `check_tables` checks."""
    revision = revision_of(connection)
    if revision == REVISION:
        return
    url = shown(connection.engine.url)
    if revision is None:
        raise StoreError(f"the database {url} has no tables yet; create them with: dealmill db upgrade")
    _check_known(url, revision)
    raise StoreError(f"the database {url} is of an older version ({revision}); upgrade it with: dealmill db upgrade")


def _check_known(url: str, revision: str | None) -> None:
    if revision is None:
        return
    if revision < OLDEST:
        raise StoreError(
            f"the database {url} is older ({revision}) than Dealmill 0.1.0 ({OLDEST}); install that version, upgrade "
            "the database with its dealmill db upgrade, and then use this version again"
        )
    if revision > REVISION:
        raise StoreError(
            f"the database {url} is newer ({revision}) than this version of Dealmill ({REVISION}); install a newer "
            "Dealmill"
        )


def create_store(database: Database) -> None:
    """Create the file and the tables of an embedded store, unless they exist. A server's database is changed only by
    `dealmill db upgrade`."""
    if database.vacant():
        with database.rebuilding() as connection:
            if revision_of(connection) is None:  # otherwise another command has just created them
                create_tables(connection)


HEAD = "head"
"""Alembic's name for the newest revision."""
SUMS = "0022"
"""The revision in which the sums of blocks replaced the bitmaps of compact runs."""
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


def current(database: Database) -> str | None:
    """Return the revision of the database; None if it has no tables yet."""
    if database.vacant():
        return None
    with database.reading() as connection:
        return revision_of(connection)


def upgrade(
    database: Database, revision: str = HEAD, check_listable: Callable[[Connection], None] = lambda _: None
) -> None:
    """Upgrade the database to `revision` in one transaction. The newest tables are created directly in an empty
    database.

    If the bitmaps of compact runs have become sums, the deals of these runs are listed by solving them again. An error
    of `check_listable`, which is called with the upgraded tables then, undoes the upgrade.
    """
    current(database)  # rejects a file that is not a store before anything is written
    if revision != HEAD and revision not in revisions():
        raise StoreError(f"there is no revision {revision}; dealmill db upgrade without one upgrades to the newest")
    with MIGRATION_LOCK, database.rebuilding() as connection:
        current_revision = revision_of(connection)
        _check_known(shown(database.url), current_revision)
        if current_revision is None and revision == HEAD:
            create_tables(connection)
        elif current_revision != REVISION or revision != HEAD:
            if current_revision not in {None, REVISION}:
                _check_no_leases(connection)
            _migrate("upgrade", connection, revision)
            if (current_revision or REVISION) < SUMS and revision in {HEAD, REVISION}:
                check_listable(connection)


def check_downgrade(database: Database, revision: str) -> list[int]:
    """Check that a database can be downgraded to a revision. Return the numbers of the compact runs whose verdicts that
    revision stores one by one, so that they must be solved again.

    Raises
    ------
    StoreError
        If not.
    """
    if revision not in revisions():
        raise StoreError(
            f"a database cannot be downgraded to {revision}; the oldest revision is {OLDEST}, that of Dealmill 0.1.0"
        )
    if revision >= SUMS or current(database) != REVISION:
        return []
    with database.reading() as connection:
        compact = select(runs.c.id).where(~STORES_LAYOUTS, exists().where(blocks.c.run_id == runs.c.id))
        return [*connection.execute(compact.order_by(runs.c.id)).scalars()]


def downgrade(database: Database, revision: str) -> None:
    """Downgrade the database to `revision` in one transaction. The data of the tables and columns that are dropped is
    lost.

    Raises
    ------
    StoreError
        If the database has no tables, or is newer than this version of Dealmill or older than the first release, or
        workers hold leases, or `revision` is not one to which a database can be downgraded.
    """
    if current(database) is None:
        raise StoreError(f"the database {shown(database.url)} has no tables, so there is nothing to downgrade")
    check_downgrade(database, revision)
    with MIGRATION_LOCK, database.rebuilding() as connection:
        _check_known(shown(database.url), revision_of(connection))
        _check_no_leases(connection)
        _migrate("downgrade", connection, revision)


def _migrate(direction: Literal["upgrade", "downgrade"], connection: Connection, revision: str) -> None:
    from alembic import command
    from alembic.util import CommandError

    try:
        getattr(command, direction)(_config(connection), revision)
    except CommandError as error:
        raise StoreError(str(error)) from error


def _check_no_leases(connection: Connection) -> None:
    """Check that no worker holds a lease, and lock the jobs until the migration is over. A worker writes its results to
    the tables as they were when it started. Workers that start later check the revision first.

    Raises
    ------
    StoreError
        If workers hold leases.
    """
    held, longest = 0, 0.0
    for table in JOB_TABLES.values():
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
