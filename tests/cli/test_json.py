"""``--json``: one document on standard output, with the names of keys that other commands use."""

from pathlib import Path

import pytest

import dealmill as api
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from tests.cli.running import rows
from tests.doing import do_runs
from tests.servers import dealmill

ENGINE = "memory/two-pass"


def test_ingest_prints_all_sources_even_if_there_are_none(folder: Path) -> None:
    (folder / "memory-new.txt").write_text("AABB\nAABB\nABC\n")
    new = {"number": 2, "source": "memory-new.txt", "game": "memory", "layouts": 2, "duplicates": 1, "rejected": 1}
    assert rows("ingest", "memory-new.txt", cwd=folder, code=4) == [{**new, "complete": True}]
    (folder / "memory-empty.txt").touch()
    for command in ("ingest", "run"):
        assert rows(command, "memory-empty.txt", cwd=folder, code=1) == []


def test_queue_prints_the_row_of_status(folder: Path) -> None:
    queued = rows("queue", "1", "--engine", "incremental", cwd=folder)
    assert [queued] == rows("status", "2", cwd=folder)
    assert (queued["run"], queued["engine"], queued["pending"]) == (2, "memory/incremental", 3)


def test_without_rows_there_is_a_message_instead_of_a_table(folder: Path) -> None:
    ran = dealmill("query", "1", "--value", "9..", cwd=folder)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "no verdict matches\n")
    assert dealmill("query", "1", "--rejected", cwd=folder).stderr == "there are no rejects\n"
    assert rows("query", "1", "--value", "9..", cwd=folder) == []


@pytest.mark.slow
def test_work_prints_the_status_of_all_runs(folder: Path) -> None:
    dealmill("queue", "1", "--engine", "incremental", cwd=folder)
    assert [(run["run"], run["solved"]) for run in rows("work", "--drain", cwd=folder)] == [(1, 3), (2, 3)]


def test_show_prints_the_row_of_query_the_judgement_and_the_boards(folder: Path) -> None:
    shown = rows("show", "1:2", cwd=folder)
    [row] = rows("query", "1", "--after", "1:1", "--limit", "1", cwd=folder)
    assert row.items() <= shown.items()
    assert (shown["source"], shown["why_retracted"], shown["referee"]) == ("memory.txt", None, "valid")
    assert len(shown["frames"]) > 1
    alone = rows("show", "memory", "ABAB", cwd=folder)
    assert (alone["item"], alone["source"], alone["frames"]) == (None, None, shown["frames"])


def test_retract_prints_runs_and_their_replacements(folder: Path) -> None:
    retract = ("retract", "--engine", ENGINE, "--version", "1", "--why", "wrong")
    row = {"engine": ENGINE, "version": "1", "why": "wrong", "runs": [1]}
    assert rows(*retract, cwd=folder) == {**row, "requeued": []}
    assert rows("show", "1:1", "--retracted", cwd=folder)["why_retracted"] == "wrong"
    assert rows(*retract, "--undo", cwd=folder) == row


def test_a_replaced_run_is_named(folder: Path) -> None:
    database = Database(database_url(f"sqlite:///{folder / 'dealmill.db'}"))
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE engines SET version = '0'")
    retracted = rows("retract", "--engine", ENGINE, "--version", "0", "--why", "old", "--requeue", cwd=folder)
    assert retracted["requeued"] == [{"run": 2, "replaces": 1}]
    do_runs(database)
    assert rows("status", "2", cwd=folder)[0]["solved"] == 3


def test_export_backup_and_tables(folder: Path) -> None:
    exported = {"run": 1, "file": "a.csv", "verdicts": 3, "pending": 0}
    assert rows("export", "1", "a.csv", cwd=folder) == exported
    backup = rows("db", "backup", "b.db", cwd=folder)
    assert backup == {"file": "b.db", "bytes": (folder / "b.db").stat().st_size}
    revision = api.db.current(f"sqlite:///{folder / 'dealmill.db'}")
    assert rows("db", "current", cwd=folder) == rows("db", "upgrade", cwd=folder) == {"revision": revision}
    assert rows("db", "downgrade", "0010", "--yes", cwd=folder) == {"revision": "0010"}


def test_deals_are_rows_with_their_numbers(tmp_path: Path) -> None:
    deals = rows("deal", "memory", "--seed", "3", "--first", "7", "--count", "2", cwd=tmp_path)
    assert deals == [{"line": deal.line, "layout": deal.text} for deal in api.deals("memory", seed=3, first=7, count=2)]
    assert [deal["line"] for deal in deals] == [7, 8]
