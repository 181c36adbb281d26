"""A furnished store, and clients of the application over it."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.store.database import Database, database_url
from dealmill.web import pages, site
from dealmill.web.app import application
from tests.conftest import with_tables
from tests.web.shop import furnish

HOSTS = ["testserver", "127.0.0.1"]


@pytest.fixture(scope="session", autouse=True)
def patient() -> Iterator[None]:
    """Let pages search as long as it takes, however slow the machine is, and make each page anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "SEARCH_SECONDS", 60.0)
        patch.setattr(site, "SECONDS", 0.0)  # tests change a store and look at once
        yield


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a furnished store on SQLite, which no test changes."""
    url = f"sqlite:///{tmp_path_factory.mktemp('web') / 'store.db'}"
    store = with_tables(Database(database_url(url)))
    furnish(store)
    store.close()
    return url


@pytest.fixture(scope="session")
def client(furnished: str) -> Iterator[TestClient]:
    """A client of the application over the furnished store."""
    with dealmill.open(furnished, read_only=True) as store, TestClient(application(store, hosts=HOSTS)) as client:
        yield client
