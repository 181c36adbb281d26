"""Stores with a run: one that is made once, and a small one for each test."""

from pathlib import Path
from shutil import copyfile

import pytest

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from tests.doing import a_run
from tests.servers import dealmill

SOURCE = "deal:card-pairing:seed=1:1-3000"


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store in which `SOURCE` is solved. Tests leave the store as it is."""
    folder = tmp_path_factory.mktemp("solved")
    assert dealmill("run", SOURCE, cwd=folder).returncode == 0
    return folder


@pytest.fixture
def folder(sqlite_tables: Path, tmp_path: Path) -> Path:
    """A folder with a store of one finished run over three layouts of Memory."""
    database = Database(database_url(f"sqlite:///{copyfile(sqlite_tables, tmp_path / 'dealmill.db')}"))
    a_run(database, "memory/two-pass", ["AABB", "ABAB", "ABBA"], name="memory.txt")
    database.close()
    return tmp_path
