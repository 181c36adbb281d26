"""Backing up a store in use, and downgrading only after a question."""

import os
import pty
import sqlite3
import subprocess
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import OLDEST
from dealmill.pipeline.store.database.tables import REVISION
from tests.cli.running import run_alone
from tests.servers import dealmill as command


def test_a_backup_of_a_store_in_use_is_a_store_of_its_own(folder: Path) -> None:
    writer = sqlite3.connect(folder / "dealmill.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM verdicts")
    ran = command("db", "backup", "copy.db", cwd=folder)
    size = (folder / "copy.db").stat().st_size
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", f"{size / 1e6:,.1f} MB written to copy.db\n")
    writer.close()
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(("copy", ".dealmill"))) == ["copy.db"]
    with dealmill.open(f"sqlite:///{folder}/copy.db") as store:
        assert store.find_run(1).audit().valid


def test_a_backup_overwrites_nothing_and_says_what_is_wrong(folder: Path, empty_store: Database) -> None:
    (folder / "there").write_text("precious")
    for target, reason in (("there", "there exists: name a new file"), ("no/copy.db", "No such file or directory")):
        ran = command("db", "backup", target, cwd=folder)
        assert (ran.returncode, ran.stdout) == (1, "") and reason in ran.stderr
    assert (folder / "there").read_text() == "precious"
    url = empty_store.url.render_as_string(hide_password=False)
    ran = command("db", "backup", "new.db", cwd=folder, env={"DEALMILL_DATABASE_URL": url})
    assert ("there is no store in" if empty_store.embedded else "back it up with pg_dump") in ran.stderr
    assert ran.returncode in {1, 2} and not (folder / "new.db").exists()


def test_a_backup_that_is_interrupted_leaves_nothing_behind(folder: Path) -> None:
    def interrupt(_event: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dealmill.db.backup(folder / "copy.db", f"sqlite:///{folder}/dealmill.db", interrupt)
    assert [path for path in folder.iterdir() if "copy" in path.name or path.name.startswith(".dealmill")] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "typed", "code", "revision"),
    [
        ([OLDEST], None, 2, REVISION),
        ([OLDEST], "n\n", 1, REVISION),
        ([OLDEST], "y\n", 0, OLDEST),
        (["--yes", OLDEST], None, 0, OLDEST),
    ],
)
def test_a_downgrade_asks_before_it_deletes(
    folder: Path, words: list[str], typed: str | None, code: int, revision: str
) -> None:
    ours, theirs = pty.openpty() if typed else (None, subprocess.DEVNULL)
    if ours is not None and typed:
        os.write(ours, typed.encode())
    ran = run_alone("db", "downgrade", *words, cwd=folder, stdin=theirs)
    assert ran.returncode == code, ran.stderr
    assert ("This deletes what tables of 0010 cannot hold" in ran.stderr) == bool(typed)
    assert dealmill.db.current(f"sqlite:///{folder}/dealmill.db") == revision
