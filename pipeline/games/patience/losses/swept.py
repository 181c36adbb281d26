"""Losses of games with a hole whose cards lie in few fronts, counted by a sweep instead of one by one.

A *front* is a row of cards of which only the last may be taken: a column, a stacked reserve, or a card of an open one.
Cards only leave the fronts and the stock, so how many have left each says where all are. For each rank on top of the
hole, those tuples of numbers that can be reached are one big integer, with a bit for each tuple, which is short as long
as few cards have left.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate
from math import prod
from operator import mul, or_

from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, Rules
from dealmill.verdicts import InvalidEvidence, check_positions

MAX_TUPLES = 10_000_000
"""A sweep over so many tuples takes seconds and less than 300 MB; over those of a deal of Golf, 0.01 s."""


class SweptLoss(CountedLoss):
    """The evidence of a loss by all positions, in a game that `can_be_swept`."""

    @property
    def visited(self) -> int:
        """No position is visited by itself."""
        return 0

    def check(self, game: Moves, position: Position) -> None:
        """Count all positions that can be reached: none is won, and their number is the evidence.

        Raises
        ------
        InvalidEvidence
            If it is not so.
        """
        stacked, ranks = game.rules.stacked, RANKS[: game.rules.ranks]
        reserve = [position.reserve] if stacked else [(card,) for card in position.reserve]
        fronts = [_ranks(cards) for cards in (*position.columns, *reserve)]
        near = [[number for number, top in enumerate(ranks) if game.next_to(rank, top)] for rank in ranks]
        count = 0
        for reached in sweep(fronts, _ranks(position.stock), ranks.index(position.hole[0]), near):
            count += sum(map(int.bit_count, reached))
        tuple_count = prod(len(front) + 1 for front in fronts)
        if any(tuples.bit_length() == tuple_count for tuples in reached):
            raise InvalidEvidence(1, "the game can be won")
        check_positions(count, self.positions)


def _ranks(cards: Sequence[str]) -> list[int]:
    return [RANKS.index(card[0]) for card in cards]


def sweep(fronts: list[list[int]], stock: list[int], hole: int, near: list[list[int]]) -> Iterator[list[int]]:
    """Yield, for each number of cards that have left the stock, from none to all, the tuples that can be reached with
    each rank on top of the hole. All cards are ranks, and `near` are those that can lie below each in the hole. The
    first bit is that of the tuple with all cards."""
    weights = list(accumulate((len(front) + 1 for front in fronts), mul, initial=1))
    tuples = weights[-1]
    tops: list[list[tuple[int, int]]] = [[] for _ in near]
    for front, weight in zip(fronts, weights, strict=False):
        for rank in set(front):
            tops[rank].append((weight, _tops(front, rank, weight, tuples)))
    latest = [int(rank == hole) for rank in range(len(near))]
    for card in (*stock, None):
        reached = [0] * len(near)
        while any(latest):
            reached = list(map(or_, reached, latest))
            before = [reduce(or_, (latest[number] for number in numbers), 0) for numbers in near]
            for rank, below in enumerate(before):
                after = reduce(or_, ((below & top) << weight for weight, top in tops[rank]), 0)
                latest[rank] = after ^ after & reached[rank]
        yield reached
        latest = [reduce(or_, reached) * (rank == card) for rank in range(len(near))]


def _tops(front: list[int], rank: int, weight: int, tuples: int) -> int:
    """Return all tuples in which a card with this rank can be taken from a front."""
    period = weight * (len(front) + 1)
    tops = sum((1 << weight) - 1 << weight * gone for gone, card in enumerate(reversed(front)) if card == rank)
    for doublings in range((tuples // period).bit_length()):
        tops |= tops << (period << doublings)
    return tops & (1 << tuples) - 1


def can_be_swept(rules: Rules) -> bool:
    """Return whether cards go nowhere but into the hole, from few fronts and a stock whose order is fixed."""
    into_hole = rules.hole != "none" and rules.build == "none" and rules.spaces == "none" and rules.cells == 0
    return into_hole and (rules.stock == 0 or rules.to == "hole") and rules.most_tuples <= MAX_TUPLES
