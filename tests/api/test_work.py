"""Long work with real workers: run, audit, rerun, survey and work, one after the other in one process."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread, get_ident

import pytest

import dealmill
from dealmill import Store, progress
from dealmill.pipeline.store.database.connections import Database
from tests.api.processes import children_with, temporary_folder
from tests.servers import dealmill as command

DEALS = "deal:memory:seed=5:1-6000"


@dataclass
class Recorder:
    """The events of one call, with the threads in which they came."""

    events: list[progress.Event] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def __call__(self, event: progress.Event) -> None:
        self.events.append(event)
        self.threads.add(get_ident())

    def kinds(self) -> list[type]:
        """The kinds of events in the order in which they first came, without what workers say."""
        return [kind for kind in dict.fromkeys(map(type, self.events)) if kind is not progress.Message]


@dataclass
class Worked:
    """What was done in one store, with the events of each call."""

    folder: Path
    store: Store
    run: dealmill.Run
    audit: dealmill.Audit
    diff: dealmill.Diff
    survey: dealmill.Survey
    recorders: dict[str, Recorder]


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worked]:
    """A store in which everything was done once, one after the other."""
    folder = tmp_path_factory.mktemp("worked")
    recorders = {name: Recorder() for name in ("run", "audit", "rerun", "survey", "work", "same run")}
    store = dealmill.open(f"sqlite:///{folder / 'dealmill.db'}")
    with temporary_folder() as temporary:
        run = store.run(DEALS, progress=recorders["run"])
        audit = run.audit(progress=recorders["audit"])
        diff = run.rerun(progress=recorders["rerun"])
        survey = store.survey("memory", count=3_000, progress=recorders["survey"])
        store.queue("deal:memory:seed=6:1-10")
        store.work(drain=True, progress=recorders["work"])
        store.run(DEALS, progress=recorders["same run"])
        assert not children_with(str(temporary))
        assert list(temporary.iterdir()) == []
    with store:
        yield Worked(folder, store, run, audit, diff, survey, recorders)


def test_run_audit_rerun_survey_and_work_finish(worked: Worked) -> None:
    assert worked.run.status().finished
    assert worked.audit.valid and worked.audit.status.valid == 6_000
    assert worked.diff.equal and worked.diff.compared == 6_000
    assert worked.store.find_run(worked.diff.other.id).repeats == worked.run.id
    assert (worked.survey.deals, worked.survey.id) == (3_000, 3)
    assert worked.survey.value is not None and worked.survey.low < worked.survey.value < worked.survey.high
    assert [run.status().finished for run in worked.store.runs()] == [True] * 4
    assert worked.run.fingerprint == worked.store.find_run(worked.diff.other.id).fingerprint


def test_each_method_reports_its_events(worked: Worked) -> None:
    kinds = {name: recorder.kinds() for name, recorder in worked.recorders.items()}
    assert kinds == {
        "run": [progress.Opening, progress.Ingesting, progress.Ingested, progress.Solving, progress.Finished],
        "audit": [progress.Auditing],
        "rerun": [progress.Rerunning, progress.Solving, progress.Finished],
        "survey": [progress.Surveying],
        "work": [progress.Working],
        "same run": [progress.Opening, progress.Ingested, progress.Continued, progress.Finished],
    }


def test_events_arrive_in_the_thread_of_the_caller_and_count_up_to_the_total(worked: Worked) -> None:
    for name, recorder in worked.recorders.items():
        assert recorder.threads == {get_ident()}, name
        steps = [event for event in recorder.events if isinstance(event, progress.Step)]
        assert all(0 <= step.done <= step.total for step in steps), name
        if name != "same run":
            assert steps[-1].done == steps[-1].total, name
    solving = [event for event in worked.recorders["run"].events if isinstance(event, progress.Solving)]
    assert (solving[-1].done, solving[-1].total, solving[-1].run) == (6_000, 6_000, worked.run.id)
    dones = [event.done for event in solving]
    assert dones == sorted(dones)
    [repeating] = [event for event in worked.recorders["rerun"].events if isinstance(event, progress.Rerunning)]
    assert (repeating.run, repeating.repeats) == (worked.diff.other.id, worked.run.id)
    *_, continued, _ = worked.recorders["same run"].events
    assert isinstance(continued, progress.Continued)
    assert (continued.run, continued.solved, continued.finished) == (worked.run.id, 6_000, True)


def test_commands_print_what_methods_return(worked: Worked) -> None:
    ran = command("run", DEALS, "--json", cwd=worked.folder)
    [summary] = worked.store.run_all([DEALS]).summaries
    [row] = json.loads(ran.stdout)
    assert row["layouts"] == row["scored"] == summary.layouts == 6_000
    assert (row["runs"], row["engine"], row["mean"]) == (summary.runs, summary.engine, round(summary.mean or 0, 3))
    surveyed = command("survey", "memory", "--count", "3000", "--json", cwd=worked.folder)
    assert json.loads(surveyed.stdout) == [{"run": worked.survey.id, **worked.survey.facts}]
    assert surveyed.stderr.splitlines()[0] == str(worked.survey)


def test_a_survey_is_a_run_and_reports_itself(worked: Worked, tmp_path: Path) -> None:
    survey = worked.survey
    results = list(survey.results(limit=3))
    assert [result.layout for result in results] == [layout.text for layout in dealmill.deals("memory", count=3)]
    assert survey.figures["low"] <= survey.figures["mean value"] <= survey.figures["high"]
    survey.report(tmp_path / "a" / "b")
    assert json.loads((tmp_path / "a" / "b" / "survey.json").read_text())["fingerprint"] == survey.fingerprint
    (tmp_path / "file").touch()
    with pytest.raises(dealmill.OutputError, match="cannot be written"):
        survey.report(tmp_path / "file")
    assert "memory/two-pass on 3,000 deals" in repr(survey)


def test_several_sources_and_engines_and_a_file_that_breaks_off(worked: Worked, tmp_path: Path) -> None:
    good, bad = tmp_path / "memory.txt", tmp_path / "memory.txt.gz"
    good.write_text("ABBA\nABC\n")
    bad.write_bytes(b"\x1f\x8b broken")
    recorder = Recorder()
    batch = worked.store.run_all(
        [good, str(good), bad], engines=["memory", "incremental", "memory/two-pass"], progress=recorder
    )
    assert [run.engine for run in batch.runs] == ["memory/two-pass", "memory/incremental"]
    assert [(source.accepted, source.rejected) for source in batch.sources] == [(1, 1)]
    assert [(summary.engine, summary.layouts, summary.rejected) for summary in batch.summaries] == [
        ("memory/two-pass", 1, 1),
        ("memory/incremental", 1, 1),
    ]
    assert ["is truncated" in str(error) for error in batch.errors] == [True]
    assert [event.error for event in recorder.events if isinstance(event, progress.OpenFailed)] == batch.errors
    with pytest.raises(dealmill.InputError, match="is truncated"):
        worked.store.run(bad)
    batch = worked.store.run_all([good, tmp_path / "memory-none.txt"])
    assert len(batch.runs) == 1
    assert ["there is no file" in str(error) for error in batch.errors] == [True]
    assert worked.store.run_all([]).runs == []
    assert worked.store.ingest().sources == []


def test_one_source_and_one_engine_are_lists_of_one(worked: Worked) -> None:
    deals = dealmill.deals("memory", seed=5, count=6_000)
    for sources in (DEALS, deals, [deals], iter([deals])):
        assert [run.id for run in worked.store.run_all(sources, engines="two-pass").runs] == [worked.run.id]
    assert [run.id for run in worked.store.run_all(deals.name.encode()).runs] == [worked.run.id]  # type: ignore[arg-type]


def test_invalid_sources_are_refused_and_leave_nothing_in_the_store(database: Database, tmp_path: Path) -> None:
    opened = Store(database)
    for source, error, message in (
        (tmp_path, dealmill.InputError, "is a folder"),
        ("", dealmill.UsageError, "the name of a source is empty"),
        ("memory\0.txt", dealmill.InputError, "there is no file"),
        (tmp_path / "none.txt", dealmill.InputError, "there is no file"),
        (dealmill.deals("memory"), dealmill.UsageError, "has no end"),
        ("deal:memory:seed=1:2-1", dealmill.UsageError, "2-1 is not a range of deals"),
        ("deal:hi-q:seed=1,pegs=20:1-2", dealmill.UsageError, "with parameters after the seed"),
        ("deal:card-pairing:seed=1:suits=3:1-5", dealmill.UsageError, "suits is 3, expected an even number"),
    ):
        with pytest.raises(error, match=message):
            opened.run(source)
    for limit in (0, -1, True, 1.5, "5", float("nan"), 2**62, 2**70):
        with pytest.raises(dealmill.UsageError, match="max_nodes must be a whole number from 1 to 2⁶² − 1"):
            opened.run("deal:memory:seed=1:1-2", max_nodes=limit)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not list"):
        opened.run(["memory.txt"])  # type: ignore[arg-type]
    assert opened.runs() == []


@pytest.mark.slow
def test_calls_in_two_threads_work_at_the_same_time(tmp_path: Path) -> None:
    """The shorter one ends while the longer one still sends jobs to its broker."""
    solved: dict[int, int] = {}
    recorders: dict[int, Recorder] = {60_000: Recorder(), 2_000: Recorder()}

    def work(count: int) -> None:
        with dealmill.open(f"sqlite:///{tmp_path / str(count)}.db") as store:
            run = store.run(f"deal:memory:seed=1:1-{count}", engine="incremental", progress=recorders[count])
            solved[count] = run.status().solved

    threads = [Thread(target=work, args=(count,), daemon=True) for count in recorders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert solved == {60_000: 60_000, 2_000: 2_000}
    assert [recorder.threads for recorder in recorders.values()] == [{thread.ident} for thread in threads]


@pytest.mark.slow
def test_a_command_does_its_own_jobs_and_names_the_other_unfinished_runs(tmp_path: Path) -> None:
    def told(recorder: Recorder) -> list[str]:
        texts = [event.text for event in recorder.events if isinstance(event, progress.Message)]
        return [text for text in texts if "unfinished" in text]

    surveying, auditing, solving = Recorder(), Recorder(), Recorder()
    with dealmill.open(f"sqlite:///{tmp_path / 'dealmill.db'}") as store:
        for seed in range(1, 13):
            store.queue(f"deal:memory:seed={seed}:1-10")
        store.queue("deal:memory:seed=13:1-10").pause()
        survey = store.survey("memory", count=1_000, progress=surveying)
        assert told(surveying) == [
            "other unfinished runs (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …) wait; to finish all runs: dealmill work --drain"
        ]
        assert not any(run.status().solved for run in store.runs() if run.id != survey.id)
        store.work(drain=True)
        run = store.queue("deal:memory:seed=14:1-10")
        survey.audit(progress=auditing)
        assert [text.partition(";")[0] for text in told(auditing)] == [f"other unfinished runs ({run.id}) wait"]
        assert run.status().solved == 0
        store.work(drain=True)
        store.run("deal:memory:seed=15:1-10", progress=solving)
        assert told(solving) == [], "the others are finished or paused"
