"""``db``: the tables of the store, brought to a version."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dealmill.pipeline.store.database import Database


def _unopened_store() -> "Database":
    """The store that the settings name, at whatever migration it stands."""
    from dealmill.pipeline.settings import settings
    from dealmill.pipeline.store.database import Database, database_url

    return Database(database_url(settings().database_url.get_secret_value()))


@click.group()
def db() -> None:
    """Create, upgrade or downgrade the tables of the store.

    A fresh SQLite file gets its tables by itself; a server's database only by `dealmill db upgrade`.
    """


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Run the migrations up to REVISION; to the newest by default."""
    from dealmill.pipeline.store import migrate

    store = _unopened_store()
    migrate.upgrade(store, revision)
    click.echo(f"the database stands at {migrate.current(store)}", err=True)


@db.command()
@click.argument("revision")
def downgrade(revision: str) -> None:
    """Take migrations back down to REVISION; `base` drops every table with all that is in it."""
    from dealmill.pipeline.store import migrate

    store = _unopened_store()
    migrate.downgrade(store, revision)
    click.echo(f"the database stands at {migrate.current(store) or 'base: it has no tables'}", err=True)


@db.command()
def current() -> None:
    """Print the migration the database stands at."""
    from dealmill.pipeline.store import migrate

    click.echo(migrate.current(_unopened_store()) or "none: the database has no tables yet")
