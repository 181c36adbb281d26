"""Fixtures of all tests: stores on both databases, on real servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.store import migrate
from pipeline.store.database import Store, database_url, engine_for
from tests.servers import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server for the whole session."""
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A database without tables, of each kind."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'store.db'}"
    else:
        url = request.getfixturevalue("postgres").new_database()
    store = Store(database_url(url))
    yield store
    engine_for(store.url).dispose()


@pytest.fixture
def store(empty_store: Store) -> Store:
    """A store with its tables, of each kind."""
    migrate.upgrade(empty_store)
    return empty_store
