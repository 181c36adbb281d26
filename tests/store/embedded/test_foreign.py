"""The file of an embedded store is missing, empty or of another program."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import dealmill
from dealmill import StoreError, StoreUnavailable
from dealmill.pipeline.store.database.tables import REVISION
from tests.servers import LONGEST_SECONDS, clean_environment, dealmill_command
from tests.servers import dealmill as command
from tests.store.embedded.files import READERS, as_ordinary_user, contents, execute


def test_readers_create_nothing(file: Path, tmp_path: Path) -> None:
    for make in (None, Path.touch, lambda file: execute(file, "PRAGMA user_version=7")):
        if make:
            make(file)
        before = contents(tmp_path)
        with dealmill.open(f"sqlite:///{file}") as store:
            for use in (store.runs, store.status, store.log, store.workers, store.work, lambda: store.query(run=1)):
                with pytest.raises(StoreError, match=r"no store in .*dealmill\.db yet; create one with: dealmill run"):
                    use()
        assert dealmill.db.current(f"sqlite:///{file}") is None
        with pytest.raises(StoreError, match="has no tables, so there is nothing to downgrade"):
            dealmill.db.downgrade(f"sqlite:///{file}", revision="0010")
        database = {check.name: check for check in dealmill.doctor(f"sqlite:///{file}")}["database"]
        assert (database.passed, "there is no store in" in database.details) == (True, True)
        assert contents(tmp_path) == before


def test_reading_commands_say_that_there_is_no_store(file: Path, tmp_path: Path) -> None:
    said = f"dealmill: there is no store in {file} yet; create one with: dealmill run FILE…\n"
    assert as_ordinary_user(*READERS, cwd=tmp_path) == [(1, "", said)] * len(READERS)
    assert not list(tmp_path.iterdir())


def test_a_command_that_stores_something_creates_the_store(file: Path, tmp_path: Path) -> None:
    file.touch()
    assert command("run", "none.txt", cwd=tmp_path).returncode == 1
    assert file.stat().st_size == 0
    ran = command("queue", "deal:memory:seed=1:1-9", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "1\n"), ran.stderr
    assert command("db", "current", cwd=tmp_path).stdout == f"{REVISION}\n"


def test_two_commands_create_one_store(tmp_path: Path) -> None:
    both = [
        subprocess.Popen(
            dealmill_command(["queue", f"deal:memory:seed={seed}:1-9"]),
            cwd=tmp_path,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 2)
    ]
    told = [process.communicate(timeout=LONGEST_SECONDS) for process in both]
    assert sorted(out for out, _ in told) == ["1\n", "2\n"], told


FOREIGN = {
    "of another program": lambda file: execute(file, "CREATE TABLE notes (a)"),
    "of another program that uses Alembic": lambda file: execute(
        file,
        "CREATE TABLE runs (a); CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('7')",
    ),
    "in WAL mode": lambda file: execute(file, "PRAGMA journal_mode=WAL; CREATE TABLE notes (a)"),
    "a text": lambda file: file.write_text("ABBA\n"),
    "a long text": lambda file: file.write_text("ABBA\n" * 10_000),
}


@pytest.mark.parametrize("make", FOREIGN.values(), ids=FOREIGN)
def test_a_file_of_another_program_is_never_changed(make: Callable[[Path], None], file: Path, tmp_path: Path) -> None:
    make(file)
    before = contents(tmp_path)
    url = f"sqlite:///{file}"
    for use in (dealmill.open, dealmill.db.current, dealmill.db.upgrade):
        with pytest.raises(StoreError, match="is not a Dealmill store") as refused:
            use(url)
        assert not isinstance(refused.value, StoreUnavailable)
        assert contents(tmp_path) == before
    with pytest.raises(StoreError, match="is not a Dealmill store"):
        dealmill.db.downgrade(url, revision="0010")
    [first, *_] = [check for check in dealmill.doctor(url) if not check.passed]
    assert "is not a Dealmill store" in first.details
    assert contents(tmp_path) == before


def test_pipes_and_missing_folders_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="pipe is not a regular file"):
        dealmill.open(f"sqlite:///{tmp_path / 'pipe'}")
    with pytest.raises(StoreError, match="does not exist; create it"):
        dealmill.open(f"sqlite:///{tmp_path / 'none' / 'a.db'}")
