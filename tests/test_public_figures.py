"""Every public figure is a test; ``make reproduce`` computes the same, also those that take minutes."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import pytest

from bench.reproduce import freecell
from bench.reproduce.catalogue import ALL_FIGURES
from bench.reproduce.figures import Estimate, Figure, Number, Value, agree, mean_of
from dealmill.verdicts import Verdict


def marks(figure: Figure) -> Sequence[pytest.MarkDecorator]:
    return [pytest.mark.by_hand, pytest.mark.timeout(1800)] if figure.slow else []


@pytest.mark.parametrize(
    "figure", [pytest.param(figure, id=f"{figure.game}: {figure.name}", marks=marks(figure)) for figure in ALL_FIGURES]
)
@pytest.mark.long
def test_the_figure_is_found_again(figure: Figure) -> None:
    ours = figure.compute()
    assert figure.agrees(ours), f"{figure.source} says {Number.of(figure.theirs).text}, we found {Number.of(ours).text}"


def test_no_two_figures_have_the_same_name() -> None:
    assert len({(figure.game, figure.name) for figure in ALL_FIGURES}) == len(ALL_FIGURES)


@pytest.mark.parametrize(
    ("theirs", "tolerance", "ours", "agrees"),
    [
        (10**30, 0, 10**30, True),
        (10**30, 0, 10**30 + 1, False),
        (Fraction(8, 3), 0, 8 / 3 + 1e-9, False),
        (84.1, 0.05, 84.149, True),
        (84.1, 0.05, 84.151, False),
        (1.0, 0, Estimate(1.29, 0.1), True),
        (1.0, 0, Estimate(1.31, 0.1), False),
        (Estimate(1.0, 0.3), 0, Estimate(2.49, 0.4), True),
        (Estimate(1.0, 0.3), 0, Estimate(2.51, 0.4), False),
        ((1, 2), 0, (1, 2), True),
        ((1, 2), 0, (1, 3), False),
        ((1, 2), 0, (1, 2, 3), False),
        ((1, 2), 0, 1, False),
    ],
)
def test_when_a_figure_agrees(theirs: Value, tolerance: float, ours: Value, agrees: bool) -> None:
    assert agree(theirs, ours, tolerance) is agrees


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (10**18, "1,000,000,000,000,000,000"),
        (Fraction(8, 3), "8/3"),
        (28.5331823, "28.533182"),
        (Estimate(1234.5678, 0.5), "1,234.568 ± 0.980"),
        ((1000, 2), "1000, 2"),
    ],
)
def test_the_digits_of_a_value(value: Value, text: str) -> None:
    number = Number.of(value)
    assert number.text == text
    assert agree(number.value, value, 5e-7)
    assert Number.model_validate_json(number.model_dump_json()) == number


def test_the_mean_of_a_sample_and_its_error() -> None:
    estimate = mean_of({0: 25, 1: 75}, scale=100)
    assert estimate.mean == 75
    assert estimate.error == pytest.approx(100 * (0.75 * 0.25 / 99) ** 0.5)


@pytest.mark.slow
def test_exactly_the_known_deal_of_a_piece_of_freecell_is_lost() -> None:
    """The figure of the first million deals is made of such pieces."""
    engine = partial(freecell.by_engine, "freecell")
    deals = freecell.deals_of_part("freecell", Verdict.UNWINNABLE, engine, range(11_941, 12_001))
    assert [(number, freecell.positions_of(evidence)) for number, evidence in deals] == [(11_982, 61_643)]
