"""Card pairing by brute force: every play, every order of the relaxed game. Shares no code with the pipeline."""

from functools import cache
from itertools import combinations

NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"

Place = tuple[int, int]
"""A card: its stack, and how many cards lie under it."""
Pair = frozenset[Place]


def is_winnable(layout: str) -> bool:
    """Whether any play wins, by trying all."""
    stacks = layout.split()

    @cache
    def wins(heights: tuple[int, ...]) -> bool:
        if not any(heights):
            return True
        tops = [(stack, stacks[stack][height - 1]) for stack, height in enumerate(heights) if height]
        return any(
            wins(tuple(height - (stack in (one, other)) for stack, height in enumerate(heights)))
            for (one, rank), (other, same) in combinations(tops, 2)
            if rank == same
        )

    return wins(tuple(map(len, stacks)))


def is_win(layout: str, moves: str) -> bool:
    """Whether these moves are legal and leave nothing."""
    stacks = [list(stack) for stack in layout.split()]
    for move in moves.split(" "):
        if len(move) != 2 or not set(move) <= set(NAMES[: len(stacks)]):
            return False
        one, other = (stacks[NAMES.index(name)] for name in move)
        if one is other or not one or not other or one.pop() != other.pop():
            return False
    return not any(stacks)


def is_refuted(layout: str, certificate: str) -> bool:
    """Whether a certificate proves that no play wins, with all orders of play tried in each relaxed game."""
    stacks = layout.split()
    places: dict[str, list[Place]] = {}
    for stack, cards in enumerate(stacks):
        for height, rank in enumerate(cards):
            places.setdefault(rank, []).append((stack, height))
    entries = list(certificate)

    def holds(pairs: frozenset[Pair]) -> bool:
        if not entries or entries[0] not in places:
            return False
        first, *others = places[entries.pop(0)]
        if any(first in pair for pair in pairs):
            return False
        for mate in others:
            rest = Pair(others) - {mate}
            chosen = pairs | {Pair({first, mate}), rest}
            if can_be_cleared(stacks, chosen) and not holds(chosen):
                return False
        return True

    return holds(frozenset()) and not entries


def can_be_cleared(stacks: list[str], pairs: frozenset[Pair]) -> bool:
    """Whether some order clears the stacks if these pairs leave together and every other card by itself."""

    @cache
    def clears(heights: tuple[int, ...]) -> bool:
        if not any(heights):
            return True
        tops = frozenset((stack, height - 1) for stack, height in enumerate(heights) if height)
        bound = frozenset().union(*pairs)
        leaving = [pair for pair in pairs if pair <= tops] + [frozenset({top}) for top in tops - bound]
        return any(
            clears(tuple(height - ((stack, height - 1) in cards) for stack, height in enumerate(heights)))
            for cards in leaving
        )

    return clears(tuple(map(len, stacks)))
