"""Walks in the plainest way, from docs/proofs/holes.md: positions by ranks, counted with the moves of plain code, and
walks found by trying all."""

from functools import cache

from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import naive


def counted(text: str, rules: Rules) -> int:
    """Return how many positions are counted of a layout that cannot be won."""
    first = naive.parsed(text, rules)
    reached, waiting = {_ranks(first, rules)}, [first] if _has_walk(first, rules) else []
    while waiting:
        for _, after in naive.following(waiting.pop(), rules):
            if _has_walk(after, rules) and (key := _ranks(after, rules)) not in reached:
                reached.add(key)
                waiting.append(after)
    return len(reached)


def _ranks(state: naive.State, rules: Rules) -> object:
    """Return what makes a position: the ranks in columns, those that lie alone where any card may, and the hole."""
    columns = [tuple(card.rank for card in column) for column in state.columns if column]
    alone = [column[0] for column in columns if len(column) == 1 and rules.spaces == "any"]
    long = [column for column in columns if len(column) > 1 or rules.spaces == "none"]
    return tuple(sorted(long)), tuple(sorted([*alone, *(card.rank for card in state.cells)])), state.hole


def _has_walk(state: naive.State, rules: Rules) -> bool:
    left = [0] * rules.ranks
    for cards in (*state.columns, state.cells):
        for card in cards:
            left[card.rank - 1] += 1
    return has_walk(tuple(left), state.hole - 1)


@cache
def has_walk(left: tuple[int, ...], top: int) -> bool:
    """Return whether so many cards of each rank can go into a hole with this rank on top, each next to the one before,
    around a circle of ranks."""
    if not any(left):
        return True
    for step in (1, -1):
        rank = (top + step) % len(left)
        if left[rank] and has_walk((*left[:rank], left[rank] - 1, *left[rank + 1 :]), rank):
            return True
    return False
