"""Figures of Camelot (SPOJ CAMELOT)."""

from collections import defaultdict
from fractions import Fraction
from functools import cache, partial
from math import factorial

from bench.reproduce.figures import Estimate, Figure, mean_of, within
from bench.reproduce.samples import QUICK, values
from tests.games.camelot.test_exact import DECKS, State, left, moves

GAME = "Camelot"
CARDS, SLOTS = 52, 16
EXACT_COUNT = 47282356852139666523425070188440005183791049600000
EXACT_SHARE = Fraction(2404050841460376237703003020355621, 4678932517265691872365596621328125)


@cache
def winnable_decks() -> int:
    """How many distinct decks can be won, counted card after card over what has been dealt of each kind."""
    counts: dict[State, int] = {(((0, 0),) * 4, 0, 0, 0): 1}
    for dealt in range(1, CARDS + 1):
        after: defaultdict[State, int] = defaultdict(int)
        for state, ways in counts.items():
            for following, kinds in moves(state):
                if not SLOTS <= dealt < CARDS or left(following) < SLOTS:
                    after[following] += ways * kinds
        counts = after
    orders_of_court_cards = factorial(12) // factorial(4) ** 3
    return sum(counts.values()) * orders_of_court_cards


def winnable_share() -> Fraction:
    """Of all distinct decks."""
    return Fraction(winnable_decks(), DECKS)


def winnable_percentage(count: int) -> Estimate:
    """Of random decks."""
    return mean_of(values("camelot/winnable", count), scale=100)


# The exact ones are slow because tests/games/camelot counts them in the ordinary test run already, in ten seconds.
FIGURES = [
    Figure(GAME, "winnable decks, of 52!/(4!)¹³", "earlier exact count", EXACT_COUNT, winnable_decks, slow=True),
    Figure(GAME, "share of winnable decks", "earlier exact count", EXACT_SHARE, winnable_share, slow=True),
    Figure(
        GAME,
        "winnable decks, %, 200 k decks",
        "earlier exact count",
        float(100 * EXACT_SHARE),
        partial(winnable_percentage, QUICK),
        engine="camelot/winnable",
    ),
    Figure(
        GAME,
        "winnable decks, %, 10 M decks",
        "earlier simulation, 10 M decks",
        within(51.37, 0.03),
        partial(winnable_percentage, 10_000_000),
        slow=True,
        engine="camelot/winnable",
    ),
]
