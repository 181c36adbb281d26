"""Jobs on both databases: claimed once, fenced, finished once, freed when their lease has run out."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import Connection, func, select, update

from dealmill.pipeline.games.batch import Entries, Solved, to_texts
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database import tables
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import PENDING, Control
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.run_planning import insert_rerun, insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.controls import control
from dealmill.pipeline.store.runs.finding import find_run, list_runs
from dealmill.pipeline.store.runs.job_kind import Job
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.leases import JobInHand
from dealmill.pipeline.store.runs.status import RunStatus
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
def source(database: Database) -> Source:
    opened = open_source(database, "memory", "a.txt", b"a")
    return complete(
        database, append(database, opened, Entries.of([Layout(line, text) for line, text in enumerate(TEXTS, start=1)]))
    )


@pytest.fixture
def run(database: Database, source: Source) -> int:
    return insert_run(database, source, "memory/two-pass", "1", None, chunk=2)


def pending(database: Database, limit: int = 10) -> list[int]:
    return leases.pending(database, SOLVING, INSTALLED, limit)


def claimed(database: Database, number: int, worker: str, seconds: float) -> Job:
    """The lease of a job that can be claimed."""
    job = claim(database, number, worker, seconds)
    assert job is not None
    return job


def scored(database: Database, job: Job, *values: int) -> SolvedRows:
    """A job's items with these values."""
    ones = np.ones(len(values), dtype=np.int64)
    traces = to_texts([f"trace {value}" for value in values])
    solved = Solved((ones * int(Verdict.SCORED)).astype(np.int8), np.array(values), ones, traces)
    return solved_rows(
        database, job.run, job.lease.first, to_texts(TEXTS[job.lease.first - 1 : job.lease.stop - 1]), solved
    )


def test_a_run_is_cut_into_jobs_that_cover_it(database: Database, run: int) -> None:
    claimed = [claim(database, job, "w", LEASE) for job in pending(database)]
    assert [(job.lease.first, job.lease.stop) for job in claimed if job] == [(1, 3), (3, 5), (5, 6)]
    assert {(job.run.id, job.run.engine, job.run.max_nodes) for job in claimed if job} == {(run, ENGINE, None)}
    for job in filter(None, claimed):
        assert finish(database, job, do(database, job))
    assert [result.layout for result in Rows().page(database, find_run(database, run), Filter(), 0, 9).results] == TEXTS


def test_the_same_run_is_planned_once(database: Database, source: Source, run: int) -> None:
    assert insert_run(database, source, "memory/two-pass", "1", None, chunk=1) == run
    assert insert_run(database, source, "memory/two-pass", "2", None, chunk=2) != run
    assert insert_run(database, source, "memory/two-pass", "1", 10, chunk=2) != run
    assert len(list_runs(database)) == 3


def test_commands_that_plan_a_run_at_once_plan_the_same(database: Database, source: Source) -> None:
    def plan(version: str) -> int:
        return insert_run(database, source, "memory/two-pass", version, None, chunk=2)

    def repeat(run: RunStatus) -> int:
        return insert_rerun(database, run, run.version, chunk=2)

    with ThreadPoolExecutor(8) as pool:
        for version in ("1", "2", "3"):
            [number] = set(pool.map(plan, [version] * 8))
            [_] = set(pool.map(repeat, [find_run(database, number)] * 8))
    assert [run.jobs for run in list_runs(database)] == [3] * 6


def test_a_job_is_claimed_by_one_worker(database: Database, run: int) -> None:
    [first, *_] = pending(database)
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda name: claim(database, first, f"w{name}", LEASE), range(8)))
    assert sum(job is not None for job in claims) == 1


def test_verdicts_are_written_once_and_counted(database: Database, run: int) -> None:
    [first, *_] = pending(database)
    job = claimed(database, first, "w", LEASE)
    assert finish(database, job, scored(database, job, 4, 6))
    assert not finish(database, job, scored(database, job, 4, 6))
    assert claim(database, first, "w", LEASE) is claim(database, 4_711, "w", LEASE) is None
    results = Rows().page(database, find_run(database, run), Filter(), 0, 9).results
    assert [(result.position, result.value, result.evidence) for result in results] == [
        (1, 4, "trace 4"),
        (2, 6, "trace 6"),
    ]
    now = find_run(database, run)
    assert (now.counts, now.value_sum, now.nodes, now.solved, now.done) == ({Verdict.SCORED: 2}, 10, 2, 2, 1)
    assert not now.finished


def test_a_lease_of_no_time_is_over_at_once(database: Database, run: int) -> None:
    number = pending(database)[-1]  # of one item: it cannot be split
    for attempt in range(1, 21):  # the clocks of databases hardly move between two statements
        lease = claimed(database, number, "w", 0.0)
        assert lease.lease.attempt == attempt
        leases.free_expired(database, SOLVING)
        assert pending(database)[-1] == number


def test_a_worker_whose_lease_ran_out_writes_nothing(database: Database, run: int) -> None:
    first = pending(database)[-1]  # of one item: it cannot be split
    late = claimed(database, first, "late", -1.0)
    assert claim(database, first, "other", LEASE) is None
    leases.free_expired(database, SOLVING)
    second = claimed(database, first, "other", LEASE)
    assert second is not None
    assert second.lease.attempt == late.lease.attempt + 1
    assert not finish(database, late, scored(database, late, 0))
    assert finish(database, second, scored(database, second, 4))
    assert not finish(database, late, scored(database, late, 0))
    assert [result.value for result in Rows().page(database, find_run(database, run), Filter(), 0, 9).results] == [4]


def test_a_job_whose_worker_is_gone_is_split_and_others_are_left_alone(database: Database, run: int) -> None:
    first, second, third = pending(database)
    late = claimed(database, first, "gone", -1.0)
    claim(database, second, "busy", LEASE)
    for _ in range(2):
        leases.free_expired(database, SOLVING)
    left = pending(database)
    assert first not in left or len(left) == 3  # SQLite may give its number to one of the halves
    assert second not in left and third in left
    halves = [claim(database, job, "w", LEASE) for job in left if job != third]
    assert sorted((job.lease.first, job.lease.stop, job.lease.attempt) for job in halves if job) == [
        (1, 2, 1),
        (2, 3, 1),
    ]
    assert not finish(database, late, scored(database, late, 0, 0))
    assert all(finish(database, job, scored(database, job, 4)) for job in halves if job)


def test_a_late_worker_cannot_finish_a_new_job_with_the_id_of_its_old_one(database: Database, run: int) -> None:
    last = pending(database)[0]
    late = claimed(database, last, "late", LEASE)
    with database.writing() as connection:
        connection.execute(update(tables.jobs).where(tables.jobs.c.id == last).values(first=100, stop=102))
    assert not finish(database, late, scored(database, late, 4, 6))


def test_the_reason_of_the_last_failed_attempt_is_stored_with_a_job(database: Database, run: int) -> None:
    last = pending(database)[-1]
    claim(database, last, "w:7", LEASE)
    leases.expire(database, SOLVING, "w:8", "not its worker")
    leases.free_expired(database, SOLVING)
    assert last not in pending(database)
    leases.expire(database, SOLVING, "w:7", "signal 11")
    leases.free_expired(database, SOLVING)
    later = claimed(database, last, "w:9", -1.0)
    assert (later.lease.attempt, later.lease.error) == (2, "signal 11")


def test_the_reason_of_an_earlier_attempt_is_not_given_for_a_lost_worker(database: Database, run: int) -> None:
    last = pending(database)[-1]
    job = claimed(database, last, "w:7", LEASE)
    leases.release(database, SOLVING, replace(job.lease, attempt=0), "of an earlier attempt")
    assert last not in pending(database)
    leases.release(database, SOLVING, job.lease, "ValueError: no room")
    leases.free_expired(database, SOLVING)
    end_the_pause(database)
    vanished = claimed(database, last, "w:8", -1.0)
    assert vanished.lease.error == "ValueError: no room"
    leases.free_expired(database, SOLVING)
    later = claimed(database, last, "w:9", LEASE)
    assert later.lease.error == leases.SILENT


def test_only_a_lease_that_a_worker_still_holds_is_renewed(database: Database, run: int) -> None:
    first, second, third = pending(database)
    for number, seconds in ((first, -1.0), (second, -1.0), (third, LEASE)):
        claim(database, number, "w", seconds)
    in_hand = [
        JobInHand(first, 1, "w"),
        JobInHand(second, 1, "another"),
        JobInHand(second, 2, "w"),
        JobInHand(third, 1, "w"),
    ]
    with database.reading() as connection:
        until = select(tables.jobs.c.leased_until).where(tables.jobs.c.id == third)
        before = connection.execute(until).scalar_one()
    assert leases.renew(database, SOLVING, in_hand, LEASE) == []
    leases.free_expired(database, SOLVING)
    assert find_run(database, run).held == 2
    with database.reading() as connection:
        assert connection.execute(until).scalar_one() == before, "it was not due"
    control(database, find_run(database, run), Control.PAUSED)
    assert leases.renew(database, SOLVING, in_hand, LEASE) == []
    control(database, find_run(database, run), Control.CANCELLED)
    assert set(leases.renew(database, SOLVING, in_hand, LEASE)) == {in_hand[0], in_hand[-1]}


def test_a_job_that_is_given_back_is_pending_as_if_it_had_not_been_claimed(database: Database, run: int) -> None:
    first, second, _ = pending(database)
    ended = claimed(database, first, "w", LEASE)
    claim(database, second, "another", LEASE)
    leases.give_back(database, SOLVING, "w")
    assert (find_run(database, run).leased, find_run(database, run).retried) == (1, 0)
    assert not finish(database, ended, scored(database, ended, 4, 6))
    later = claimed(database, first, "later", LEASE)
    assert (later.lease.attempt, later.lease.first, later.lease.stop) == (1, 1, 3)


def end_the_pause(database: Database) -> float:
    """Have a job that was released be tried at once; how many seconds it was to wait."""
    until = tables.jobs.c.leased_until
    with database.writing() as connection:
        seconds: float = connection.execute(select(func.max(until) - clock())).scalar_one()
        connection.execute(update(tables.jobs).where(until.is_not(None)).values(leased_until=0.0))
    return seconds


def test_a_released_job_waits_longer_after_every_attempt(database: Database, run: int) -> None:
    last = pending(database)[-1]
    for pause in (1, 2, 4, 8, 8):
        job = claimed(database, last, "w", LEASE)
        leases.release(database, SOLVING, job.lease, "no room")
        assert last not in pending(database)
        assert claim(database, last, "w", LEASE) is None
        leases.free_expired(database, SOLVING)
        assert leases.unfinished(database, SOLVING, INSTALLED) == 3
        assert pause - 1 < end_the_pause(database) <= pause
    assert last in pending(database)


def set_the_clock_back(database: Database, seconds: float) -> None:
    """Put what is on record into the future, which is the same."""
    later = {name: tables.jobs.c[name] + seconds for name in ("leased_until", "started", "finished")}
    with database.writing() as connection:
        connection.execute(update(tables.jobs).values(**later))


def test_a_lease_from_before_the_clock_was_set_back_ends_immediately(database: Database, run: int) -> None:
    held = claimed(database, pending(database)[0], "w", LEASE)
    set_the_clock_back(database, 0.5)
    leases.free_expired(database, SOLVING)
    assert find_run(database, run).leased == 1
    set_the_clock_back(database, 86_400)
    leases.free_expired(database, SOLVING)
    assert (find_run(database, run).leased, len(pending(database))) == (0, 4)
    assert not finish(database, held, scored(database, held, 3, 5))


def test_a_pause_from_before_the_clock_was_set_back_ends_immediately(database: Database, run: int) -> None:
    held = claimed(database, pending(database)[0], "w", LEASE)
    leases.release(database, SOLVING, held.lease, "no room")
    assert len(pending(database)) == 2
    set_the_clock_back(database, 86_400)
    assert len(pending(database)) == 3
    assert claim(database, held.lease.id, "w", LEASE) is not None


def test_rates_are_never_negative_whatever_the_clock_did(database: Database, run: int) -> None:
    for number in pending(database):
        held = claimed(database, number, "w", LEASE)
        assert finish(database, held, scored(database, held, *range(held.lease.stop - held.lease.first)))
        set_the_clock_back(database, 86_400)
    status = find_run(database, run)
    assert (status.finished, status.recent_seconds >= 0) == (True, True)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)  # SQLite lets nobody else write meanwhile
def test_a_job_that_is_being_finished_blocks_no_other_worker(database: Database, run: int) -> None:
    """A worker stands still in the transaction in which it writes."""
    first, second, _ = pending(database)
    for number in (first, second):
        assert claim(database, number, "w", LEASE) is not None
        leases.expire(database, SOLVING, "w", "gone")
    with database.writing() as connection:
        connection.execute(update(tables.jobs).where(tables.jobs.c.id == first).values(trouble="still writing"))
        leases.free_expired(database, SOLVING)
        assert find_run(database, run).leased == 1
    leases.free_expired(database, SOLVING)
    assert find_run(database, run).leased == 0


def test_a_crash_while_writing_leaves_no_partial_result(database: Database, run: int) -> None:
    [first, *_] = pending(database)
    job = claimed(database, first, "w", LEASE)
    sound = scored(database, job, 4, 6)

    class Crashing:
        totals = sound.totals
        distributions = sound.distributions
        stop = sound.stop
        cpu_seconds = sound.cpu_seconds

        def write(self, connection: Connection) -> None:
            sound.write(connection)
            raise ValueError("a crash")

    with pytest.raises(ValueError, match="a crash"):
        finish(database, job, Crashing())
    assert Rows().page(database, find_run(database, run), Filter(), 0, 9).results == []
    assert finish(database, job, scored(database, job, 4, 6))


def test_runs_are_counted_by_their_own_jobs_and_their_own_last_minute(
    database: Database, source: Source, run: int
) -> None:
    second = insert_run(database, source, "memory/incremental", "7", None, chunk=1)
    for number in leases.pending(database, SOLVING, {("memory/two-pass", "1")}, 2):
        job = claimed(database, number, "w", LEASE)
        assert finish(database, job, scored(database, job, 4, 6))
    mine, jobs = tables.jobs.c, tables.jobs
    with database.writing() as connection:
        connection.execute(
            update(jobs).where(mine.run_id == run, mine.first == 1).values(started=100.0, finished=110.0)
        )
        connection.execute(
            update(jobs).where(mine.run_id == run, mine.first == 3).values(started=900.0, finished=904.0)
        )
        connection.execute(update(tables.runs).where(tables.runs.c.id == run).values(started=100.0))
    figures = [
        (status.id, status.jobs, status.done, status.covered, status.solved, status.rate)
        for status in list_runs(database)
    ]
    assert figures == [(run, 3, 2, 5, 4, 0.5), (second, 5, 0, 5, 0, None)]


def test_an_empty_source_is_a_finished_run(database: Database) -> None:
    empty = complete(database, open_source(database, "memory", "none", b"none"))
    number = insert_run(database, empty, "memory/two-pass", "1", None, chunk=2)
    assert find_run(database, number).finished


def test_the_schema_itself_forbids_a_second_verdict(database: Database, run: int) -> None:
    job = claimed(database, pending(database, 1)[0], "w", LEASE)
    finish(database, job, scored(database, job, 4, 6))
    with database.writing() as connection:
        connection.execute(update(tables.jobs).values(state=PENDING))
    later = claimed(database, job.lease.id, "w", LEASE)
    with pytest.raises(Exception, match=r"(?i)unique|duplicate"):
        finish(database, later, scored(database, later, 4, 6))


def test_jobs_for_an_engine_that_is_not_installed_are_left_alone(database: Database, source: Source, run: int) -> None:
    insert_run(database, source, "memory/two-pass", "2", None, chunk=2)
    assert leases.unfinished(database, SOLVING, INSTALLED) == 3
    assert len(pending(database, 99)) == 3
    assert len(leases.pending(database, SOLVING, {*INSTALLED, ("memory/two-pass", "2")}, 99)) == 6
    assert not leases.pending(database, SOLVING, {("memory/incremental", "1")}, 99)
