"""Bringing a database to a migration."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

import migrations
from pipeline.errors import StoreError
from pipeline.store.database import Store, revision_of


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__path__[0])))
    config.attributes["connection"] = connection
    return config


def revisions() -> list[str]:
    """All migrations this code knows, oldest first."""
    script = ScriptDirectory.from_config(_config())
    return [revision.revision for revision in reversed(list(script.walk_revisions()))]


def current(store: Store) -> str | None:
    """The migration the database stands at; None if it has no tables yet."""
    with store.reading() as connection:
        return revision_of(connection)


def upgrade(store: Store, revision: str = "head") -> None:
    """Run the migrations up to `revision`, all or none."""
    with store.rebuilding() as connection:
        _known(revision_of(connection))
        try:
            command.upgrade(_config(connection), revision)
        except CommandError as error:
            raise StoreError(str(error)) from error


def downgrade(store: Store, revision: str) -> None:
    """Take migrations back down to `revision` (``base`` for none), all or none. What only they held is lost."""
    with store.rebuilding() as connection:
        _known(revision_of(connection))
        try:
            command.downgrade(_config(connection), revision)
        except CommandError as error:
            raise StoreError(str(error)) from error


def _known(revision: str | None) -> None:
    if revision is not None and revision not in revisions():
        raise StoreError(f"the database is newer ({revision}) than this Dealmill; install a newer one")
