"""Card pairing by exhaustive search over literal play, and its theory by trying everything.

Nothing here knows closures or minds the order of play: positions are tuples of stacks, and every move is tried.
"""

import random
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, product

Stacks = tuple[str, ...]
Card = tuple[int, int]
"""A stack and a height in it."""
Pair = frozenset[Card]

NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
SHAPES = [(ranks, stacks) for ranks in range(2, 6) for stacks in range(2, 11) if 4 * ranks % stacks == 0]
"""Ranks and stacks of decks that are small enough to try everything."""


def decks(ranks: int, stacks: int, count: int) -> list[str]:
    """Shuffled decks, the same ones each time."""
    chance = random.Random(100 * ranks + stacks)
    height = 4 * ranks // stacks
    found = []
    for _ in range(count):
        cards = "".join(chance.sample("A23456789TJQK"[:ranks] * 4, 4 * ranks))
        found.append(" ".join(cards[start : start + height] for start in range(0, len(cards), height)))
    return found


def without_tops(stacks: Stacks, places: tuple[int, ...]) -> Stacks:
    return tuple(stack[:-1] if place in places else stack for place, stack in enumerate(stacks))


def moves(stacks: Stacks) -> list[tuple[int, int]]:
    """Every two stacks with equal top cards."""
    full = [place for place, stack in enumerate(stacks) if stack]
    return [(one, other) for one, other in combinations(full, 2) if stacks[one][-1] == stacks[other][-1]]


def winnable_by_play(deck: str) -> bool:
    """Whether some sequence of removals empties all stacks."""

    @cache
    def wins(stacks: Stacks) -> bool:
        return not any(stacks) or any(wins(without_tops(stacks, move)) for move in moves(stacks))

    return wins(tuple(deck.split()))


def chance_of_random_play(deck: str) -> float:
    """How likely all cards leave if each pair of equal tops is as likely as any other to be the next."""

    @cache
    def chance(stacks: Stacks) -> float:
        possible = moves(stacks)
        if not possible:
            return 0.0 if any(stacks) else 1.0
        return sum(chance(without_tops(stacks, move)) for move in possible) / len(possible)

    return chance(tuple(deck.split()))


def is_win(deck: str, trace: str) -> bool:
    """Whether the pairs of stacks in a trace can be removed one after the other, and leave nothing."""
    stacks = tuple(deck.split())
    for move in trace.split(" "):
        places = tuple(sorted(map(NAMES.find, move)))
        if places not in moves(stacks):
            return False
        stacks = without_tops(stacks, places)
    return not any(stacks)


def ways_to_pair(deck: str, rank: str) -> list[list[Pair]]:
    """The three ways in which the cards of a rank can leave."""
    first, *rest = [
        (place, height) for place, stack in enumerate(deck.split()) for height, card in enumerate(stack) if card == rank
    ]
    return [[frozenset({first, mate}), frozenset(rest) - {mate}] for mate in rest]


def is_acyclic(pairs: list[Pair]) -> bool:
    below = TopologicalSorter[Pair]()
    for upper, lower in product(pairs, repeat=2):
        if any(above[0] == card[0] and above[1] > card[1] for above in upper for card in lower):
            below.add(lower, upper)
    try:
        below.prepare()
    except CycleError:
        return False
    return True


def is_refutation(deck: str, certificate: str) -> bool:
    """Whether the ranks of a certificate, used up exactly, jam every way to pair them off."""
    entries = iter(certificate)

    def refutes(pairs: list[Pair], used: str) -> bool:
        rank = next(entries, " ")
        if rank not in deck or rank in f"{used} ":
            return False
        return all(
            not clears_relaxed(deck, pairs + way) or refutes(pairs + way, used + rank)
            for way in ways_to_pair(deck, rank)
        )

    return refutes([], "") and next(entries, None) is None


def clears_relaxed(deck: str, pairs: list[Pair]) -> bool:
    """Whether some order of play clears the stacks if cards that are in no pair leave by themselves."""
    mates = {card: pair for pair in pairs for card in pair}
    start = tuple(map(len, deck.split()))
    seen = {start}
    waiting = [start]
    while waiting:
        heights = waiting.pop()
        if not any(heights):
            return True
        tops = {(place, height - 1) for place, height in enumerate(heights) if height}
        for top in tops:
            leaving = mates.get(top, {top})
            if leaving <= tops:
                after = tuple(h - any(place == card[0] for card in leaving) for place, h in enumerate(heights))
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False
