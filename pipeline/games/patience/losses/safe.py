"""Losses that are proved by a number of positions in which cards that nobody needs have gone to their foundations.

The evidence is ``safe * 25797``: the positions that can be reached if *safe* cards go up at once, none of which is won;
or ``safe *6C4H5H6S 57``, those of an easier game, see `losses.counted`, in which they do so, too. See
docs/proofs/safe.md for the reason why a game that can be won is still won then.
"""

from dataclasses import dataclass
from functools import cache

from dealmill.pipeline.games.patience.losses.counted import CountedLoss, read_counted
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import SUITS, UNLIMITED, Rules
from dealmill.verdicts import InvalidEvidence

KNOWN_RULES = {
    *("name", "title", "family", "numbers", "decks", "suits", "ranks", "sizes", "deal", "face_down", "build", "move"),
    *("run", "spaces", "foundations", "initial", "removable", "complete", "cells", "filled", "reserve", "stacked"),
    *("stock", "to", "full_columns", "draw", "passes", "hole", "wrap", "build_wraps", "direction"),
    "foundation_direction",
}
"""The rules that the proofs consider: with any other one, a card might move in a way that they do not know."""


class SafeLoss(CountedLoss):
    """The evidence of such a loss."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        return f"{super().reason} Cards that nobody needs go up at once."

    def easier(self, game: Moves, position: Position) -> tuple[Moves, Position]:
        """Return the moves that are counted, and the first position."""
        moves = SafeMoves(game.rules, self.idle_cards(game.rules, position))
        return moves, moves.settled(position)


@dataclass(frozen=True)
class SafeMoves(Moves):
    """The moves of a game in which safe cards go up at once."""

    def settled(self, position: Position) -> Position:
        """Return a position after all that happens without a move: whatever does in the game; then the first safe card
        goes up, in the order of suits; and so on."""
        while True:
            position = super().settled(position)
            safe = self._safe_cards(position) if safe_cards_are_known(self.rules) else {}
            if not safe:
                return position
            pile = min(safe)
            counts = (*position.foundations[:pile], position.foundations[pile] + 1, *position.foundations[pile + 1 :])
            position = safe[pile]._replace(foundations=counts)

    def _safe_cards(self, position: Position) -> dict[int, Position]:
        """Return the position without each safe card that can be moved, by the foundation to which it goes."""
        rules, heights = self.rules, position.foundations
        piles = {
            rules.next_card(pile, height, position.base): pile
            for pile, height in reversed([*enumerate(heights)])
            if self._is_safe(pile % len(SUITS), heights)
        }
        near = {column[-1] for column in position.columns if column}.union(position.cells, position.reserve)
        if near.union(position.stock).isdisjoint(piles):
            return {}
        sources = list(self.uncovered(position))
        if rules.draw == 1 and rules.passes == UNLIMITED:
            sources += self.offered(position)
        return {piles[card]: rest for (card, *others), rest in sources if card in piles and not others}

    def _is_safe(self, suit: int, heights: tuple[int, ...]) -> bool:
        """Return whether no card needs the next one of a suit as a place: each that fits it is up or could go up, and
        so are those that fit these."""
        rules, height = self.rules, heights[suit]
        lags = lags_of_suits(rules.suits_below)[suit]
        if rules.move == "any":
            fitting = [heights[second] for second, lag in lags.items() if lag == 1]
            return not fitting or (not rules.removable and min(fitting) >= height)
        return all(heights[second] >= height - lag for second, lag in lags.items())


@cache
def lags_of_suits(suits_below: tuple[str, ...]) -> list[dict[int, int]]:
    """Return, for a card of each suit, how many ranks lower the highest cards of other suits are that fit it, or fit
    one that fits it, and so on; without the suits of which there is none."""
    lags = []
    for suit in range(len(SUITS)):
        steps, lag, reached = {suit: 0}, 0, {suit}
        while reached:
            lag += 1
            reached = {
                second for second, below in enumerate(suits_below) if any(SUITS[first] in below for first in steps)
            }.difference(steps)
            steps |= dict.fromkeys(reached, lag)
        del steps[suit]
        lags.append(steps)
    return lags


def safe_cards_are_known(rules: Rules) -> bool:
    """Return whether safe cards go up at once by some rules: not where an empty column can do harm, nor where a card
    could carry away others that do not fit it; nor, if foundations are built in both directions, where cards of other
    suits fit each other."""
    if rules.has_downward_piles:
        return rules.move == "card" and rules.build in ("same-suit", "none")
    is_run = rules.move != "run" or not rules.has_looser_runs
    if rules.to == "tableau":
        is_run = rules.move in ("card", "run") and rules.run == "build" and rules.spaces != "reserve"
    return is_run and not rules.full_columns


def safe_cards_prove_losses(rules: Rules) -> bool:
    """Return whether such evidence proves losses by some rules: all that they say is known, and cards move one by one,
    face up, between columns and cells, and to foundations from which none comes back."""
    is_known = rules.__dataclass_fields__.keys() == KNOWN_RULES and rules.move == "card" and rules.face_down == "none"
    places = rules.spaces in ("any", "kings", "none") and rules.stock == rules.reserve == 0 and rules.to == "waste"
    foundations = rules.hole == "none" and rules.copies == 1 and not rules.complete and not rules.removable
    return is_known and places and foundations and rules.is_built_in_order


def read_safe(rules: Rules, evidence: str) -> SafeLoss:
    """Return what evidence claims, without its first word and without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    if not safe_cards_prove_losses(rules):
        raise InvalidEvidence(1, f"a count with safe cards proves nothing in {rules.name}")
    loss = read_counted(rules, evidence, "safe ")
    if loss.absent_at_once:
        raise InvalidEvidence(1, "cards leave as soon as they can be moved in this form: it is like safe *6C4H5H6S 57")
    return SafeLoss(*loss)
