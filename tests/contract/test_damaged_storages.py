"""Runs in both storages of which somebody has changed the record: what a diff and an audit say."""

import pytest
from sqlalchemy import text

from dealmill.pipeline.errors import DamagedError, StoreError, VersionError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.pipeline.store.audits.audit import recorded_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.diffs.diff import diff, diffs
from dealmill.pipeline.store.planning.run_planning import queue_replacement, queue_rerun
from dealmill.pipeline.store.queries.results import find_result
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.workers import working as work
from tests.contract.pairs import Pair, a_pair
from tests.doing import alter, an_audit, do_runs
from tests.survey.doing import MEMORY, PAIRING


@pytest.fixture
def damaged(database: Database) -> Pair:
    """Finished runs over 1,100 deals for a test to damage; the compact run is one job of two blocks."""
    game, _ = find_engine(PAIRING)
    return a_pair(database, DealRange(game, 6, 2_001, 3_100), PAIRING, 12)


def test_a_changed_row_differs_from_what_is_compact(database: Database) -> None:
    rows, compact = a_pair(database, DealRange(find_engine(MEMORY)[0], 6, 2_001, 3_100), MEMORY)
    changed = {
        3: "verdict = 5",
        500: "evidence = 'another'",
        1_000: "evidence = NULL",
        1_001: "value = 77777",
        1_050: "verdict = 4, value = NULL, evidence = NULL",
    }
    for position, change in changed.items():
        alter(database, f"UPDATE verdicts SET {change} WHERE run_id = 1 AND position = {position}")
    found = list(diff(database, rows, compact))
    assert [difference.one.position for difference in found] == [*changed]
    assert [difference.layout for difference in found] == [
        find_result(database, compact, position).layout for position in changed
    ]
    assert [(it.other, it.one) for it in diff(database, compact, rows)] == [(it.one, it.other) for it in found]


def test_a_changed_layout_is_a_difference(database: Database, damaged: Pair) -> None:
    text = find_result(database, damaged.rows, 7).layout
    alter(database, "UPDATE items SET layout = :text WHERE position = 1005", text=text)
    [difference] = diff(database, *damaged)
    assert difference.layout == "the layout or the evidence of one of deal:card-pairing:seed=6:3001-3100"
    assert difference.one == difference.other == RecordedVerdict(1_001, None, None, None)


def test_a_sample_finds_a_changed_digest_of_a_compact_run(database: Database, damaged: Pair) -> None:
    alter(database, "UPDATE blocks SET digest = :junk WHERE run_id = 2 AND number = 1", junk=b"x" * 32)
    [fault] = recorded_faults(database, an_audit(database, damaged.compact, 60).id)
    assert (fault.first, fault.last) == (1_001, 1_100)
    assert fault.reason.startswith("the layouts, verdicts or evidence were changed")


def test_a_run_that_has_lost_its_end_is_not_finished(database: Database, damaged: Pair) -> None:
    for run in damaged:
        with database.writing() as connection:
            connection.execute(text(f"DELETE FROM jobs WHERE run_id = {run.id} AND first > 1000"))
            connection.execute(text(f"UPDATE jobs SET stop = 1001 WHERE run_id = {run.id} AND stop > 1001"))
        left = find_run(database, run.id)
        assert (left.items, left.finished) == (1_100, False)
        assert (1_001, 1_100, "these items belong to no job") in [
            (fault.first, fault.last, fault.reason) for fault in recorded_faults(database, an_audit(database, left).id)
        ]
        with pytest.raises(StoreError, match=f"run {run.id} cannot be finished, because some of its jobs are missing"):
            work.solve_runs(database, [run.id], silent)


def test_deals_of_another_generator_are_neither_planned_nor_shown(database: Database, damaged: Pair) -> None:
    alter(database, "UPDATE verdicts SET evidence = 'another' WHERE run_id = 1 AND position = 5")
    alter(database, "UPDATE sources SET generator = 'philox4x64-10 card-pairing/0'")
    compact = find_run(database, 2)
    for ask in (
        lambda: queue_rerun(database, compact, any_version=True),
        lambda: list(diff(database, find_run(database, 1), compact)),
        lambda: find_result(database, compact, 1),
    ):
        with pytest.raises(VersionError, match="was dealt by philox4x64-10 card-pairing/0, but "):
            ask()
    assert list(diffs(database, find_run(database, 1))) == []
    alter(database, "UPDATE engines SET version = '0'")
    for gone in retract(database, PAIRING, "0", "miscounts"):
        if gone.storage is Storage.COMPACT:
            with pytest.raises(VersionError, match="was dealt by"):
                queue_replacement(database, gone)


def test_a_diff_of_runs_without_an_item_names_it(database: Database, damaged: Pair) -> None:
    alter(database, "UPDATE items SET position = 3000 WHERE position = 5")
    again = find_run(database, queue_rerun(database, damaged.rows, any_version=False))
    do_runs(database)
    with pytest.raises(DamagedError, match=":5 cannot be read: its layout is missing from the source"):
        list(diff(database, damaged.rows, again))
    assert find_run(database, again.id).counts[Verdict.FAILED] == 1


def test_a_diff_of_compact_runs_names_a_block_with_damaged_sums(database: Database, damaged: Pair) -> None:
    again = find_run(database, queue_rerun(database, damaged.compact, any_version=False))
    do_runs(database)
    again = find_run(database, again.id)
    assert diff(database, damaged.compact, again).equal
    alter(database, "UPDATE blocks SET value_sum = value_sum + 1 WHERE run_id = 2 AND number = 1")
    for runs in ((damaged.compact, again), (again, damaged.compact)):
        with pytest.raises(DamagedError, match=f"{runs[0].id}:1001-1100 cannot be read: run {runs[1].id} has the same"):
            list(diff(database, *runs))
