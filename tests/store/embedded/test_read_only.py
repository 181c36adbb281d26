"""The file of an embedded store is read-only."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

from dealmill import StoreUnavailable
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.sources.writing import open_source
from tests.store.embedded.files import as_ordinary_user, contents, execute, lock_up


@pytest.mark.parametrize(
    "locked", ["both", *(pytest.param(part, marks=pytest.mark.slow) for part in ("the file", "the folder"))]
)
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_store_that_cannot_be_written_to_is_read(locked: str, journal: str, solved: Path, tmp_path: Path) -> None:
    execute(solved, f"PRAGMA journal_mode={journal}")
    lock_up(*{"the file": [solved], "the folder": [tmp_path], "both": [solved, tmp_path]}[locked])
    before = contents(tmp_path)
    for code, _, err in as_ordinary_user(
        ["status"], ["query", "1"], ["show", "1:1"], ["diff", "1", "1"], ["log"], ["db", "current"], cwd=tmp_path
    ):
        assert code == 0, err
    for code, out, err in as_ordinary_user(
        ["run", "deal:memory:seed=1:1-9"], ["audit", "1"], ["db", "downgrade", "--yes", "0010"], cwd=tmp_path
    ):
        assert (code, out, err.count("\n")) == (1, "", 1), err
        assert f"is read-only: attempt to write a readonly database; are {solved} and its folder writable" in err
    assert contents(tmp_path) == before


def test_a_read_only_store_is_read_with_the_newest_changes_of_a_writer(solved: Path, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{solved}")
    open_source(store, "memory", "b.txt", b"b")
    lock_up(*tmp_path.iterdir(), tmp_path)
    [(code, _, err)] = as_ordinary_user(["query", "--rejected", "--source", "b.txt"], cwd=tmp_path)
    assert code == 0, err
    tmp_path.chmod(0o755)


def test_changes_that_cannot_be_read_without_writing_are_an_error(solved: Path, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{solved}")
    open_source(store, "memory", "b.txt", b"b")
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("dealmill.db", "dealmill.db-wal"):
        shutil.copy(tmp_path / name, copy)
    lock_up(*copy.iterdir(), copy)
    [(code, _, err)] = as_ordinary_user(["status"], cwd=copy)
    assert (code, err.count("\n")) == (1, 1), err
    assert "dealmill.db cannot be read without writing, because dealmill.db-wal holds changes" in err
    copy.chmod(0o755)


def test_a_store_that_changes_meanwhile_is_read_again(solved: Path) -> None:
    reader = open_store(f"sqlite:///{solved}?mode=ro")
    with pytest.raises(StoreUnavailable, match="was changed while it was being read; try again"), reader.reading():
        execute(solved, "DELETE FROM actions")
    with reader.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM actions")).scalar() == 0
