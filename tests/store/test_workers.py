"""What the rows of jobs tell of workers, on both databases."""

import os
from importlib.metadata import version

import pytest
from sqlalchemy import update

from dealmill.pipeline.games import find_game
from dealmill.pipeline.store.audits.audit import AUDITING
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database import tables
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.job_kinds import AUDIT_JOBS, SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines, lacking_engines
from dealmill.pipeline.store.planning.missing_engines import missing_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.backlog import LONGEST, backlog
from dealmill.pipeline.store.runs.controls import control
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.runs.workers import end_reports, list_workers, releases_with, report, worker_name
from tests.doing import a_run, a_source, deal

TEXTS = ["AABB", "ABAB", "ABBA", "CCDD", "CDCD"]
ME = worker_name(os.getpid())


@pytest.fixture
def run(database: Database) -> RunStatus:
    number = insert_run(database, a_source(database, "memory/two-pass", TEXTS), "memory/two-pass", "1", 9, chunk=2)
    return find_run(database, number)


def test_workers_are_listed_with_their_jobs_and_speed(database: Database, run: RunStatus) -> None:
    assert list_workers(database) == []
    first, second, third = leases.pending(database, SOLVING, installed_engines(), 9)
    for number, seconds in ((first, 60.0), (second, 60.0), (third, -1.0)):
        job = SOLVING_JOBS.claim(database, number, ME if number != third else "far:7 0.0.9", seconds)
        assert job is not None
        if number == first:
            SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    far, mine = sorted(list_workers(database), key=lambda worker: worker.name == ME.split()[0])
    assert (mine.name, mine.version, mine.jobs, mine.items) == (ME.split()[0], version("dealmill"), 1, 2)
    assert mine.rate is not None and mine.rate > 0
    assert mine.seen is not None and 0 <= mine.seen < 30
    [held] = mine.holds
    assert (held.what, held.first, held.last, held.late) == (f"run {run.id}", 3, 4, False)
    assert (far.name, far.version, far.jobs, far.items, far.rate) == ("far:7", "0.0.9", 0, 0, None)
    assert [(held.first, held.last, held.late) for held in far.holds] == [(5, 5, True)]


def test_audits_count_as_work(database: Database) -> None:
    audit = queue_audit(database, a_run(database, "memory/two-pass", TEXTS), None, 1)
    [part] = leases.pending(database, AUDITING, installed_engines(), 9)
    assert AUDIT_JOBS.claim(database, part, "auditor:1", 60.0)
    holds = {worker.name: [held.what for held in worker.holds] for worker in list_workers(database)}
    assert holds == {"auditor:1": [f"audit {audit}"], "test": []}


def test_after_an_hour_a_worker_is_forgotten_unless_it_holds_a_job(database: Database, run: RunStatus) -> None:
    first, second, _ = leases.pending(database, SOLVING, installed_engines(), 9)
    for number, worker in ((first, "done"), (second, "hanging")):
        job = SOLVING_JOBS.claim(database, number, worker, 60.0)
        assert job is not None
        if worker == "done":
            SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    with database.writing() as connection:
        connection.execute(update(tables.jobs).values(started=clock() - 7200))
        connection.execute(update(tables.jobs).where(tables.jobs.c.id == first).values(finished=clock() - 3700))
    assert [worker.name for worker in list_workers(database)] == ["hanging"]


def test_idle_workers_are_listed_while_they_report(database: Database, run: RunStatus) -> None:
    report(database, ["far:7 0.2.0", "far:8 0.2.0"], "far:1 0.2.0", lacking_engines(database))
    assert [(worker.name, worker.version, worker.jobs, worker.seen) for worker in list_workers(database)] == [
        ("far:7", "0.2.0", 0, None),
        ("far:8", "0.2.0", 0, None),
    ]
    report(database, ["far:8 0.2.0", "far:9 0.2.0"], "far:1 0.2.0", [])  # one has died, and another took its place
    assert [worker.name for worker in list_workers(database)] == ["far:8", "far:9"]
    with database.writing() as connection:
        connection.execute(
            update(tables.workers).where(tables.workers.c.name == "far:8 0.2.0").values(seen=clock() - 60)
        )
    assert [worker.name for worker in list_workers(database)] == ["far:9"]
    end_reports(database, "far:1 0.2.0")
    assert list_workers(database) == []


def test_workers_that_lack_a_version_which_a_run_needs_are_named(database: Database, run: RunStatus) -> None:
    assert missing_engines(database) == []
    report(database, ["far:7 0.2.0"], "far:1 0.2.0", [("memory/two-pass", "1"), ("hi-q/greedy", "9")])
    [missing] = missing_engines(database)
    needs = f"run {run.id}, which needs memory/two-pass 1 (Dealmill {version('dealmill')})"
    assert str(missing) == f"1 worker (Dealmill 0.2.0) cannot work on {needs}; no other worker has it"
    report(database, [ME], "near:1", [])
    assert str(missing_engines(database)[0]).endswith(needs)
    a_run(database, "memory/two-pass", TEXTS)
    assert releases_with(database, "memory/two-pass", "1") == []
    with database.writing() as connection:
        connection.execute(update(tables.jobs).values(worker="far:7 0.1.0"))
    assert releases_with(database, "memory/two-pass", "1") == ["0.1.0"]
    with database.writing() as connection:
        connection.execute(update(tables.jobs).values(state=tables.DONE))
    assert missing_engines(database) == []


def test_the_backlog_counts_jobs_by_game(database: Database) -> None:
    queue_audit(database, a_run(database, "hi-q/greedy", deal(find_game("hi-q"), 1, 1, 1)), None, 1)
    source = a_source(database, "memory/two-pass", TEXTS)
    run = find_run(database, insert_run(database, source, "memory/two-pass", "1", 9, chunk=2))
    first, second, _ = leases.pending(database, SOLVING, installed_engines(), 9)
    for number in (first, second):
        job = SOLVING_JOBS.claim(database, number, ME, 60.0)
        assert job is not None
        if number == first:
            SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    of_run, of_audit = sorted(backlog(database), key=lambda each: each.kind, reverse=True)
    assert (of_run.game, of_run.kind, of_run.pending, of_run.running) == ("memory", "run", 1, 1)
    assert of_run.oldest is not None and 0 <= of_run.last_result <= of_run.oldest < 60
    assert (of_audit.game, of_audit.kind, of_audit.pending, of_audit.last_result) == ("hi-q", "audit", 1, LONGEST)
    control(database, run, tables.Control.PAUSED)
    assert [each.kind for each in backlog(database)] == ["audit"]
