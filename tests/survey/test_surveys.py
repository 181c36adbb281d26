"""Surveys on both databases, against runs over the same deals: what is no row comes out as if it were one."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import pytest
from sqlalchemy import text

from pipeline import solve as room
from pipeline.audit import queue_audit
from pipeline.compare import compare
from pipeline.deals import MOST, DealRange
from pipeline.errors import DifferenceError, InputError, NotFoundError, StoreError, VersionError
from pipeline.export import export
from pipeline.games import find_engine, games
from pipeline.games.batch import Solved, Texts, unpack
from pipeline.games.contract import NO_LIMIT, Verdict
from pipeline.ingest import deals_reading
from pipeline.query import find_result, results
from pipeline.referee import Outcome
from pipeline.rerun import queue_rerun
from pipeline.runs import installed_engines, queue_run
from pipeline.store import audits, leases, surveys
from pipeline.store.audits import AUDITING, Fault, faults_of, objections_of
from pipeline.store.blocks import fingerprint_of
from pipeline.store.database import Store
from pipeline.store.packs import course, extremes
from pipeline.store.results import Wanted
from pipeline.store.runs import Run, find_run
from pipeline.store.sources import find_source
from pipeline.store.surveys import SURVEYING, grow
from pipeline.survey.growth import Estimate, Width, ask_for, estimate, open_survey, wanted_deals
from pipeline.survey.solving import survey_part
from tests.doing import LEASE, a_run, an_audit, deal, do_audit, do_surveys

ENGINES = [game.full_name(engine) for game in games().values() for engine in game.engines]
PAIRING = "card-pairing/winnable"
MEMORY = "memory/incremental"


def endless(engine: str, **parameters: int) -> DealRange:
    game, _ = find_engine(engine)
    return DealRange(game, 7, 1, MOST, parameters)


def a_survey(store: Store, engine: str, deals: int, *, limit: int = NO_LIMIT, chunk: int = 1_000) -> Run:
    """A survey of so many deals."""
    run = open_survey(store, endless(engine), engine, limit)
    grow(store, run.id, deals, chunk)
    do_surveys(store)
    return find_run(store, str(run.id))


def alter(store: Store, statement: str, **values: object) -> None:
    """Change the database behind its back."""
    with store.writing() as connection:
        assert connection.execute(text(statement), values).rowcount > 0


def said(store: Store, run: Run, wanted: Wanted) -> list[tuple[object, ...]]:
    """All that a run says, but for its number."""
    return [
        (it.position, it.line, it.verdict, it.value, it.nodes, it.evidence, it.layout)
        for it in results(store, [run], wanted, (0, 0), None)
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_survey_says_what_a_run_over_the_same_deals_says(engine: str, store: Store) -> None:
    game, _ = find_engine(engine)
    limit = 12 if engine == PAIRING else NO_LIMIT
    survey = a_survey(store, engine, 3_000, limit=limit, chunk=2_000)
    run = a_run(store, engine, deal(game, 7, 1, 3_000), limit=limit)
    assert (survey.counts, survey.value_sum, survey.nodes) == (run.counts, run.value_sum, run.nodes)
    assert fingerprint_of(store, survey.id, 3_000) == fingerprint_of(store, run.id, 3_000) is not None
    middle = sorted(it.value or 0 for it in results(store, [run], Wanted(), (0, 0), None))[1_500]
    for wanted in (
        Wanted(),
        Wanted((Verdict.UNWINNABLE, Verdict.UNDECIDED)),
        Wanted(values=(middle, 2**62)),
        Wanted(nodes=(5, 9)),
        Wanted((Verdict.FAILED,)),
    ):
        assert said(store, survey, wanted) == said(store, run, wanted)


def test_pages_of_a_survey_go_on_where_the_last_one_ended(store: Store) -> None:
    survey = a_survey(store, PAIRING, 2_000)
    lost = Wanted((Verdict.UNWINNABLE,))
    whole = list(results(store, [survey], lost, (0, 0), None))
    parts = []
    after = 0
    while page := list(results(store, [survey], lost, (survey.id, after), 7)):
        parts += page
        after = page[-1].position
    assert parts == whole
    assert find_result(store, survey, 1_537) == next(
        islice(results(store, [survey], Wanted(), (survey.id, 1_536), None), 1)
    )
    with pytest.raises(NotFoundError, match="no verdict on item 2001"):
        find_result(store, survey, 2_001)


def test_neither_jobs_nor_their_order_nor_kills_make_a_difference(store: Store) -> None:
    deals = endless(MEMORY)
    straight = a_survey(store, MEMORY, 9_000, chunk=9_000)
    crooked = open_survey(store, deals, MEMORY, 10**6)
    for items, chunk in ((1_000, 1_000), (6_000, 3_000), (5_000, 1_000), (9_000, 2_000)):
        grow(store, crooked.id, items, chunk)
    dead = [surveys.claim(store, number, "dead", 0.0) for number in pending(store)[1:3]]
    leases.free_expired(store, SURVEYING)
    do_surveys(store, backwards=True)
    found = find_run(store, str(crooked.id))
    assert (found.items, found.solved, found.finished) == (9_000, 9_000, True)
    assert fingerprint_of(store, found.id, 9_000) == fingerprint_of(store, straight.id, 9_000)
    assert estimate(store, found) == estimate(store, straight)
    for job in filter(None, dead):
        assert not surveys.finish(store, job, survey_part(job, {}))
    assert an_audit(store, found).clean


def pending(store: Store) -> list[int]:
    return leases.pending(store, SURVEYING, installed_engines(), 1_000)


def test_a_survey_is_split_into_whole_blocks_only(store: Store) -> None:
    run = open_survey(store, endless(MEMORY), MEMORY, NO_LIMIT)
    grow(store, run.id, 3_000, 3_000)
    for _ in range(4):
        for number in pending(store):
            assert surveys.claim(store, number, "dead", -1.0)
        leases.free_expired(store, SURVEYING)
    found = find_run(store, str(run.id))
    assert (found.jobs, found.pending, found.items) == (3, 3, 3_000)


def test_a_job_is_finished_once(store: Store) -> None:
    run = open_survey(store, endless(MEMORY), MEMORY, NO_LIMIT)
    grow(store, run.id, 1_000, 1_000)
    [number] = pending(store)
    job = surveys.claim(store, number, "one", LEASE)
    assert job is not None and surveys.claim(store, number, "other", LEASE) is None
    found = survey_part(job, {})
    assert surveys.finish(store, job, found)
    assert not surveys.finish(store, job, found)
    assert find_run(store, str(run.id)).solved == 1_000


def test_deals_of_another_generator_are_left_to_others(store: Store) -> None:
    run = open_survey(store, endless(MEMORY), MEMORY, NO_LIMIT)
    grow(store, run.id, 1_000, 1_000)
    alter(store, "UPDATE sources SET generator = 'philox4x64-10 memory/0'")
    assert pending(store) == []
    alter(store, "UPDATE sources SET generator = 'philox4x64-10 memory/1'")
    do_surveys(store)
    alter(store, "UPDATE sources SET generator = 'philox4x64-10 memory/0'")
    with pytest.raises(VersionError, match=r"memory/0, but .* memory/1 are installed"):
        find_result(store, find_run(store, "1"), 1)
    with pytest.raises(VersionError, match=r"memory/0, but .* memory/1 are installed"):
        queue_audit(store, find_run(store, "1"), None, 1)


@pytest.mark.parametrize("other", ["UPDATE engines SET version = '0'", "UPDATE sources SET generator = 'another'"])
def test_an_audit_is_left_to_those_who_have_what_made_the_survey(store: Store, other: str) -> None:
    survey = a_survey(store, MEMORY, 1_000)
    a_run(store, MEMORY, ["AABB"])
    for run in (survey, find_run(store, "2")):
        queue_audit(store, run, None, 1)
    assert len(leases.pending(store, AUDITING, installed_engines(), 10)) == 2
    alter(store, other)
    [left] = leases.pending(store, AUDITING, installed_engines(), 10)
    assert audits.engine_of(store, left) is not None
    job = audits.claim(store, left, "one", LEASE)
    assert job is not None and job.run == 2


class Brittle:
    """An engine that breaks down on some deals."""

    def __init__(self, engine: str, bad: Sequence[str]) -> None:
        self._solve = room.load(engine)
        self._bad = set(bad)

    def __call__(self, layouts: Texts, limit: int = NO_LIMIT) -> Solved:
        if self._bad & set(unpack(layouts)):
            raise ValueError('it says "no\\way" to \x7f')
        return self._solve(layouts, limit)


def test_what_fails_is_kept_with_its_reason_and_never_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, _ = find_engine(PAIRING)
    layouts = deal(game, 7, 1, 3_000)
    brittle = Brittle(PAIRING, [layouts[4], layouts[2_998], layouts[2_999]])
    with monkeypatch.context() as broken:
        broken.setattr(room, "load", lambda _name: brittle)
        survey = a_survey(store, PAIRING, 3_000)
        run = a_run(store, PAIRING, layouts)
    assert survey.counts == run.counts and survey.counts[Verdict.FAILED] == 3
    assert fingerprint_of(store, survey.id, 3_000) == fingerprint_of(store, run.id, 3_000)
    assert said(store, survey, Wanted((Verdict.FAILED,))) == said(store, run, Wanted((Verdict.FAILED,)))
    assert [it.position for it in results(store, [survey], Wanted((Verdict.FAILED,)), (0, 0), None)] == [5, 2999, 3000]
    audit = an_audit(store, survey)
    assert (audit.valid, audit.no_evidence, audit.invalid, audit.faults) == (2_997, 3, 0, 0)
    [first, *_] = results(store, [survey], Wanted(audit=Outcome.NO_EVIDENCE), (0, 0), None)
    assert first.position == 5 and first.judgement is not None
    with pytest.raises(NotFoundError, match="audits keep only"):
        list(results(store, [survey], Wanted(audit=Outcome.VALID), (0, 0), None))
    found = estimate(store, survey)
    assert found is not None and found.unknown == 3


def test_what_an_audit_objected_to_is_looked_through_to_its_end(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    [layout] = deal(find_engine(PAIRING)[0], 7, 1_999, 1)
    with monkeypatch.context() as broken:
        brittle = Brittle(PAIRING, [layout])
        broken.setattr(room, "load", lambda _name: brittle)
        survey = a_survey(store, PAIRING, 2_000, limit=9)
    assert an_audit(store, survey).no_evidence == survey.counts[Verdict.UNDECIDED] + 1 > 10
    failed = Wanted((Verdict.FAILED,), audit=Outcome.NO_EVIDENCE)
    assert [found.position for found in results(store, [survey], failed, (0, 0), 3)] == [1_999]


def test_an_audit_of_a_survey_in_whole_and_of_a_sample(store: Store) -> None:
    survey = a_survey(store, PAIRING, 5_000, chunk=3_000)
    whole = an_audit(store, survey)
    assert (whole.valid, whole.invalid, whole.faults, whole.size) == (5_000, 0, 0, 5_000)
    sample = an_audit(store, survey, sample=40)
    assert (sample.valid, sample.clean) == (40, True)
    with store.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM judgements")).scalar() == 0


def test_a_survey_under_way_is_audited_as_far_as_it_is(store: Store) -> None:
    survey = open_survey(store, endless(MEMORY), MEMORY, NO_LIMIT)
    grow(store, survey.id, 6_000, 2_000)
    job = surveys.claim(store, pending(store)[1], "one", LEASE)
    assert job is not None and surveys.finish(store, job, survey_part(job, {}))
    under_way = find_run(store, str(survey.id))
    audit = an_audit(store, under_way)
    assert (audit.valid, audit.no_evidence, audit.invalid, audit.faults) == (2_000, 0, 0, 0)
    sample = an_audit(store, under_way, sample=60)
    assert (sample.valid, sample.clean) == (20, True)


def test_a_survey_may_grow_while_it_is_audited(store: Store) -> None:
    survey = a_survey(store, MEMORY, 4_000)
    number = queue_audit(store, survey, None, 1)
    sample = queue_audit(store, survey, 10, 1)
    grown = a_survey(store, MEMORY, 9_000)
    assert (grown.id, grown.items) == (survey.id, 9_000)
    assert (do_audit(store, number).valid, do_audit(store, sample).valid) == (4_000, 10)
    assert an_audit(store, grown).valid == 9_000


AGAIN = "the deals, verdicts and evidence that come out are not those on record"
TOTALS = "the totals on record are not those that come out again: "


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("UPDATE blocks SET digest = :junk WHERE number = 1", [(1001, 2000, AGAIN)]),
        ("DELETE FROM blocks WHERE number = 1", [(1001, 2000, "there is no digest of these verdicts on record")]),
        ("DELETE FROM packs WHERE first = 2001", [(2001, 3000, "there are no verdicts on record")]),
        ("UPDATE packs SET verdicts = :junk WHERE first = 1", [(1, 1000, "there are no verdicts on record")]),
        ("UPDATE packs SET stop = 2500 WHERE first = 2001", [(2001, 3000, "there are no verdicts on record")]),
        ("UPDATE jobs SET winnable = winnable + 1 WHERE first = 1", [(1, 2000, TOTALS + "winnable 1390 and not 1389")]),
        ("UPDATE jobs SET nodes = 3 WHERE first = 2001", [(2001, 3000, TOTALS + "nodes 3 and not ")]),
        ("UPDATE packs SET moments = :junk WHERE first = 1", [(1, 2000, TOTALS + "moments 020102")]),
        ("UPDATE packs SET least = 3 WHERE first = 1", [(1, 2000, TOTALS + "least 3 and not None")]),
        ("UPDATE jobs SET first = 1001 WHERE first = 2001", [(1001, 2000, "these deals belong to two jobs")]),
        ("DELETE FROM jobs WHERE first = 1", [(1, 1, "this deal belongs to no job")]),
    ],
)
def test_a_record_of_a_survey_that_was_changed_is_named(
    store: Store, change: str, expected: list[tuple[int, int, str]]
) -> None:
    survey = a_survey(store, PAIRING, 3_000, chunk=2_000)
    alter(store, change, **({"junk": b"\2\1\2junk"} if ":junk" in change else {}))
    audit = an_audit(store, survey)
    found = faults_of(store, audit.id)
    for first, last, reason in expected:
        assert any((it.first, it.last) == (first, last) and it.reason.startswith(reason) for it in found), found


def test_a_flipped_bit_is_found_and_nothing_is_shown_as_if_it_were_right(store: Store) -> None:
    survey = a_survey(store, PAIRING, 2_000, chunk=2_000)
    kept = find_result(store, survey, 1_005)
    with store.writing() as connection:
        packed = bytearray(connection.execute(text("SELECT verdicts FROM packs")).scalar_one())
        packed[3 + 1_004 // 8] ^= 1 << 1_004 % 8
        connection.execute(text("UPDATE packs SET verdicts = :packed"), {"packed": bytes(packed)})
    other = Verdict.WINNABLE if kept.verdict is Verdict.UNWINNABLE else Verdict.UNWINNABLE
    audit = an_audit(store, survey)
    assert (audit.invalid, audit.valid) == (1, 1_999)
    assert Fault(1_005, 1_005, f"what comes out again is {kept.verdict.word}, and on record {other.word}") in faults_of(
        store, audit.id
    )
    assert [position for position, _ in objections_of(store, audit)] == [1_005]
    with pytest.raises(DifferenceError, match="deals 1,001 to 2,000 of run 1 do not come out as they are on record"):
        find_result(store, survey, 1_005)
    assert find_result(store, survey, 1_000).position == 1_000


@pytest.mark.parametrize(("damaged", "reached"), [(1, 0), (3_001, 3_000)])
def test_no_estimate_is_made_of_a_part_of_what_was_surveyed(store: Store, damaged: int, reached: int) -> None:
    survey = a_survey(store, MEMORY, 5_000)
    alter(store, "UPDATE packs SET verdicts = :none WHERE first = :first", none=b"", first=damaged)
    with pytest.raises(DifferenceError, match=f"behind deal {reached:,} of 5,000 are missing on record, or damaged"):
        estimate(store, survey)


def test_a_repetition_is_compared_block_by_block(store: Store) -> None:
    survey = a_survey(store, PAIRING, 3_000, chunk=2_000)
    number = queue_rerun(store, survey, any_version=False)
    do_surveys(store)
    again = find_run(store, str(number))
    assert (again.items, again.repeats, again.survey) == (3_000, survey.id, True)
    assert list(compare(store, survey, again)) == []
    grown = a_survey(store, PAIRING, 5_000)
    assert (grown.items, find_run(store, str(number)).items) == (5_000, 3_000)
    assert list(compare(store, grown, again)) == []

    alter(store, "UPDATE blocks SET digest = :junk WHERE run_id = 2 AND number = 2", junk=b"x" * 32)
    [difference] = compare(store, grown, again)
    assert difference.layout == "the evidence of one of deal:card-pairing:seed=7:2001-3000"
    with store.writing() as connection:
        packed = bytearray(
            connection.execute(text("SELECT verdicts FROM packs WHERE run_id = 2 AND first = 1")).scalar_one()
        )
        packed[3] ^= 0b101
        connection.execute(
            text("UPDATE packs SET verdicts = :packed WHERE run_id = 2 AND first = 1"), {"packed": bytes(packed)}
        )
    assert [it.one.position for it in compare(store, grown, again)] == [2_001]
    alter(store, "UPDATE blocks SET digest = :junk WHERE run_id = 2 AND number = 0", junk=b"x" * 32)
    found = list(compare(store, grown, again))
    assert [it.one.position for it in found] == [1, 3, 2_001]
    assert found[0].layout == deal(find_engine(PAIRING)[0], 7, 1, 1)[0]
    assert {found[0].one.verdict, found[0].other.verdict} == {Verdict.WINNABLE, Verdict.UNWINNABLE}


def test_only_surveys_of_the_same_deals_are_compared(store: Store) -> None:
    survey = a_survey(store, MEMORY, 1_000)
    other = a_survey(store, "memory/two-pass", 1_000)
    run = a_run(store, MEMORY, deal(find_engine(MEMORY)[0], 7, 1, 20))
    with pytest.raises(NotFoundError, match="a survey is compared with one of the same deals"):
        list(compare(store, survey, run))
    assert len(list(compare(store, survey, other))) == 1_000


def test_a_survey_is_exported_as_rows(store: Store, tmp_path: object) -> None:
    from pathlib import Path

    survey = a_survey(store, MEMORY, 2_000)
    run = a_run(store, MEMORY, deal(find_engine(MEMORY)[0], 7, 1, 2_000))
    files = [Path(str(tmp_path)) / f"{number}.jsonl" for number in (1, 2)]
    assert export(store, survey, files[0]) == export(store, run, files[1]) == 2_000
    assert files[0].read_text() == files[1].read_text()


def test_deals_without_end_are_not_read_in(store: Store) -> None:
    deals = endless(MEMORY)
    with pytest.raises(InputError, match="deal:memory:seed=7:1- has no end"):
        deals_reading(store, deals)
    a_survey(store, MEMORY, 1_000)
    with pytest.raises(NotFoundError, match="has no end: dealmill survey works on it"):
        queue_run(store, find_source(store, "1"), MEMORY, NO_LIMIT)


@pytest.mark.parametrize("engine", [PAIRING, MEMORY])
def test_a_survey_grows_until_its_interval_is_narrow_enough(engine: str, store: Store) -> None:
    width = Width(0.006, relative=False) if engine == PAIRING else Width(0.0002, relative=True)
    reached = []
    for workers in (1, 2):
        run = open_survey(store, endless(engine), engine, NO_LIMIT + workers - 1)
        while (wanted := wanted_deals(estimate(store, run), width)) > run.items:
            ask_for(store, run, wanted)
            do_surveys(store, backwards=workers == 2)
            run = find_run(store, str(run.id))
        found = estimate(store, run)
        assert found is not None
        assert found.interval.half_width <= width.of(found)
        assert found.stage.deals == run.items == run.solved
        reached.append(found)
    assert reached[0] == reached[1]
    assert wanted_deals(reached[0], Width(width.half * 0.9, width.relative)) > reached[0].stage.deals


def test_too_many_undecided_are_told_before_the_survey_goes_on_for_ever(store: Store) -> None:
    survey = a_survey(store, PAIRING, 2_000, limit=6)
    found = estimate(store, survey)
    assert found is not None and found.unknown / 2_000 > 0.02
    with pytest.raises(StoreError, match="of 2,000 deals are undecided or have failed"):
        wanted_deals(found, Width(0.01, relative=False))
    assert wanted_deals(found, Width(found.unknown / 2_000 / 2 + 0.001, relative=False)) > 2_000


def test_the_interval_holds_what_the_undecided_turn_out_to_be(store: Store) -> None:
    decided = estimate(store, a_survey(store, PAIRING, 2_000))
    limited = estimate(store, a_survey(store, PAIRING, 2_000, limit=6))
    assert decided is not None and limited is not None
    assert limited.interval.low < decided.interval.low < decided.interval.high < limited.interval.high


def test_the_course_of_a_survey_is_that_of_the_deals_in_order(store: Store) -> None:
    survey = a_survey(store, MEMORY, 3_000, chunk=2_000)
    values = np.array([it.value for it in results(store, [survey], Wanted(), (0, 0), None)])
    for stage, stop in zip(course(store, survey.id, [1, 2, 3, 4]), (1_000, 2_000, 3_000), strict=True):
        part = values[:stop]
        assert (stage.deals, stage.value_sum, stage.value_squares) == (stop, part.sum(), (part * part).sum())
        assert stage.count(Verdict.SCORED) == stop
        assert Estimate(stage).value == part.mean()
    assert extremes(store, survey.id) == (values.min(), values.max())
    grow(store, survey.id, 6_000, 1_000)
    for number in pending(store)[1:]:
        job = surveys.claim(store, number, "test", LEASE)
        assert job is not None and surveys.finish(store, job, survey_part(job, {}))
    assert [stage.deals for stage in course(store, survey.id)] == [3_000]
