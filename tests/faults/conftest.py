"""Fixtures for tests with real commands."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.place import Place
from tests.servers import Postgres

ITEMS = 200


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """A place with a run to be solved, on SQLite and on PostgreSQL."""
    with TemporaryDirectory(prefix="place-") as name:
        folder = Path(name)
        if request.param == "sqlite":
            url = f"sqlite:///{folder / 'dealmill.db'}"
        else:
            postgres: Postgres = request.getfixturevalue("postgres")
            url = postgres.new_database()
        with Place(folder, url, ITEMS) as found:
            yield found


Note = Callable[[str, str], None]


@pytest.fixture
def note(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Note:
    """Return a function that is called with a case and its outcome, and records them as a row of a table."""

    def noted(case: str, came: str) -> None:
        database = request.node.callspec.params.get("place", "") if hasattr(request.node, "callspec") else ""
        record_property("row", {"case": case, "database": database, "what came of it": came})

    return noted
