"""The engine of games with a hole whose cards lie in few fronts, see `can_be_swept`: one sweep over all positions.

A *front* is a row of cards of which only the last may be taken: a column, a stacked reserve, or a card of an open one.
Cards only leave the fronts and the stock, so how many are left in each says where all are. For each such tuple of
heights and cards of the stock there is one word, the ranks that can be on top of the hole then. Tuples are visited in
falling order, so that all positions before one are visited first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, count_bits, kernel, to_solved, to_strings
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.verdicts import Verdict

RANKS = "A23456789TJQK"
INNER_TUPLES = 2_048
"""At most so many tuples, of the first fronts, have a table of the cards that can be taken, so that it stays in the
cache of the processor."""
RANK_BITS = 16
"""In a card's word, the ranks beside its own are followed by its own."""

Ranks = NDArray[np.uint16]
Words = NDArray[np.int64]


class Fronts(NamedTuple):
    """The cards of a layout: those of each front and of the stock, the next one of the stock first."""

    fronts: list[list[str]]
    stock: list[str]
    hole: str

    @property
    def tuples(self) -> int:
        """In how many ways cards can be left in the fronts."""
        return prod(len(front) + 1 for front in self.fronts)


@dataclass(frozen=True)
class Sweep:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position that can be reached."""
        reached = np.zeros(0, dtype=np.uint16)
        batch = Batch([], [], [], [])
        for layout in to_strings(layouts):
            dealt = load(self.rules, layout)
            size = (len(dealt.stock) + 2) * dealt.tuples
            if size > len(reached):
                reached = np.zeros(size, dtype=np.uint16)
            verdict, nodes, evidence = self._solve(dealt, reached[:size], max_nodes)
            batch.verdicts.append(verdict)
            batch.values.append(None)
            batch.nodes.append(nodes)
            batch.evidence.append(evidence)
        return to_solved(batch)

    def _solve(self, dealt: Fronts, reached: Ranks, limit: int) -> tuple[Verdict, int, str | None]:
        """Return the verdict of a layout, its nodes and its evidence."""
        heights = [len(front) for front in dealt.fronts]
        weights = np.cumprod([1, *(height + 1 for height in heights)], dtype=np.int64)
        cards = np.zeros((len(heights), max(heights, default=0) + 1), dtype=np.int64)
        for front, names in enumerate(dealt.fronts):
            cards[front, 1 : len(names) + 1] = [self._word(name) for name in names]
        inner = int(np.count_nonzero(weights[1:] <= INNER_TUPLES))
        taken = np.zeros((weights[inner], inner), dtype=np.int64)
        ranks = np.array([1 << RANKS.index(card[0]) for card in dealt.stock], dtype=np.int64)
        reached.fill(0)
        reached[-1] = 1 << RANKS.index(dealt.hole[0])
        positions = int(sweep(reached, cards, weights, taken, ranks, limit))
        if positions > limit:
            return Verdict.UNDECIDED, limit, None
        if not reached[dealt.tuples]:
            return Verdict.UNWINNABLE, positions, f"* {positions}"
        moves = [f"{card}h" for card in self._taken(dealt, reached, weights.tolist())]
        return Verdict.WINNABLE, positions, " ".join(reversed(moves)) or "-"

    def _word(self, card: str) -> int:
        rank = RANKS.index(card[0])
        return self._beside(rank) | 1 << rank + RANK_BITS

    def _beside(self, rank: int) -> int:
        """Return the ranks beside one."""
        ranks = self.rules.ranks
        beside = [rank - 1, rank + 1]
        if self.rules.wrap:
            beside = [near % ranks for near in beside]
        return sum({1 << near for near in beside if 0 <= near < ranks})

    def _taken(self, dealt: Fronts, reached: Ranks, weights: list[int]) -> Iterator[str]:
        """Yield the cards of a win, the last one first."""
        heights, left = [0] * len(dealt.fronts), 0
        at, *_, tuples = weights[-1], *weights
        top = int(reached[at]) & -int(reached[at])
        while True:
            for front, names in enumerate(dealt.fronts):
                height, before = heights[front], at + weights[front]
                if height == len(names) or 1 << (rank := RANKS.index(names[height][0])) != top:
                    continue
                if tops := int(reached[before]) & self._beside(rank):
                    yield names[height]
                    heights[front] += 1
                    at, top = before, tops & -tops
                    break
            else:
                if left == len(dealt.stock):
                    return
                left += 1
                yield dealt.stock[-left]
                at += tuples
                top = int(reached[at]) & -int(reached[at])


def load(rules: Rules, layout: str) -> Fronts:
    """Return the cards of a layout."""
    _, columns, *parts = layout.split(" ")
    cards = dict(part.split(":") for part in parts)
    fronts = [_names(column.strip("-")) for column in columns.split("/")]
    reserve = _names(cards.get("reserve", ""))
    fronts += [reserve] if rules.stacked else [[card] for card in reserve]
    return Fronts([front for front in fronts if front], _names(cards.get("stock", "")), cards["hole"])


def _names(text: str) -> list[str]:
    return [text[at : at + 2].upper() for at in range(0, len(text), 2)]


@kernel
def sweep(reached: Ranks, cards: Words, weights: Words, taken: Words, stock: Words, limit: int) -> int:
    """Write which ranks can be on top of the hole for each tuple; return how many positions can be reached, or more
    than `limit` if there are more.

    `reached` has a part for each number of cards that are left of the stock, after one that stays empty. `cards` are
    the words of the cards of each front, from 1 on, `weights` what a card of each counts in a tuple, and at last the
    number of tuples, and `stock` the bits of the ranks of the stock. `taken` is room for the words of the cards that
    can be taken of the first fronts.
    """
    fronts, (inner_tuples, inner) = len(cards), taken.shape
    tuples, count = weights[fronts], np.int64(0)
    tops = np.zeros(fronts, dtype=np.int64)
    for at in range(inner_tuples):
        for front in range(inner):
            taken[at, front] = cards[front, at % weights[front + 1] // weights[front]]
    for left in range(len(stock), -1, -1):
        dealt = stock[len(stock) - left] if left else 0
        for first in range(tuples - inner_tuples, -1, -inner_tuples):
            for front in range(inner, fronts):
                tops[front] = cards[front, first % weights[front + 1] // weights[front]]
            part = (left + 1) * tuples + first
            for at in range(inner_tuples - 1, -1, -1):
                ranks = np.int64(reached[part + at])
                if ranks == 0:
                    continue
                count += np.int64(count_bits(np.uint64(ranks)))
                reached[part + at - tuples] |= dealt
                for front in range(inner):
                    if ranks & taken[at, front]:
                        reached[part + at - weights[front]] |= taken[at, front] >> RANK_BITS
                for front in range(inner, fronts):
                    if ranks & tops[front]:
                        reached[part + at - weights[front]] |= tops[front] >> RANK_BITS
            if count > limit:
                return int(count)
    return int(count)
