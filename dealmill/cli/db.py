"""``db``: the tables of the store, brought to a revision, and backups."""

import sys

import click

import dealmill
from dealmill.cli.exits import ERROR
from dealmill.cli.output import tell, write_line
from dealmill.cli.progress import shown


@click.group()
def db() -> None:
    """Create, upgrade or downgrade the tables of the store; back it up.

    A fresh SQLite file gets its tables when something is stored; a server's database only by `dealmill db upgrade`.
    """


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Run the migrations up to REVISION; to the newest by default."""
    tell(f"the database stands at {dealmill.db.upgrade(revision=revision)}")


@db.command()
@click.argument("revision")
@click.option("--yes", is_flag=True, help="Do not ask.")
def downgrade(revision: str, yes: bool) -> None:
    """Undo the migrations after REVISION; `base` drops every table.

    What only the newer tables hold is lost, so this asks first, unless --yes is given. Back up the database before.
    """
    if not yes:
        _confirm("all tables and their rows" if revision == "base" else f"what tables of {revision} cannot hold")
    found = dealmill.db.downgrade(revision=revision)
    tell(f"the database stands at {found or 'base: it has no tables'}")


def _confirm(lost: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(f"this deletes {lost}; add --yes to confirm it where there is no terminal")
    if not click.confirm(f"This deletes {lost}. Continue?", err=True):
        tell("nothing was changed")
        sys.exit(ERROR)


@db.command()
@click.argument("file", type=click.Path())
def backup(file: str) -> None:
    """Copy an SQLite store into FILE, while commands and workers go on; a database on PostgreSQL has pg_dump.

    FILE must not exist. It appears only when it is complete, and is a store like any other.
    """
    with shown() as progress:
        size = dealmill.db.backup(file, progress=progress)
    tell(f"{size / 1e6:,.1f} MB written to {file}")


@db.command()
def current() -> None:
    """Print the migration the database stands at."""
    write_line(dealmill.db.current() or "none: the database has no tables yet")
