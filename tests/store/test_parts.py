"""Blocks of compact runs that are solved in parts, on both databases: the record is that of a run that was solved in
whole blocks, in whatever order the parts are done."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.run_planning import queue_retry
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.compact import Compact
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import Brittle, a_run, alter, an_audit, deal, do_job, do_runs, pending, queue_stored
from tests.survey.doing import MEMORY

DEALS = 2_030
PARAMETERS = {"pairs": 5}


@pytest.fixture
def texts() -> list[str]:
    return deal(find_engine(MEMORY)[0], 7, 1, DEALS, **PARAMETERS)


@pytest.fixture
def run(database: Database, texts: list[str], monkeypatch: pytest.MonkeyPatch) -> RunStatus:
    """A compact run whose jobs end after the first ten deals, by an engine that fails on one of them."""
    brittle = Brittle(MEMORY, [texts[4]])
    monkeypatch.setattr(solving, "load", lambda _name: brittle)
    monkeypatch.setattr(solving, "PART_SECONDS", -1.0)
    monkeypatch.setattr(solving, "FIRST_CALL", 10)
    game, _ = find_engine(MEMORY)
    source = deals_source(database, DealRange(game, 7, 1, DEALS, PARAMETERS))
    return find_run(database, queue_stored(database, source, MEMORY, None))


def expected(database: Database, texts: list[str]) -> tuple[str | None, dict[Verdict, int]]:
    """Return the fingerprint and the counts of a run that is stored as rows."""
    run = a_run(database, MEMORY, texts)
    solve_rest(database)
    return outcome(database, run)


def solve_rest(database: Database) -> None:
    while pending(database):
        do_runs(database)


def outcome(database: Database, run: RunStatus) -> tuple[str | None, dict[Verdict, int]]:
    run = find_run(database, run.id)
    return fingerprint_of(database, run.id, run.items), run.counts


def test_parts_in_any_order_give_the_record_of_whole_blocks(
    database: Database, run: RunStatus, texts: list[str]
) -> None:
    chance = Random(1)
    while numbers := pending(database):
        do_job(database, chance.choice(numbers))
        if chance.random() < 0.02:
            assert an_audit(database, find_run(database, run.id)).faults == 0
    finished = find_run(database, run.id)
    assert (finished.finished, finished.jobs) == (True, 3), "the jobs of each block were merged"
    assert outcome(database, run) == expected(database, texts)
    assert an_audit(database, finished).faults == 0
    results = Compact().page(database, finished, Filter((Verdict.FAILED,)), 0, 9).results
    assert [result.position for result in results] == [5]


def test_workers_that_end_the_last_parts_together_complete_the_block(
    database: Database, run: RunStatus, texts: list[str]
) -> None:
    while len(numbers := pending(database)) < 3:
        do_job(database, numbers[0])
    with ThreadPoolExecutor(4) as workers:
        while numbers := pending(database):
            list(workers.map(lambda number: do_job(database, number), numbers))
    assert outcome(database, run) == expected(database, texts)


def test_a_changed_part_is_named_by_an_audit(database: Database, run: RunStatus) -> None:
    do_runs(database)
    for change in ("part = replace(part, '[', '{')", "part = replace(part, '3', '1')", "scored = scored + 1"):
        alter(database, f"UPDATE jobs SET {change} WHERE part IS NOT NULL")
        assert an_audit(database, find_run(database, run.id)).faults == 1, change


def test_a_deadly_deal_is_alone_in_its_job(database: Database, run: RunStatus, texts: list[str]) -> None:
    """The worker of each job with the last deal but one dies."""
    deadly = DEALS - 1
    while numbers := pending(database):
        for number in numbers:
            job = SOLVING_JOBS.claim(database, number, "w", -1.0)
            assert job is not None
            if not job.lease.first <= deadly < job.lease.stop:
                assert SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
            elif job.lease.attempt > leases.ATTEMPTS:
                assert (job.lease.first, job.lease.stop) == (deadly, deadly + 1)
                assert SOLVING_JOBS.finish(database, job, SOLVING_JOBS.give_up(database, job, "it dies"))
        leases.free_expired(database, SOLVING)
    fingerprint, counts = outcome(database, run)
    assert (fingerprint, counts) == (None, {Verdict.SCORED: DEALS - 2, Verdict.FAILED: 2})
    assert an_audit(database, find_run(database, run.id)).faults == 0
    assert queue_retry(database, find_run(database, run.id)) == 1
    solve_rest(database)
    assert outcome(database, run) == expected(database, texts)


def test_a_downgrade_solves_incomplete_blocks_again(database: Database, run: RunStatus, texts: list[str]) -> None:
    do_runs(database)
    do_runs(database)
    solved = find_run(database, run.id).solved
    assert 0 < solved < DEALS
    revisions.downgrade(database, "0017")
    revisions.upgrade(database)
    assert find_run(database, run.id).solved < solved
    solve_rest(database)
    assert outcome(database, run) == expected(database, texts)
