"""Jobs and samples of audits."""

import sys
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import DamagedError, DealmillError, UsageError, VersionError
from dealmill.pipeline.evidence.referee import Judgement, Outcome
from dealmill.pipeline.games.batch import Solved, Texts
from dealmill.pipeline.games.installed import all_offers
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.store.audits.audit import AUDITING, find_audit, findings_of, latest_audits, objections_of
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.audits.findings import Findings
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import AUDIT_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.storages import audit_scans
from dealmill.pipeline.store.storages.rows import Rows
from tests.audit.findings import DEALS, NUMBER, PAIRING, faults
from tests.doing import LEASE, a_run, a_source, alter, an_audit, do_job
from tests.survey.doing import MEMORY, a_survey


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [300, 1_000, 1_500])
def test_the_findings_of_an_audit_do_not_depend_on_its_jobs(
    database: Database, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(database, PAIRING, DEALS, chunk=700)
    with monkeypatch.context() as cut:
        cut.setattr("dealmill.pipeline.store.audits.work.JOB_ITEMS", chunk)
        assert an_audit(database, run).clean
    alter(database, "DELETE FROM verdicts WHERE position IN (7, 2100)")
    alter(database, "DELETE FROM items WHERE position = 650")
    alter(database, "UPDATE items SET line = 9 WHERE position = 1600")
    alter(database, "UPDATE verdicts SET nodes = nodes + 1 WHERE position IN (300, 1000)")
    alter(database, "UPDATE verdicts SET evidence = '?' WHERE position = 1900")
    alter(database, "UPDATE verdicts SET position = 2501 WHERE position = 2500")
    expected = faults(database, run)
    assert len(expected) > 10
    with monkeypatch.context() as cut:
        cut.setattr("dealmill.pipeline.store.audits.work.JOB_ITEMS", chunk)
        assert faults(database, run) == expected


def test_an_audit_of_a_compact_run_solves_each_deal_once(
    sqlite_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_survey(sqlite_store, MEMORY, 3_000)
    solved, solve = list[int](), solving.solve_texts

    def counting(engine: str, layouts: Texts, max_nodes: int | None, errors: Mapping[int, str]) -> Solved:
        solved.append(len(layouts))
        return solve(engine, layouts, max_nodes, errors)

    monkeypatch.setattr(solving, "solve_texts", counting)
    assert an_audit(sqlite_store, run).valid == 3_000
    assert sum(solved) == 3_000


@pytest.mark.parametrize("sample", [None, 25])
def test_a_job_with_a_slow_referee_leaves_the_rest_to_others(
    database: Database, sample: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(database, PAIRING, DEALS[:40])
    alter(database, "UPDATE verdicts SET evidence = '?'")
    alter(database, "DELETE FROM verdicts WHERE position IN (1, 30)")
    alter(database, "UPDATE items SET line = 9 WHERE position = 40")
    first = an_audit(database, run, sample)
    at_once = list(findings_of(database, first))
    monkeypatch.setattr(audit_scans, "PART_SECONDS", -1.0)
    audit = an_audit(database, run, sample)
    assert (audit.invalid, list(findings_of(database, audit))) == (first.invalid, at_once)
    assert audit.jobs == audit.size


@pytest.mark.parametrize("sample", [None, 4, 25])
def test_a_job_that_solves_slowly_leaves_the_other_blocks_to_others(
    database: Database, sample: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_survey(database, MEMORY, 4_000, chunk=2_000, pairs=5)
    alter(database, "UPDATE blocks SET digest = (SELECT digest FROM blocks WHERE number = 0) WHERE number IN (1, 3)")
    alter(database, "UPDATE jobs SET nodes = nodes + 1 WHERE first = 2001")
    first = an_audit(database, run, sample)
    at_once = list(findings_of(database, first))
    assert (first.faults, first.jobs) == (3 if sample is None else 2, 1)
    monkeypatch.setattr(audit_scans, "PART_SECONDS", -1.0)
    audit = an_audit(database, run, sample)
    assert (audit.judged, list(findings_of(database, audit))) == (first.judged, at_once)
    assert audit.jobs >= 4


def test_an_unfinished_run_is_audited_up_to_its_last_verdict(database: Database) -> None:
    insert_run(database, a_source(database, PAIRING, DEALS), PAIRING, "1", None, chunk=500)
    for part in leases.pending(database, SOLVING, installed_engines(), 3):
        do_job(database, part)
    audit = an_audit(database, find_run(database, "1"))
    assert (audit.valid, audit.invalid, audit.faults) == (1_500, 0, 0)


@given(st.integers(1, 400), st.integers(0, 2**63 - 1), st.data())
def test_a_sample_has_no_item_twice_and_is_spread_evenly(items: int, seed: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, items))
    drawn = [sampled(number, size, items, seed) for number in range(1, size + 1)]
    assert drawn == sorted(set(drawn))
    assert drawn[0] >= 1 and drawn[-1] <= items
    assert all((number - 1) * items // size < position <= number * items // size
               for number, position in enumerate(drawn, start=1))  # fmt: skip


def test_every_item_is_sampled_equally_often() -> None:
    drawn = Counter(sampled(2, 10, 100, seed) for seed in range(10_000))
    assert set(drawn) == set(range(11, 21))
    assert all(850 < times < 1_150 for times in drawn.values())
    assert [sampled(number, 5, 1_000, 7) for number in range(1, 6)] == [60, 374, 497, 694, 831]


def test_only_the_sampled_verdicts_are_judged(database: Database) -> None:
    run = a_run(database, PAIRING, DEALS)
    audit = an_audit(database, run, sample=NUMBER, seed=7)
    assert (audit.valid, audit.judged, audit.size) == (NUMBER, NUMBER, NUMBER)
    judged = [row.position for row in Rows().page(database, run, Filter(audit=Outcome.VALID), 0, 10_000).results]
    assert judged == [sampled(number, NUMBER, len(DEALS), 7) for number in range(1, NUMBER + 1)]
    alter(database, "UPDATE verdicts SET evidence = 'x' WHERE position = :position", position=judged[3])
    again = an_audit(database, run, sample=NUMBER, seed=7)
    assert [position for position, _ in objections_of(database, again)] == [judged[3]]
    with pytest.raises(UsageError, match="too few for a sample"):
        queue_audit(database, run, len(DEALS) + 1, 1)


def test_the_newest_audit_of_a_verdict_counts(database: Database) -> None:
    run = a_run(database, "memory/two-pass", ["AABB", "ABAB"])

    def positions(outcome: Outcome) -> list[int]:
        return [row.position for row in Rows().page(database, run, Filter(audit=outcome), 0, 9).results]

    assert positions(Outcome.VALID) == positions(Outcome.INVALID) == []
    alter(database, "UPDATE verdicts SET value = value + 1 WHERE position = 2")
    an_audit(database, run)
    assert (positions(Outcome.VALID), positions(Outcome.INVALID)) == ([1], [2])
    [row] = Rows().page(database, run, Filter(audit=Outcome.INVALID), 0, 9).results
    assert row.judgement == Judgement(Outcome.INVALID, 0, "the game took 8 flips, not 9")
    alter(database, "UPDATE verdicts SET value = value - 1 WHERE position = 2")
    an_audit(database, run)
    assert (positions(Outcome.VALID), positions(Outcome.INVALID)) == ([1, 2], [])


def test_an_interrupted_audit_is_resumed(database: Database) -> None:
    run = a_run(database, PAIRING, DEALS)
    begun = queue_audit(database, run, None, 1)
    assert queue_audit(database, run, None, 1) == begun
    assert queue_audit(database, run, 10, 1) == begun + 1
    assert an_audit(database, run).id == begun
    assert queue_audit(database, run, None, 1) == begun + 2


def test_a_worker_whose_lease_expired_writes_no_judgements(database: Database) -> None:
    run = a_run(database, "memory/two-pass", ["AABB"])
    queue_audit(database, run, None, 1)
    [part] = leases.pending(database, AUDITING, installed_engines(), 10)
    late = AUDIT_JOBS.claim(database, part, "late", -1.0)
    leases.free_expired(database, AUDITING)
    assert late is not None
    assert not AUDIT_JOBS.finish(database, late, Findings([(1, Judgement(Outcome.INVALID, 0, "late"))], [], 2))
    assert an_audit(database, run).valid == 1


def test_items_that_cannot_be_audited_are_a_fault(database: Database) -> None:
    run = a_run(database, PAIRING, DEALS[:30])
    queue_audit(database, run, None, 1)
    [part] = leases.pending(database, AUDITING, installed_engines(), 10)
    job = AUDIT_JOBS.claim(database, part, "test", LEASE)
    assert job is not None
    leases.release(database, AUDITING, job.lease, "MemoryError: ")
    alter(database, "UPDATE audit_jobs SET leased_until = 0")
    job = AUDIT_JOBS.claim(database, part, "test", LEASE)
    assert job is not None
    given_up = AUDIT_JOBS.give_up(database, job, f"twice: {job.lease.error}")
    assert given_up.judged == []
    assert given_up.faults == [Fault(1, 30, "these items cannot be audited: twice: MemoryError: ")]


def test_an_audit_of_a_missing_game_is_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_run(database, PAIRING, DEALS[:10])
    others = tuple(offer for offer in all_offers() if offer.name == "camelot")
    monkeypatch.setattr("dealmill.pipeline.games.installed.all_offers", lambda: others)
    with pytest.raises(VersionError, match=r"run 1 is by card-pairing/winnable, .* there is no game 'card-pairing'"):
        queue_audit(database, run, None, 1)
    assert latest_audits(database) == {}


def test_no_audit_starts_without_the_referee_of_its_game(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_run(database, PAIRING, DEALS[:10])
    monkeypatch.setitem(sys.modules, "dealmill.pipeline.games.card_pairing.rules", None)
    with pytest.raises(
        DealmillError, match=r"card_pairing\.rules\.check cannot be imported: ModuleNotFoundError: .*pairing\.rules"
    ):
        queue_audit(database, run, None, 1)
    assert latest_audits(database) == {}


def test_the_totals_of_an_audit_that_do_not_add_up_are_not_shown(database: Database) -> None:
    audit = an_audit(database, a_run(database, "memory/two-pass", ["ABBA", "ABAB"]))
    for total in ("valid = 3", f"faults = {2**62}"):
        alter(database, f"UPDATE audit_jobs SET {total}")
        with pytest.raises(DamagedError, match=f"audit {audit.id} cannot be read: the totals of its jobs do not"):
            find_audit(database, audit.id)
        alter(database, "UPDATE audit_jobs SET valid = 2, faults = 0")
    assert find_audit(database, audit.id) == audit
