"""``db``: create, upgrade and downgrade the tables of the store."""

import click

import dealmill
from dealmill.cli.output import tell, write_line


@click.group()
def db() -> None:
    """Create, upgrade or downgrade the tables of the store.

    A new SQLite file gets its tables when the first source is stored. A PostgreSQL database gets them only from
    `dealmill db upgrade`.
    """


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Upgrade the tables to REVISION, by default the newest."""
    tell(f"the database is at revision {dealmill.db.upgrade(revision=revision)}")


@db.command()
@click.argument("revision")
def downgrade(revision: str) -> None:
    """Downgrade the tables to REVISION; `base` drops all tables and their contents."""
    found = dealmill.db.downgrade(revision=revision)
    tell(f"the database is at revision {found or 'base: it has no tables'}")


@db.command()
def current() -> None:
    """Print the revision of the database."""
    write_line(dealmill.db.current() or "none: the database has no tables yet")
