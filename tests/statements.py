"""Compiled SQL statements that all engines of this process share.

Each test has databases, and so engines, of its own; compiling the same statements for each of them would take a seventh
of the time of the tests that use one.
"""

from functools import partial
from typing import Any

from sqlalchemy import create_engine

from dealmill.pipeline.store.database import connections as database


class SharedStatements(dict[Any, Any]):
    """A cache of compiled statements for SQLAlchemy, whose keys begin with a dialect. Dialects of a class count as
    equal, because all databases of a kind are on the same server."""

    def get(self, key: tuple[object, ...], default: object = None) -> object:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: tuple[object, ...], compiled: object) -> None:
        super().__setitem__((type(key[0]), *key[1:]), compiled)


def share_statements() -> None:
    """Have the store give all its engines the same cache."""
    shared = partial(create_engine, execution_options={"compiled_cache": SharedStatements()})
    database.create_engine = shared  # type: ignore[attr-defined]
