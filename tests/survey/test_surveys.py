"""Surveys, compared with runs over the same deals."""

import re
from dataclasses import replace
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest

from dealmill.pipeline.errors import (
    DamagedError,
    DealmillError,
)
from dealmill.pipeline.evidence.digests import block_of
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Solved, Texts, to_texts
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.export import export
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.run_planning import queue_rerun
from dealmill.pipeline.store.queries.results import FIRST_ITEM, query_of
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING, grow, jobs_over
from dealmill.pipeline.store.runs.planned import expectation_of
from dealmill.pipeline.store.sources.writing import open_deals
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.survey.estimate import Estimate, estimate
from dealmill.pipeline.survey.growth import open_survey
from dealmill.pipeline.survey.report import summary_sentence, survey_facts
from dealmill.workers.working import grow_survey
from tests.doing import a_run, alter, an_audit, deal, do_runs, pending, queue_stored
from tests.survey.doing import MEMORY, PAIRING, a_survey, endless


def test_a_survey_is_exported_like_a_run_over_the_same_deals(database: Database, tmp_path: Path) -> None:
    survey = a_survey(database, PAIRING, 3_000, max_nodes=12, chunk=2_000)
    run = a_run(database, PAIRING, deal(find_engine(PAIRING)[0], 7, 1, 3_000), max_nodes=12)
    assert survey.counts[Verdict.UNDECIDED] > 0
    assert (survey.counts, survey.value_sum, survey.nodes) == (run.counts, run.value_sum, run.nodes)
    assert fingerprint_of(database, survey.id, 3_000) == fingerprint_of(database, run.id, 3_000) is not None
    files = [tmp_path / f"{number}.jsonl" for number in (1, 2)]
    assert export(database, survey, files[0]) == export(database, run, files[1]) == 3_000
    assert files[0].read_text() == files[1].read_text()


def test_a_survey_does_not_depend_on_jobs_their_order_and_killed_workers(database: Database) -> None:
    deals = endless(MEMORY)
    straight = a_survey(database, MEMORY, 9_000, chunk=9_000)
    crooked = open_survey(database, deals, MEMORY, 10**6)
    for items, chunk in ((1_000, 1_000), (6_000, 3_000), (5_000, 1_000), (9_000, 2_000)):
        grow(database, crooked.id, items, chunk)
    dead = [SOLVING_JOBS.claim(database, number, "dead", 0.0) for number in pending(database)[1:3]]
    leases.free_expired(database, SOLVING)
    do_runs(database, backwards=True)
    grown = find_run(database, crooked.id)
    assert (grown.items, grown.solved, grown.finished) == (9_000, 9_000, True)
    assert fingerprint_of(database, grown.id, 9_000) == fingerprint_of(database, straight.id, 9_000)
    assert estimate(database, grown) == estimate(database, straight)
    for job in filter(None, dead):
        assert not SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    assert an_audit(database, grown).clean


def test_values_whose_squares_cannot_be_added_up_are_failures(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = load(MEMORY)
    largest = 96_038_388

    def scaled(layouts: Texts, max_nodes: int | None = None) -> Solved:
        solved = engine(layouts, max_nodes)
        return solved._replace(values=np.where(solved.values % 4, largest + 1, largest))

    monkeypatch.setattr(solving, "load", lambda _name: scaled)
    run = a_survey(database, MEMORY, 2_000)
    measured = estimate(database, run)
    assert measured is not None
    scored, failed = (measured.count(verdict) for verdict in (Verdict.SCORED, Verdict.FAILED))
    assert (measured.value, measured.deviation) == (largest, 0) and min(scored, failed) > 500
    [first] = query_of(database, [run], Filter(verdict=(Verdict.FAILED,)), FIRST_ITEM, 1)
    assert first.evidence == "the value 96,038,389 is out of range: at most 96,038,388 in a packed run"


def test_no_job_of_a_survey_has_parts_of_two_blocks(database: Database) -> None:
    run = open_survey(database, endless(MEMORY), MEMORY, None)
    grow(database, run.id, 3_000, 3_000)
    for _ in range(4):
        for number in pending(database):
            assert SOLVING_JOBS.claim(database, number, "dead", -1.0)
        leases.free_expired(database, SOLVING)
    with database.reading() as connection:
        spans = [(row.first, row.stop) for row in jobs_over(connection, run.id, 1, 3_001)]
    assert len(spans) == 16
    assert all(block_of(first) == block_of(stop - 1) for first, stop in spans)
    assert find_run(database, run.id).items == 3_000


def test_a_survey_that_has_grown_is_compared_with_its_rerun(database: Database) -> None:
    survey = a_survey(database, PAIRING, 3_000, chunk=2_000)
    number = queue_rerun(database, survey, any_version=False)
    do_runs(database)
    rerun = find_run(database, number)
    assert (rerun.items, rerun.repeats, rerun.storage) == (3_000, survey.id, Storage.COMPACT)
    grown = a_survey(database, PAIRING, 5_000)
    assert (grown.items, find_run(database, number).items) == (5_000, 3_000)
    assert list(diff(database, survey, rerun)) == list(diff(database, grown, rerun)) == []


def test_a_survey_is_compared_with_a_compact_run_over_as_many_deals(database: Database) -> None:
    survey = a_survey(database, MEMORY, 3_000)
    game, _ = find_engine(MEMORY)
    source = open_deals(database, DealRange(game, 7, 1, 2_500))
    number = queue_stored(database, source, MEMORY, None)
    do_runs(database)
    both = diff(database, survey, find_run(database, number))
    assert (list(both), both.deals_of_both) == ([], 2_500)
    alter(database, "UPDATE blocks SET digest = :lost WHERE run_id = :run", lost=b"x" * 32, run=number)
    with pytest.raises(DamagedError, match=f"{number}:1-1000 cannot be read: solving again"):
        list(both)


def test_a_digest_of_another_block_is_not_part_of_a_fingerprint(database: Database) -> None:
    survey = a_survey(database, MEMORY, 2_000)
    assert fingerprint_of(database, survey.id, 2_000) is not None
    alter(database, "UPDATE blocks SET number = 77 WHERE number = 1")
    assert fingerprint_of(database, survey.id, 2_000) is None


def test_a_query_of_several_runs_leaves_out_those_that_cannot_answer_it(database: Database) -> None:
    survey = a_survey(database, MEMORY, 1_000)
    run = a_run(database, MEMORY, ["AABB"])
    for each in (survey, run):
        an_audit(database, each)
    valid = query_of(database, [survey, run], Filter(audit=Outcome.VALID), (0, 0), None)
    assert [result.run for result in valid] == [run.id]
    assert ([skipped.id for skipped in valid.unlisted], valid.unaudited) == ([survey.id], [])


def test_dealt_texts_are_of_the_kind_that_kernels_are_compiled_for() -> None:
    assert not endless(MEMORY).part(1, 3).texts().text.flags.writeable
    assert not to_texts(["AABB"]).text.flags.writeable


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE jobs SET state = 7",
        "UPDATE jobs SET stop = stop - 500",
    ],
)
def test_a_survey_that_no_worker_can_finish_is_not_waited_for(database: Database, change: str) -> None:
    survey = a_survey(database, MEMORY, 1_000)
    alter(database, change)
    with pytest.raises(DealmillError, match=r"lost or damaged|missing or damaged|do not add up"):
        grow_survey(database, survey.id, 2_000, silent)


def test_a_survey_of_other_deals_than_its_source_has_is_refused(database: Database) -> None:
    a_survey(database, MEMORY, 1_000)
    alter(database, """UPDATE sources SET deals = '{"seed": 8, "parameters": {}, "first": 1, "last": null}'""")
    with pytest.raises(DamagedError, match="source 1 does not have the deals deal:memory:seed=7:1-"):
        open_survey(database, endless(MEMORY), MEMORY, None)


def test_the_exact_figure_is_given_beside_the_estimate(sqlite_store: Database) -> None:
    survey = a_survey(sqlite_store, MEMORY, 3_000)
    measured = estimate(sqlite_store, survey)
    assert measured is not None
    values = [result.value or 0 for result in query_of(sqlite_store, [survey], Filter(), (0, 0), None)]
    facts = survey_facts(sqlite_store, survey, measured)
    exact = 2 * 42388113181280162029 / 1064232316018542825  # the test of public figures derives it
    assert facts["theory"] == pytest.approx(exact)
    assert facts["standard_errors"] == pytest.approx(abs(fmean(values) - exact) / stdev(values) * sqrt(3_000))
    assert "; the exact value is 79.66" in summary_sentence(facts)
    share = Estimate(400, {Verdict.WINNABLE: 220, Verdict.UNWINNABLE: 180}, 0, 0)
    assert share.errors_from(0.5) == pytest.approx(2.0)
    assert replace(share, counts={Verdict.WINNABLE: 220, Verdict.UNDECIDED: 1}).errors_from(0.5) is None


def test_the_share_of_a_survey_with_undecided_deals_is_only_an_interval(sqlite_store: Database) -> None:
    survey = a_survey(sqlite_store, PAIRING, 1_000, max_nodes=12)
    measured, unknown = estimate(sqlite_store, survey), survey.counts[Verdict.UNDECIDED]
    assert measured is not None
    facts = survey_facts(sqlite_store, survey, measured)
    assert facts["value"] is None and measured.value is None
    assert facts["high"] - facts["low"] > unknown / 1_000
    assert (facts["low"], facts["high"]) == (measured.interval.low, measured.interval.high)
    assert re.fullmatch(
        rf"([\d.]+ % to [\d.]+ %) of deals are winnable, with 95 % confidence; {unknown} not decided count both ways "
        r"\(card-pairing/winnable on 1,000 deals of deal:card-pairing:seed=7:1-\)",
        summary_sentence(facts),
    )


def test_without_an_exact_figure_none_is_given(sqlite_store: Database) -> None:
    survey = a_survey(sqlite_store, PAIRING, 1_000)
    measured = estimate(sqlite_store, survey)
    assert measured is not None
    assert "theory" not in summary_sentence(survey_facts(sqlite_store, survey, measured))
    assert expectation_of(a_run(sqlite_store, MEMORY, ["ABAB"])) is None
