"""Surveys on both databases, against runs over the same deals: what is no row comes out as if it were one."""

from itertools import islice

import pytest
from sqlalchemy import text

from dealmill.pipeline import solve as room
from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import (
    DamagedError,
    DealmillError,
    DifferenceError,
    NotFoundError,
    UsageError,
    VersionError,
)
from dealmill.pipeline.games import find_engine, games
from dealmill.pipeline.games.batch import pack
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import parse_source
from dealmill.pipeline.progress import silent
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.results.export import export
from dealmill.pipeline.store import leases
from dealmill.pipeline.store.audit_jobs import queue_audit
from dealmill.pipeline.store.blocks import fingerprint_of
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.diff import diff
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.jobs import SOLVING, grow
from dealmill.pipeline.store.plans import queue_rerun, queue_run
from dealmill.pipeline.store.results import Query, find_result, query_of
from dealmill.pipeline.store.runs import RunStatus, find_run
from dealmill.pipeline.store.source_writing import open_deals
from dealmill.pipeline.store.sources import find_source
from dealmill.pipeline.store.tables import Storage
from dealmill.pipeline.survey.estimate import estimate
from dealmill.pipeline.survey.growth import open_survey
from dealmill.workers.working import grow_survey
from tests.doing import LEASE, a_run, an_audit, deal, do_runs
from tests.survey.doing import MEMORY, PAIRING, Brittle, a_survey, alter, endless, pending

ENGINES = [game.full_name(engine) for game in games().values() for engine in game.engines]


def said(store: Database, run: RunStatus, wanted: Filter) -> list[tuple[object, ...]]:
    """All that a run says, but for its number."""
    return [
        (it.position, it.line, it.verdict, it.value, it.nodes, it.evidence, it.layout)
        for it in Query(store, [run], wanted, (0, 0), None)
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_survey_gives_the_results_of_a_run_over_the_same_deals(engine: str, store: Database) -> None:
    game, _ = find_engine(engine)
    max_nodes = 12 if engine == PAIRING else None
    survey = a_survey(store, engine, 3_000, max_nodes=max_nodes, chunk=2_000)
    run = a_run(store, engine, deal(game, 7, 1, 3_000), max_nodes=max_nodes)
    assert (survey.counts, survey.value_sum, survey.nodes) == (run.counts, run.value_sum, run.nodes)
    assert fingerprint_of(store, survey.id, 3_000) == fingerprint_of(store, run.id, 3_000) is not None
    middle = sorted(it.value or 0 for it in Query(store, [run], Filter(), (0, 0), None))[1_500]
    for wanted in (
        Filter(),
        Filter((Verdict.UNWINNABLE, Verdict.UNDECIDED)),
        Filter(value=(middle, 2**62)),
        Filter(nodes=(5, 9)),
        Filter((Verdict.FAILED,)),
    ):
        assert said(store, survey, wanted) == said(store, run, wanted)


def test_pages_of_a_survey_go_on_where_the_last_one_ended(store: Database) -> None:
    survey = a_survey(store, PAIRING, 2_000)
    lost = Filter((Verdict.UNWINNABLE,))
    whole = list(Query(store, [survey], lost, (0, 0), None))
    parts = []
    after = 0
    while page := list(Query(store, [survey], lost, (survey.id, after), 7)):
        parts += page
        after = page[-1].position
    assert parts == whole
    assert find_result(store, survey, 1_537) == next(
        islice(Query(store, [survey], Filter(), (survey.id, 1_536), None), 1)
    )
    with pytest.raises(NotFoundError, match="no verdict on item 2001"):
        find_result(store, survey, 2_001)


def test_a_survey_does_not_depend_on_jobs_their_order_and_killed_workers(store: Database) -> None:
    deals = endless(MEMORY)
    straight = a_survey(store, MEMORY, 9_000, chunk=9_000)
    crooked = open_survey(store, deals, MEMORY, 10**6)
    for items, chunk in ((1_000, 1_000), (6_000, 3_000), (5_000, 1_000), (9_000, 2_000)):
        grow(store, crooked.id, items, chunk)
    dead = [SOLVING_JOBS.claim(store, number, "dead", 0.0) for number in pending(store)[1:3]]
    leases.free_expired(store, SOLVING)
    do_runs(store, backwards=True)
    found = find_run(store, crooked.id)
    assert (found.items, found.solved, found.finished) == (9_000, 9_000, True)
    assert fingerprint_of(store, found.id, 9_000) == fingerprint_of(store, straight.id, 9_000)
    assert estimate(store, found) == estimate(store, straight)
    for job in filter(None, dead):
        assert not SOLVING_JOBS.finish(store, job, SOLVING_JOBS.do(store, job))
    assert an_audit(store, found).clean


def test_a_survey_is_split_into_whole_blocks_only(store: Database) -> None:
    run = open_survey(store, endless(MEMORY), MEMORY, None)
    grow(store, run.id, 3_000, 3_000)
    for _ in range(4):
        for number in pending(store):
            assert SOLVING_JOBS.claim(store, number, "dead", -1.0)
        leases.free_expired(store, SOLVING)
    found = find_run(store, run.id)
    assert (found.jobs, found.pending, found.items) == (3, 3, 3_000)


def test_a_job_is_finished_once(store: Database) -> None:
    run = open_survey(store, endless(MEMORY), MEMORY, None)
    grow(store, run.id, 1_000, 1_000)
    [number] = pending(store)
    job = SOLVING_JOBS.claim(store, number, "one", LEASE)
    assert job is not None and SOLVING_JOBS.claim(store, number, "other", LEASE) is None
    found = SOLVING_JOBS.do(store, job)
    assert SOLVING_JOBS.finish(store, job, found)
    assert not SOLVING_JOBS.finish(store, job, found)
    assert find_run(store, run.id).solved == 1_000


def test_deals_of_another_generator_are_left_to_others(store: Database) -> None:
    run = open_survey(store, endless(MEMORY), MEMORY, None)
    grow(store, run.id, 1_000, 1_000)
    alter(store, "UPDATE sources SET generator = 'philox4x64-10 memory/0'")
    assert pending(store) == []
    alter(store, "UPDATE sources SET generator = 'philox4x64-10 memory/1'")
    do_runs(store)
    alter(store, "UPDATE sources SET generator = 'philox4x64-10 memory/0'")
    with pytest.raises(VersionError, match="was dealt by philox4x64-10 memory/0, but"):
        find_result(store, find_run(store, "1"), 1)
    with pytest.raises(DamagedError, match="the row of source 1 was changed"):
        queue_audit(store, find_run(store, "1"), None, 1)
    alter(store, "UPDATE sources SET seal = :seal", seal=find_source(store, 1).seal)
    with pytest.raises(VersionError, match="was dealt by philox4x64-10 memory/0, but"):
        queue_audit(store, find_run(store, "1"), None, 1)


def test_failed_deals_are_stored_with_their_reason_and_not_retried(
    store: Database, monkeypatch: pytest.MonkeyPatch
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
    assert said(store, survey, Filter((Verdict.FAILED,))) == said(store, run, Filter((Verdict.FAILED,)))
    assert [it.position for it in Query(store, [survey], Filter((Verdict.FAILED,)), (0, 0), None)] == [5, 2999, 3000]
    audit = an_audit(store, survey)
    assert (audit.valid, audit.no_evidence, audit.invalid, audit.faults) == (2_997, 3, 0, 0)
    [first, *_] = Query(store, [survey], Filter(audit=Outcome.NO_EVIDENCE), (0, 0), None)
    assert first.position == 5 and first.judgement is not None
    with pytest.raises(UsageError, match="audits of packed runs only record"):
        list(Query(store, [survey], Filter(audit=Outcome.VALID), (0, 0), None))
    found = estimate(store, survey)
    assert found is not None and found.unknown == 3


def test_a_repetition_is_compared_block_by_block(store: Database) -> None:
    survey = a_survey(store, PAIRING, 3_000, chunk=2_000)
    number = queue_rerun(store, survey, any_version=False)
    do_runs(store)
    again = find_run(store, number)
    assert (again.items, again.repeats, again.storage) == (3_000, survey.id, Storage.PACKED)
    assert list(diff(store, survey, again)) == []
    grown = a_survey(store, PAIRING, 5_000)
    assert (grown.items, find_run(store, number).items) == (5_000, 3_000)
    assert list(diff(store, grown, again)) == []

    alter(store, "UPDATE blocks SET digest = :junk WHERE run_id = 2 AND number = 2", junk=b"x" * 32)
    [difference] = diff(store, grown, again)
    assert difference.layout == "the layout or the evidence of one of deal:card-pairing:seed=7:2001-3000"
    with store.writing() as connection:
        packed = bytearray(
            connection.execute(text("SELECT verdicts FROM packs WHERE run_id = 2 AND first = 1")).scalar_one()
        )
        packed[3] ^= 0b101
        connection.execute(
            text("UPDATE packs SET verdicts = :packed WHERE run_id = 2 AND first = 1"), {"packed": bytes(packed)}
        )
    assert [it.one.position for it in diff(store, grown, again)] == [1, 3, 2_001]
    alter(store, "UPDATE blocks SET digest = :junk WHERE run_id = 2 AND number = 0", junk=b"x" * 32)
    found = list(diff(store, grown, again))
    assert [it.one.position for it in found] == [1, 3, 2_001]
    assert found[0].layout == deal(find_engine(PAIRING)[0], 7, 1, 1)[0]
    assert {found[0].one.verdict, found[0].other.verdict} == {Verdict.WINNABLE, Verdict.UNWINNABLE}


def test_only_surveys_of_the_same_deals_are_compared(store: Database) -> None:
    survey = a_survey(store, MEMORY, 1_000)
    other = a_survey(store, "memory/two-pass", 1_000)
    run = a_run(store, MEMORY, deal(find_engine(MEMORY)[0], 7, 1, 20))
    with pytest.raises(UsageError, match="only be compared with a run over the same deals"):
        list(diff(store, survey, run))
    assert len(list(diff(store, survey, other))) == 1_000


def test_a_survey_is_exported_as_rows(store: Database, tmp_path: object) -> None:
    from pathlib import Path

    survey = a_survey(store, MEMORY, 2_000)
    run = a_run(store, MEMORY, deal(find_engine(MEMORY)[0], 7, 1, 2_000))
    files = [Path(str(tmp_path)) / f"{number}.jsonl" for number in (1, 2)]
    assert export(store, survey, files[0]) == export(store, run, files[1]) == 2_000
    assert files[0].read_text() == files[1].read_text()


def test_open_ended_deals_are_not_ingested(store: Database) -> None:
    deals = endless(MEMORY)
    with pytest.raises(UsageError, match="deal:memory:seed=7:1- has no end"):
        parse_source(deals)
    a_survey(store, MEMORY, 1_000)
    with pytest.raises(UsageError, match="has no end: name the last deal, or survey it"):
        queue_run(store, find_source(store, "1"), MEMORY, None)


def test_a_survey_is_compared_with_a_packed_run_over_as_many_deals(store: Database) -> None:
    survey = a_survey(store, MEMORY, 3_000)
    game, _ = find_engine(MEMORY)
    source = open_deals(store, DealRange(game, 7, 1, 2_500))
    number = queue_run(store, source, MEMORY, None, Storage.PACKED)
    do_runs(store)
    both = diff(store, survey, find_run(store, number))
    assert (list(both), both.deals_of_both) == ([], 2_500)
    alter(store, "UPDATE packs SET verdicts = :lost WHERE run_id = :run", lost=b"\1\2", run=number)
    assert len(list(both)) == 2_500


def test_a_damaged_survey_says_so(store: Database) -> None:
    survey = a_survey(store, MEMORY, 2_000)
    alter(store, "UPDATE packs SET stop = stop - 1 WHERE first = 1001")
    with pytest.raises(DifferenceError, match="missing or damaged"):
        estimate(store, survey)


def test_a_digest_of_another_block_is_not_part_of_a_fingerprint(store: Database) -> None:
    survey = a_survey(store, MEMORY, 2_000)
    assert fingerprint_of(store, survey.id, 2_000) is not None
    alter(store, "UPDATE blocks SET number = 77 WHERE number = 1")
    assert fingerprint_of(store, survey.id, 2_000) is None


def test_a_query_of_several_runs_leaves_out_those_that_cannot_answer_it(store: Database) -> None:
    survey = a_survey(store, MEMORY, 1_000)
    run = a_run(store, MEMORY, ["AABB"])
    for each in (survey, run):
        an_audit(store, each)
    valid = query_of(store, [survey, run], Filter(audit=Outcome.VALID), (0, 0), None)
    assert [found.run for found in valid] == [run.id]
    assert ([one.id for one in valid.unlisted], valid.unaudited) == ([survey.id], [])


def test_dealt_texts_are_of_the_kind_that_kernels_are_compiled_for() -> None:
    assert not endless(MEMORY).part(1, 3).texts().text.flags.writeable
    assert not pack(["AABB"]).text.flags.writeable


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE jobs SET state = 7",
        "UPDATE jobs SET stop = stop - 1",
    ],
)
def test_a_survey_that_no_worker_can_finish_is_not_waited_for(store: Database, change: str) -> None:
    survey = a_survey(store, MEMORY, 1_000)
    alter(store, change)
    with pytest.raises(DealmillError, match=r"lost or damaged|missing or damaged"):
        grow_survey(store, survey.id, 2_000, silent)


def test_a_survey_of_other_deals_than_its_source_has_is_refused(store: Database) -> None:
    a_survey(store, MEMORY, 1_000)
    alter(store, """UPDATE sources SET deals = '{"seed": 8, "parameters": {}, "first": 1, "last": null}'""")
    with pytest.raises(DamagedError, match="source 1 does not have the deals deal:memory:seed=7:1-"):
        open_survey(store, endless(MEMORY), MEMORY, None)
