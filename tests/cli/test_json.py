"""``--json``: one document on standard output, with the names of keys that other commands use."""

import json
from pathlib import Path
from typing import Any

import pytest

import dealmill as api
from dealmill.pipeline.store.database import Database, database_url
from tests.doing import a_run, do_runs
from tests.servers import dealmill

ENGINE = "memory/two-pass"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store of one finished run over three layouts, and a file."""
    url = f"sqlite:///{tmp_path / 'dealmill.db'}"
    api.db.upgrade(url)
    a_run(Database(database_url(url)), ENGINE, ["AABB", "ABAB", "ABBA"], name="memory.txt")
    (tmp_path / "memory-new.txt").write_text("AABB\nAABB\nABC\n")
    return tmp_path


def printed(*words: str, cwd: Path, code: int = 0) -> Any:
    """The document that a command prints."""
    ran = dealmill(*words, "--json", cwd=cwd)
    assert ran.returncode == code, ran.stderr
    return json.loads(ran.stdout)


def test_ingest_prints_all_sources_even_if_there_are_none(folder: Path) -> None:
    new = {"number": 2, "source": "memory-new.txt", "game": "memory", "layouts": 2, "duplicates": 1, "rejected": 1}
    assert printed("ingest", "memory-new.txt", cwd=folder, code=4) == [{**new, "complete": True}]
    (folder / "memory-empty.txt").touch()
    for command in ("ingest", "run"):
        assert printed(command, "memory-empty.txt", cwd=folder, code=1) == []


def test_queue_prints_the_row_of_status(folder: Path) -> None:
    queued = printed("queue", "1", "--engine", "incremental", cwd=folder)
    assert [queued] == printed("status", "2", cwd=folder)
    assert (queued["run"], queued["engine"], queued["pending"]) == (2, "memory/incremental", 3)


def test_work_prints_the_status_of_all_runs(folder: Path) -> None:
    dealmill("queue", "1", "--engine", "incremental", cwd=folder)
    assert [(run["run"], run["solved"]) for run in printed("work", "--drain", cwd=folder)] == [(1, 3), (2, 3)]


def test_show_prints_the_row_of_query_the_judgement_and_the_boards(folder: Path) -> None:
    shown = printed("show", "1:2", cwd=folder)
    [row] = printed("query", "1", "--after", "1:1", "--limit", "1", cwd=folder)
    assert row.items() <= shown.items()
    assert (shown["source"], shown["why_retracted"], shown["referee"]) == ("memory.txt", None, "valid")
    assert len(shown["frames"]) > 1
    alone = printed("show", "memory", "ABAB", cwd=folder)
    assert (alone["item"], alone["source"], alone["frames"]) == (None, None, shown["frames"])


def test_retract_prints_runs_and_their_replacements(folder: Path) -> None:
    retract = ("retract", "--engine", ENGINE, "--version", "1", "--why", "wrong")
    said = {"engine": ENGINE, "version": "1", "why": "wrong", "runs": [1]}
    assert printed(*retract, cwd=folder) == {**said, "requeued": []}
    assert printed("show", "1:1", "--retracted", cwd=folder)["why_retracted"] == "wrong"
    assert printed(*retract, "--undo", cwd=folder) == said


def test_a_replaced_run_is_named(folder: Path) -> None:
    store = Database(database_url(f"sqlite:///{folder / 'dealmill.db'}"))
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE engines SET version = '0'")
    retracted = printed("retract", "--engine", ENGINE, "--version", "0", "--why", "old", "--requeue", cwd=folder)
    assert retracted["requeued"] == [{"run": 2, "replaces": 1}]
    do_runs(store)
    assert printed("status", "2", cwd=folder)[0]["solved"] == 3


def test_export_backup_and_tables(folder: Path) -> None:
    exported = {"run": 1, "file": "a.csv", "verdicts": 3, "pending": 0}
    assert printed("export", "1", "a.csv", cwd=folder) == exported
    size = (printed("db", "backup", "b.db", cwd=folder), (folder / "b.db").stat().st_size)
    assert size[0] == {"file": "b.db", "bytes": size[1]}
    revision = api.db.current(f"sqlite:///{folder / 'dealmill.db'}")
    assert printed("db", "current", cwd=folder) == printed("db", "upgrade", cwd=folder) == {"revision": revision}
    assert printed("db", "downgrade", "0010", "--yes", cwd=folder) == {"revision": "0010"}


def test_deals_are_rows_with_their_numbers(tmp_path: Path) -> None:
    deals = printed("deal", "memory", "--seed", "3", "--first", "7", "--count", "2", cwd=tmp_path)
    assert deals == [{"line": one.line, "layout": one.text} for one in api.deals("memory", seed=3, first=7, count=2)]
    assert [one["line"] for one in deals] == [7, 8]
