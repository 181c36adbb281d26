"""The work of audits: how jobs are cut by it, what is said beforehand, and what is shown meanwhile."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.progress.events import Auditing, Event, Message, words
from dealmill.pipeline.store.audits import work
from dealmill.pipeline.store.audits.audit import AUDITING
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.job_kinds import AUDIT_JOBS, SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages import audit_scans
from dealmill.pipeline.system.settings import settings
from dealmill.workers import working
from tests.audit.findings import DEALS, PAIRING
from tests.doing import LEASE, a_run, a_source, alter
from tests.survey.doing import MEMORY, a_survey

LOST = [f"black-hole 3H/{rank}{suit}{'/-' * 15} hole:AS" for rank in "456789TJQ" for suit in "CHSD"]
"""Layouts of which one position can be reached."""
SECONDS = [0.9, 0.9, 8.0, 0.1, 0.1, 0.1, 2.0, 0.9]
"""The recorded work of losses that are altered."""
OTHERS = "the workers may also do jobs of unfinished runs ({0}); to leave these: dealmill pause {0}"
"""If they share a broker."""


@pytest.fixture
def lost(database: Database) -> RunStatus:
    """A run over losses that have much more positions on record."""
    run = a_run(database, "black-hole/winnable", LOST)
    for position, seconds in enumerate(SECONDS, start=1):
        claim = f"* {round(seconds / 4e-6)}"
        alter(database, "UPDATE verdicts SET evidence = :claim WHERE position = :at", claim=claim, at=position)
    return run


def _jobs(database: Database, audit: int) -> list[tuple[int, int]]:
    with database.reading() as connection:
        return [(row.first, row.stop) for row in connection.execute(work.UNFINISHED, {"audit": audit})]


def test_a_job_ends_with_the_verdict_that_makes_it_take_longer_than_a_second(
    database: Database, lost: RunStatus
) -> None:
    assert _jobs(database, queue_audit(database, lost, None, 1)) == [(1, 3), (3, 4), (4, 8), (8, len(LOST) + 1)]


def test_a_sample_is_cut_by_the_work_of_its_verdicts(database: Database, lost: RunStatus) -> None:
    audit = queue_audit(database, lost, len(LOST) // 2, 5)
    few = [stop - first for first, stop in _jobs(database, audit)]
    assert sum(few) == len(LOST) // 2
    assert len(few) > 1


def test_a_long_audit_is_cut_by_the_first_verdict_of_each_stretch(
    database: Database, lost: RunStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MAX_READ", 4)
    monkeypatch.setattr(work, "JOB_SECONDS", 5.0)
    assert _jobs(database, queue_audit(database, lost, None, 1)) == [(1, 11), (11, len(LOST) + 1)]


def test_damaged_evidence_does_not_keep_an_audit_from_being_planned(database: Database, lost: RunStatus) -> None:
    if database.embedded:
        alter(database, "UPDATE verdicts SET evidence = x'00', verdict = 'x' WHERE position = 1")
        alter(database, "UPDATE verdicts SET verdict = 99 WHERE position = 2")
    alter(database, "UPDATE verdicts SET evidence = '* ٣' WHERE position = 3")
    alter(database, "UPDATE verdicts SET evidence = '* 99999999999999999999' WHERE position = 7")
    alter(database, "DELETE FROM verdicts WHERE position = 8")
    assert _jobs(database, queue_audit(database, lost, None, 1))[-1][1] == len(LOST) + 1


def test_jobs_of_compact_runs_end_with_blocks(sqlite_store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_survey(sqlite_store, MEMORY, 3_000)
    monkeypatch.setattr(work, "JOB_SECONDS", 0.0)
    assert _jobs(sqlite_store, queue_audit(sqlite_store, run, None, 1)) == [(1, 3_001)]


@pytest.mark.parametrize(
    ("engine", "verdict", "evidence", "low", "high"),
    [
        ("klondike/winnable", Verdict.UNWINNABLE, "*6C4H 25", 0.01, 0.1),
        ("klondike/winnable", Verdict.UNWINNABLE, "* 1000000", 1, 10),
        ("spider-1-suit/winnable", Verdict.UNWINNABLE, "* 5000", 1, 10),
        ("golf/winnable", Verdict.UNWINNABLE, "* 500000", 0.005, 0.05),
        ("escalator/winnable", Verdict.UNWINNABLE, "* 25000", 1e-4, 1e-3),
        ("tripeaks/winnable", Verdict.UNWINNABLE, "* 350000", 0.001, 0.01),
        ("klondike/winnable", Verdict.WINNABLE, "6H7S " * 100, 1e-4, 1e-3),
        ("klondike/chances", Verdict.SCORED, "0", 0.1, 1),
        ("card-pairing/odds", Verdict.SCORED, "", 0.001, 0.01),
        ("card-pairing/winnable", Verdict.WINNABLE, "QA7", 1e-5, 1e-4),
        ("hi-q/fewest", Verdict.SCORED, "", 0.001, 0.01),
        ("hi-q/greedy", Verdict.SCORED, "", 1e-5, 1e-4),
    ],
)
def test_the_work_of_a_verdict_is_on_record(
    engine: str, verdict: Verdict, evidence: str, low: float, high: float
) -> None:
    game, name = engine.split("/")
    assert low <= find_game(game).check_seconds(name, verdict, evidence) <= high


@pytest.fixture
def in_this_process(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the jobs of commands in this process, and report the progress before each job and at the end."""

    def work_until_done(
        _database: Database, next_installation: Callable[[], object], *_: object, **_more: object
    ) -> None:
        while next_installation():
            for job_id in leases.pending(database, AUDITING, installed_engines(), 1):
                job = AUDIT_JOBS.claim(database, job_id, "test", LEASE)
                assert job
                next_installation()
                assert AUDIT_JOBS.finish(database, job, AUDIT_JOBS.do(database, job))

    monkeypatch.setattr(working, "work_until_done", work_until_done)


@pytest.mark.usefixtures("in_this_process")
def test_a_long_audit_says_beforehand_how_long_it_takes(
    database: Database, lost: RunStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_scans, "PART_SECONDS", 600.0)  # the referee may have to be compiled
    audit, events = queue_audit(database, lost, None, 1), list[Event]()
    first = AUDIT_JOBS.claim(database, leases.pending(database, AUDITING, installed_engines(), 1)[0], "test", LEASE)
    assert first and AUDIT_JOBS.finish(database, first, AUDIT_JOBS.do(database, first))
    assert queue_audit(database, lost, None, 1) == audit
    working.finish_audit(database, audit, events.append)
    left = f"{len(LOST) - 2} verdicts to check, about 11 s of processor time"
    assert events[0] == Message(f"audit {audit} of run {lost.id}: {left}")


@pytest.mark.usefixtures("in_this_process")
def test_a_short_audit_waits_for_workers_that_do_other_jobs(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "settings", lambda: replace(settings(), broker_url="redis://localhost:1"))
    run, events = a_run(database, PAIRING, DEALS[:50]), list[Event]()
    insert_run(database, a_source(database, PAIRING, DEALS, "b.txt"), PAIRING, "1", None)
    [other] = leases.pending(database, SOLVING, installed_engines(), 1)
    working.finish_audit(database, queue_audit(database, run, None, 1), events.append)
    assert SOLVING_JOBS.claim(database, other, "test", LEASE)
    working.finish_audit(database, queue_audit(database, run, None, 1), events.append)
    assert [event.text for event in events if isinstance(event, Message)] == [OTHERS.format(2)] * 2
    steps = [event for event in events if isinstance(event, Auditing)]
    assert [(step.done, step.waits) for step in steps] == [
        *[(0, True), (0, False), (50, False)],
        *[(0, True), (0, False), (50, False)],
    ]
    assert words(steps[3])[2] == "waits for the jobs of other runs"
