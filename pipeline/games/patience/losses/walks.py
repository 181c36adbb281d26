"""Losses of games such as Black Hole: positions by ranks, cut off where no walk is possible.

The evidence is ``walks * 7276``. Suits do not matter in a game with a hole in which no card lies on another one but as
it was dealt, nor does it matter which cells are taken. A *walk* is an order in which all cards that are left could go
into the hole if none of them lay on another. Positions without one are lost, so their moves are not followed. The first
position is counted, and all that have a walk and follow a counted one with a walk. See docs/proofs/holes.md.
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from dealmill.pipeline.games.patience.losses.counted import MAX_COMPILED, reached, visited
from dealmill.pipeline.games.patience.losses.visits import Visit
from dealmill.pipeline.games.patience.moves import Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules
from dealmill.verdicts import InvalidEvidence, check_positions

FORM = "walks"
NO_WALK = "After any move, the cards that are left could not all go into the hole even if none lay on another."


class WalkLoss(NamedTuple):
    """The evidence of a loss: the number of positions, by ranks, from which a walk is possible."""

    positions: int

    @property
    def visited(self) -> int:
        """How many positions plain Python visits, each by itself."""
        return self.positions

    @property
    def cards(self) -> list[str]:
        """All cards matter."""
        return []

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        count = "1 position" if self.positions == 1 else f"{self.positions:,} positions"
        return (
            f"Apart from suits, {count} can be reached before the cards that are left could not all go into the hole "
            "even if none lay on another, and none of them is won."
        )

    def idle_cards(self, _rules: Rules, _position: Position) -> frozenset[str]:
        """Return no card: all matter."""
        return frozenset()

    def counts(self, game: Moves, position: Position, limit: int) -> Iterator[int]:
        """Yield how many positions can be reached without a move, with at most one, and so on, see `reached`."""
        return reached(ByRanks(game.rules), position, limit)

    def check(self, game: Moves, position: Position) -> None:
        """Visit the positions: none is won, and their number is the evidence.

        Raises
        ------
        InvalidEvidence
            If it is not so.
        """
        check_positions(max(self.counts(game, position, self.positions)), self.positions)

    def visits(self, game: Moves, position: Position) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, the first one first, those after its moves next."""
        return visited(ByRanks(game.rules), position, NO_WALK)


class ByRanks(Moves):
    """The moves between positions from which a walk is possible. Positions with the same ranks have the same key."""

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield the moves of a position that has a walk to others that have one."""
        if self.has_walk(position):
            yield from (play for play in super().plays(position) if self.has_walk(play.after))

    def key(self, position: Position) -> Position:
        """Return one position for all with the same ranks. If cards may go to empty columns, one that is alone in a
        column counts as if it was in a cell."""
        alone = 1 if self.rules.spaces == "any" else 0
        columns = [tuple(card[0] + SUITS[0] for card in column) for column in position.columns]
        cells = [card[0] + SUITS[0] for card in position.cells]
        cells += [column[0] for column in columns if 0 < len(column) <= alone]
        return position._replace(
            columns=tuple(sorted(column for column in columns if len(column) > alone)),
            cells=tuple(sorted(cells)),
            hole=position.hole[0] + SUITS[0],
        )

    def has_walk(self, position: Position) -> bool:
        """Return whether all cards that are left could go into the hole if none of them lay on another: see
        docs/proofs/holes.md. Ranks are counted from that on top of the hole."""
        ranks = RANKS[: self.rules.ranks]
        hole = ranks.index(position.hole[0])
        cards = [*sum(position.columns, ()), *position.cells]
        left = [0] * len(ranks)
        for card in cards:
            left[(ranks.index(card[0]) - hole) % len(ranks)] += 1
        return any(_can_end(left, end) for end in range(len(ranks)))


def _can_end(left: list[int], end: int) -> bool:
    """Return whether a walk over the cards that are left of each rank around a circle, which begins at the first rank,
    can end at this one."""
    ends = [2 * count + (rank == 0) - (rank == end) for rank, count in enumerate(left)]
    last = sum(ends[-1::-2]) - sum(ends[-2::-2])  # twice the steps between the last rank and the first
    steps = list(accumulate(ends, lambda before, both: both - before, initial=last // 2))[1:]
    if min(steps) < 0:
        return False
    joined = {0}
    for number, step in enumerate(steps):
        if not step:
            break
        joined.add((number + 1) % len(left))
    for number in reversed(range(len(left))):
        if not steps[number]:
            break
        joined.add(number)
    return all(rank in joined for rank, count in enumerate(left) if count)


def walks_prove_losses(rules: Rules) -> bool:
    """Return whether all cards are left in columns or cells until they go into the hole, one by one, and an odd number
    of ranks are around a circle."""
    single = rules.move == "card" or rules.spaces == "none"
    into_hole = rules.hole != "none" and rules.build == "none" and rules.spaces in ("none", "any") and single
    return into_hole and rules.stock == 0 and rules.reserve == 0 and rules.wrap and rules.ranks % 2 == 1


def read_walks(rules: Rules, evidence: str) -> WalkLoss:
    """Return what evidence of this form claims, without visiting the positions; it lacks the word of the form.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    words = re.fullmatch(r"\* ([1-9]\d{0,9})", evidence, re.ASCII)
    if not words:
        shown = f"{FORM} {evidence}"[:40]
        raise InvalidEvidence(1, f"{shown!r} is not the evidence of a loss, such as {FORM} * 7276")
    positions = int(words[1])
    if positions > MAX_COMPILED:
        raise InvalidEvidence(1, f"it claims {positions:,} positions, more than the limit of {MAX_COMPILED:,}")
    if not walks_prove_losses(rules):
        raise InvalidEvidence(1, f"walks prove nothing in {rules.name}")
    return WalkLoss(positions)
