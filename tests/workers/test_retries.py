"""A job that cannot be done is tried again and fails in the end with its reason; others go on. On both databases."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update

from dealmill.pipeline.errors import DamagedError, DealmillError, VersionError
from dealmill.pipeline.games.batch import Solved, Texts, to_strings
from dealmill.pipeline.games.caches import CacheError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.solving import loading
from dealmill.pipeline.solving import solve as room
from dealmill.pipeline.solving.solve import solve_texts
from dealmill.pipeline.store import job_kinds
from dealmill.pipeline.store.audits.audit import find_audit
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database import tables
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.installation import Installation, installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages import compact_solving
from dealmill.pipeline.store.storages.rows import Rows
from dealmill.workers import tasks, working
from tests.doing import a_source
from tests.servers import dealmill

TEXTS = ["AABB", "ABAB", "ABBA"]
BAD = "ABAB"


@pytest.fixture
def run(database: Database, monkeypatch: pytest.MonkeyPatch) -> RunStatus:
    """A run of three jobs, one of which finds no memory while the test says so."""
    monkeypatch.setattr(tasks, "configured_database", lambda: database)
    monkeypatch.setattr(room, "solve_texts", without_room)
    monkeypatch.setattr(leases, "PAUSES", (3600.0,))  # until the test ends it
    number = insert_run(database, a_source(database, "memory/two-pass", TEXTS), "memory/two-pass", "1", 9, chunk=1)
    return find_run(database, number)


def without_room(engine: str, layouts: Texts, max_nodes: int | None, _errors: Mapping[int, str]) -> Solved:
    if BAD in to_strings(layouts):
        raise MemoryError("no room")
    return solve_texts(engine, layouts, max_nodes)


def work_on_all(database: Database) -> int:
    """Do what can be done now; how many jobs that was."""
    numbers = leases.pending(database, SOLVING, installed_engines(), 99)
    for number in numbers:
        tasks.do_job("solve", number)
    return len(numbers)


def end_pauses(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(update(tables.jobs).values(leased_until=None))


def test_a_job_that_always_fails_is_failed_with_its_reason_and_blocks_no_other(
    database: Database, run: RunStatus
) -> None:
    assert work_on_all(database) == 3
    assert (find_run(database, run.id).solved, find_run(database, run.id).retried) == (2, 1)
    for _ in range(4):
        assert work_on_all(database) == 0  # it has to wait
        end_pauses(database)
        assert work_on_all(database) == 1
    end_pauses(database)
    assert work_on_all(database) == 1
    status = find_run(database, run.id)
    assert (status.finished, status.retried, status.counts) == (True, 0, {Verdict.SCORED: 2, Verdict.FAILED: 1})
    [failed] = Rows().page(database, status, Filter((Verdict.FAILED,)), 0, 9).results
    assert failed.evidence == "retryable: gave up after 5 attempts: MemoryError: no room"


def test_a_job_whose_result_cannot_be_stored_is_given_up_with_an_error(
    database: Database, run: RunStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "solve_texts", solve_texts)
    stray = {"run_id": run.id, "position": 2, "verdict": 1, "nodes": 0}
    with database.writing() as connection:
        connection.execute(tables.verdicts.insert().values(**stray))
    assert work_on_all(database) == 3
    for _ in range(leases.MAX_CLAIMS):
        assert job_kinds.count_unfinished_jobs(database, Installation()) == 1
        end_pauses(database)
        assert work_on_all(database) == 1
    assert job_kinds.count_unfinished_jobs(database, Installation()) == 0
    with pytest.raises(DamagedError, match=r"items 2 to 2 of run 1 cannot be done after 9 attempts: StoreError: "):
        working.check_not_damaged(database, find_run(database, run.id))

    with database.writing() as connection:
        connection.execute(tables.verdicts.delete().where(tables.verdicts.c.position == 2))
    end_pauses(database)
    assert work_on_all(database) == 1
    assert find_run(database, run.id).counts == {Verdict.SCORED: 2, Verdict.FAILED: 1}


def test_an_engine_that_cannot_be_loaded_fails_no_layouts(
    database: Database, run: RunStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unloadable(_engine: str) -> None:
        raise DealmillError("memory has no example deals")

    with monkeypatch.context() as broken:
        broken.setattr(room, "solve_texts", solve_texts)
        broken.setattr(loading, "load", unloadable)
        for _ in range(leases.MAX_CLAIMS + 1):
            assert work_on_all(database) == 3
            end_pauses(database)
        assert (find_run(database, run.id).solved, find_run(database, run.id).retried) == (0, 3)
        assert leases.unstarted_runs(database, SOLVING) == {run.id}
        with pytest.raises(
            VersionError, match=r"^run 1 stopped: .*, but it cannot be loaded: memory has no example deals"
        ):
            working.solve_runs(database, [run.id], silent)
        here = Installation.loading([find_run(database, run.id)])
        assert job_kinds.count_unfinished_jobs(database, here) == 0, "the jobs are left to other installations"
        assert job_kinds.unworkable_jobs(database, here) == [leases.UnworkableJobs("memory/two-pass", "1", False, 3)]
    monkeypatch.setattr(working, "work_until_done", lambda *_, **__: None)
    working.solve_runs(database, [run.id], silent)  # the engine was repaired
    assert job_kinds.count_unfinished_jobs(database, Installation()) == 3
    monkeypatch.setattr(room, "solve_texts", solve_texts)
    assert work_on_all(database) == 3
    assert find_run(database, run.id).counts == {Verdict.SCORED: 3}


def test_a_job_that_could_not_start_after_its_last_attempt_gets_another(
    database: Database, run: RunStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(leases.ATTEMPTS):
        work_on_all(database)
        end_pauses(database)
    leases.refuse(database, SOLVING, 2, "ImportError: no engine")
    end_pauses(database)
    monkeypatch.setattr(room, "solve_texts", solve_texts)
    assert work_on_all(database) == 1
    assert find_run(database, run.id).counts == {Verdict.SCORED: 3}


def test_jobs_of_an_unreadable_run_are_not_started(database: Database, run: RunStatus) -> None:
    with database.writing() as connection:
        connection.execute(text("UPDATE runs SET storage = 7"))
    for number in (1, 2, 3):
        tasks.do_job("solve", number)
    with database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(tables.verdicts)).scalar_one() == 0
    with pytest.raises(DamagedError, match=r"run 1 cannot be read: runs\.storage is 7, which is not a valid storage"):
        working.solve_runs(database, [run.id], silent)


def test_an_audit_waits_while_engines_cannot_be_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dealmill("survey", "memory", "--count", "1000", cwd=tmp_path).returncode == 0
    database = Database(database_url(f"sqlite:///{tmp_path / 'dealmill.db'}"))
    audit = queue_audit(database, find_run(database, 1), None, 1)
    monkeypatch.setattr(tasks, "configured_database", lambda: database)
    monkeypatch.setattr(leases, "PAUSES", (0.0,))

    def refuse() -> None:
        raise CacheError.about(tmp_path, OSError(28, "No space left on device"))

    with monkeypatch.context() as patched:
        patched.setattr(compact_solving, "caches", refuse)
        for _ in range(leases.ATTEMPTS + 1):
            tasks.do_job("audit", 1)
    assert not find_audit(database, audit).finished
    with database.reading() as connection:
        trouble = connection.execute(select(tables.audit_jobs.c.trouble)).scalar_one()
    assert f"compiled engines are cached in {tmp_path}, which cannot be written to (No space left" in trouble
    tasks.do_job("audit", 1)
    status = find_audit(database, audit)
    assert (status.finished, status.valid, status.faults) == (True, 1_000, 0)
    database.close()
