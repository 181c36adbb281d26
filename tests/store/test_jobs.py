"""Jobs on both databases: claimed once, fenced, finished once, freed when their lease has run out."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import Connection, func, select, update

from dealmill.pipeline.games.batch import Entries, Solved, pack
from dealmill.pipeline.games.contract import Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database import tables
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import PENDING, Control
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS, Job
from dealmill.pipeline.store.planning import plan_rerun, plan_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.controls import control
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.leases import JobInHand
from dealmill.pipeline.store.runs.status import RunStatus, find_run, list_runs
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from dealmill.pipeline.store.storages.rows import Rows
from dealmill.pipeline.store.storages.rows_solving import SolvedRows, solved_rows

LEASE = 60.0
claim, do, finish = SOLVING_JOBS.claim, SOLVING_JOBS.do, SOLVING_JOBS.finish
ENGINE = "memory/two-pass"
INSTALLED = {("memory/two-pass", "1"), ("memory/incremental", "7")}
TEXTS = ["AABB", "ABAB", "ABBA", "CCDD", "CDCD"]


@pytest.fixture
def source(store: Database) -> Source:
    opened = open_source(store, "memory", "a.txt", b"a")
    return complete(
        store, append(store, opened, Entries.of([Layout(line, text) for line, text in enumerate(TEXTS, start=1)]))
    )


@pytest.fixture
def run(store: Database, source: Source) -> int:
    return plan_run(store, source, "memory/two-pass", "1", None, chunk=2)


def pending(store: Database, limit: int = 10) -> list[int]:
    return leases.pending(store, SOLVING, INSTALLED, limit)


def claimed(store: Database, number: int, worker: str, seconds: float) -> Job:
    """The lease of a job that can be claimed."""
    job = claim(store, number, worker, seconds)
    assert job is not None
    return job


def scored(store: Database, job: Job, *values: int) -> SolvedRows:
    """A job's items with these values."""
    ones = np.ones(len(values), dtype=np.int64)
    traces = pack([f"trace {value}" for value in values])
    solved = Solved((ones * int(Verdict.SCORED)).astype(np.int8), np.array(values), ones, traces)
    return solved_rows(store, job.run, job.lease.first, pack(TEXTS[job.lease.first - 1 : job.lease.stop - 1]), solved)


def test_a_run_is_cut_into_jobs_that_cover_it(store: Database, run: int) -> None:
    claimed = [claim(store, job, "w", LEASE) for job in pending(store)]
    assert [(job.lease.first, job.lease.stop) for job in claimed if job] == [(1, 3), (3, 5), (5, 6)]
    assert {(job.run.id, job.run.engine, job.run.max_nodes) for job in claimed if job} == {(run, ENGINE, None)}
    for job in filter(None, claimed):
        assert finish(store, job, do(store, job))
    assert [result.layout for result in Rows().page(store, find_run(store, run), Filter(), 0, 9).results] == TEXTS


def test_the_same_run_is_planned_once(store: Database, source: Source, run: int) -> None:
    assert plan_run(store, source, "memory/two-pass", "1", None, chunk=1) == run
    assert plan_run(store, source, "memory/two-pass", "2", None, chunk=2) != run
    assert plan_run(store, source, "memory/two-pass", "1", 10, chunk=2) != run
    assert len(list_runs(store)) == 3


def test_commands_that_plan_a_run_at_once_plan_the_same(store: Database, source: Source) -> None:
    def plan(version: str) -> int:
        return plan_run(store, source, "memory/two-pass", version, None, chunk=2)

    def repeat(run: RunStatus) -> int:
        return plan_rerun(store, run, run.version, chunk=2)

    with ThreadPoolExecutor(8) as pool:
        for version in ("1", "2", "3"):
            [number] = set(pool.map(plan, [version] * 8))
            [_] = set(pool.map(repeat, [find_run(store, number)] * 8))
    assert [run.jobs for run in list_runs(store)] == [3] * 6


def test_a_job_is_claimed_by_one_worker(store: Database, run: int) -> None:
    [first, *_] = pending(store)
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda name: claim(store, first, f"w{name}", LEASE), range(8)))
    assert sum(job is not None for job in claims) == 1


def test_verdicts_are_written_once_and_counted(store: Database, run: int) -> None:
    [first, *_] = pending(store)
    job = claimed(store, first, "w", LEASE)
    assert finish(store, job, scored(store, job, 4, 6))
    assert not finish(store, job, scored(store, job, 4, 6))
    assert claim(store, first, "w", LEASE) is claim(store, 4_711, "w", LEASE) is None
    results = Rows().page(store, find_run(store, run), Filter(), 0, 9).results
    assert [(result.position, result.value, result.evidence) for result in results] == [
        (1, 4, "trace 4"),
        (2, 6, "trace 6"),
    ]
    now = find_run(store, run)
    assert (now.counts, now.value_sum, now.nodes, now.solved, now.done) == ({Verdict.SCORED: 2}, 10, 2, 2, 1)
    assert not now.finished


def test_a_lease_of_no_time_is_over_at_once(store: Database, run: int) -> None:
    number = pending(store)[-1]  # of one item: it cannot be split
    for attempt in range(1, 21):  # the clocks of databases hardly move between two statements
        lease = claimed(store, number, "w", 0.0)
        assert lease.lease.attempt == attempt
        leases.free_expired(store, SOLVING)
        assert pending(store)[-1] == number


def test_a_worker_whose_lease_ran_out_writes_nothing(store: Database, run: int) -> None:
    first = pending(store)[-1]  # of one item: it cannot be split
    late = claimed(store, first, "late", -1.0)
    assert claim(store, first, "other", LEASE) is None
    leases.free_expired(store, SOLVING)
    second = claimed(store, first, "other", LEASE)
    assert second is not None
    assert second.lease.attempt == late.lease.attempt + 1
    assert not finish(store, late, scored(store, late, 0))
    assert finish(store, second, scored(store, second, 4))
    assert not finish(store, late, scored(store, late, 0))
    assert [result.value for result in Rows().page(store, find_run(store, run), Filter(), 0, 9).results] == [4]


def test_a_job_whose_worker_is_gone_is_split_and_others_are_left_alone(store: Database, run: int) -> None:
    first, second, third = pending(store)
    late = claimed(store, first, "gone", -1.0)
    claim(store, second, "busy", LEASE)
    for _ in range(2):
        leases.free_expired(store, SOLVING)
    left = pending(store)
    assert first not in left or len(left) == 3  # SQLite may give its number to one of the halves
    assert second not in left and third in left
    halves = [claim(store, job, "w", LEASE) for job in left if job != third]
    assert sorted((job.lease.first, job.lease.stop, job.lease.attempt) for job in halves if job) == [
        (1, 2, 1),
        (2, 3, 1),
    ]
    assert not finish(store, late, scored(store, late, 0, 0))
    assert all(finish(store, job, scored(store, job, 4)) for job in halves if job)


def test_a_late_worker_cannot_finish_a_new_job_with_the_id_of_its_old_one(store: Database, run: int) -> None:
    last = pending(store)[0]
    late = claimed(store, last, "late", LEASE)
    with store.writing() as connection:
        connection.execute(update(tables.jobs).where(tables.jobs.c.id == last).values(first=100, stop=102))
    assert not finish(store, late, scored(store, late, 4, 6))


def test_the_reason_of_the_last_failed_attempt_is_stored_with_a_job(store: Database, run: int) -> None:
    last = pending(store)[-1]
    claim(store, last, "w:7", LEASE)
    leases.expire(store, SOLVING, "w:8", "not its worker")
    leases.free_expired(store, SOLVING)
    assert last not in pending(store)
    leases.expire(store, SOLVING, "w:7", "signal 11")
    leases.free_expired(store, SOLVING)
    later = claimed(store, last, "w:9", -1.0)
    assert (later.lease.attempt, later.lease.trouble) == (2, "signal 11")


def test_the_reason_of_an_earlier_attempt_is_not_given_for_a_lost_worker(store: Database, run: int) -> None:
    last = pending(store)[-1]
    job = claimed(store, last, "w:7", LEASE)
    leases.release(store, SOLVING, replace(job.lease, attempt=0), "of an earlier attempt")
    assert last not in pending(store)
    leases.release(store, SOLVING, job.lease, "ValueError: no room")
    leases.free_expired(store, SOLVING)
    end_the_pause(store)
    vanished = claimed(store, last, "w:8", -1.0)
    assert vanished.lease.trouble == "ValueError: no room"
    leases.free_expired(store, SOLVING)
    later = claimed(store, last, "w:9", LEASE)
    assert later.lease.trouble == leases.SILENT


def test_only_a_lease_that_a_worker_still_holds_is_renewed(store: Database, run: int) -> None:
    first, second, third = pending(store)
    for number, seconds in ((first, -1.0), (second, -1.0), (third, LEASE)):
        claim(store, number, "w", seconds)
    in_hand = [
        JobInHand(first, 1, "w"),
        JobInHand(second, 1, "another"),
        JobInHand(second, 2, "w"),
        JobInHand(third, 1, "w"),
    ]
    with store.reading() as connection:
        until = select(tables.jobs.c.leased_until).where(tables.jobs.c.id == third)
        before = connection.execute(until).scalar_one()
    assert leases.renew(store, SOLVING, in_hand, LEASE) == []
    leases.free_expired(store, SOLVING)
    assert find_run(store, run).held == 2
    with store.reading() as connection:
        assert connection.execute(until).scalar_one() == before, "it was not due"
    control(store, find_run(store, run), Control.PAUSED)
    assert leases.renew(store, SOLVING, in_hand, LEASE) == []
    control(store, find_run(store, run), Control.CANCELLED)
    assert set(leases.renew(store, SOLVING, in_hand, LEASE)) == {in_hand[0], in_hand[-1]}


def test_a_job_that_is_given_back_is_pending_as_if_it_had_not_been_claimed(store: Database, run: int) -> None:
    first, second, _ = pending(store)
    ended = claimed(store, first, "w", LEASE)
    claim(store, second, "another", LEASE)
    leases.give_back(store, SOLVING, "w")
    assert (find_run(store, run).leased, find_run(store, run).retried) == (1, 0)
    assert not finish(store, ended, scored(store, ended, 4, 6))
    later = claimed(store, first, "later", LEASE)
    assert (later.lease.attempt, later.lease.first, later.lease.stop) == (1, 1, 3)


def end_the_pause(store: Database) -> float:
    """Have a job that was released be tried at once; how many seconds it was to wait."""
    until = tables.jobs.c.leased_until
    with store.writing() as connection:
        seconds: float = connection.execute(select(func.max(until) - clock())).scalar_one()
        connection.execute(update(tables.jobs).where(until.is_not(None)).values(leased_until=0.0))
    return seconds


def test_a_released_job_waits_longer_after_every_attempt(store: Database, run: int) -> None:
    last = pending(store)[-1]
    for pause in (1, 2, 4, 8, 8):
        job = claimed(store, last, "w", LEASE)
        leases.release(store, SOLVING, job.lease, "no room")
        assert last not in pending(store)
        assert claim(store, last, "w", LEASE) is None
        leases.free_expired(store, SOLVING)
        assert leases.unfinished(store, SOLVING, INSTALLED) == 3
        assert pause - 1 < end_the_pause(store) <= pause
    assert last in pending(store)


def set_the_clock_back(store: Database, seconds: float) -> None:
    """Put what is on record into the future, which is the same."""
    later = {name: tables.jobs.c[name] + seconds for name in ("leased_until", "started", "finished")}
    with store.writing() as connection:
        connection.execute(update(tables.jobs).values(**later))


def test_a_lease_from_before_the_clock_was_set_back_ends_immediately(store: Database, run: int) -> None:
    held = claimed(store, pending(store)[0], "w", LEASE)
    set_the_clock_back(store, 0.5)
    leases.free_expired(store, SOLVING)
    assert find_run(store, run).leased == 1
    set_the_clock_back(store, 86_400)
    leases.free_expired(store, SOLVING)
    assert (find_run(store, run).leased, len(pending(store))) == (0, 4)
    assert not finish(store, held, scored(store, held, 3, 5))


def test_a_pause_from_before_the_clock_was_set_back_ends_immediately(store: Database, run: int) -> None:
    held = claimed(store, pending(store)[0], "w", LEASE)
    leases.release(store, SOLVING, held.lease, "no room")
    assert len(pending(store)) == 2
    set_the_clock_back(store, 86_400)
    assert len(pending(store)) == 3
    assert claim(store, held.lease.id, "w", LEASE) is not None


def test_rates_are_never_negative_whatever_the_clock_did(store: Database, run: int) -> None:
    for number in pending(store):
        held = claimed(store, number, "w", LEASE)
        assert finish(store, held, scored(store, held, *range(held.lease.stop - held.lease.first)))
        set_the_clock_back(store, 86_400)
    status = find_run(store, run)
    assert (status.finished, status.recent_seconds >= 0) == (True, True)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)  # SQLite lets nobody else write meanwhile
def test_a_job_that_is_being_finished_blocks_no_other_worker(store: Database, run: int) -> None:
    """A worker stands still in the transaction in which it writes."""
    first, second, _ = pending(store)
    for number in (first, second):
        assert claim(store, number, "w", LEASE) is not None
        leases.expire(store, SOLVING, "w", "gone")
    with store.writing() as connection:
        connection.execute(update(tables.jobs).where(tables.jobs.c.id == first).values(trouble="still writing"))
        leases.free_expired(store, SOLVING)
        assert find_run(store, run).leased == 1
    leases.free_expired(store, SOLVING)
    assert find_run(store, run).leased == 0


def test_a_crash_while_writing_leaves_no_partial_result(store: Database, run: int) -> None:
    [first, *_] = pending(store)
    job = claimed(store, first, "w", LEASE)
    sound = scored(store, job, 4, 6)

    class Crashing:
        totals = sound.totals
        spread = sound.spread
        stop = sound.stop
        cpu_seconds = sound.cpu_seconds

        def write(self, connection: Connection) -> None:
            sound.write(connection)
            raise ValueError("a crash")

    with pytest.raises(ValueError, match="a crash"):
        finish(store, job, Crashing())
    assert Rows().page(store, find_run(store, run), Filter(), 0, 9).results == []
    assert finish(store, job, scored(store, job, 4, 6))


def test_runs_are_counted_by_their_own_jobs_and_their_own_last_minute(
    store: Database, source: Source, run: int
) -> None:
    second = plan_run(store, source, "memory/incremental", "7", None, chunk=1)
    for number in leases.pending(store, SOLVING, {("memory/two-pass", "1")}, 2):
        job = claimed(store, number, "w", LEASE)
        assert finish(store, job, scored(store, job, 4, 6))
    mine, jobs = tables.jobs.c, tables.jobs
    with store.writing() as connection:
        connection.execute(
            update(jobs).where(mine.run_id == run, mine.first == 1).values(started=100.0, finished=110.0)
        )
        connection.execute(
            update(jobs).where(mine.run_id == run, mine.first == 3).values(started=900.0, finished=904.0)
        )
        connection.execute(update(tables.runs).where(tables.runs.c.id == run).values(started=100.0))
    figures = [
        (status.id, status.jobs, status.done, status.covered, status.solved, status.rate) for status in list_runs(store)
    ]
    assert figures == [(run, 3, 2, 5, 4, 0.5), (second, 5, 0, 5, 0, None)]


def test_an_empty_source_is_a_finished_run(store: Database) -> None:
    empty = complete(store, open_source(store, "memory", "none", b"none"))
    number = plan_run(store, empty, "memory/two-pass", "1", None, chunk=2)
    assert find_run(store, number).finished


def test_the_schema_itself_forbids_a_second_verdict(store: Database, run: int) -> None:
    job = claimed(store, pending(store, 1)[0], "w", LEASE)
    finish(store, job, scored(store, job, 4, 6))
    with store.writing() as connection:
        connection.execute(update(tables.jobs).values(state=PENDING))
    later = claimed(store, job.lease.id, "w", LEASE)
    with pytest.raises(Exception, match=r"(?i)unique|duplicate"):
        finish(store, later, scored(store, later, 4, 6))


def test_jobs_for_an_engine_that_is_not_installed_are_left_alone(store: Database, source: Source, run: int) -> None:
    plan_run(store, source, "memory/two-pass", "2", None, chunk=2)
    assert leases.unfinished(store, SOLVING, INSTALLED) == 3
    assert len(pending(store, 99)) == 3
    assert len(leases.pending(store, SOLVING, {*INSTALLED, ("memory/two-pass", "2")}, 99)) == 6
    assert not leases.pending(store, SOLVING, {("memory/incremental", "1")}, 99)
