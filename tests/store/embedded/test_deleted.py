"""The file of an embedded store is deleted or replaced."""

import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

import dealmill
from dealmill import ReplacedError, StoreError
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.database.sqlite import find_file
from dealmill.pipeline.store.sources.writing import open_source
from tests.servers import LONGEST_SECONDS, clean_environment, dealmill_command
from tests.store.embedded.files import created


def test_a_deleted_file_is_noticed_by_readers_and_writers(file: Path) -> None:
    store = created(file)
    open_source(store, "memory", "a.txt", b"a")
    file.unlink()
    for use in (store.reading, store.browsing, store.writing, store.rebuilding):
        with pytest.raises(ReplacedError, match=r"dealmill\.db was deleted or replaced while it was open"), use():
            pytest.fail("it was not noticed")
    assert not file.exists()


def test_a_deleted_file_is_noticed_by_waiting_writers(file: Path) -> None:
    created(file).close()
    waiting = find_file(file, read_only=False)
    assert waiting is not None
    file.unlink()
    with pytest.raises(ReplacedError):
        waiting.check_locks()


def test_a_commit_into_a_deleted_file_is_an_error(file: Path) -> None:
    store = created(file)
    with pytest.raises(ReplacedError), store.writing() as connection:
        connection.execute(text("DELETE FROM actions"))
        file.unlink()


def test_another_file_in_its_place_is_left_alone(file: Path, tmp_path: Path) -> None:
    store = created(file)
    created(tmp_path / "other.db").close()
    (tmp_path / "other.db").rename(file)
    before = file.read_bytes()
    with pytest.raises(ReplacedError), store.reading():
        pytest.fail("it was not noticed")
    assert file.read_bytes() == before
    store.close()
    again = open_store(f"sqlite:///{file}")
    open_source(again, "memory", "a.txt", b"a")
    again.close()


def test_a_file_that_comes_back_is_used_again(file: Path) -> None:
    store = created(file)
    file.rename(file.with_name("away"))
    with pytest.raises(ReplacedError):
        open_source(store, "memory", "a.txt", b"a")
    file.with_name("away").rename(file)
    assert open_source(store, "memory", "a.txt", b"a").id == 1


def test_the_last_connection_of_another_process_does_no_harm(file: Path) -> None:
    store = created(file)
    open_source(store, "memory", "a.txt", b"a")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("SELECT * FROM sources").fetchall()
    assert open_source(store, "memory", "b.txt", b"b").id == 2


def test_a_store_stays_with_its_file_when_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with dealmill.open("sqlite:///a.db") as store:
        store.queue("deal:memory:seed=1:1-2")
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert len(store.runs()) == 1
        with dealmill.open("sqlite:///a.db") as elsewhere, pytest.raises(StoreError, match="there is no store in"):
            elsewhere.runs()
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("replace", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_run_whose_file_is_deleted_ends_with_one_sentence(replace: bool, file: Path, tmp_path: Path) -> None:
    with (tmp_path / "told").open("wb") as told:
        running = subprocess.Popen(
            dealmill_command(["run", "deal:memory:seed=8:1-200000"]),
            cwd=tmp_path,
            env=clean_environment({"DEALMILL_WORKERS": "2"}),
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
        )
    wait_for(lambda: file.exists() and solved_layouts(file) > 0)
    for path in sorted(tmp_path.glob("dealmill.db*")):  # first the file that the message names
        path.unlink()
    if replace:
        created(file).close()
    out, _ = running.communicate(timeout=LONGEST_SECONDS)
    said = (tmp_path / "told").read_text()
    assert (running.returncode, out) == (1, ""), said
    assert f"dealmill: {file} was deleted or replaced while it was open" in said.splitlines()[-1]
    assert "Traceback" not in said
    assert file.exists() == replace


def solved_layouts(file: Path) -> int:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM verdicts").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def wait_for(met: Callable[[], bool], seconds: float = LONGEST_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.02)
