"""Fixtures for tests of the file of an embedded store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doing import a_run
from tests.store.embedded.files import created


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The path of a file that does not exist yet."""
    return tmp_path / "dealmill.db"


@pytest.fixture
def solved(file: Path) -> Iterator[Path]:
    """The file of a store with one run, closed."""
    store = created(file)
    a_run(store, "memory/two-pass", ["ABBA", "AABB"])
    store.close()
    yield file
    for path in (file, file.parent):
        path.chmod(0o755)
