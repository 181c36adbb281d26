"""What tests with real commands share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.place import Place
from tests.servers import Postgres

ITEMS = 1_200


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """A place with a run to be worked on, on each database."""
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
    """Called with a case and what came of it; prints a row of a table for each."""

    def noted(case: str, came: str) -> None:
        database = request.node.callspec.params.get("place", "") if hasattr(request.node, "callspec") else ""
        record_property("row", {"case": case, "database": database, "what came of it": came})

    return noted
