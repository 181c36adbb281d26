"""The exact number of winnable decks, counted over states and not sampled (52!/(4!)¹³ distinct decks)."""

from collections import defaultdict
from fractions import Fraction
from math import factorial

WINNABLE = 47282356852139666523425070188440005183791049600000
DECKS = factorial(52) // factorial(4) ** 13

Pair = tuple[int, int]
State = tuple[tuple[Pair, ...], int, int, int]
"""Cards seen of the four pairs of partner values (each pair and all of them sorted), of fives, tens and court cards."""


def moves(state: State) -> list[tuple[State, int]]:
    """The states after one more card, each with the number of kinds of cards that lead there (court as one kind)."""
    pairs, fives, tens, court = state
    found: list[tuple[State, int]] = []
    for index, (low, high) in enumerate(pairs):
        for pair in ((low + 1, high), (low, high + 1)):
            if max(pair) <= 4:
                one: Pair = (min(pair), max(pair))
                found.append(((tuple(sorted((*pairs[:index], one, *pairs[index + 1 :]))), fives, tens, court), 1))
    if fives < 4:
        found.append(((pairs, fives + 1, tens, court), 1))
    if tens < 4:
        found.append(((pairs, fives, tens + 1, court), 1))
    if court < 12:
        found.append(((pairs, fives, tens, court + 1), 1))
    return found


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
    assert Fraction(WINNABLE, DECKS) == Fraction(2404050841460376237703003020355621, 4678932517265691872365596621328125)
