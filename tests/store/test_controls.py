"""Decisions about runs hold whatever happens, change no result, and are checked by audits. On both databases."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dealmill
from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.progress.events import Event, Finished, Message, silent
from dealmill.pipeline.store import job_kinds
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import OLDEST
from dealmill.pipeline.store.database.tables import Control, Storage
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.planning.run_planning import insert_rerun, insert_run
from dealmill.pipeline.store.runs import controls
from dealmill.pipeline.store.runs.controls import Labels, control
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.job_kind import Job
from dealmill.pipeline.store.runs.jobs import grow
from dealmill.pipeline.store.runs.log import list_actions
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.store.storages.storage import SolvedJob
from dealmill.pipeline.survey.growth import open_survey
from dealmill.workers import tasks, working
from tests.doing import a_source, an_audit, do_job, do_runs, pending
from tests.survey.doing import MEMORY, endless

ENGINE = "memory/two-pass"
TEXTS = ["AABB", "ABAB", "ABBA"]
STOPS = pytest.mark.parametrize("decision", [Control.PAUSED, Control.CANCELLED], ids=lambda decision: decision.word)


def of_rows(database: Database) -> RunStatus:
    return find_run(database, insert_run(database, a_source(database, ENGINE, TEXTS), ENGINE, "1", 9, chunk=1))


def of_compact(database: Database) -> RunStatus:
    source = deals_source(database, DealRange(find_engine(ENGINE)[0], 7, 1, 3_000))
    return find_run(database, insert_run(database, source, ENGINE, "1", 9, storage=Storage.COMPACT, chunk=1_000))


@STOPS
@pytest.mark.parametrize("planned", [of_rows, of_compact])
def test_a_stopped_run_gets_no_workers_is_never_finished_and_continues_with_the_same_results(
    database: Database, planned: Callable[[Database], RunStatus], decision: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "configured_database", lambda: database)
    number = planned(database).id
    first, second, third = pending(database)
    held = SOLVING_JOBS.claim(database, first, "w", 60.0)
    assert held is not None
    control(database, find_run(database, number), decision)
    assert pending(database) == [] and job_kinds.count_unfinished_jobs(database, Installation()) == 0
    assert SOLVING_JOBS.claim(database, second, "w", 60.0) is None
    tasks.do_job("solve", second)  # its message was in the broker
    tasks.do_job("solve", third)
    assert SOLVING_JOBS.finish(database, held, SOLVING_JOBS.do(database, held)), "a job in work is finished"
    stopped = find_run(database, number)
    assert (stopped.state, stopped.finished, stopped.done, stopped.pending) == (decision.word, False, 1, 2)
    assert an_audit(database, stopped).clean
    for _ in range(2):  # twice is once
        control(database, find_run(database, number), Control.ACTIVE)
    for job in (second, third):
        held = SOLVING_JOBS.claim(database, job, "w", 60.0)
        assert held is not None
        control(database, find_run(database, number), decision)
        assert SOLVING_JOBS.finish(database, held, SOLVING_JOBS.do(database, held))
        assert not find_run(database, number).finished, "even if everything is solved"
        control(database, find_run(database, number), Control.ACTIVE)
    finished = find_run(database, number)
    assert finished.finished
    with pytest.raises(StoreError, match=f"run {number} cannot be {decision.word}: it is finished"):
        control(database, finished, decision)
    again = insert_rerun(database, finished, "1")
    do_runs(database)
    fingerprints = {fingerprint_of(database, run, finished.items) for run in (number, again)}
    assert len(fingerprints) == 1 and None not in fingerprints
    assert an_audit(database, find_run(database, number)).clean


WORDS = st.sampled_from(["night", "a:b", "Ä", "x" * 50])
DECISIONS = st.lists(
    st.one_of(
        st.tuples(st.just("control"), st.sampled_from([*controls.ENTRIES])),
        st.tuples(st.just("priority"), st.integers(-1_000, 1_000)),
        st.tuples(st.sampled_from(["tag", "untag"]), st.lists(WORDS, max_size=3)),
        st.tuples(st.just("note"), st.sampled_from(["", " seen ", "ß\N{BLACK STAR}"])),
        st.tuples(st.just("job"), st.none()),
        st.tuples(st.just("migrate"), st.none()),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DECISIONS)
def test_any_decisions_are_logged_survive_a_downgrade_and_change_no_result(
    database: Database, decisions: list[tuple[str, object]]
) -> None:
    source = a_source(database, ENGINE, TEXTS)
    number = insert_run(database, source, ENGINE, "1", find_next_limit(database), chunk=1)
    for what, value in decisions:
        decide(database, number, what, value)
    run = find_run(database, number)
    assert an_audit(database, run).clean
    priorities = [value for what, value in decisions if what == "priority"]
    assert run.priority == (priorities[-1] if priorities else 0)
    control(database, run, Control.ACTIVE)
    do_runs(database)
    assert find_run(database, number).finished


def find_next_limit(database: Database) -> int:
    """Return a node limit of no run so far, so that each example has a run of its own."""
    return 9 + len(list_actions(database))


def decide(database: Database, number: int, what: str, value: Any) -> None:
    run = find_run(database, number)
    match what, value:
        case "control", Control() if value is Control.ACTIVE or not run.finished:
            control(database, run, value)
        case "priority", int():
            controls.set_priority(database, number, value)
        case "tag", [*words]:
            controls.tag(database, number, words)
            assert {*find_run(database, number).tags} == {*run.tags, *words}
        case "untag", [*words]:
            controls.untag(database, number, words)
            assert {*find_run(database, number).tags} == {*run.tags} - {*words}
        case "note", str():
            controls.set_note(database, number, value)
            assert find_run(database, number).note == (value.strip() or None)
        case "job", None:
            for job in pending(database)[:1]:
                do_job(database, job)
        case "migrate", None if database.embedded:
            revisions.downgrade(database, OLDEST)
            revisions.upgrade(database)
            after = find_run(database, number)
            assert (after.control, after.priority, after.tags, after.note) == (
                *(run.control, run.priority, run.tags, run.note),
            )


def test_workers_take_the_highest_priority_first_whatever_their_messages_say(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "configured_database", lambda: database)
    source = a_source(database, ENGINE, TEXTS)
    low, high, highest = (insert_run(database, source, ENGINE, "1", limit, chunk=1) for limit in (7, 8, 9))
    foreign = insert_run(database, source, ENGINE, "of another installation", 9, chunk=1)
    message = pending(database)[0]
    for run, priority in ((high, 1), (highest, 2), (foreign, 3)):
        controls.set_priority(database, run, priority)
    control(database, find_run(database, highest), Control.PAUSED)
    order = list[int]()

    def do(database: Database, job: Job) -> SolvedJob:
        order.append(job.lease.parent)
        return do_job_as_usual(database, job)

    do_job_as_usual = SOLVING_JOBS.do
    monkeypatch.setattr(SOLVING_JOBS, "do", do)
    for _ in range(2):
        tasks.do_job("solve", message)
    control(database, find_run(database, highest), Control.ACTIVE)
    for _ in range(7):
        tasks.do_job("solve", message)
    assert order == [high] * 2 + [highest] * 3 + [high] + [low]
    do_runs(database)
    assert [find_run(database, run).finished for run in (low, high, highest)] == [True] * 3


def test_workers_that_choose_the_same_job_choose_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "configured_database", lambda: database)
    source = a_source(database, ENGINE, TEXTS)
    low, high = (insert_run(database, source, ENGINE, "1", limit, chunk=1) for limit in (8, 9))
    controls.set_priority(database, high, 1)
    message, *_ = pending(database)
    claim, taken = SOLVING_JOBS.claim, list[int]()

    def claim_late(database: Database, number: int, worker: str, seconds: float) -> object:
        if len(taken) < 3:
            taken.append(number)
            do_job_of_another(number)
        return claim(database, number, worker, seconds)

    def do_job_of_another(number: int) -> None:
        job = claim(database, number, "another", 60.0)
        assert job is not None
        assert SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))

    monkeypatch.setattr(SOLVING_JOBS, "claim", claim_late)
    tasks.do_job("solve", message)
    assert find_run(database, high).done == 3 and find_run(database, low).done == 1


@STOPS
def test_nothing_waits_for_a_stopped_run(
    database: Database, decision: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "work_until_done", lambda _store, check, *_more, **_options: check() and pytest.fail())
    events = list[Event]()
    source = a_source(database, ENGINE, TEXTS)
    done, stopped = (insert_run(database, source, ENGINE, "1", limit, chunk=1) for limit in (8, 9))
    for job in pending(database)[:3]:
        do_job(database, job)
    control(database, find_run(database, stopped), decision)
    assert [run.id for run in working.solve_runs(database, [done, stopped], events.append)] == [done, stopped]
    assert [event.run for event in events if isinstance(event, Finished)] == [done]
    working.work(database, events.append, drain=True)
    said = [event.text for event in events if isinstance(event, Message)]
    paused = f"run {stopped} is paused, jobs left: 3; continue it with: dealmill resume {stopped}"
    assert said == ([paused] if decision is Control.PAUSED else [])
    survey = open_survey(database, endless(MEMORY), MEMORY, None)
    grow(database, survey.id, 1_000, 1_000)
    control(database, find_run(database, survey.id), decision)
    with pytest.raises(StoreError, match=f"run {survey.id} is {decision.word}; continue it with: dealmill resume"):
        working.grow_survey(database, survey.id, 1_000, silent)
    with dealmill.open(database.url.render_as_string(hide_password=False)) as opened:
        assert [run.id for run in next(opened.watch(survey.id))] == [survey.id]
        for use in (opened.find_run(stopped).rerun, opened.find_run(stopped).retry):
            with pytest.raises(StoreError, match=f"run {stopped} is {decision.word}"):
                use()


def test_runs_are_found_by_tags_and_note(database: Database) -> None:
    source = a_source(database, ENGINE, TEXTS)
    first, second, _ = (insert_run(database, source, ENGINE, "1", limit) for limit in (7, 8, 9))
    Labels(None, ["night", "100"], "Six_files").put_on(database, first)
    Labels(5, "night", "").put_on(database, second)
    with dealmill.open(database.url.render_as_string(hide_password=False)) as opened:

        def matching(*tags: str, note: str | None = None) -> list[int]:
            return [run.id for run in opened.status(tags=tags, note=note)]

        assert (matching("night"), matching("night", "100"), matching("nigh")) == ([first, second], [first], [])
        assert (matching(note="six_"), matching("night", note="sixx")) == ([first], [])
        run = opened.find_run(second)
        assert (run.tags, run.note, run.priority) == (["night"], None, 5)
    for labels in ((1_001, (), None), (0, ["two words"], None), (0, ["x" * 51], None), (0, (), "two\nlines")):
        with pytest.raises(UsageError):
            Labels(*labels)
    with pytest.raises(UsageError, match="at most 1,000 characters"):
        controls.tag(database, first, [f"{number}".rjust(50, "x") for number in range(30)])
