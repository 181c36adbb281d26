"""Figures of card pairing (CodeAbbey #390, NEERC 2005 "Double Patience")."""

from collections import Counter
from fractions import Fraction
from functools import cache, partial

from bench.reproduce.figures import Estimate, Figure, mean_of, within
from bench.reproduce.samples import CHUNK, QUICK, SEED, counted, values
from tests.doing import dealer, solver
from tests.games.card_pairing.naive import odds_by_play
from tests.games.card_pairing.test_figures import NEERC, has_three

deal = dealer("card-pairing")
ODDS = "card-pairing/odds"
odds = solver(ODDS)

GAME = "card pairing"
RANKS, SUITS, HEIGHT = 9, 4, 4
MILLION, TEN_MILLION = 1_000_000, 10_000_000
CHANCE = Fraction(14_259_369_055_191_929, 24_196_548_096_000_000)

Ranks = tuple[tuple[int, int], ...]
"""For each rank its cards not dealt yet, and its cards in the stack that is being dealt; sorted."""


def winnable_percentage(ranks: int, count: int) -> Estimate:
    """Of random deals of `ranks` × 4 cards onto as many stacks as ranks."""
    return mean_of(values("card-pairing/winnable", count, ranks=ranks, stacks=ranks), scale=100)


def mean_chance(count: int) -> Estimate:
    """In per cent, that random play wins a random deal of 9 × 4 cards."""
    return mean_of(values("card-pairing/odds", count), scale=1e-4)


def stated_chance(deck: str) -> Fraction:
    """That random play wins a deal, as our engine states it."""
    [evidence] = odds([deck]).evidence
    return Fraction(str(evidence).split(" ")[0])


def percentage_with_three() -> Estimate:
    """Of our deals, those in which some stack has three cards of a rank."""
    return mean_of(counted(_with_three, QUICK), scale=100)


def _with_three(first: int) -> Counter[int]:
    return Counter(int(has_three(layout)) for layout in deal(SEED, first, CHUNK))


def exact_percentage_with_three() -> float:
    """The same of all deals, by dealing card after card."""
    return float(100 - 100 * chance_of_no_three(((SUITS, 0),) * RANKS))


@cache
def chance_of_no_three(ranks: Ranks) -> Fraction:
    """How likely no stack gets three cards of a rank when the rest of the deck is dealt."""
    if sum(held for _, held in ranks) == HEIGHT:
        ranks = tuple(sorted((left, 0) for left, _ in ranks))
    cards = sum(left for left, _ in ranks)
    chance = Fraction(not cards)
    for (left, held), alike in Counter(ranks).items():
        if left and held < 2:
            after = list(ranks)
            after.remove((left, held))
            after.append((left - 1, held + 1))
            chance += Fraction(alike * left, cards) * chance_of_no_three(tuple(sorted(after)))
    return chance


FIGURES = [
    *(
        Figure(
            GAME,
            f"winnable {ranks}×4 deals on {ranks} stacks, %, {size} deals",
            source,
            theirs,
            partial(winnable_percentage, ranks, count),
            tolerance,
            slow=count > QUICK,
            engine="card-pairing/winnable",
        )
        for ranks, source, theirs, tolerance in (
            (9, "earlier simulation, 10 M deals", within(68.82, 0.03), 0),
            (13, "earlier simulation", 84.1, 0.05),
        )
        for size, count in (("200 k", QUICK), ("10 M", TEN_MILLION))
    ),
    *(
        Figure(
            GAME, f"9×4 deals with three equal ranks in a stack, %, {what}", "earlier simulation", 16.2, compute, 0.05
        )
        for what, compute in (("exact", exact_percentage_with_three), ("200 k deals", percentage_with_three))
    ),
    *(
        Figure(GAME, f"{what} the contest's sample", "earlier program", theirs, compute, engine=engine)
        for what, theirs, compute, engine in (
            ("chance that random play wins", CHANCE, lambda: odds_by_play(NEERC).chance, None),
            ("orders of moves that win", 76_362_905, lambda: odds_by_play(NEERC).orders, None),
            ("positions that can be reached in", 1_904, lambda: odds_by_play(NEERC).positions, None),
            ("chance, by the engine, that random play wins", CHANCE, partial(stated_chance, NEERC), ODDS),
        )
    ),
    *(
        Figure(
            GAME,
            f"mean chance that random play wins a 9×4 deal, %, {size} deals",
            "earlier simulation, 20,000 deals",
            within(18.287, 0.29),
            partial(mean_chance, count),
            slow=count > QUICK,
            engine=ODDS,
        )
        for size, count in (("100 k", CHUNK), ("1 M", MILLION))
    ),
]
