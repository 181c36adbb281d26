"""Audits of verdicts and their evidence: sound ones pass, and all others are named."""

import numpy as np
import pytest

from dealmill.pipeline.evidence.referee import Judgement, Outcome, judge
from dealmill.pipeline.games.batch import Solved, to_texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.storages.rows import Rows
from dealmill.pipeline.store.storages.rows_solving import solved_rows
from tests.audit.findings import DEALS, PAIRING, faults, objections, of_verdict
from tests.doing import LEASE, a_run, a_source, alter, an_audit, deal, each_engine


@pytest.mark.slow
@each_engine
def test_all_verdicts_of_every_engine_are_valid(database: Database, game: Game, engine: Engine) -> None:
    run = a_run(database, game.full_name(engine), deal(game, 2, 1, 300), chunk=70)
    audit = an_audit(database, run)
    assert (audit.valid, audit.invalid, audit.no_evidence, audit.faults) == (300, 0, 0, 0)
    assert audit.finished and audit.clean
    assert latest_audits(database) == {run.id: audit}


@each_engine
def test_a_flipped_bit_anywhere_in_a_trace_is_invalid(database: Database, game: Game, engine: Engine) -> None:
    run = a_run(database, game.full_name(engine), deal(game, 3, 1, 20))
    for row in Rows().page(database, run, Filter(), 0, 20).results:
        evidence = str(row.evidence)
        middle = len(evidence) // 2
        flipped = evidence[:middle] + chr(ord(evidence[middle]) ^ 1) + evidence[middle + 1 :] if evidence else "?"
        statement = "UPDATE verdicts SET evidence = :evidence WHERE run_id = :run AND position = :position"
        alter(database, statement, evidence=flipped, run=run.id, position=row.position)
    invalid = objections(database, run)
    assert len(invalid) >= 19  # one certificate of card pairing may be as good as another
    assert [fault[:2] for fault in faults(database, run)] == [(1, 20)]


def test_a_reordered_winning_trace_is_valid_but_changes_the_digest(database: Database) -> None:
    run = a_run(database, PAIRING, ["AA KK AA KK"])
    assert of_verdict(database, run, Verdict.WINNABLE) != [(1, "13 13 02 02")]
    alter(database, "UPDATE verdicts SET evidence = '13 13 02 02'")
    audit = an_audit(database, run)
    assert (audit.valid, audit.invalid, audit.faults) == (1, 0, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("verdict = 4", "step 0: the verdict is undecided, but there is evidence"),
        ("verdict = 1", "step 0: the verdict is winnable, but two-pass only scores games"),
        ("evidence = NULL", "step 0: the verdict is scored, but there is no evidence"),
        ("value = value + 2", "step 0: the game took 8 flips, not 10"),
        ("evidence = '1 2 1 9'", "step 4: '9' is not a card, expected 1 to 8"),
        ("evidence = '1 1 1 1'", "step 2: card 1 is already turned up"),
    ],
)
def test_a_changed_verdict_is_named_with_step_and_reason(database: Database, change: str, reason: str) -> None:
    run = a_run(database, "memory/two-pass", ["AABBCCDD"])
    alter(database, f"UPDATE verdicts SET {change}")
    assert objections(database, run) == [(1, reason)]


def test_an_unreadable_layout_does_not_stop_the_referee(database: Database) -> None:
    run = a_run(database, "memory/two-pass", ["AABB", "ABAB"])
    alter(database, "UPDATE items SET layout = 'A?' WHERE layout = 'ABAB'")
    assert [position for position, _ in objections(database, run)] == [2]
    assert judge("camelot/winnable", "", Verdict.UNWINNABLE, None, "17").outcome is Outcome.INVALID
    assert judge("tantrix/legal-moves", "x", Verdict.SCORED, 0, "").outcome is Outcome.INVALID


def test_an_engine_that_lies_is_caught(database: Database) -> None:
    number = insert_run(database, a_source(database, PAIRING, DEALS[:300]), PAIRING, "1", None, chunk=100)
    for part in leases.pending(database, SOLVING, installed_engines(), 10):
        job = SOLVING_JOBS.claim(database, part, "test", LEASE)
        assert job is not None
        first, stop = job.lease.first, job.lease.stop
        ones = np.ones(stop - first, dtype=np.int64)
        lies = Solved((ones * int(Verdict.UNWINNABLE)).astype(np.int8), ones, ones, to_texts(["A"] * (stop - first)))
        assert SOLVING_JOBS.finish(
            database, job, solved_rows(database, job.run, first, to_texts(DEALS[first - 1 : stop - 1]), lies)
        )
    run = find_run(database, number)
    honest = a_run(database, PAIRING, DEALS[:300], max_nodes=10**6)
    winnable = {position for position, _ in of_verdict(database, honest, Verdict.WINNABLE)}
    caught = {position for position, _ in objections(database, run)}
    assert len(winnable) > 150
    assert winnable <= caught


def test_undecided_and_failed_verdicts_have_no_evidence_to_check(database: Database) -> None:
    run = a_run(database, PAIRING, DEALS[:50], max_nodes=5)
    undecided = run.counts[Verdict.UNDECIDED]
    audit = an_audit(database, run)
    assert (audit.valid, audit.no_evidence, audit.faults) == (50 - undecided, undecided, 0)
    assert judge("memory/two-pass", "AABB", Verdict.FAILED, None, "OSError") == Judgement(Outcome.NO_EVIDENCE)
