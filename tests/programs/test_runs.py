"""Runs of engines that are programs: jobs, versions, fingerprints, and layouts that are tried again."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dealmill import Store
from dealmill.pipeline.arguments import MAX_INTEGER, DifferenceKind
from dealmill.pipeline.errors import NotFoundError, ProgramError, RetractedError, StoreError, VersionError
from dealmill.pipeline.evidence.referee import Outcome, judge
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.checker.writing import checker_path, export_with_checker
from dealmill.pipeline.programs import solver
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.job_kinds import KINDS, SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import Installation, installed_engines
from dealmill.pipeline.store.planning.run_planning import queue_rerun, queue_retry, queue_run
from dealmill.pipeline.store.queries.results import find_result, matching_runs
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.log import list_actions
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.survey.growth import extend_to, open_survey
from dealmill.workers import tasks, working
from tests.doing import a_run, a_source, alter, an_audit, deal, do_runs
from tests.faults.processes import processes_in
from tests.programs.conftest import Declare
from tests.programs.processes import left_in

ENGINE = "memory/program"
LAYOUTS = deal(find_game("memory"), 8, 1, 60, pairs=5)
POISON = LAYOUTS[33]


def outcome(database: Database, run: int) -> tuple[str | None, dict[Verdict, int]]:
    status = find_run(database, run)
    assert status.finished
    return fingerprint_of(database, run, status.items), status.counts


def test_a_program_gives_the_run_of_the_engine_it_is_checked_as(database: Database, declare: Declare) -> None:
    declare(checked_as="incremental", name="wrong")
    declare()
    own, others = a_run(database, "memory/two-pass", LAYOUTS), a_run(database, ENGINE, LAYOUTS)
    assert outcome(database, others.id) == outcome(database, own.id)
    audit = an_audit(database, others)
    assert (audit.valid, audit.invalid, audit.faults) == (len(LAYOUTS), 0, 0)


def test_a_claim_is_stored_counted_and_shown_as_not_proved(
    database: Database, declare: Declare, tmp_path: Path
) -> None:
    declare("claims", POISON)
    proved, run = a_run(database, "memory/two-pass", LAYOUTS), a_run(database, ENGINE, LAYOUTS)
    assert (find_run(database, proved.id).unproved, find_run(database, run.id).unproved) == (0, 1)
    audit = an_audit(database, run)
    assert (audit.valid, audit.invalid, audit.no_evidence, audit.faults) == (59, 0, 1, 0)
    [claim] = [result for result in Store(database).find_run(run.id).results() if result.unproved]
    assert (claim.layout, claim.evidence) == (POISON, None)
    assert claim.check().outcome is Outcome.NO_EVIDENCE
    assert judge("memory/two-pass", POISON, claim.verdict, claim.value, None).outcome is Outcome.INVALID
    [difference] = diff(database, find_run(database, proved.id), find_run(database, run.id))
    assert (difference.kind, difference.other.unproved) == (DifferenceKind.EVIDENCE, True)
    rerun = queue_rerun(database, find_run(database, run.id), any_version=False)
    do_runs(database)
    assert outcome(database, rerun) == outcome(database, run.id)
    Store(database).find_run(run.id).export(path := tmp_path / "memory.jsonl")
    imports = [
        Store(database).import_verdicts(path, engine=engine, version="9") for engine in (ENGINE, "memory/two-pass")
    ]
    assert [(each.status().unproved, each.status().rejected) for each in imports] == [(1, 0), (0, 1)]
    alter(database, f"UPDATE jobs SET unproved = 0 WHERE run_id = {run.id}")
    assert an_audit(database, run).faults == 1


@pytest.mark.slow
def test_a_run_costs_what_its_program_and_the_children_of_that_took(database: Database, declare: Declare) -> None:
    declare("burns and dies", POISON)
    run = a_run(database, ENGINE, LAYOUTS)
    assert run.counts[Verdict.FAILED] == 1
    tick = 1 / os.sysconf("SC_CLK_TCK")
    assert run.cpu_seconds is not None
    assert run.cpu_seconds >= 2 * (0.2 - 2 * tick)  # it was tried twice


def test_the_referee_finds_wrong_verdicts_of_a_program(database: Database, declare: Declare) -> None:
    declare(checked_as="incremental")
    audit = an_audit(database, a_run(database, ENGINE, LAYOUTS))
    assert audit.invalid > 0


def test_a_job_that_takes_long_leaves_its_rest_to_others(
    database: Database, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare()
    number = queue_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, None)
    with monkeypatch.context() as slow:
        slow.setattr(solving, "PART_SECONDS", -1)
        do_runs(database)
        status = find_run(database, number)
        assert (status.done, status.pending, status.solved) == (1, 5, 10)
        do_runs(database, backwards=True)
    assert outcome(database, number) == outcome(database, a_run(database, "memory/two-pass", LAYOUTS).id)
    assert an_audit(database, find_run(database, number)).faults == 0


@pytest.mark.slow
def test_a_run_with_retryable_failures_has_no_fingerprint_until_they_are_retried(
    database: Database, declare: Declare
) -> None:
    declare("needs memory", POISON, memory=100)
    run = a_run(database, ENGINE, LAYOUTS, chunk=20)
    assert outcome(database, run.id) == (None, {Verdict.SCORED: 59, Verdict.FAILED: 1})
    audit = an_audit(database, run)
    assert (audit.valid, audit.no_evidence, audit.faults) == (59, 1, 0)

    assert queue_retry(database, find_run(database, run.id)) == 1
    waiting = find_run(database, run.id)
    assert (waiting.finished, waiting.solved, waiting.pending, waiting.done) == (False, 40, 1, 2)
    with pytest.raises(StoreError, match="not finished"):
        queue_retry(database, waiting)
    do_runs(database)
    assert outcome(database, run.id) == (None, {Verdict.SCORED: 59, Verdict.FAILED: 1})
    assert [action.why for action in list_actions(database) if action.what == "retry"] == ["1 failed"]

    declare("needs memory", POISON, memory=1_000)
    assert queue_retry(database, find_run(database, run.id)) == 1
    do_runs(database)
    assert outcome(database, run.id) == outcome(database, a_run(database, "memory/two-pass", LAYOUTS).id)
    audit = an_audit(database, find_run(database, run.id))
    assert (audit.valid, audit.faults) == (60, 0)
    assert queue_retry(database, find_run(database, run.id)) == 0


def test_a_wrong_answer_is_a_permanent_failure_in_the_fingerprint(database: Database, declare: Declare) -> None:
    declare("invents a verdict", POISON)
    run = a_run(database, ENGINE, LAYOUTS)
    fingerprint, counts = outcome(database, run.id)
    assert fingerprint is not None
    assert counts[Verdict.FAILED] == 1
    number = queue_rerun(database, find_run(database, run.id), any_version=False)
    do_runs(database)
    assert outcome(database, number) == (fingerprint, counts)


def test_a_run_whose_program_was_changed_waits(database: Database, declare: Declare) -> None:
    path = declare()
    number = queue_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, None)
    program = path.parent / "program.py"
    before = program.read_text()
    program.write_text(before + "# changed")
    _, engine = find_engine(ENGINE)
    assert leases.pending(database, SOLVING, installed_engines(), 9) == []
    run = find_run(database, number)
    with pytest.raises(VersionError, match=re.escape(f"but version {engine.version} is installed here")):
        Installation().check(run)
    program.unlink()
    with pytest.raises(VersionError, match=f"run {number} stopped"):
        Installation().check(run)
    program.write_text(before)
    Installation().check(run)
    do_runs(database)
    assert find_run(database, number).finished


def test_a_program_that_the_command_cannot_start_either_is_left_out(database: Database, declare: Declare) -> None:
    declare("does not start")
    run = find_run(database, queue_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, None))
    with pytest.raises(VersionError, match="but it cannot be loaded: memory/program did not start: it ended with exit"):
        Installation.loading([run]).check(run)
    declare()
    assert Installation.loading([run]).unloadable == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("does not start", "memory/program did not start: it ended with exit code 1"),
        (
            "knows one layout",
            "memory/program failed on 3 layouts in a row in the same way, and is not asked any more: it ended with "
            "exit code 1; its error output ends with: there is no library",
        ),
    ],
)
def test_a_program_that_cannot_work_fails_no_layouts_and_stops_its_run(
    fault: str,
    message: str,
    database: Database,
    declare: Declare,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(leases, "PAUSES", (-1.0,))
    solver._logged.clear()
    declare(fault, "", same_failures=3)
    number = queue_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, None)
    while not leases.stuck(database, SOLVING, [number]):
        job, *_ = leases.pending(database, SOLVING, installed_engines(), 9)
        claimed = SOLVING_JOBS.claim(database, job, "test", 60)
        assert claimed is not None
        tasks._do(database, KINDS["solve"], claimed)
    [stuck] = leases.stuck(database, SOLVING, [number])
    assert (stuck.error or "").startswith(f"ProgramError: {message}")
    run = find_run(database, number)
    assert (run.solved, run.pending) == (0, 1)
    assert (run.state, run.stuck, run.retried) == ("stuck", 1, 1)
    if fault == "knows one layout":
        assert stuck.attempt == leases.MAX_CLAIMS + 1
        assert caplog.text.count("it ended with exit code 1") == 1
    rest = f"{re.escape(message)}.*; fix the cause, then solve the rest with: dealmill work"
    with pytest.raises(ProgramError, match=f"run 1 stopped: {rest}"):
        working.check_not_damaged(database, run)


def test_a_run_that_was_retracted_or_is_of_another_version_is_not_tried_again(
    database: Database, declare: Declare
) -> None:
    declare("exits with 3", POISON)
    run = a_run(database, ENGINE, LAYOUTS)
    declare()
    with pytest.raises(VersionError, match=r"but version 1\+\w+ is installed here"):
        queue_retry(database, run)
    retract(database, ENGINE, run.version, "it is wrong")
    with pytest.raises(RetractedError, match="it is wrong"):
        queue_retry(database, find_run(database, run.id))


def test_a_run_whose_manifest_is_gone_is_queried_by_its_name(
    database: Database, declare: Declare, tmp_path: Path
) -> None:
    path = declare()
    run = a_run(database, ENGINE, LAYOUTS)
    path.unlink()
    assert [match.id for match in matching_runs(database, None, ENGINE, None, retracted=False)] == [run.id]
    assert not matching_runs(database, None, "memory/two-pass", None, retracted=False)
    with pytest.raises(NotFoundError, match="there is no engine 'memory/other'"):
        matching_runs(database, None, "memory/other", None, retracted=False)
    message = f"run {run.id} is by {ENGINE}, which is not installed here: there is no engine '{ENGINE}'; memory has: "
    for command in (
        lambda: queue_audit(database, run, None, 1),
        lambda: queue_rerun(database, run, any_version=True),
        lambda: export_with_checker(database, run, tmp_path / "x.csv"),
        find_result(database, run, 5).check,
        lambda: list(find_result(database, run, 5).frames()),
    ):
        with pytest.raises(VersionError, match=re.escape(message)):
            command()


def test_a_survey_of_a_program_stores_its_deals(database: Database, declare: Declare) -> None:
    declare()
    survey = open_survey(database, DealRange(find_game("memory"), 1, 1, MAX_INTEGER, {}), ENGINE, None)
    extend_to(database, survey, 1_000)
    do_runs(database)
    survey = find_run(database, survey.id)
    assert (survey.storage, survey.items, survey.finished) == (Storage.ROWS, 1_000, True)
    assert an_audit(database, survey, 100).clean


SOLVES = """
import sys, time
from dealmill.pipeline.solving.solve import solve
print(solve("memory/program", ["AABB"]).values, flush=True)
time.sleep(60)
"""


def test_a_program_dies_with_its_worker(declare: Declare, tmp_path: Path) -> None:
    folder = declare().parent
    worker = subprocess.Popen(
        [sys.executable, "-c", SOLVES], stdout=subprocess.PIPE, env={**os.environ, "DEALMILL_ENGINES": str(folder)}
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"[4]\n"
    assert processes_in(folder)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert left_in(folder) == 0


def test_a_checker_judges_a_program_as_the_referee_does(
    sqlite_store: Database, declare: Declare, tmp_path: Path
) -> None:
    declare()
    run, export = a_run(sqlite_store, ENGINE, LAYOUTS), tmp_path / "night.jsonl"
    export_with_checker(sqlite_store, run, export)
    checked = subprocess.run(
        [sys.executable, "-I", "-S", str(checker_path(export)), str(export)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert ENGINE in checker_path(export).read_text()
