"""Folders of commands: gone with them, and taken away by the next one where a command was killed."""

import tempfile
from pathlib import Path

import pytest

from dealmill.workers.farm import OWNED, PREFIX, work_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for all folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_temporary_folder_is_removed_with_its_command(temporary: Path) -> None:
    with work_folder() as folder:
        assert folder.parent == temporary
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_killed_command_is_removed_by_the_next_and_no_other(temporary: Path) -> None:
    left, other = temporary / f"{PREFIX}left", temporary / f"{PREFIX}other"
    for folder in (left, other):
        folder.mkdir()
        (folder / "broker.log").touch()
    (left / OWNED).touch()
    with work_folder() as mine, work_folder() as another:
        assert sorted(temporary.iterdir()) == sorted([other, mine, another])
