"""Losses that are proved by a number of positions beyond which nothing is won even in a relaxed game.

The evidence is ``cut * 1357``: the positions that can be reached if *safe* cards go to their foundations at once, and
no move is made in a position that is *refuted*; none of them is won. See docs/proofs/cut.md for the definitions, and
for the reason why a game that can be won is still won then.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.pipeline.games.patience.losses.counted import CountedLoss, read_whole_count
from dealmill.pipeline.games.patience.losses.safe import KNOWN_RULES, SafeMoves
from dealmill.pipeline.games.patience.losses.visits import Visit
from dealmill.pipeline.games.patience.moves import Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import SUITS, Rules
from dealmill.verdicts import InvalidEvidence

RELAXED_MOVES = "Even if no move ever covered a card again"
REFUTED = f"{RELAXED_MOVES}, not all cards could go to the foundations."


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
            relaxed = Relaxed(moves, visit.position)
            yield visit if relaxed.is_won else visit._replace(end=relaxed.reason, stuck=frozenset(relaxed.stuck))


@dataclass(frozen=True)
class CutMoves(SafeMoves):
    """The moves of a game in which safe cards go up at once and refuted positions have no move."""

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield all moves, unless the position is refuted."""
        if not self.is_refuted(position):
            yield from super().plays(position)

    def is_refuted(self, position: Position) -> bool:
        """Return whether not all cards go up in the relaxed game, in which whatever once holds stays true: that a card
        is bare, that it has left the card or place on which it lies, that it is up, that there is an empty column."""
        return not Relaxed(self, position).is_won


class Relaxed:
    """The relaxed game from a position, played to its end: `heights` are the cards on each foundation."""

    def __init__(self, moves: Moves, position: Position) -> None:
        """Play it."""
        self.moves, self.rules, self.position = moves, moves.rules, position
        self.below = self.rules.cards_below(position.base)
        self.heights = list(position.foundations)
        self.following = [self._next(pile) for pile in range(len(self.heights))]
        self.up = {card for pile in moves.foundations(position) for card in pile}
        self.bare = self.up.union(card for (card,), _ in moves.offered(position))
        self.reserve = list(position.reserve) if self.rules.stacked else []
        if not self.rules.stacked:
            self.bare.update(position.reserve)
        self.stock = set(position.stock)
        if self.rules.to == "tableau":
            self.bare |= self.stock
        self.space = () in position.columns
        self.lifted, self.left = dict[str, tuple[tuple[str, ...], int]](), set[str]()
        for column in filter(None, position.columns):
            self._bare(column, len(column) - 1)
        before = None
        while before != (reached := self._reached()):
            before = reached
            self._play()

    @property
    def is_won(self) -> bool:
        """Whether all cards go up."""
        suits = range(len(SUITS))
        return all(sum(self.heights[suit :: len(SUITS)]) >= self.rules.ranks for suit in suits)

    @property
    def stuck(self) -> list[str]:
        """The cards in the columns that never leave what they lie on."""
        return [card.upper() for column in self.position.columns for card in column if card.upper() not in self.left]

    @property
    def reason(self) -> str:
        """Why the position is lost, in words."""
        if not self.stuck:
            return REFUTED
        cards = f"these {len(self.stuck)} cards" if len(self.stuck) > 1 else "this card"
        return f"{RELAXED_MOVES}, {cards} could never move: {' '.join(self.stuck)}."

    def _reached(self) -> tuple[int, ...]:
        """Return how far the game is: a number is another one as soon as anything has happened."""
        return len(self.bare), len(self.left), len(self.reserve), sum(self.heights), self.space

    def _play(self) -> None:
        """Let everything happen that can, once."""
        for card in [card for card in self.lifted if self._leaves(card)]:
            column, number = self.lifted.pop(card)
            self.left.add(card)
            if number:
                self._bare(column, number - 1)
            else:
                self.space = True
        if self.reserve:
            self.bare.add(self.reserve[-1])
            if self._leaves(self.reserve[-1]):
                self.reserve.pop()
        if any(self._leaves(card) for card in self.stock & self.bare):
            self.bare |= self.stock
        for pile in range(len(self.following)):
            while (card := self.following[pile]) in self.bare:
                self.up.add(card)
                self.heights[pile] += 1
                self.following[pile] = self._next(pile)

    def _bare(self, column: tuple[str, ...], number: int) -> None:
        """Let a card of a column be bare: it can be lifted now, and so can those below it that move along with it."""
        card = column[number].upper()
        self.bare.add(card)
        while card not in self.lifted and card not in self.left:
            self.lifted[card] = column, number
            if number and self.moves.move_together(card, column[number - 1], self.position.base):
                number -= 1
                card = column[number]

    def _next(self, pile: int) -> str:
        """Return the next card of a foundation; an empty text if it has all."""
        height = self.heights[pile]
        return self.rules.next_card(pile, height, self.position.base) if height < self.rules.ranks else ""

    def _leaves(self, card: str) -> bool:
        """Return whether a card that can be lifted has somewhere to go."""
        return (
            card in self.up
            or not self.below[card].isdisjoint(self.bare)
            or (self.space and self.moves.fills(card, self.position.base))
        )


def cut_proves_losses(rules: Rules) -> bool:
    """Return whether such evidence proves losses by some rules: all that they say is known, cards go to foundations one
    by one, and there are no cells, with which every card could be bared. If foundations are built in both directions,
    single cards move, all are in the columns, and ranks do not wrap."""
    is_known = rules.__dataclass_fields__.keys() == KNOWN_RULES and rules.move in ("card", "run", "any")
    places = rules.spaces in ("any", "kings", "none", "reserve") and rules.to in ("waste", "tableau")
    foundations = rules.hole == "none" and rules.copies == 1 and not rules.complete
    single = rules.move == "card" and rules.stock == rules.reserve == 0 and not rules.build_wraps
    order = rules.is_built_in_order or (rules.has_downward_piles and single)
    return is_known and places and foundations and rules.cells == 0 and order


def read_cut(rules: Rules, evidence: str) -> CutLoss:
    """Return what evidence claims, without its first word and without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    if not cut_proves_losses(rules):
        raise InvalidEvidence(1, f"a relaxed game proves nothing in {rules.name}")
    return CutLoss(*read_whole_count(rules, evidence, "cut * 1357"))
