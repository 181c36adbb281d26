"""The public figures: means of the strategies, and the expectation of optimal play."""

from fractions import Fraction
from functools import cache
from math import log, sqrt
from statistics import fmean, stdev

import pytest

from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.memory import GAME
from tests.doing import dealer, solver

deal = dealer("memory")

DEALS = 200_000


@pytest.fixture(scope="module")
def layouts() -> list[str]:
    return deal(2010, 1, DEALS)


@pytest.mark.parametrize(
    ("engine", "mean", "low", "high"),
    list(zip(GAME.engines, [98.981, 97.022, 79.657], [86, 84, 70], [100, 98, 90], strict=True)),
    ids=[engine.name for engine in GAME.engines],
)
def test_mean_flips_of_random_layouts(layouts: list[str], engine: Engine, mean: float, low: int, high: int) -> None:
    values = [value for value in solver(GAME.full_name(engine))(layouts).values if value is not None]
    assert len(values) == DEALS
    assert abs(fmean(values) - mean) < 5 * stdev(values) / sqrt(DEALS) + 0.004
    assert low <= min(values)
    assert max(values) <= high


@cache
def optimal_moves(singles: int, pairs: int) -> Fraction:
    """Expected moves of the best play when `singles` cards are known whose partners are not, and `pairs` pairs are
    unseen. A pair with both places known costs one move, whenever it is taken.
    """
    if singles == pairs == 0:
        return Fraction(0)
    unseen = singles + 2 * pairs
    choices = [_unseen_first(singles, pairs, unseen)]
    if singles:
        choices.append(_known_first(singles, pairs, unseen))
    return min(choices)


def _unseen_first(singles: int, pairs: int, unseen: int) -> Fraction:
    cost = Fraction(0)
    if singles:
        cost += Fraction(singles, unseen) * (1 + optimal_moves(singles - 1, pairs))
    if pairs:
        choices = [_unseen_second(singles, pairs, unseen - 1)]
        if singles:
            choices.append(1 + optimal_moves(singles + 1, pairs - 1))
        cost += Fraction(2 * pairs, unseen) * min(choices)
    return cost


def _unseen_second(singles: int, pairs: int, unseen: int) -> Fraction:
    cost = Fraction(1, unseen) * (1 + optimal_moves(singles, pairs - 1))
    cost += Fraction(singles, unseen) * (2 + optimal_moves(singles, pairs - 1))
    if pairs > 1:
        cost += Fraction(2 * pairs - 2, unseen) * (1 + optimal_moves(singles + 2, pairs - 2))
    return cost


def _known_first(singles: int, pairs: int, unseen: int) -> Fraction:
    cost = Fraction(1, unseen) * (1 + optimal_moves(singles - 1, pairs))
    cost += Fraction(singles - 1, unseen) * (2 + optimal_moves(singles - 1, pairs))
    if pairs:
        cost += Fraction(2 * pairs, unseen) * (1 + optimal_moves(singles + 1, pairs - 1))
    return cost


def test_optimal_play_in_expectation() -> None:
    """Source: the exact values in the list of known facts; Velleman and Warrington, arXiv 1208.4854, for large n."""
    assert [optimal_moves(0, n) for n in range(2, 7)] == [
        Fraction(8, 3),
        Fraction(13, 3),
        Fraction(622, 105),
        Fraction(793, 105),
        Fraction(31748, 3465),
    ]
    for n, moves in [(8, 12.39298), (18, 28.53318), (25, 39.82976), (26, 41.44352), (50, 80.17320)]:
        assert float(optimal_moves(0, n)) == pytest.approx(moves, abs=6e-6)
    assert float(optimal_moves(0, 50)) == pytest.approx((3 - 2 * log(2)) * 50 + 7 / 8 - 2 * log(2), abs=0.01)


@pytest.mark.parametrize("pairs", [1, 2, 3, 4])
@pytest.mark.parametrize("engine", [engine.name for engine in GAME.engines])
def test_the_mean_of_every_strategy_is_exact(engine: str, pairs: int) -> None:
    """Averaged over every order of the cards."""
    layouts = list(all_orders("ABCD"[:pairs] * 2))
    values = [value for value in solver(f"memory/{engine}")(layouts).values if value is not None]
    assert Fraction(sum(values), len(layouts)) == GAME.expectation(engine, {"pairs": pairs})


def test_incremental_play_is_optimal() -> None:
    """A move is two flips."""
    for pairs in range(1, 53):
        assert GAME.expectation("incremental", {"pairs": pairs}) == 2 * optimal_moves(0, pairs)
    assert GAME.expectation("incremental", {}) == Fraction(2 * 42388113181280162029, 1064232316018542825)


def all_orders(cards: str) -> set[str]:
    """All different texts of the same letters."""
    return {card + rest for card in set(cards) for rest in all_orders(cards.replace(card, "", 1))} or {""}
