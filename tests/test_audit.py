"""Audits on both databases: what is sound passes, and whatever was tampered with is named."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from dealmill.pipeline.audit.jobs import give_up, queue_audit, sampled
from dealmill.pipeline.errors import NotFoundError, UsageError
from dealmill.pipeline.games import find_engine, find_game, games
from dealmill.pipeline.games.batch import Solved, pack
from dealmill.pipeline.games.contract import Engine, Game, Layout, Reject
from dealmill.pipeline.games.entries import Entries
from dealmill.pipeline.games.offers import all_offers
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, Outcome, judge
from dealmill.pipeline.runs.planning import installed_engines
from dealmill.pipeline.store.actions import list_actions, log_faults
from dealmill.pipeline.store.audits import jobs as audits
from dealmill.pipeline.store.audits.findings import faults_of, objections_of
from dealmill.pipeline.store.audits.planned import AUDITING, latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.opening import open_store
from dealmill.pipeline.store.queue import leases
from dealmill.pipeline.store.queue.solving import SOLVING
from dealmill.pipeline.store.record import jobs
from dealmill.pipeline.store.record.contract import Fault, Wanted
from dealmill.pipeline.store.record.rows.reading import page
from dealmill.pipeline.store.record.rows.solving import solved_rows
from dealmill.pipeline.store.runs.plan import plan_run
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from tests.doing import LEASE, a_run, a_source, an_audit, deal, do_runs

ENGINES = [(game, engine) for game in games().values() for engine in game.engines]
each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)
PAIRING = "card-pairing/winnable"
DEALS = deal(find_game("card-pairing"), 1, 1, 2_500)
NUMBER = 40


def alter(store: Database, statement: str, **values: object) -> None:
    """Change the record behind our back."""
    with store.writing() as connection:
        assert connection.execute(text(statement), values).rowcount > 0


def of_verdict(store: Database, run: RunStatus, verdict: Verdict) -> list[tuple[int, str]]:
    """Positions and evidence of the layouts with a verdict."""
    return [(row.position, str(row.evidence)) for row in page(store, run, Wanted((verdict,)), 0, 10_000).results]


def objections(store: Database, run: RunStatus) -> list[tuple[int, str]]:
    """The verdicts that a new audit finds invalid, with step and reason."""
    audit = an_audit(store, run)
    found = list(objections_of(store, audit))
    assert audit.invalid == len(found)
    assert not audit.clean
    return [(position, f"step {judged.step}: {judged.reason}") for position, judged in found]


def faults(store: Database, run: RunStatus) -> list[tuple[int, int, str]]:
    """What a new audit finds wrong with the record."""
    audit = an_audit(store, run)
    found = faults_of(store, audit.id)
    assert audit.faults == len(found)
    return [(fault.first, fault.last, fault.reason) for fault in found]


@each_engine
def test_what_an_engine_says_is_valid_through_and_through(store: Database, game: Game, engine: Engine) -> None:
    run = a_run(store, game.full_name(engine), deal(game, 2, 1, 300), chunk=70)
    audit = an_audit(store, run)
    assert (audit.valid, audit.invalid, audit.no_evidence, audit.faults) == (300, 0, 0, 0)
    assert audit.finished and audit.clean
    assert latest_audits(store) == {run.id: audit}


@each_engine
def test_every_bit_of_a_trace_is_looked_at(store: Database, game: Game, engine: Engine) -> None:
    run = a_run(store, game.full_name(engine), deal(game, 3, 1, 20))
    for row in page(store, run, Wanted(), 0, 20).results:
        evidence = str(row.evidence)
        middle = len(evidence) // 2
        flipped = evidence[:middle] + chr(ord(evidence[middle]) ^ 1) + evidence[middle + 1 :] if evidence else "?"
        statement = "UPDATE verdicts SET evidence = :evidence WHERE run_id = :run AND position = :position"
        alter(store, statement, evidence=flipped, run=run.id, position=row.position)
    found = objections(store, run)
    assert len(found) >= 19  # one certificate of card pairing may be as good as another
    assert [fault[:2] for fault in faults(store, run)] == [(1, 20)]


@each_engine
@pytest.mark.parametrize("damage", ["shorter", "longer", "gone"])
def test_evidence_that_is_shorter_longer_or_gone_is_invalid(
    store: Database, game: Game, engine: Engine, damage: str
) -> None:
    run = a_run(store, game.full_name(engine), deal(game, 4, 1, 12))
    change = {
        "shorter": "substr(evidence, 1, length(evidence) - 1)",
        "longer": "evidence || ' ' || evidence",
        "gone": "NULL",
    }[damage]
    damaged = sum(row.evidence != "" for row in page(store, run, Wanted(), 0, 20).results)
    alter(store, f"UPDATE verdicts SET evidence = {change} WHERE evidence <> ''")
    found = objections(store, run)
    assert len(found) == damaged > 10
    if damage == "gone":
        assert {reason.partition(", ")[2] for _, reason in found} == {"but there is no evidence"}


@pytest.mark.parametrize("engine", [PAIRING, "camelot/winnable"])
def test_swapped_certificates_are_found_even_where_both_would_do(store: Database, engine: str) -> None:
    game, _ = find_engine(engine)
    run = a_run(store, engine, deal(game, 1, 1, 500))
    (one, first), (other, second) = next(
        (a, b) for a, b in zip(*[iter(of_verdict(store, run, Verdict.UNWINNABLE))] * 2, strict=False) if a[1] != b[1]
    )
    for position, evidence in ((one, second), (other, first)):
        statement = "UPDATE verdicts SET evidence = :evidence WHERE position = :position"
        alter(store, statement, evidence=evidence, position=position)
    assert {position for position, _ in objections(store, run)} <= {one, other}
    [fault] = faults(store, run)
    assert fault[:2] == (1, 500) and "the layouts, verdicts or evidence were changed" in fault[2]


def test_a_winning_trace_in_another_order_is_valid_but_not_what_was_written(store: Database) -> None:
    run = a_run(store, PAIRING, ["AA KK AA KK"])
    assert of_verdict(store, run, Verdict.WINNABLE) != [(1, "13 13 02 02")]
    alter(store, "UPDATE verdicts SET evidence = '13 13 02 02'")
    audit = an_audit(store, run)
    assert (audit.valid, audit.invalid, audit.faults) == (1, 0, 1)


@pytest.mark.parametrize("engine", [PAIRING, "camelot/winnable"])
def test_a_turned_verdict_is_invalid_and_miscounted(store: Database, engine: str) -> None:
    game, _ = find_engine(engine)
    run = a_run(store, engine, deal(game, 1, 1, 40))
    turned = [position for position, _ in of_verdict(store, run, Verdict.WINNABLE)]
    alter(store, "UPDATE verdicts SET verdict = 2 WHERE verdict = 1")
    assert [position for position, _ in objections(store, run)] == turned
    [totals, _] = faults(store, run)
    assert totals == (
        1,
        40,
        f"the recorded totals do not match the verdicts: winnable is {len(turned)}, expected 0, "
        f"unwinnable is {40 - len(turned)}, expected 40",
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("verdict = 4", "step 0: the verdict is undecided, but there is evidence"),
        ("value = value + 2", "step 0: the game took 8 flips, not 10"),
        ("evidence = '1 2 1 9'", "step 4: '9' is not a card, expected 1 to 8"),
        ("evidence = '1 1 1 1'", "step 2: card 1 is already turned up"),
    ],
)
def test_a_changed_verdict_is_named_with_step_and_reason(store: Database, change: str, reason: str) -> None:
    run = a_run(store, "memory/two-pass", ["AABBCCDD"])
    alter(store, f"UPDATE verdicts SET {change}")
    assert objections(store, run) == [(1, reason)]


def test_an_unreadable_layout_does_not_stop_the_referee(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB"])
    alter(store, "UPDATE items SET layout = 'A?' WHERE layout = 'ABAB'")
    assert [position for position, _ in objections(store, run)] == [2]
    assert judge("camelot/winnable", "", Verdict.UNWINNABLE, None, "17").outcome is Outcome.INVALID
    assert judge("tantrix/legal-moves", "x", Verdict.SCORED, 0, "").outcome is Outcome.INVALID


def test_an_edited_text_is_named(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB", "ABBA"])
    alter(store, "UPDATE items SET layout = 'CDCD' WHERE layout = 'ABAB'")
    written, edited = faults(store, run)
    assert edited == (2, 2, "the text of the layout does not match its digest")
    assert written[:2] == (1, 3)


def test_dropped_rows_are_named(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS, chunk=500)
    alter(store, "DELETE FROM verdicts WHERE position IN (7, 1203, 1204)")
    found = faults(store, run)
    assert (7, 7, "there is no verdict, but the job is done") in found
    assert (1203, 1204, "there is no verdict, but the job is done") in found
    assert [fault[:2] for fault in found if "totals" in fault[2]] == [(1, 500), (1001, 1500)]
    assert [fault[:2] for fault in found if "were changed" in fault[2]] == [(1, 1000), (1001, 2000)]


@pytest.mark.parametrize("chunk", [300, 1_000, 1_500])
def test_an_audit_finds_the_same_however_it_is_cut(
    store: Database, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(store, PAIRING, DEALS, chunk=700)
    with monkeypatch.context() as cut:
        cut.setattr("dealmill.pipeline.audit.jobs.CHUNK", chunk)
        assert an_audit(store, run).clean
    alter(store, "DELETE FROM verdicts WHERE position IN (7, 2100)")
    alter(store, "DELETE FROM items WHERE position = 650")
    alter(store, "UPDATE items SET line = 9 WHERE position = 1600")
    alter(store, "UPDATE verdicts SET nodes = nodes + 1 WHERE position IN (300, 1000)")
    alter(store, "UPDATE verdicts SET evidence = '?' WHERE position = 1900")
    alter(store, "UPDATE verdicts SET position = 2501 WHERE position = 2500")
    found = faults(store, run)
    assert len(found) > 10
    with monkeypatch.context() as cut:
        cut.setattr("dealmill.pipeline.audit.jobs.CHUNK", chunk)
        assert faults(store, run) == found


def test_lost_items_are_named(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS)
    alter(store, "DELETE FROM items WHERE position IN (5, 6, 2500)")
    found = faults(store, run)
    assert [fault[:2] for fault in found if fault[2] == "these items are missing from the source"] == [
        (5, 6),
        (2500, 2500),
    ]
    assert (5, 6, "there are rows that belong to no item, or to no finished job") in found


def test_planted_rows_are_named(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB"])
    alter(store, "INSERT INTO verdicts (run_id, position, verdict, nodes) VALUES (:run, 9, 4, 1)", run=run.id)
    planted = "INSERT INTO items (source_id, position, line, digest, layout)"
    alter(store, f"{planted} SELECT 1, 3, 3, digest, layout FROM items LIMIT 1")
    found = faults(store, run)
    assert (3, 3, "there are rows that belong to no item, or to no finished job") in found
    assert (9, 9, "there are rows that belong to no item, or to no finished job") in found


TOTALS = "the recorded totals do not match the verdicts: "


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE jobs SET nodes = 77 WHERE first = 3", (3, 4, TOTALS + "nodes is 77, expected 2")),
        ("UPDATE jobs SET value_sum = 0 WHERE first = 3", (3, 4, TOTALS + "value_sum is 0, expected 12")),
        ("DELETE FROM jobs WHERE first = 3", (3, 4, "these items belong to no job")),
        ("DELETE FROM jobs WHERE first = 5", (5, 5, "these items belong to no job")),
        ("UPDATE jobs SET first = 2 WHERE first = 3", (2, 2, "these items belong to two jobs")),
        (
            "UPDATE jobs SET state = 1 WHERE first = 3",
            (3, 4, "there are rows that belong to no item, or to no finished job"),
        ),
        ("DELETE FROM blocks", (1, 5, "no digest of these verdicts is recorded")),
    ],
)
def test_a_record_that_disagrees_with_itself_is_named(
    store: Database, change: str, fault: tuple[int, int, str]
) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB", "ABBA", "CCDD", "CDCD"], chunk=2)
    alter(store, change)
    assert fault in faults(store, run)


def test_an_engine_that_lies_is_caught(store: Database) -> None:
    number = plan_run(store, a_source(store, PAIRING, DEALS[:300]), PAIRING, "1", None, chunk=100)
    for part in leases.pending(store, SOLVING, installed_engines(), 10):
        job = jobs.claim(store, part, "test", LEASE)
        assert job is not None
        first, stop = job.lease.first, job.lease.stop
        ones = np.ones(stop - first, dtype=np.int64)
        lies = Solved((ones * int(Verdict.UNWINNABLE)).astype(np.int8), ones, ones, pack(["A"] * (stop - first)))
        assert jobs.finish(store, job, solved_rows(store, job.run, first, pack(DEALS[first - 1 : stop - 1]), lies))
    run = find_run(store, number)
    honest = a_run(store, PAIRING, DEALS[:300], max_nodes=10**6)
    winnable = {position for position, _ in of_verdict(store, honest, Verdict.WINNABLE)}
    caught = {position for position, _ in objections(store, run)}
    assert len(winnable) > 150
    assert winnable <= caught


def test_what_claims_nothing_has_no_evidence(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS[:50], max_nodes=5)
    undecided = run.counts[Verdict.UNDECIDED]
    audit = an_audit(store, run)
    assert (audit.valid, audit.no_evidence, audit.faults) == (50 - undecided, undecided, 0)
    assert judge("memory/two-pass", "AABB", Verdict.FAILED, None, "OSError") == Judgement(Outcome.NO_EVIDENCE)


def test_a_run_under_way_is_audited_as_far_as_it_is(store: Database) -> None:
    plan_run(store, a_source(store, PAIRING, DEALS), PAIRING, "1", None, chunk=500)
    for part in leases.pending(store, SOLVING, installed_engines(), 3):
        job = jobs.claim(store, part, "test", LEASE)
        assert job is not None
        jobs.finish(store, job, jobs.do(store, job))
    audit = an_audit(store, find_run(store, "1"))
    assert (audit.valid, audit.invalid, audit.faults) == (1_500, 0, 0)


@given(st.integers(1, 400), st.integers(0, 2**63 - 1), st.data())
def test_a_sample_has_no_item_twice_and_is_spread_evenly(items: int, seed: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, items))
    drawn = [sampled(number, size, items, seed) for number in range(1, size + 1)]
    assert drawn == sorted(set(drawn))
    assert drawn[0] >= 1 and drawn[-1] <= items
    assert all((number - 1) * items // size < position <= number * items // size
               for number, position in enumerate(drawn, start=1))  # fmt: skip


def test_every_item_of_a_stretch_is_drawn_equally_often() -> None:
    drawn = Counter(sampled(2, 10, 100, seed) for seed in range(10_000))
    assert set(drawn) == set(range(11, 21))
    assert all(850 < times < 1_150 for times in drawn.values())
    assert [sampled(number, 5, 1_000, 7) for number in range(1, 6)] == [60, 374, 497, 694, 831]


def test_a_sample_is_judged_and_nothing_else(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS)
    audit = an_audit(store, run, sample=NUMBER, seed=7)
    assert (audit.valid, audit.judged, audit.size) == (NUMBER, NUMBER, NUMBER)
    judged = [row.position for row in page(store, run, Wanted(audit=Outcome.VALID), 0, 10_000).results]
    assert judged == [sampled(number, NUMBER, len(DEALS), 7) for number in range(1, NUMBER + 1)]
    alter(store, "UPDATE verdicts SET evidence = 'x' WHERE position = :position", position=judged[3])
    again = an_audit(store, run, sample=NUMBER, seed=7)
    assert [position for position, _ in objections_of(store, again)] == [judged[3]]
    with pytest.raises(UsageError, match="too few for a sample"):
        queue_audit(store, run, len(DEALS) + 1, 1)


def test_the_newest_audit_of_a_verdict_counts(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB"])

    def positions(outcome: Outcome) -> list[int]:
        return [row.position for row in page(store, run, Wanted(audit=outcome), 0, 9).results]

    assert positions(Outcome.VALID) == positions(Outcome.INVALID) == []
    alter(store, "UPDATE verdicts SET value = value + 1 WHERE position = 2")
    an_audit(store, run)
    assert (positions(Outcome.VALID), positions(Outcome.INVALID)) == ([1], [2])
    [row] = page(store, run, Wanted(audit=Outcome.INVALID), 0, 9).results
    assert row.judgement == Judgement(Outcome.INVALID, 0, "the game took 8 flips, not 9")
    alter(store, "UPDATE verdicts SET value = value - 1 WHERE position = 2")
    an_audit(store, run)
    assert (positions(Outcome.VALID), positions(Outcome.INVALID)) == ([1, 2], [])


def test_a_broken_off_audit_is_gone_on_with(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS)
    begun = queue_audit(store, run, None, 1)
    assert queue_audit(store, run, None, 1) == begun
    assert queue_audit(store, run, 10, 1) == begun + 1
    assert an_audit(store, run).id == begun
    assert queue_audit(store, run, None, 1) == begun + 2


def test_a_late_auditor_writes_nothing(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB"])
    queue_audit(store, run, None, 1)
    [part] = leases.pending(store, AUDITING, installed_engines(), 10)
    late = audits.claim(store, part, "late", -1.0)
    leases.free_expired(store, AUDITING)
    assert late is not None
    assert not audits.finish(store, late, ([(1, Judgement(Outcome.INVALID, 0, "late"))], []))
    assert an_audit(store, run).valid == 1


def test_items_that_cannot_be_audited_are_a_fault(store: Database) -> None:
    run = a_run(store, PAIRING, DEALS[:30])
    queue_audit(store, run, None, 1)
    [part] = leases.pending(store, AUDITING, installed_engines(), 10)
    job = audits.claim(store, part, "test", LEASE)
    assert job is not None
    leases.release(store, AUDITING, job.lease, "MemoryError: ")
    alter(store, "UPDATE audit_jobs SET leased_until = 0")
    job = audits.claim(store, part, "test", LEASE)
    assert job is not None
    assert give_up(store, job, f"twice: {job.lease.trouble}") == (
        [],
        [Fault(1, 30, "these items cannot be audited: twice: MemoryError: ")],
    )


@each_engine
@given(data=st.data())
def test_any_text_is_judged_and_none_raises(game: Game, engine: Engine, data: st.DataObject) -> None:
    layout = data.draw(st.one_of(st.text(max_size=60), st.sampled_from(deal(game, 1, 1, 5))))
    evidence = data.draw(st.one_of(st.none(), st.text(max_size=60), st.text("0123456789abJQK -,:BGRY", max_size=60)))
    verdict = data.draw(st.integers(0, 6))
    value = data.draw(st.one_of(st.none(), st.integers(-5, 200)))
    assert judge(game.full_name(engine), layout, verdict, value, evidence).outcome in Outcome


def test_without_the_game_there_is_no_referee_to_wait_for(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_run(store, PAIRING, DEALS[:10])
    others = tuple(offer for offer in all_offers() if offer.name == "camelot")
    monkeypatch.setattr("dealmill.pipeline.games.loading.all_offers", lambda: others)
    with pytest.raises(NotFoundError, match="there is no game 'card-pairing'"):
        queue_audit(store, run, None, 1)
    assert latest_audits(store) == {}


@pytest.mark.parametrize("changed", ["verdicts SET evidence", "items SET layout"])
def test_a_text_that_is_none_any_more_is_found(changed: str, tmp_path: Path) -> None:
    """On SQLite; PostgreSQL takes none in."""
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    run = a_run(store, PAIRING, DEALS[:10])
    alter(store, f"UPDATE {changed} = CAST(:junk AS TEXT) WHERE position = 5", junk=b"\xb6")
    assert not an_audit(store, run).clean


def test_entries_of_the_log_are_a_chain_however_many_write_at_once(store: Database) -> None:
    source = a_source(store, "memory/two-pass", ["AABB"])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda limit: plan_run(store, source, "memory/two-pass", "1", limit), range(1, 17)))
    assert list(log_faults(store)) == []
    assert len(list_actions(store)) == 16


@pytest.mark.parametrize("change", ["stop = 4611686018427387904", "stop = 4611686018427387903", "first = -5"])
def test_an_absurd_range_of_a_job_is_named_and_not_gone_through(store: Database, change: str) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB", "ABBA"], chunk=2)
    alter(store, f"UPDATE jobs SET {change} WHERE first = 3")
    audit = an_audit(store, run)
    assert audit.population == 3
    assert any(fault.reason.startswith("a job is outside this run") for fault in faults_of(store, audit.id))


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("items", "line = 'many'"),
        ("items", "digest = 'text'"),
        ("items", "layout = x'ff00'"),
        ("items", "position = 'far' WHERE position = 2"),
        ("verdicts", "nodes = 'some'"),
        ("verdicts", "value = 1.5"),
        ("verdicts", "verdict = x'01'"),
        ("verdicts", "position = 'far' WHERE position = 2"),
        ("rejects", "reasons = x'ff'"),
        ("source_blocks", "digest = 7"),
        ("source_blocks", "number = 'far'"),
        ("blocks", "digest = 'text'"),
        ("jobs", "stop = 'far'"),
        ("jobs", "state = 'done'"),
        ("audits", "size = 'all'"),
        ("audit_jobs", "first = 'one'"),
        ("audit_jobs", "digest = 5"),
        ("judgements", "outcome = 'good'"),
        ("actions", "who = x'ff'"),
        ("actions", "digest = 'text'"),
        ("runs", "seal = 'text'"),
        ("sources", "seal = 1.5"),
    ],
)
def test_values_of_another_type_are_named(sqlite_store: Database, table: str, change: str) -> None:
    """On SQLite; PostgreSQL takes none in."""
    store = sqlite_store
    source = open_source(store, "memory", "a.txt", b"a")
    source = append(store, source, Entries.of([Layout(1, "AABB"), Reject(2, "A", ("short",)), Layout(3, "ABAB")]))
    plan_run(store, complete(store, source), "memory/two-pass", "1", None)
    do_runs(store)
    assert an_audit(store, find_run(store, "1")).clean
    alter(store, f"UPDATE {table} SET {change}")
    assert not an_audit(store, find_run(store, "1")).clean
