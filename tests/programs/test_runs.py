"""Runs of engines that are programs: jobs, versions, fingerprints, and layouts that are tried again."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dealmill import Store
from dealmill.pipeline import solve as solving
from dealmill.pipeline.arguments import DifferenceKind
from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import NotFoundError, ProgramError, RetractedError, StoreError, UsageError, VersionError
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Outcome, judge
from dealmill.pipeline.results.checker.writing import checker_path, export_with_checker
from dealmill.pipeline.store.audits.planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.diff import differences
from dealmill.pipeline.store.installation import Installation, installed_engines
from dealmill.pipeline.store.job_kinds import KINDS, SOLVING_JOBS
from dealmill.pipeline.store.planning import queue_rerun, queue_retry, queue_run
from dealmill.pipeline.store.results import find_result, matching_runs
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.log import list_actions
from dealmill.pipeline.store.runs.status import find_run
from dealmill.pipeline.store.sources.writing import open_deals
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.survey.growth import open_survey
from dealmill.workers import tasks, working
from tests.doing import a_run, a_source, alter, an_audit, deal, do_runs
from tests.faults.processes import processes_in
from tests.programs.conftest import Declare
from tests.programs.processes import left_in

ENGINE = "memory/program"
LAYOUTS = deal(find_game("memory"), 8, 1, 60, pairs=5)
POISON = LAYOUTS[33]


def outcome(store: Database, run: int) -> tuple[str | None, dict[Verdict, int]]:
    status = find_run(store, run)
    assert status.finished
    return fingerprint_of(store, run, status.items), status.counts


def test_a_program_gives_the_run_of_the_engine_it_is_checked_as(store: Database, declare: Declare) -> None:
    declare(checked_as="incremental", name="wrong")
    declare()
    own, others = a_run(store, "memory/two-pass", LAYOUTS), a_run(store, ENGINE, LAYOUTS)
    assert outcome(store, others.id) == outcome(store, own.id)
    audit = an_audit(store, others)
    assert (audit.valid, audit.invalid, audit.faults) == (len(LAYOUTS), 0, 0)


def test_a_claim_is_stored_counted_and_shown_as_not_proved(store: Database, declare: Declare, tmp_path: Path) -> None:
    declare("claims", POISON)
    proved, run = a_run(store, "memory/two-pass", LAYOUTS), a_run(store, ENGINE, LAYOUTS)
    assert (find_run(store, proved.id).unproved, find_run(store, run.id).unproved) == (0, 1)
    audit = an_audit(store, run)
    assert (audit.valid, audit.invalid, audit.no_evidence, audit.faults) == (59, 0, 1, 0)
    [claim] = [result for result in Store(store).find_run(run.id).results() if result.unproved]
    assert (claim.layout, claim.evidence) == (POISON, None)
    assert claim.check().outcome is Outcome.NO_EVIDENCE
    assert judge("memory/two-pass", POISON, claim.verdict, claim.value, None).outcome is Outcome.INVALID
    [difference] = differences(store, find_run(store, proved.id), find_run(store, run.id))
    assert (difference.kind, difference.other.unproved) == (DifferenceKind.EVIDENCE, True)
    rerun = queue_rerun(store, find_run(store, run.id), any_version=False)
    do_runs(store)
    assert outcome(store, rerun) == outcome(store, run.id)
    Store(store).find_run(run.id).export(path := tmp_path / "memory.jsonl")
    imports = [Store(store).import_verdicts(path, engine=engine, version="9") for engine in (ENGINE, "memory/two-pass")]
    assert [(each.status().unproved, each.status().rejected) for each in imports] == [(1, 0), (0, 1)]
    alter(store, f"UPDATE jobs SET unproved = 0 WHERE run_id = {run.id}")
    assert an_audit(store, run).faults == 1


def test_a_run_costs_what_its_program_and_the_children_of_that_took(store: Database, declare: Declare) -> None:
    declare("burns and dies", POISON)
    run = a_run(store, ENGINE, LAYOUTS)
    assert run.counts[Verdict.FAILED] == 1
    tick = 1 / os.sysconf("SC_CLK_TCK")
    assert run.cpu_seconds is not None
    assert run.cpu_seconds >= 2 * (0.2 - 2 * tick)  # it was tried twice


def test_the_referee_finds_wrong_verdicts_of_a_program(store: Database, declare: Declare) -> None:
    declare(checked_as="incremental")
    audit = an_audit(store, a_run(store, ENGINE, LAYOUTS))
    assert audit.invalid > 0


def test_a_job_that_takes_long_leaves_its_rest_to_others(
    store: Database, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare()
    number = queue_run(store, a_source(store, ENGINE, LAYOUTS), ENGINE, None)
    with monkeypatch.context() as slow:
        slow.setattr(solving, "PART_SECONDS", -1)
        do_runs(store)
        status = find_run(store, number)
        assert (status.done, status.pending, status.solved) == (1, 5, 10)
        do_runs(store, backwards=True)
    assert outcome(store, number) == outcome(store, a_run(store, "memory/two-pass", LAYOUTS).id)
    assert an_audit(store, find_run(store, number)).faults == 0


def test_a_run_with_retryable_failures_has_no_fingerprint_until_they_are_retried(
    store: Database, declare: Declare
) -> None:
    declare("needs memory", POISON, memory=100)
    run = a_run(store, ENGINE, LAYOUTS, chunk=20)
    assert outcome(store, run.id) == (None, {Verdict.SCORED: 59, Verdict.FAILED: 1})
    audit = an_audit(store, run)
    assert (audit.valid, audit.no_evidence, audit.faults) == (59, 1, 0)

    assert queue_retry(store, find_run(store, run.id)) == 1
    waiting = find_run(store, run.id)
    assert (waiting.finished, waiting.solved, waiting.pending, waiting.done) == (False, 40, 1, 2)
    with pytest.raises(StoreError, match="not finished"):
        queue_retry(store, waiting)
    do_runs(store)
    assert outcome(store, run.id) == (None, {Verdict.SCORED: 59, Verdict.FAILED: 1})
    assert [action.why for action in list_actions(store) if action.what == "retry"] == ["1 failed"]

    declare("needs memory", POISON, memory=1_000)
    assert queue_retry(store, find_run(store, run.id)) == 1
    do_runs(store)
    assert outcome(store, run.id) == outcome(store, a_run(store, "memory/two-pass", LAYOUTS).id)
    audit = an_audit(store, find_run(store, run.id))
    assert (audit.valid, audit.faults) == (60, 0)
    assert queue_retry(store, find_run(store, run.id)) == 0


def test_a_wrong_answer_is_a_permanent_failure_in_the_fingerprint(store: Database, declare: Declare) -> None:
    declare("invents a verdict", POISON)
    run = a_run(store, ENGINE, LAYOUTS)
    fingerprint, counts = outcome(store, run.id)
    assert fingerprint is not None
    assert counts[Verdict.FAILED] == 1
    number = queue_rerun(store, find_run(store, run.id), any_version=False)
    do_runs(store)
    assert outcome(store, number) == (fingerprint, counts)


def test_a_run_whose_program_was_changed_waits(store: Database, declare: Declare) -> None:
    path = declare()
    number = queue_run(store, a_source(store, ENGINE, LAYOUTS), ENGINE, None)
    program = path.parent / "program.py"
    before = program.read_text()
    program.write_text(before + "# changed")
    _, engine = find_engine(ENGINE)
    assert leases.pending(store, SOLVING, installed_engines(), 9) == []
    run = find_run(store, number)
    with pytest.raises(VersionError, match=re.escape(f"but version {engine.version} is installed here")):
        Installation().check(run)
    program.unlink()
    with pytest.raises(VersionError, match=f"run {number} stopped"):
        Installation().check(run)
    program.write_text(before)
    Installation().check(run)
    do_runs(store)
    assert find_run(store, number).finished


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
    fault: str, message: str, store: Database, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "PAUSES", (-1.0,))
    declare(fault, "", same_failures=3)
    number = queue_run(store, a_source(store, ENGINE, LAYOUTS), ENGINE, None)
    while not leases.stuck(store, SOLVING, [number]):
        job, *_ = leases.pending(store, SOLVING, installed_engines(), 9)
        claimed = SOLVING_JOBS.claim(store, job, "test", 60)
        assert claimed is not None
        tasks._do(store, KINDS["solve"], claimed)
    [stuck] = leases.stuck(store, SOLVING, [number])
    assert (stuck.trouble or "").startswith(f"ProgramError: {message}")
    run = find_run(store, number)
    assert (run.solved, run.pending) == (0, 1)
    with pytest.raises(ProgramError, match=r"items 1 to 60 of run 1 cannot be done after . attempts: ProgramError: "):
        working.check_not_damaged(store, run)


def test_a_run_that_was_retracted_or_is_of_another_version_is_not_tried_again(
    store: Database, declare: Declare
) -> None:
    declare("exits with 3", POISON)
    run = a_run(store, ENGINE, LAYOUTS)
    declare()
    with pytest.raises(VersionError, match=r"but version 1\+\w+ is installed here"):
        queue_retry(store, run)
    retract(store, ENGINE, run.version, "it is wrong")
    with pytest.raises(RetractedError, match="it is wrong"):
        queue_retry(store, find_run(store, run.id))


def test_a_run_whose_manifest_is_gone_is_queried_by_its_name(store: Database, declare: Declare, tmp_path: Path) -> None:
    path = declare()
    run = a_run(store, ENGINE, LAYOUTS)
    path.unlink()
    assert [match.id for match in matching_runs(store, None, ENGINE, None, retracted=False)] == [run.id]
    assert not matching_runs(store, None, "memory/two-pass", None, retracted=False)
    with pytest.raises(NotFoundError, match="there is no engine 'memory/other'"):
        matching_runs(store, None, "memory/other", None, retracted=False)
    message = f"run {run.id} is by {ENGINE}, which is not installed here: there is no engine '{ENGINE}'; memory has: "
    for command in (
        lambda: queue_audit(store, run, None, 1),
        lambda: queue_rerun(store, run, any_version=True),
        lambda: export_with_checker(store, run, tmp_path / "x.csv"),
        find_result(store, run, 5).check,
        lambda: list(find_result(store, run, 5).frames()),
    ):
        with pytest.raises(VersionError, match=re.escape(message)):
            command()


def test_programs_cannot_do_packed_runs(store: Database, declare: Declare) -> None:
    declare()
    deals = DealRange(find_game("memory"), 1, 1, 100, {})
    with pytest.raises(UsageError, match="cannot do packed runs or surveys"):
        queue_run(store, open_deals(store, deals), ENGINE, None, Storage.PACKED)
    with pytest.raises(UsageError, match="cannot do packed runs or surveys"):
        open_survey(store, deals, ENGINE, None)


def test_a_packed_run_of_a_program_is_refused_before_its_deals_are_stored(store: Database, declare: Declare) -> None:
    declare()
    opened = Store(store)
    with pytest.raises(UsageError, match="cannot do packed runs or surveys"):
        opened.queue("deal:memory:seed=1:1-9", engine=ENGINE, packed=True)
    with pytest.raises(UsageError, match="cannot do packed runs or surveys"):
        opened.run("deal:memory:seed=1:1-9", engine=ENGINE, packed=True)
    assert opened.sources() == []


SOLVES = """
import sys, time
from dealmill.pipeline.solve import solve
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
