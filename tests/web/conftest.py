"""A furnished store, and clients of the application over it and other stores."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.web import check, runs, searches, site
from dealmill.web.app import application
from tests.conftest import with_tables
from tests.web.shop import furnish

HOSTS = ["testserver", "127.0.0.1"]


@pytest.fixture(scope="session", autouse=True)
def patient() -> Iterator[None]:
    """Let pages search and wait as long as it takes, however slow the machine is, and make each page anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "SEARCH_SECONDS", 60.0)
        patch.setattr(check, "PATIENCE", 60.0)
        patch.setattr(searches, "PATIENCE", 60.0)
        patch.setattr(site, "SECONDS", 0.0)  # tests change a store and look at once
        yield


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a furnished store on SQLite, which no test changes."""
    url = f"sqlite:///{tmp_path_factory.mktemp('web') / 'store.db'}"
    database = with_tables(Database(database_url(url)))
    furnish(database)
    database.close()
    return url


@contextmanager
def client_of(database: str | Database, token: str | None = None) -> Iterator[TestClient]:
    """Yield a client of the application over a store, or the store at a URL, for the duration of the `with` block."""
    url = database if isinstance(database, str) else database.url.render_as_string(hide_password=False)
    with (
        dealmill.open(url, read_only=True) as opened,
        TestClient(application(opened, hosts=HOSTS, token=token)) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def client(furnished: str) -> Iterator[TestClient]:
    """A client of the application over the furnished store."""
    with client_of(furnished) as client:
        yield client
