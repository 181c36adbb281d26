"""Histograms against a naive count, and the winnability after the first layouts."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

import dealmill
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.distributions.histograms import (
    MAX_BARS,
    Limits,
    bars_of,
    distribution_of,
    doubling_bars,
    equal_bars,
)
from tests.doing import a_run, alter, an_audit, dealer
from tests.survey.doing import a_survey
from tests.web.shop import SURVEY

NUMBERS = st.lists(st.integers(-(2**62), 2**62) | st.integers(-50, 50), min_size=1, max_size=50)
NODES = st.lists(st.integers(0, 2**62) | st.integers(0, 9), min_size=1, max_size=50)


def bars(numbers: list[int], limits: Limits) -> list[dealmill.Bar]:
    return bars_of(distribution_of(np.array(numbers), limits), limits)


def check_bars(numbers: list[int], bars: list[dealmill.Bar]) -> None:
    """Check that the bars have no gaps, cover all numbers, and count them."""
    assert all(left.high + 1 == right.low for left, right in pairwise(bars))
    assert [bar.count for bar in bars] == [sum(bar.low <= number <= bar.high for number in numbers) for bar in bars]
    assert sum(bar.count for bar in bars) == len(numbers) and bars[0].count and bars[-1].count


@given(NUMBERS)
def test_bars_of_values_are_equally_wide(numbers: list[int]) -> None:
    drawn = bars(numbers, equal_bars)
    check_bars(numbers, drawn)
    [width] = {bar.high - bar.low + 1 for bar in drawn}
    assert len(drawn) <= MAX_BARS and width.bit_count() == 1 and drawn[0].low % width == 0
    assert width == 1 or max(numbers) - min(numbers) >= (MAX_BARS - 1) * width // 2


@given(NODES)
def test_bars_of_nodes_double(numbers: list[int]) -> None:
    drawn = bars(numbers, doubling_bars)
    check_bars(numbers, drawn)
    assert all(bar.low.bit_length() == bar.high.bit_length() for bar in drawn)


def test_the_histogram_of_a_run_counts_its_verdicts(database: Database) -> None:
    run = dealmill.Store(database).find_run(a_run(database, "memory/two-pass", ["ABBA", "ABAB", "AABB", "AABB"]).id)
    distribution = run.histogram("value")
    assert distribution is not None and distribution.items == 4
    values = Counter(result.value for result in run.results())
    assert {bar.low: bar.count for bar in distribution.bars if bar.count} == values
    lost = a_run(database, "camelot/winnable", [], name="empty.txt")
    assert dealmill.Store(database).find_run(lost.id).histogram("value") is None


def test_the_histogram_of_a_compact_run_counts_its_verdicts(furnished: str) -> None:
    with dealmill.open(furnished) as store:
        distribution = store.find_run(SURVEY).histogram("nodes")
        assert distribution is not None and distribution.items == 2_000 == sum(bar.count for bar in distribution.bars)
        assert store.find_run(SURVEY).histogram("value") is None


def test_the_interval_of_a_run_is_that_of_its_counts(furnished: str) -> None:
    with dealmill.open(furnished) as store:
        limited, scored = store.find_run(6), store.find_run(4)
        counts = limited.status().counts
        share = limited.winnability
        assert share is not None and scored.winnability is None
        assert share.low < counts[dealmill.Verdict.WINNABLE] / 120
        assert share.high > (counts[dealmill.Verdict.WINNABLE] + counts[dealmill.Verdict.UNDECIDED]) / 120


def test_verdicts_that_an_audit_refused_widen_the_interval_of_a_run(sqlite_store: Database) -> None:
    planned = a_run(sqlite_store, "card-pairing/winnable", dealer("card-pairing")(1, 1, 200))
    run = dealmill.Store(sqlite_store).find_run(planned.id)
    before = run.winnability
    assert before is not None and before.basis == "" and run.convergence()
    [*_, third] = run.results(verdict="winnable", limit=3)
    alter(sqlite_store, f"UPDATE verdicts SET evidence = '01' WHERE verdict = 1 AND position <= {third.position}")
    assert an_audit(sqlite_store, planned).invalid == 3
    run.status()
    after = run.winnability
    assert after is not None and after.low < before.low and after.high > before.high
    assert (after.share, after.basis) == (None, "; 3 refused by the referee count both ways") and not run.convergence()


def test_the_winnability_after_the_first_layouts_is_counted_from_the_finished_jobs(database: Database) -> None:
    run = a_survey(database, "camelot/winnable", 14_000).id
    scored = a_run(database, "memory/two-pass", ["ABBA", "ABAB"]).id
    with dealmill.open(database.url.render_as_string(hide_password=False)) as opened:
        survey = opened.find_run(run)
        verdicts = [result.verdict for result in survey.results()]
        points = survey.convergence()
        assert points[-1].layouts == len(verdicts) and points[-1].interval == survey.winnability
        for point in points:
            won = verdicts[: point.layouts].count(dealmill.Verdict.WINNABLE)
            share = point.interval.share
            assert share == won / point.layouts and point.interval.low < share < point.interval.high
        assert all(left.layouts * 1.1 <= right.layouts for left, right in pairwise(points[:-1]))
        assert len(points) == 13 and opened.find_run(scored).convergence() == []
        with database.writing() as connection:
            connection.execute(text("UPDATE jobs SET state = 1 WHERE first = :first"), {"first": points[0].layouts + 1})
        assert survey.convergence() == points[:1]


@pytest.mark.parametrize("value", ["-7", "30000", "'x'"])
def test_damaged_totals_are_named(sqlite_store: Database, value: str) -> None:
    run = a_survey(sqlite_store, "camelot/winnable", 14_000).id
    with dealmill.open(sqlite_store.url.render_as_string(hide_password=False)) as opened:
        survey = opened.find_run(run)
        points = survey.convergence()
        alter(sqlite_store, f"UPDATE jobs SET winnable = {value} WHERE first = {points[0].layouts + 1}")
        with pytest.raises(dealmill.DamagedError, match=r"the job of run 1 at item 1001 .*jobs\.winnable is .*audit 1"):
            survey.convergence()
        alter(sqlite_store, "UPDATE jobs SET winnable = -70000")
        with pytest.raises(dealmill.DamagedError, match="the verdicts of run 1 cannot be counted: the totals of"):
            _ = opened.find_run(run).winnability
