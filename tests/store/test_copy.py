"""A copy of a whole store, in both directions, whatever interrupts it; and what is refused."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile
from signal import SIGINT, SIGKILL
from typing import Any

import pytest
from sqlalchemy import text

import dealmill
from dealmill.pipeline.errors import DamagedError, StoreError, StoreUnavailable, UsageError
from dealmill.pipeline.progress.events import CopyingRows, Event
from dealmill.pipeline.store import copy
from dealmill.pipeline.store.database.bulk import read_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import REVISION, metadata
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.jobs import SOLVING
from tests.doing import LEASE, an_audit, do_runs, queue_compact
from tests.servers import Postgres, clean_environment, running_postgres
from tests.servers import dealmill as command

Content = dict[str, list[tuple[Any, ...]]]

COPY = """
import sys
import dealmill
from dealmill.pipeline.store import copy
copy.PAGE_ROWS = 100
dealmill.db.copy(sys.argv[2], sys.argv[1], lambda event: print(event, flush=True))
"""
"""A copy in small pages, which prints a line for each."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a row in every table: a file with rejects, compact runs, audits, one of which found faults, rules,
    reruns, tags, a retraction, a deletion, and a job that a worker holds."""
    folder = tmp_path_factory.mktemp("filled")
    (folder / "layouts.txt").write_text("ABBA\nABAB\nABBA\nno layout\n")
    url = f"sqlite:///{folder}/dealmill.db"
    with dealmill.open(url) as store:
        database = store._database
        runs = [
            store.queue(folder / "layouts.txt", game="memory", tags="paper", note="a “note”"),
            store.find_run(queue_compact(database, "deal:memory:seed=1:1-3000")),
            store.queue("deal:klondike:seed=1:1-3", max_nodes=100),
            store.queue("deal:card-pairing:seed=1:1-1500", engine="card-pairing/winnable"),
            store.queue("deal:camelot:seed=1:1-3"),
        ]
        do_runs(database)
        for run in runs[:3]:
            an_audit(database, run.status())
        with database.writing() as connection:
            connection.execute(text("UPDATE verdicts SET value = value + 1 WHERE run_id = 1"))
        an_audit(database, runs[0].status())
        store.retract("camelot/winnable", "1", "for this test")
        store.deletion(runs[4].id).carry_out()
        store.queue("deal:memory:seed=2:1-20")
        taken, *_ = leases.pending(database, SOLVING, installed_engines(), 9)
        assert SOLVING_JOBS.claim(database, taken, "at work", LEASE)
    return folder / "dealmill.db"


@pytest.fixture
def source(filled: Path, tmp_path: Path) -> Iterator[Database]:
    database = Database(database_url(f"sqlite:///{copyfile(filled, tmp_path / 'dealmill.db')}"))
    yield database
    database.close()


def content(database: Database) -> Content:
    with database.reading() as connection:
        return {table.name: list(read_rows(connection, table)) for table in metadata.sorted_tables}


def url_of(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


def test_a_store_is_the_same_after_a_copy_there_and_back(
    source: Database, empty_store: Database, tmp_path: Path
) -> None:
    before = content(source)
    assert all(before.values())
    there, back = url_of(empty_store), "sqlite:///back.db"
    for origin, target in ((url_of(source), there), (there, back)):
        ran = command("db", "copy", target, "--json", cwd=tmp_path, env={"DEALMILL_DATABASE_URL": origin})
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["rows"] == {name: len(rows) for name, rows in before.items()}
    assert content(empty_store) == before
    assert content(Database(database_url(f"sqlite:///{tmp_path}/back.db"))) == before
    assert dealmill.db.current(there) == REVISION


@pytest.mark.slow
def test_a_copy_goes_on_like_its_store(source: Database, empty_store: Database) -> None:
    copy.copy_store(source, empty_store)
    fingerprints = []
    for database in (source, empty_store):
        leases.expire(database, SOLVING, "at work", "the worker is gone")
        leases.free_expired(database, SOLVING)
        with dealmill.open(url_of(database)) as store:
            new = store.queue("deal:memory:seed=3:1-2500")
            do_runs(database)
            audits = [an_audit(database, run.status()) for run in store.runs()]
            assert [audit.run for audit in audits if not audit.clean] == [1]
            fingerprints.append((new.id, new.fingerprint, [audit.id for audit in audits]))
    assert fingerprints[0] == fingerprints[1]


@pytest.mark.slow
@pytest.mark.long
def test_a_copy_that_is_killed_goes_on_also_if_the_store_has_changed(
    source: Database, empty_store: Database, filled: Path
) -> None:
    words = [sys.executable, "-P", "-c", COPY, url_of(source), url_of(empty_store)]
    for pages, number in ((2, SIGKILL), (12, SIGINT), (30, SIGINT), (33, SIGKILL), (45, SIGINT)):
        running = subprocess.Popen(words, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert running.stdout
        for _ in range(pages):
            assert running.stdout.readline()
        running.send_signal(number)
        _, reported = running.communicate()
        assert reported.endswith(b"\nKeyboardInterrupt\n" if number == SIGINT else b""), reported
        with pytest.raises(StoreError, match=r"is an unfinished copy of sqlite:///.*; finish it by running"):
            dealmill.open(url_of(empty_store))
        with pytest.raises(StoreError, match=r"is an unfinished copy of .* not of sqlite:///.*filled"):
            dealmill.db.copy(url_of(empty_store), f"sqlite:///{filled}")
        if pages == 33:
            with dealmill.open(url_of(source)) as store:
                store.find_run(1).tag("later")
                store.queue("deal:memory:seed=2:1-30")
    subprocess.run(words, env=clean_environment(), check=True, stdout=subprocess.DEVNULL)
    assert content(empty_store) == content(source)


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server that a test may crash."""
    with running_postgres() as postgres:
        yield postgres


@pytest.mark.slow
def test_a_copy_goes_on_after_its_connections_were_lost(
    source: Database, server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy, "PAGE_ROWS", 100)
    before, there, back = content(source), server.new_database(), f"sqlite:///{tmp_path}/back.db"
    for origin, target in ((url_of(source), there), (there, back)):
        for table in ("items", "verdicts"):
            with pytest.raises(StoreUnavailable, match="the copy is not finished: the same command goes on with it"):
                dealmill.db.copy(target, origin, in_table(table, server.crash))
        dealmill.db.copy(target, origin)
        assert content(Database(database_url(target))) == before


def in_table(table: str, act: Callable[[], object]) -> Callable[[Event], None]:
    """Return a function of progress that acts once, when the first page of a table was copied."""
    events: list[Event] = []

    def progress(event: Event) -> None:
        if isinstance(event, CopyingRows) and event.table == table:
            events.append(event)
            if len(events) == 1:
                act()

    return progress


def test_a_store_can_be_read_while_it_is_copied_but_not_written(
    source: Database, empty_store: Database, tmp_path: Path
) -> None:
    copy.copy_store(source, empty_store)
    tried: list[str] = []

    def read_and_write() -> None:
        with dealmill.open(url_of(empty_store), read_only=True) as store:
            assert len(list(store.find_run(1).results())) == 3
        if empty_store.embedded:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                sqlite3.connect(empty_store.path, timeout=0, isolation_level=None).execute("BEGIN IMMEDIATE")
        else:
            with empty_store.writing() as connection, pytest.raises(Exception, match="lock timeout"):
                connection.execute(text("SET LOCAL lock_timeout = '10ms'"))
                connection.execute(text("INSERT INTO rules (digest, family, text) VALUES ('a', 'b', 'c')"))
        tried.append("both")

    dealmill.db.copy(f"sqlite:///{tmp_path}/back.db", url_of(empty_store), in_table("verdicts", read_and_write))
    assert tried == ["both"]


DAMAGE = {
    "UPDATE verdicts SET nodes = 'x' WHERE run_id = 4 AND position = 1200": (
        "the table verdicts, row with run_id 4, position 1200, cannot be copied: verdicts.nodes is 'x', not a whole"
    ),
    "UPDATE verdicts SET evidence = 'a' || char(0) WHERE run_id = 4 AND position = 7": "run_id 4, position 7, .*0x00",
    "UPDATE items SET layout = CAST(x'ff41' AS TEXT) WHERE source_id = 1 AND position = 2": (
        "row with source_id 1, position 2, cannot be copied: items.layout is .*, which is not UTF-8"
    ),
    "UPDATE items SET digest = 'abc' WHERE source_id = 1 AND position = 2": "items.digest is 'abc', not bytes",
    "UPDATE jobs SET value_counts = '{1' WHERE id = 1": "the table jobs, row with id 1, .* type json",
    "UPDATE sources SET complete = 2 WHERE id = 3": "row with id 3, .*: sources.complete is 2, which becomes True",
    "UPDATE jobs SET attempt = 99999999999 WHERE id = 1": "jobs.attempt is 99999999999, which becomes",
}


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("damage", "reason"), DAMAGE.items())
def test_a_value_that_postgresql_cannot_hold_is_refused_with_its_row(
    damage: str, reason: str, source: Database, empty_store: Database
) -> None:
    with pytest.raises(DamagedError, match=reason):
        copied_with(damage, source, empty_store)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_value_that_the_target_can_hold_is_copied_as_it_is(source: Database, empty_store: Database) -> None:
    copied_with("UPDATE verdicts SET verdict = 9, nodes = 'x' WHERE run_id = 4", source, empty_store)
    assert content(empty_store) == content(source)


def copied_with(damage: str, source: Database, target: Database) -> None:
    with source.writing() as connection:
        connection.exec_driver_sql(damage)
    copy.copy_store(source, target)


def test_a_target_that_is_not_empty_is_refused_and_stays_as_it_is(source: Database, database: Database) -> None:
    with dealmill.open(url_of(database)) as store:
        store.ingest("deal:memory:seed=9:1-5")
    before = content(database)
    with pytest.raises(StoreError, match="is not empty: its table sources has rows; name an empty database"):
        copy.copy_store(source, database)
    with pytest.raises(UsageError, match="is the store itself"):
        copy.copy_store(database, Database(database.url))
    assert content(database) == before


def test_tables_without_rows_are_a_target_unless_they_are_older(source: Database, database: Database) -> None:
    dealmill.db.downgrade(url_of(database), revision="0020")
    with pytest.raises(StoreError, match=r"is of an older version .0020.; upgrade it with"):
        copy.copy_store(source, database)
    with pytest.raises(StoreError, match=r"is of an older version .0020.; upgrade it with"):
        copy.copy_store(database, source)
    dealmill.db.upgrade(url_of(database))
    copy.copy_store(source, database)
    assert content(database) == content(source)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_target_without_rights_is_reported_without_its_password(source: Database, empty_store: Database) -> None:
    with empty_store.writing() as connection:
        connection.execute(text("DROP ROLE IF EXISTS guest"))
        connection.execute(text("CREATE ROLE guest LOGIN"))
    guest = empty_store.url.set(username="guest", password="hidden")  # noqa: S106
    with pytest.raises(StoreError, match="permission denied") as raised:
        copy.copy_store(source, Database(guest))
    assert "hidden" not in str(raised.value)
    copy.copy_store(source, empty_store)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("copy.db", "the database URL is only a name; for a file, write sqlite:///FILE"),
        ("postgresql://127.0.0.1:1/x", "the database postgresql://127.0.0.1:1/x is not available: "),
        ("sqlite:////proc/copy.db", "the store /proc/copy.db cannot be created: "),
    ],
)
def test_a_copy_that_was_not_begun_does_not_count_as_unfinished(target: str, message: str, source: Database) -> None:
    with pytest.raises(StoreError) as refused:
        dealmill.db.copy(target, url_of(source))
    assert str(refused.value).startswith(message) and "the copy is not finished" not in str(refused.value)


def test_the_copy_differs_if_somebody_writes_to_it(source: Database, empty_store: Database) -> None:
    def delete_rows() -> None:
        with empty_store.writing() as connection:
            connection.execute(text("DELETE FROM rejects"))

    with pytest.raises(dealmill.DifferenceError, match="the table rejects has 1 rows, but the copy has 0"):
        copy.copy_store(source, empty_store, in_table("verdicts", delete_rows))
    copy.copy_store(source, empty_store)
    assert content(empty_store) == content(source)
