"""Audits of records: each change is named."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.contract import Layout, Reject
from dealmill.pipeline.store.audits import faults_of
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.log import list_actions, log_faults
from dealmill.pipeline.store.plans import plan_run
from dealmill.pipeline.store.revisions import open_store
from dealmill.pipeline.store.runs import find_run
from dealmill.pipeline.store.source_writing import append, complete, open_source
from tests.audit.findings import DEALS, PAIRING, alter, faults
from tests.doing import a_run, a_source, an_audit, do_runs


def test_an_edited_text_is_named(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB", "ABBA"])
    alter(store, "UPDATE items SET layout = 'CDCD' WHERE layout = 'ABAB'")
    written, edited = faults(store, run)
    assert edited == (2, 2, "the text of the layout does not match its digest")
    assert written[:2] == (1, 3)


def test_dropped_rows_are_named(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS, chunk=500)
    alter(store, "DELETE FROM verdicts WHERE position IN (7, 1203, 1204)")
    found = faults(store, run)
    assert (7, 7, "there is no verdict, but the job is done") in found
    assert (1203, 1204, "there is no verdict, but the job is done") in found
    assert [fault[:2] for fault in found if "totals" in fault[2]] == [(1, 500), (1001, 1500)]
    assert [fault[:2] for fault in found if "were changed" in fault[2]] == [(1, 1000), (1001, 2000)]


def test_lost_items_are_named(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS)
    alter(store, "DELETE FROM items WHERE position IN (5, 6, 2500)")
    found = faults(store, run)
    assert [fault[:2] for fault in found if fault[2] == "these items are missing from the source"] == [
        (5, 6),
        (2500, 2500),
    ]
    assert (5, 6, "there are rows that belong to no item, or to no finished job") in found


def test_planted_rows_are_named(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB"])
    alter(store, "INSERT INTO verdicts (run_id, position, verdict, nodes) VALUES (:run, 9, 4, 1)", run=run.id)
    planted = "INSERT INTO items (source_id, position, line, digest, layout)"
    alter(store, f"{planted} SELECT 1, 3, 3, digest, layout FROM items LIMIT 1")
    found = faults(store, run)
    assert (3, 3, "there are rows that belong to no item, or to no finished job") in found
    assert (9, 9, "there are rows that belong to no item, or to no finished job") in found


TOTALS = "the recorded totals do not match the verdicts: "


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE jobs SET nodes = 77 WHERE first = 3", (3, 4, TOTALS + "nodes is 77, expected 2")),
        ("UPDATE jobs SET value_sum = 0 WHERE first = 3", (3, 4, TOTALS + "value_sum is 0, expected 12")),
        ("DELETE FROM jobs WHERE first = 3", (3, 4, "these items belong to no job")),
        ("DELETE FROM jobs WHERE first = 5", (5, 5, "these items belong to no job")),
        ("UPDATE jobs SET first = 2 WHERE first = 3", (2, 2, "these items belong to two jobs")),
        (
            "UPDATE jobs SET state = 1 WHERE first = 3",
            (3, 4, "there are rows that belong to no item, or to no finished job"),
        ),
        ("DELETE FROM blocks", (1, 5, "no digest of these verdicts is recorded")),
    ],
)
def test_a_record_that_disagrees_with_itself_is_named(
    store: Database, change: str, fault: tuple[int, int, str]
) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB", "ABBA", "CCDD", "CDCD"], chunk=2)
    alter(store, change)
    assert fault in faults(store, run)


@pytest.mark.parametrize("changed", ["verdicts SET evidence", "items SET layout"])
def test_a_text_that_is_none_any_more_is_found(changed: str, tmp_path: Path) -> None:
    """On SQLite; PostgreSQL takes none in."""
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    run = a_run(store, PAIRING, DEALS[:10])
    alter(store, f"UPDATE {changed} = CAST(:junk AS TEXT) WHERE position = 5", junk=b"\xb6")
    assert not an_audit(store, run).clean


def test_entries_of_the_log_are_a_chain_however_many_write_at_once(store: Database) -> None:
    source = a_source(store, "memory/two-pass", ["AABB"])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda limit: plan_run(store, source, "memory/two-pass", "1", limit), range(1, 17)))
    assert list(log_faults(store)) == []
    assert len(list_actions(store)) == 16


@pytest.mark.parametrize(
    ("table", "number"), [("actions", "'x'"), ("actions", str(2**63 - 1)), ("audit_jobs", str(2**63 - 1))]
)
def test_a_number_of_no_audit_stops_no_other_audit(sqlite_store: Database, table: str, number: str) -> None:
    damaged = a_run(sqlite_store, "memory/two-pass", ["AABB"])
    an_audit(sqlite_store, damaged)
    with closing(sqlite3.connect(sqlite_store.path)) as unchecked, unchecked:  # without foreign keys
        unchecked.execute(f"UPDATE {table} SET audit_id = {number} WHERE audit_id IS NOT NULL")
    other = an_audit(sqlite_store, a_run(sqlite_store, "memory/two-pass", ["ABAB"], name="b.txt"))
    assert other.finished and other.valid == 1


@pytest.mark.parametrize("change", ["stop = 4611686018427387904", "stop = 4611686018427387903", "first = -5"])
def test_an_absurd_range_of_a_job_is_named_and_not_gone_through(store: Database, change: str) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB", "ABBA"], chunk=2)
    alter(store, f"UPDATE jobs SET {change} WHERE first = 3")
    audit = an_audit(store, run)
    assert audit.population == 3
    assert any(fault.reason.startswith("a job is outside this run") for fault in faults_of(store, audit.id))


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("items", "line = 'many'"),
        ("items", "digest = 'text'"),
        ("items", "layout = x'ff00'"),
        ("items", "position = 'far' WHERE position = 2"),
        ("verdicts", "nodes = 'some'"),
        ("verdicts", "value = 1.5"),
        ("verdicts", "verdict = x'01'"),
        ("verdicts", "position = 'far' WHERE position = 2"),
        ("rejects", "reasons = x'ff'"),
        ("source_blocks", "digest = 7"),
        ("source_blocks", "number = 'far'"),
        ("blocks", "digest = 'text'"),
        ("blocks", "number = 'far'"),
        ("jobs", "stop = 'far'"),
        ("jobs", "state = 'done'"),
        ("audits", "size = 'all'"),
        ("audit_jobs", "first = 'one'"),
        ("audit_jobs", "digest = 5"),
        ("judgements", "outcome = 'good'"),
        ("actions", "who = x'ff'"),
        ("actions", "digest = 'text'"),
        ("runs", "seal = 'text'"),
        ("sources", "seal = 1.5"),
    ],
)
def test_values_of_another_type_are_named(sqlite_store: Database, table: str, change: str) -> None:
    """On SQLite; PostgreSQL takes none in."""
    store = sqlite_store
    source = open_source(store, "memory", "a.txt", b"a")
    source = append(store, source, Entries.of([Layout(1, "AABB"), Reject(2, "A", ("short",)), Layout(3, "ABAB")]))
    plan_run(store, complete(store, source), "memory/two-pass", "1", None)
    do_runs(store)
    assert an_audit(store, find_run(store, "1")).clean
    alter(store, f"UPDATE {table} SET {change}")
    assert not an_audit(store, find_run(store, "1")).clean
