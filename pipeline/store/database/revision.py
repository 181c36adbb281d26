"""The revision of a database, that is, its latest migration as recorded in ``alembic_version``; and the creation of new
tables at the newest revision."""

import re

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, select, text

from dealmill.pipeline.errors import DamagedError, StoreError
from dealmill.pipeline.store.database.connections import shown
from dealmill.pipeline.store.database.tables import REVISION, items, jobs, metadata, runs, sources
from dealmill.pipeline.store.database.views import create_views

TABLE = "alembic_version"
alembic_version = Table(
    TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""The table as Alembic creates it. It has one row, which Alembic updates."""
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


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None if it has no Dealmill tables.

    Raises
    ------
    StoreError
        If it is an SQLite file with tables of another program.
    DamagedError
        If ``alembic_version`` does not hold exactly one valid revision.
    """
    place = shown(connection.engine.url)
    tables = set(connection.execute(NAMES[connection.dialect.name]).scalars())
    ours = tables >= OURS
    if connection.dialect.name == "sqlite" and not ours and tables - {TABLE}:
        found = ", ".join(sorted(tables - {TABLE})[:3])
        raise StoreError(f"{place} is not a Dealmill store, but has other tables ({found}); change the database URL")
    if TABLE not in tables:
        if ours:
            raise _damaged(place, "is missing")
        return None
    written = connection.execute(select(alembic_version.c.version_num)).scalars().all()
    if not written and not ours:
        return None
    if len(written) != 1:
        raise _damaged(place, f"has {len(written) or 'no'} rows instead of one")
    [revision] = written
    if not isinstance(revision, str) or not FORM.fullmatch(revision):
        raise _damaged(place, f"holds {revision!r:.40}, which is not a valid revision")

    return revision


def create_tables(connection: Connection) -> None:
    """Create the tables and views of the newest revision in an empty database. The result equals that of all
    migrations, in a fraction of their time (docs/decisions/0030-starting.md)."""
    metadata.create_all(connection, checkfirst=False)
    create_views(connection)
    alembic_version.create(connection, checkfirst=True)  # a database that was downgraded to base still has it
    connection.execute(alembic_version.insert().values(version_num=REVISION))


def _damaged(place: str, what: str) -> DamagedError:
    return DamagedError(
        f"the table {TABLE} of the database {place} {what}; restore the database from a backup, or if you are sure of "
        f"its revision, write that to the table (the revision of this version of Dealmill is {REVISION})"
    )
