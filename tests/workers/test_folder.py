"""Folders of commands: gone with them, and taken away by the next one where a command was killed."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealmill.workers.broker import LocalBroker
from dealmill.workers.farm import LONGEST_PARENT, OWNED, PREFIX, work_folder
from dealmill.workers.reconciler import check_broker


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for all folders, with a short path."""
    with tempfile.TemporaryDirectory() as name:
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


def test_the_temporary_folder_is_removed_with_its_command(temporary: Path) -> None:
    with work_folder() as folder:
        assert folder.parent == temporary
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_killed_command_is_removed_by_the_next_and_no_other(temporary: Path) -> None:
    left, foreign = temporary / f"{PREFIX}left", temporary / f"{PREFIX}other"
    for folder in (left, foreign):
        folder.mkdir()
        (folder / "broker.log").touch()
    (left / OWNED).touch()
    with work_folder() as mine, work_folder() as another:
        assert sorted(temporary.iterdir()) == sorted([foreign, mine, another])


@pytest.mark.slow
@pytest.mark.parametrize("excess", [0, 1, 100])
def test_the_path_of_a_socket_is_not_too_long_and_is_quoted(
    excess: int, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    special = temporary / "a b%20?#ü"
    parent = special.with_name(special.name + "x" * (LONGEST_PARENT + excess - len(os.fsencode(special))))
    parent.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(parent))
    with work_folder() as folder, LocalBroker(folder) as broker:
        check_broker(broker.url)
        assert folder.parent == (Path("/tmp") if excess else parent)  # noqa: S108
