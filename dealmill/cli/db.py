"""``db``: the tables of the store, brought to a revision."""

import click

import dealmill
from dealmill.cli.output import tell, write_line


@click.group()
def db() -> None:
    """Create, upgrade or downgrade the tables of the store.

    A fresh SQLite file gets its tables when something is stored; a server's database only by `dealmill db upgrade`.
    """


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Run the migrations up to REVISION; to the newest by default."""
    tell(f"the database stands at {dealmill.db.upgrade(revision=revision)}")


@db.command()
@click.argument("revision")
def downgrade(revision: str) -> None:
    """Take migrations back down to REVISION; `base` drops every table with all that is in it."""
    found = dealmill.db.downgrade(revision=revision)
    tell(f"the database stands at {found or 'base: it has no tables'}")


@db.command()
def current() -> None:
    """Print the migration the database stands at."""
    write_line(dealmill.db.current() or "none: the database has no tables yet")
