"""``db``: create, upgrade, downgrade and back up the tables of the store."""

import sys

import click

import dealmill
from dealmill.cli.exits import ERROR
from dealmill.cli.output import tell, write_line
from dealmill.cli.progress import shown


@click.group()
def db() -> None:
    """Create, upgrade, downgrade or back up the store.

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
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def downgrade(revision: str, yes: bool) -> None:
    """Downgrade the tables to REVISION; `base` drops all tables and their contents.

    This deletes what the older tables cannot hold, so it asks for confirmation unless --yes is given.
    """
    if not yes:
        _confirm("all tables and their rows" if revision == "base" else f"what tables of {revision} cannot hold")
    found = dealmill.db.downgrade(revision=revision)
    tell(f"the database is at revision {found or 'base: it has no tables'}")


def _confirm(lost: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(f"this deletes {lost}; add --yes to confirm it where there is no terminal")
    if not click.confirm(f"This deletes {lost}. Continue?", err=True):
        tell("nothing was changed")
        sys.exit(ERROR)


@db.command()
@click.argument("file", type=click.Path())
def backup(file: str) -> None:
    """Copy a SQLite store to FILE while commands and workers are running; for PostgreSQL, use pg_dump.

    FILE must not exist. It appears only when it is complete, and is a store like any other.
    """
    with shown() as progress:
        size = dealmill.db.backup(file, progress=progress)
    tell(f"{size / 1e6:,.1f} MB written to {file}")


@db.command()
def current() -> None:
    """Print the revision of the database."""
    write_line(dealmill.db.current() or "none: the database has no tables yet")
