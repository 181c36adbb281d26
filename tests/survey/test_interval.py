"""Intervals against their definitions, written out in another way."""

from fractions import Fraction
from math import isclose, sqrt
from statistics import NormalDist, mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.survey import estimate
from dealmill.pipeline.survey.figures import format_figure
from dealmill.pipeline.survey.interval import Interval, Winnability, Z, deviation, of_mean, of_share
from tests.doing import alter
from tests.survey.doing import MEMORY, a_survey


def test_z_leaves_five_per_cent_outside() -> None:
    assert isclose(Z, NormalDist().inv_cdf(0.975), rel_tol=1e-12)


@given(st.integers(1, 10**9), st.data())
def test_the_ends_are_the_shares_from_which_the_sample_is_z_deviations_away(count: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, count))
    interval = of_share(hits, 0, count)
    for end in (interval.low, interval.high):
        distance = hits / count - end
        assert isclose(distance**2, Z * Z * end * (1 - end) / count, rel_tol=1e-6, abs_tol=1e-18)
    assert 0 <= interval.low <= hits / count <= interval.high <= 1


@given(st.integers(1, 10**6), st.data())
def test_the_unknown_widen_a_share_to_both_sides(count: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, count))
    unknown = data.draw(st.integers(0, count - hits))
    interval = of_share(hits, unknown, count)
    assert interval == Interval(of_share(hits, 0, count).low, of_share(hits + unknown, 0, count).high)
    assert interval.half_width >= unknown / count / 2


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 30), st.integers(0, 300))
def test_the_winnability_covers_all_answers_that_undecided_and_refused_ones_may_have(
    won: int, lost: int, undecided: int, refused: int
) -> None:
    counts = {Verdict.WINNABLE: won, Verdict.UNWINNABLE: lost, Verdict.UNDECIDED: undecided}
    layouts, refused = won + lost + undecided, min(refused, won + lost)
    if not layouts:
        return
    share = Winnability.of(counts, 7, refused)
    for wrong_wins in range(max(refused - lost, 0), min(refused, won) + 1):
        least, greatest = won - wrong_wins, won + undecided + refused - wrong_wins
        assert share.low <= of_share(least, 0, layouts).low and of_share(greatest, 0, layouts).high <= share.high
    assert share.share == (None if undecided or refused else won / layouts)
    assert ("count both ways" in share.basis) == (share.share is None) and "7 without evidence are" in share.basis


def test_an_empty_sample_has_the_widest_interval() -> None:
    assert of_share(0, 0, 0) == Interval(0, 1)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=50))
def test_a_mean_and_its_deviation_are_those_of_the_values(values: list[int]) -> None:
    sums = len(values), sum(values), sum(value * value for value in values)
    assert isclose(deviation(*sums), stdev(map(Fraction, values)), rel_tol=1e-9, abs_tol=1e-12)
    interval = of_mean(*sums)
    assert isclose((interval.low + interval.high) / 2, mean(values), rel_tol=1e-9, abs_tol=1e-6)
    assert isclose(interval.half_width, Z * stdev(values) / sqrt(len(values)), rel_tol=1e-6, abs_tol=1e-6)


def test_one_value_does_not_vary() -> None:
    assert of_mean(1, 7, 49) == Interval(7, 7)


def test_the_squares_of_values_may_add_up_to_more_than_64_bits(database: Database) -> None:
    survey = a_survey(database, MEMORY, 2 * BLOCK)
    alter(database, "UPDATE blocks SET value_sum = :large, square_sum = :large", large=2**62)
    [sums] = estimate.estimates_after(database, survey, [2])
    assert (sums.value_sum, sums.value_squares) == (2**63, 2**63)


@pytest.mark.parametrize(
    ("estimate", "value", "half", "figure"),
    [
        ("winnability", 0.5138, 0.0005, "51.380 %"),
        ("mean value", 186_512.701, 9_124.95, "186,512.70"),
        ("mean value", 79.6318, 0.059, "79.632"),
        ("mean value", 33.0, 0.0, "33.00"),
    ],
)
def test_figures_have_the_digits_that_their_interval_makes_significant(
    estimate: str, value: float, half: float, figure: str
) -> None:
    assert format_figure({"estimate": estimate, "value": value, "half_width": half}, "value") == figure
