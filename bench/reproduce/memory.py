"""Figures of Memory (IOI 2010, and the article "Memory in 2*n Schritten lösen" on it)."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import log

from bench.reproduce.figures import Estimate, Figure, Value, extremes_of, mean_of, within
from bench.reproduce.samples import QUICK, statement_values, values
from dealmill.pipeline.games.memory import GAME as RULES
from tests.games.memory.test_figures import optimal_moves

GAME = "Memory"
MILLION = 1_000_000
ARTICLE = "the article's worst string"
COMMENT = "the article's comments"
SIMULATION = "earlier simulation, 10⁶ layouts"

MEANS = {"two-pass": 98.981, "two-pass-last-card": 97.022, "incremental": 79.657}
EXTREMES = {"two-pass": (86, 100), "incremental": (70, 90)}

EXACT_MOVES = {2: Fraction(8, 3), 3: Fraction(13, 3), 4: Fraction(622, 105), 5: Fraction(793, 105)} | {
    6: Fraction(31748, 3465)
}
ROUNDED_MOVES = {8: 12.39298, 18: 28.53318, 25: 39.82976, 26: 41.44352, 50: 80.17320}


def flips_on_the_worst_string(engine: str) -> int:
    """The article's string is the layout of our statement example."""
    return statement_values(f"memory/{engine}")[0]


def mean_flips(engine: str, count: int) -> Estimate:
    """Over random layouts of 25 pairs."""
    return mean_of(values(f"memory/{engine}", count))


def extreme_flips(engine: str) -> tuple[int, int]:
    """The fewest and the most flips over a million random layouts of 25 pairs."""
    return extremes_of(values(f"memory/{engine}", MILLION))


def most_flips(engine: str) -> int:
    """Over a million random layouts and the worst string."""
    return max(flips_on_the_worst_string(engine), extreme_flips(engine)[1])


def moves_of_optimal_play(pairs: int) -> Fraction:
    """Expected, by dynamic programming over known singles and unseen pairs."""
    return optimal_moves(0, pairs)


def rounded_moves_of_optimal_play(pairs: int) -> float:
    """The same, where the fraction is too long to read."""
    return float(optimal_moves(0, pairs))


def limit_of_optimal_play(pairs: int) -> float:
    """Velleman and Warrington, arXiv 1208.4854: what the expectation tends to for many pairs."""
    return (3 - 2 * log(2)) * pairs + 7 / 8 - 2 * log(2)


def _strategies() -> list[Figure]:
    return [
        Figure(
            GAME,
            f"mean flips, {engine.name}, {size} layouts",
            SIMULATION,
            within(MEANS[engine.name], 0.003),
            partial(mean_flips, engine.name, count),
            slow=count > QUICK,
            engine=f"memory/{engine.name}",
        )
        for size, count in (("200 k", QUICK), ("10⁶", MILLION))
        for engine in RULES.engines
    ]


def _extremes() -> list[Figure]:
    """Of a million layouts a handful at most has the fewest flips, so that another million may end a move earlier."""
    return [
        Figure(
            GAME,
            f"fewest and most flips, {engine}, 10⁶ layouts; those of two samples may differ by 2",
            SIMULATION,
            ends,
            partial(extreme_flips, engine),
            tolerance=2,
            slow=True,
            engine=f"memory/{engine}",
        )
        for engine, ends in EXTREMES.items()
    ]


def _expectations() -> list[Figure]:
    expectations: list[tuple[int, Value, Callable[[], Value], float]] = [
        *((pairs, moves, partial(moves_of_optimal_play, pairs), 0) for pairs, moves in EXACT_MOVES.items()),
        *(
            (pairs, moves, partial(rounded_moves_of_optimal_play, pairs), 5e-6)
            for pairs, moves in ROUNDED_MOVES.items()
        ),
    ]
    return [
        Figure(GAME, f"moves of optimal play, {pairs} pairs", "earlier dynamic programming", moves, compute, tolerance)
        for pairs, moves, compute, tolerance in expectations
    ]


def _limits() -> list[Figure]:
    """The formula leaves out what vanishes for many pairs: about 0.04/n, found by the exact numbers."""
    return [
        Figure(
            GAME,
            f"formula for the moves of optimal play, {n} pairs; it leaves out at most 0.05/{n}",
            "Velleman & Warrington, arXiv 1208.4854",
            limit_of_optimal_play(n),
            partial(rounded_moves_of_optimal_play, n),
            tolerance=0.05 / n,
        )
        for n in (25, 50)
    ]


FIGURES = [
    *(
        Figure(
            GAME,
            f"flips, {engine}",
            ARTICLE,
            flips,
            partial(flips_on_the_worst_string, engine),
            engine=f"memory/{engine}",
        )
        for engine, flips in (("two-pass", 100), ("incremental", 98))
    ),
    Figure(
        GAME,
        "flips at most, two-pass-last-card",
        COMMENT,
        98,
        partial(most_flips, "two-pass-last-card"),
        slow=True,
        engine="memory/two-pass-last-card",
    ),
    *_expectations(),
    *_limits(),
    *_strategies(),
    *_extremes(),
    Figure(
        GAME,
        "mean flips, incremental, 10⁶ layouts, against optimal play",
        "earlier dynamic programming",
        79.6595,
        partial(mean_flips, "incremental", MILLION),
        tolerance=5e-5,
        slow=True,
        engine="memory/incremental",
    ),
]
