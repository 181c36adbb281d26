"""The exact number of winnable decks, counted over states and not sampled (52!/(4!)¹³ distinct decks)."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import factorial

from dealmill.pipeline.games.camelot import GAME

WINNABLE = 47282356852139666523425070188440005183791049600000
DECKS = factorial(52) // factorial(4) ** 13

Pairs = tuple[tuple[int, int], ...]
State = tuple[Pairs, int, int, int]
"""Cards seen of the four pairs of partner values (each pair and all of them sorted), of fives, tens and court cards."""


@cache
def grown(pairs: Pairs) -> Counter[Pairs]:
    """The pairs after one more card of theirs, each with the number of values that lead there."""
    counts: Counter[Pairs] = Counter()
    for index, (low, high) in enumerate(pairs):
        for pair in ((low + 1, high), (low, high + 1)):
            if max(pair) <= 4:
                counts[tuple(sorted((*pairs[:index], (min(pair), max(pair)), *pairs[index + 1 :])))] += 1
    return counts


def moves(state: State) -> Iterator[tuple[State, int]]:
    """The states after one more card, each with the number of kinds of cards that lead there (court as one kind)."""
    pairs, fives, tens, court = state
    for more, kinds in grown(pairs).items():
        yield (more, fives, tens, court), kinds
    if fives < 4:
        yield (pairs, fives + 1, tens, court), 1
    if tens < 4:
        yield (pairs, fives, tens + 1, court), 1
    if court < 12:
        yield (pairs, fives, tens, court + 1), 1


def left(state: State) -> int:
    """The cards that must stay on the board."""
    pairs, fives, _, court = state
    return court + sum(high - low for low, high in pairs) + fives % 2


def test_the_exact_number_of_winnable_decks() -> None:
    counts: dict[State, int] = {(((0, 0),) * 4, 0, 0, 0): 1}
    for dealt in range(1, 53):
        after: defaultdict[State, int] = defaultdict(int)
        for state, ways in counts.items():
            for following, kinds in moves(state):
                if dealt < 16 or dealt == 52 or left(following) < 16:
                    after[following] += ways * kinds
        counts = after
    court_orders = factorial(12) // factorial(4) ** 3
    assert sum(counts.values()) * court_orders == WINNABLE
    assert Fraction(WINNABLE, DECKS) == GAME.expectation("winnable", {})
