"""Audits of records: each change is named."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from dealmill.pipeline.store.audits.audit import findings_of
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.log import list_actions, log_faults
from tests.audit.findings import faults
from tests.doing import a_run, a_source, alter, an_audit, do_audit

TOTALS = "the recorded totals do not match the verdicts: "


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("DELETE FROM verdicts WHERE position IN (3, 4)", (3, 4, "there is no verdict, but the job is done")),
        ("DELETE FROM items WHERE position > 3", (4, 5, "these items are missing from the source")),
        (
            "UPDATE items SET layout = 'BBAA' WHERE position = 2",
            (2, 2, "the text of the layout does not match its digest"),
        ),
        (
            f"UPDATE jobs SET stop = {2**62} WHERE first = 3",
            (1, 5, f"a job is outside this run: its items are [3, {2**62})"),
        ),
        ("UPDATE jobs SET first = -5 WHERE first = 3", (1, 5, "a job is outside this run: its items are [-5, 5)")),
        ("UPDATE jobs SET nodes = 77 WHERE first = 3", (3, 4, TOTALS + "nodes is 77, expected 2")),
        ("UPDATE jobs SET value_sum = 0 WHERE first = 3", (3, 4, TOTALS + "value_sum is 0, expected 12")),
        ("DELETE FROM jobs WHERE first = 3", (3, 4, "these items belong to no job")),
        ("DELETE FROM jobs WHERE first = 5", (5, 5, "these items belong to no job")),
        ("UPDATE jobs SET first = 2 WHERE first = 3", (2, 2, "these items belong to two jobs")),
        (
            "UPDATE jobs SET state = 1 WHERE first = 3",
            (3, 4, "there are rows that belong to no item, or to no finished job"),
        ),
    ],
)
def test_a_record_that_disagrees_with_itself_is_named(
    database: Database, change: str, fault: tuple[int, int, str]
) -> None:
    run = a_run(database, "memory/two-pass", ["AABB", "ABAB", "ABBA", "CCDD", "CDCD"], chunk=2)
    alter(database, change)
    assert fault in faults(database, run)


def test_a_finished_job_of_an_audit_that_was_set_back_is_done_again(database: Database) -> None:
    run = a_run(database, "memory/two-pass", ["AABB", "ABAB", "ABBA"])
    alter(database, "UPDATE verdicts SET evidence = 'x' WHERE position = 2")
    first = an_audit(database, run)
    findings = list(findings_of(database, first))
    alter(database, "UPDATE audit_jobs SET state = 1")
    again = [finding.reason for finding in findings_of(database, do_audit(database, first.id))]
    assert {*again} - {finding.reason for finding in findings} == {
        "there are faults of audit 1 that belong to none of its finished jobs"
    }
    assert len(again) == len(findings) + 1
    second = an_audit(database, run)
    assert (second.invalid, second.faults) == (1, 1), "nothing is wrong with the first audit any more"


def test_entries_of_the_log_have_no_gaps_however_many_write_at_once(database: Database) -> None:
    source = a_source(database, "memory/two-pass", ["AABB"])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda limit: insert_run(database, source, "memory/two-pass", "1", limit), range(1, 17)))
    assert list(log_faults(database)) == []
    assert len(list_actions(database)) == 16


@pytest.mark.parametrize(
    ("table", "number"), [("actions", "'x'"), ("actions", str(2**63 - 1)), ("audit_jobs", str(2**63 - 1))]
)
def test_a_number_of_no_audit_stops_no_other_audit(sqlite_store: Database, table: str, number: str) -> None:
    damaged = a_run(sqlite_store, "memory/two-pass", ["AABB"])
    an_audit(sqlite_store, damaged)
    with closing(sqlite3.connect(sqlite_store.path)) as unchecked, unchecked:  # without foreign keys
        unchecked.execute(f"UPDATE {table} SET audit_id = {number} WHERE audit_id IS NOT NULL")
    audit = an_audit(sqlite_store, a_run(sqlite_store, "memory/two-pass", ["ABAB"], name="b.txt"))
    assert audit.finished and audit.valid == 1
