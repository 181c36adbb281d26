"""Fixtures for tests with real commands."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.farm import Farm
from tests.servers import Postgres

ITEMS = 200
CHUNK = 2


@pytest.fixture(params=["sqlite", "postgresql"])
def farm(request: pytest.FixtureRequest) -> Iterator[Farm]:
    """A farm with a run to be solved, on SQLite and on PostgreSQL."""
    with TemporaryDirectory(prefix="farm-") as name:
        if request.param == "sqlite":
            url = f"sqlite:///{name}/dealmill.db"
        else:
            postgres: Postgres = request.getfixturevalue("postgres")
            url = postgres.new_database()
        with Farm(Path(name), url, 1, ITEMS, CHUNK) as started:
            started.plan()
            yield started
