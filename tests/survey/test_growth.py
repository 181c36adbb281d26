"""How surveys grow, and their estimates."""

import re

import numpy as np
import pytest

from dealmill.pipeline.errors import DifferenceError, StoreError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.distributions.histograms import extremes
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.queries.results import Query
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import grow, withdraw
from dealmill.pipeline.survey import growth
from dealmill.pipeline.survey.estimate import Estimate, estimate, estimates_after
from dealmill.pipeline.survey.growth import (
    Width,
    check_in_reach,
    extend_to,
    growth_of,
    next_stage,
    open_survey,
    planned_deals,
    words_so_far,
)
from tests.doing import LEASE, alter, do_job, do_runs, pending
from tests.survey.doing import MEMORY, PAIRING, a_survey, endless


@pytest.mark.parametrize("engine", [PAIRING, MEMORY])
def test_a_survey_grows_until_its_interval_is_narrow_enough(engine: str, database: Database) -> None:
    width = Width(0.006, relative=False) if engine == PAIRING else Width(0.0002, relative=True)
    finals = []
    for workers in (1, 2):
        run = open_survey(database, endless(engine), engine, 10**12 + workers)
        while (deals := next_stage(run, estimate(database, run), width)) > run.items:
            extend_to(database, run, deals)
            do_runs(database, backwards=workers == 2)
            run = find_run(database, run.id)
        final = estimate(database, run)
        assert final is not None
        assert final.interval.half_width <= width.of(final)
        assert final.deals == run.items == run.solved
        finals.append(final)
    assert finals[0] == finals[1]
    assert next_stage(run, finals[0], Width(width.half * 0.9, width.relative)) > finals[0].deals


def test_a_wider_goal_withdraws_what_a_narrower_one_has_planned(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "FIRST_STAGE", 1_000)
    run = a_survey(database, PAIRING, 1_000)
    grow(database, run.id, 10_000, 1_000)
    for number in [pending(database)[index] for index in (0, 3)]:
        do_job(database, number)
    assert planned_deals(database, run, Width(0.004)) == 10_000
    assert planned_deals(database, run, Width(0.05)) == planned_deals(database, run, 700) == 1_000
    withdraw(database, run.id, 10_000)
    assert find_run(database, run.id).items == 10_000
    withdraw(database, run.id, 1_000)
    assert find_run(database, run.id).items == 5_000 and len(pending(database)) == 2
    run = find_run(database, run.id)
    assert str(words_so_far(database, run)).startswith(f"survey {run.id}: after 2,000 deals, the interval is ")
    do_runs(database)
    final = estimate(database, find_run(database, run.id))
    assert final is not None and final.deals == 5_000


def test_a_width_for_which_no_survey_is_large_enough_is_refused(database: Database) -> None:
    survey = a_survey(database, PAIRING, 1_000)
    first = estimate(database, survey)
    assert first is not None
    with pytest.raises(StoreError, match=r"a half-width of 1e-07 % is out of reach: it needs about"):
        check_in_reach(database, survey, first, Width.parse("0.0000001%", scored=False))


def test_a_survey_whose_undecided_deals_take_most_of_the_width_ends_with_an_error(database: Database) -> None:
    survey = a_survey(database, PAIRING, 2_000, max_nodes=6)
    first = estimate(database, survey)
    assert first is not None and first.unknown / 2_000 > 0.02
    with pytest.raises(StoreError, match=r"after 2,000 deals.* undecided or failed take all of it: .*--count"):
        check_in_reach(database, survey, first, Width(0.01))
    few = Estimate(2_000, {Verdict.WINNABLE: 1_000, Verdict.UNWINNABLE: 990, Verdict.UNDECIDED: 10}, 0, 0)
    with pytest.raises(StoreError, match=r"10 deals that are undecided or failed take 90.00 % of it"):
        check_in_reach(database, survey, few, Width(0.0025 / 0.9))
    within = Width(0.0025 / 0.7)
    check_in_reach(database, survey, few, within)
    assert next_stage(survey, few, within) == 20_000
    assert re.search(
        r"after 2,000 deals, the interval is .* needs about [\d,]{7} deals", growth_of(survey, few, within)
    )


def test_a_limit_is_proposed_that_would_do(sqlite_store: Database) -> None:
    """A survey with that limit and so many deals has about the width that was asked for."""
    limited = a_survey(sqlite_store, PAIRING, 3_000, max_nodes=20)
    few = estimate(sqlite_store, limited)
    assert few is not None
    half = few.unknown / 3_000 / 2 / 0.9
    with pytest.raises(StoreError) as error:
        check_in_reach(sqlite_store, limited, few, Width(half))
    proposal = re.search(r"about ([\d,]+) deals with --max-nodes (\d+) would do", str(error.value))
    assert proposal is not None, str(error.value)
    deals, limit = int(proposal[1].replace(",", "")), int(proposal[2])
    higher = estimate(sqlite_store, a_survey(sqlite_store, PAIRING, deals, max_nodes=limit))
    assert higher is not None and limit > 20
    assert 0.4 * half < higher.interval.half_width < 1.3 * half


def test_the_interval_allows_for_any_verdict_of_undecided_deals(database: Database) -> None:
    decided = estimate(database, a_survey(database, PAIRING, 2_000))
    limited = estimate(database, a_survey(database, PAIRING, 2_000, max_nodes=6))
    assert decided is not None and limited is not None
    assert limited.interval.low < decided.interval.low < decided.interval.high < limited.interval.high


def test_the_course_of_a_survey_does_not_depend_on_the_order_of_jobs(database: Database) -> None:
    survey = a_survey(database, MEMORY, 3_000, chunk=2_000)
    values = np.array([it.value for it in Query(database, [survey], Filter(), (0, 0), None)])
    for stage, stop in zip(estimates_after(database, survey, [1, 2, 3, 4]), (1_000, 2_000, 3_000), strict=True):
        part = values[:stop]
        assert (stage.deals, stage.value_sum, stage.value_squares) == (stop, part.sum(), (part * part).sum())
        assert stage.count(Verdict.SCORED) == stop
        assert stage.value == part.mean()
    assert extremes(database, survey.id) == (values.min(), values.max())
    grow(database, survey.id, 6_000, 1_000)
    for number in pending(database)[1:]:
        job = SOLVING_JOBS.claim(database, number, "test", LEASE)
        assert job is not None and SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    assert [stage.deals for stage in estimates_after(database, survey, [3, 4, 6])] == [3_000]


def test_deals_that_another_command_adds_are_left_out_of_the_result(database: Database) -> None:
    none = open_survey(database, endless(MEMORY), MEMORY, None)
    some = a_survey(database, MEMORY, 2_000)
    before = estimate(database, some)
    assert a_survey(database, MEMORY, 3_000).id == some.id == none.id
    assert estimate(database, none) is None
    assert before is not None and estimate(database, some) == before


@pytest.mark.parametrize("damage", ["scored = NULL WHERE number = 0", "number = 9 WHERE number = 3", "scored = 999"])
def test_there_is_no_estimate_from_missing_or_damaged_blocks(database: Database, damage: str) -> None:
    survey = a_survey(database, MEMORY, 5_000)
    alter(database, f"UPDATE blocks SET {damage}")
    with pytest.raises(DifferenceError, match="first 5,000 deals of run 1 are missing or damaged"):
        estimate(database, survey)
