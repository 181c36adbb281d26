"""Decisions about runs hold whatever happens, change no result, and are checked by audits. On both databases."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dealmill
from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.progress import Event, Finished, Message, silent
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import OLDEST
from dealmill.pipeline.store.database.tables import Control, Storage
from dealmill.pipeline.store.installation import Installation
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS, Job
from dealmill.pipeline.store.planning import plan_rerun, plan_run
from dealmill.pipeline.store.runs import controls
from dealmill.pipeline.store.runs.controls import Labels, control
from dealmill.pipeline.store.runs.jobs import grow
from dealmill.pipeline.store.runs.log import list_actions
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.store.storages.storage import SolvedJob
from dealmill.pipeline.survey.growth import open_survey
from dealmill.workers import reconciler, tasks, working
from tests.doing import a_source, an_audit, do_job, do_runs, pending
from tests.survey.doing import MEMORY, endless

ENGINE = "memory/two-pass"
TEXTS = ["AABB", "ABAB", "ABBA"]
STOPS = pytest.mark.parametrize("decision", [Control.PAUSED, Control.CANCELLED], ids=lambda decision: decision.word)


def of_rows(store: Database) -> RunStatus:
    return find_run(store, plan_run(store, a_source(store, ENGINE, TEXTS), ENGINE, "1", 9, chunk=1))


def of_packs(store: Database) -> RunStatus:
    source = deals_source(store, DealRange(find_engine(ENGINE)[0], 7, 1, 3_000))
    return find_run(store, plan_run(store, source, ENGINE, "1", 9, storage=Storage.PACKED, chunk=1_000))


@STOPS
@pytest.mark.parametrize("planned", [of_rows, of_packs])
def test_a_stopped_run_gets_no_workers_is_never_finished_and_continues_with_the_same_results(
    store: Database, planned: Callable[[Database], RunStatus], decision: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "configured_store", lambda: store)
    number = planned(store).id
    first, second, third = pending(store)
    held = SOLVING_JOBS.claim(store, first, "w", 60.0)
    assert held is not None
    control(store, find_run(store, number), decision)
    assert pending(store) == [] and reconciler.unfinished(store, Installation()) == 0
    assert SOLVING_JOBS.claim(store, second, "w", 60.0) is None
    tasks.do_job("solve", second)  # its message was in the broker
    tasks.do_job("solve", third)
    assert SOLVING_JOBS.finish(store, held, SOLVING_JOBS.do(store, held)), "a job in work is finished"
    stopped = find_run(store, number)
    assert (stopped.state, stopped.finished, stopped.done, stopped.pending) == (decision.word, False, 1, 2)
    assert an_audit(store, stopped).clean
    for _ in range(2):  # twice is once
        control(store, find_run(store, number), Control.ACTIVE)
    for job in (second, third):
        held = SOLVING_JOBS.claim(store, job, "w", 60.0)
        assert held is not None
        control(store, find_run(store, number), decision)
        assert SOLVING_JOBS.finish(store, held, SOLVING_JOBS.do(store, held))
        assert not find_run(store, number).finished, "even if everything is solved"
        control(store, find_run(store, number), Control.ACTIVE)
    finished = find_run(store, number)
    assert finished.finished
    with pytest.raises(StoreError, match=f"run {number} cannot be {decision.word}: it is finished"):
        control(store, finished, decision)
    again = plan_rerun(store, finished, "1")
    do_runs(store)
    fingerprints = {fingerprint_of(store, run, finished.items) for run in (number, again)}
    assert len(fingerprints) == 1 and None not in fingerprints
    assert an_audit(store, find_run(store, number)).clean


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


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DECISIONS)
def test_any_decisions_are_logged_survive_a_downgrade_and_change_no_result(
    store: Database, decisions: list[tuple[str, object]]
) -> None:
    source = a_source(store, ENGINE, TEXTS)
    number = plan_run(store, source, ENGINE, "1", find_next_limit(store), chunk=1)
    for what, value in decisions:
        decide(store, number, what, value)
    run = find_run(store, number)
    assert an_audit(store, run).clean
    priorities = [value for what, value in decisions if what == "priority"]
    assert run.priority == (priorities[-1] if priorities else 0)
    control(store, run, Control.ACTIVE)
    do_runs(store)
    assert find_run(store, number).finished


def find_next_limit(store: Database) -> int:
    """Return a node limit of no run so far, so that each example has a run of its own."""
    return 9 + len(list_actions(store))


def decide(store: Database, number: int, what: str, value: Any) -> None:
    run = find_run(store, number)
    match what, value:
        case "control", Control() if value is Control.ACTIVE or not run.finished:
            control(store, run, value)
        case "priority", int():
            controls.set_priority(store, number, value)
        case "tag", [*words]:
            controls.tag(store, number, words)
            assert {*find_run(store, number).tags} == {*run.tags, *words}
        case "untag", [*words]:
            controls.untag(store, number, words)
            assert {*find_run(store, number).tags} == {*run.tags} - {*words}
        case "note", str():
            controls.set_note(store, number, value)
            assert find_run(store, number).note == (value.strip() or None)
        case "job", None:
            for job in pending(store)[:1]:
                do_job(store, job)
        case "migrate", None if store.embedded:
            revisions.downgrade(store, OLDEST)
            revisions.upgrade(store)
            after = find_run(store, number)
            assert (after.control, after.priority, after.tags, after.note) == (
                *(run.control, run.priority, run.tags, run.note),
            )


def test_workers_take_the_highest_priority_first_whatever_their_messages_say(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "configured_store", lambda: store)
    source = a_source(store, ENGINE, TEXTS)
    low, high, highest = (plan_run(store, source, ENGINE, "1", limit, chunk=1) for limit in (7, 8, 9))
    foreign = plan_run(store, source, ENGINE, "of another installation", 9, chunk=1)
    message = pending(store)[0]
    for run, priority in ((high, 1), (highest, 2), (foreign, 3)):
        controls.set_priority(store, run, priority)
    control(store, find_run(store, highest), Control.PAUSED)
    order = list[int]()

    def do(store: Database, job: Job) -> SolvedJob:
        order.append(job.lease.parent)
        return do_job_as_usual(store, job)

    do_job_as_usual = SOLVING_JOBS.do
    monkeypatch.setattr(SOLVING_JOBS, "do", do)
    for _ in range(2):
        tasks.do_job("solve", message)
    control(store, find_run(store, highest), Control.ACTIVE)
    for _ in range(7):
        tasks.do_job("solve", message)
    assert order == [high] * 2 + [highest] * 3 + [high] + [low]
    do_runs(store)
    assert [find_run(store, run).finished for run in (low, high, highest)] == [True] * 3


def test_workers_that_choose_the_same_job_choose_again(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "configured_store", lambda: store)
    source = a_source(store, ENGINE, TEXTS)
    low, high = (plan_run(store, source, ENGINE, "1", limit, chunk=1) for limit in (8, 9))
    controls.set_priority(store, high, 1)
    message, *_ = pending(store)
    claim, taken = SOLVING_JOBS.claim, list[int]()

    def claim_late(store: Database, number: int, worker: str, seconds: float) -> object:
        if len(taken) < 3:
            taken.append(number)
            do_job_of_another(number)
        return claim(store, number, worker, seconds)

    def do_job_of_another(number: int) -> None:
        job = claim(store, number, "another", 60.0)
        assert job is not None
        assert SOLVING_JOBS.finish(store, job, SOLVING_JOBS.do(store, job))

    monkeypatch.setattr(SOLVING_JOBS, "claim", claim_late)
    tasks.do_job("solve", message)
    assert find_run(store, high).done == 3 and find_run(store, low).done == 1


@STOPS
def test_nothing_waits_for_a_stopped_run(store: Database, decision: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "work_until_done", lambda _store, check, *_more, **_options: check() and pytest.fail())
    events = list[Event]()
    source = a_source(store, ENGINE, TEXTS)
    done, stopped = (plan_run(store, source, ENGINE, "1", limit, chunk=1) for limit in (8, 9))
    for job in pending(store)[:3]:
        do_job(store, job)
    control(store, find_run(store, stopped), decision)
    assert [run.id for run in working.solve_runs(store, [done, stopped], events.append)] == [done, stopped]
    assert [event.run for event in events if isinstance(event, Finished)] == [done]
    working.work(store, events.append, drain=True)
    said = [event.text for event in events if isinstance(event, Message)]
    paused = f"run {stopped} is paused, jobs left: 3; continue it with: dealmill resume {stopped}"
    assert said == ([paused] if decision is Control.PAUSED else [])
    survey = open_survey(store, endless(MEMORY), MEMORY, None)
    grow(store, survey.id, 1_000, 1_000)
    control(store, find_run(store, survey.id), decision)
    with pytest.raises(StoreError, match=f"run {survey.id} is {decision.word}; continue it with: dealmill resume"):
        working.grow_survey(store, survey.id, 1_000, silent)
    with dealmill.open(store.url.render_as_string(hide_password=False)) as opened:
        assert [run.id for run in next(opened.watch(survey.id))] == [survey.id]
        for use in (opened.find_run(stopped).rerun, opened.find_run(stopped).retry):
            with pytest.raises(StoreError, match=f"run {stopped} is {decision.word}"):
                use()


def test_runs_are_found_by_tags_and_note(store: Database) -> None:
    source = a_source(store, ENGINE, TEXTS)
    first, second, _ = (plan_run(store, source, ENGINE, "1", limit) for limit in (7, 8, 9))
    Labels(None, ["night", "100"], "Six_files").put_on(store, first)
    Labels(5, "night", "").put_on(store, second)
    with dealmill.open(store.url.render_as_string(hide_password=False)) as opened:

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
        controls.tag(store, first, [f"{number}".rjust(50, "x") for number in range(30)])
