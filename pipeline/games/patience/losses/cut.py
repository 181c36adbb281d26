"""Losses that are proved by a number of positions beyond which nothing is won even in a relaxed game.

The evidence is ``cut * 1357``: the positions that can be reached if *safe* cards go to their foundations at once, and
no move is made in a position that is *refuted*; none of them is won. See docs/proofs/cut.md for the definitions, and
for the reason why a game that can be won is still won then.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.pipeline.games.patience.losses.counted import CountedLoss, read_counted
from dealmill.pipeline.games.patience.losses.visits import Visit
from dealmill.pipeline.games.patience.moves import Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, RED, SUITS, UNLIMITED, Rules, cards_below
from dealmill.verdicts import InvalidEvidence

KNOWN_RULES = {
    *("name", "title", "family", "numbers", "decks", "suits", "ranks", "sizes", "deal", "face_down", "build", "move"),
    *("run", "spaces", "foundations", "initial", "removable", "complete", "cells", "filled", "reserve", "stacked"),
    *("stock", "to", "full_columns", "draw", "passes", "hole", "wrap"),
}
"""The rules that the proof considers: with any other one, a card might move in a way that `CutMoves` does not know."""
REFUTED = "Even if no move ever covered a card again, not all cards could go to the foundations."


class CutLoss(CountedLoss):
    """The evidence of such a loss."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        return (
            f"{super().reason} No move is made where not all cards could go up even if no move ever covered a card "
            "again, and cards that nobody needs go up at once."
        )

    def easier(self, game: Moves, position: Position) -> tuple[Moves, Position]:
        """Return the moves that are counted, and the first position."""
        moves = CutMoves(game.rules)
        return moves, moves.settled(position)

    def visits(self, game: Moves, position: Position) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, the first one first, those after its moves next."""
        moves = CutMoves(game.rules)
        for visit in super().visits(game, position):
            yield visit._replace(end=REFUTED) if moves.is_refuted(visit.position) else visit


@dataclass(frozen=True)
class CutMoves(Moves):
    """The moves of a game in which safe cards go up at once and refuted positions have no move."""

    def settled(self, position: Position) -> Position:
        """Return a position after all that happens without a move: whatever does in the game; then the first safe card
        goes up, in the order of suits; and so on."""
        while True:
            position = super().settled(position)
            safe = self._safe_cards(position) if safe_cards_are_known(self.rules) else {}
            if not safe:
                return position
            suit = min(safe)
            counts = (*position.foundations[:suit], position.foundations[suit] + 1, *position.foundations[suit + 1 :])
            position = safe[suit]._replace(foundations=counts)

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield all moves, unless the position is refuted."""
        if not self.is_refuted(position):
            yield from super().plays(position)

    def _safe_cards(self, position: Position) -> dict[int, Position]:
        """Return the position without each safe card that can be moved, by its suit."""
        rules, safe = self.rules, dict[int, Position]()
        sources = list(self.uncovered(position))
        if rules.draw == 1 and rules.passes == UNLIMITED:
            sources += self.offered(position)
        for (card, *others), rest in sources:
            suit = SUITS.index(card[1])
            height = position.foundations[suit]
            is_next = height < rules.ranks and card == rules.of_foundation(height, card[1], position.base)
            if is_next and not others and self._is_safe(suit, position.foundations):
                safe[suit] = rest
        return safe

    def _is_safe(self, suit: int, heights: tuple[int, ...]) -> bool:
        """Return whether no card needs the next one of a suit as a place: each that fits it is up or could go up, and
        so are those that fit these."""
        rules, height = self.rules, heights[suit]
        if rules.build in ("same-suit", "none"):
            return True
        for second, count in enumerate(heights):
            same_colour = (SUITS[second] in RED) == (SUITS[suit] in RED)
            if rules.move == "any":
                missing = height - count if rules.build == "any-suit" or not same_colour else 0
                if rules.removable or missing > 0:
                    return False
            elif count < height - (2 if same_colour and rules.build == "red-black" else 1):
                return False
        return True

    def is_refuted(self, position: Position) -> bool:
        """Return whether not all cards go up in the relaxed game, in which whatever once holds stays true: that a card
        is bare, that it has left the card or place on which it lies, that it is up, that there is an empty column."""
        return sum(Relaxed(self, position).heights) < len(SUITS) * self.rules.ranks


class Relaxed:
    """The relaxed game from a position, played to its end: `heights` are the cards on each foundation."""

    def __init__(self, moves: Moves, position: Position) -> None:
        """Play it."""
        self.moves, self.rules, self.position = moves, moves.rules, position
        self.heights = list(position.foundations)
        self.below = cards_below(self.rules.build, self.rules.ranks, position.base)
        self.left = set[str]()
        self.space = () in position.columns
        self.reserve = list(position.reserve) if self.rules.stacked else []
        self.bare = {card for (card,), _ in moves.offered(position)}
        self.bare |= {card for pile in moves.foundations(position) for card in pile}
        if not self.rules.stacked:
            self.bare |= set(position.reserve)
        if self.rules.to == "tableau":
            self.bare |= set(position.stock)
        before = None
        while before != (reached := self._reached()):
            before = reached
            self._play()

    def _reached(self) -> tuple[int, ...]:
        """Return how far the game is: a number is another one as soon as anything has happened."""
        return len(self.bare), len(self.left), len(self.reserve), sum(self.heights), self.space

    def _play(self) -> None:
        """Let everything happen that can, once."""
        for column in self.position.columns:
            self._take_apart(column)
        self.bare |= set(self.reserve[-1:])
        filling = self.rules.spaces == "reserve" and self.space
        if self.reserve and (filling or self._leaves(self.reserve[-1])):
            self.reserve.pop()
        stock = set(self.position.stock)
        if any(self._leaves(card) for card in stock & self.bare):
            self.bare |= stock
        for suit, height in enumerate(self.heights):
            if height < self.rules.ranks:
                following = self.rules.of_foundation(height, SUITS[suit], self.position.base)
                self.heights[suit] += following in self.bare

    def _take_apart(self, column: tuple[str, ...]) -> None:
        """Let cards leave what they lie on, from the top of a column down to the first that cannot be lifted, neither
        alone nor with those above it."""
        above = ""
        for number in reversed(range(len(column))):
            card = column[number].upper()
            if not above or above in self.left:
                self.bare.add(card)
            elif not self.moves.move_together(above, column[number], self.position.base):
                return
            if self._leaves(card):
                self.left.add(card)
                self.space = self.space or number == 0
            above = card

    def _leaves(self, card: str) -> bool:
        """Return whether a card that can be lifted has somewhere to go."""
        number = (RANKS.index(card[0]) - self.position.base) % self.rules.ranks
        is_up = card in self.bare and number < self.heights[SUITS.index(card[1])]
        fits = not self.below[card].isdisjoint(self.bare)
        fills = self.space and self.moves.fills(card, self.position.base)
        return is_up or fits or fills


def cut_proves_losses(rules: Rules) -> bool:
    """Return whether such evidence proves losses by some rules: all that they say is known, cards go to foundations one
    by one, and there are no cells, with which every card could be bared."""
    is_known = vars(rules).keys() == KNOWN_RULES and rules.move in ("card", "run", "any")
    places = rules.spaces in ("any", "kings", "none", "reserve") and rules.to in ("waste", "tableau")
    foundations = rules.hole == "none" and rules.copies == 1 and not rules.complete
    return is_known and places and foundations and rules.cells == 0


def safe_cards_are_known(rules: Rules) -> bool:
    """Return whether safe cards go up at once by some rules: not where an empty column can do harm, nor where a card
    could carry away others that do not fit it."""
    is_run = rules.move != "run" or rules.run in ("build", rules.build) or rules.build == "any-suit"
    if rules.to == "tableau":
        is_run = rules.move in ("card", "run") and rules.run == "build" and rules.spaces != "reserve"
    return is_run and not rules.full_columns


def read_cut(rules: Rules, evidence: str) -> CutLoss:
    """Return what evidence claims, without its first word and without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    if not cut_proves_losses(rules):
        raise InvalidEvidence(1, f"a relaxed game proves nothing in {rules.name}")
    loss = read_counted(rules, evidence, "cut ")
    if loss.live is not None:
        raise InvalidEvidence(1, "all cards matter in this form: it is like cut * 1357")
    return CutLoss(*loss)
