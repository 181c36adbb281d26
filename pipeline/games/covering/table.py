"""A covering game in play: a position after some moves, its legal moves, and its picture with links."""

from dealmill.cards import CardTable
from dealmill.game import Choice
from dealmill.pipeline.games.covering.referee import Referee
from dealmill.pipeline.games.covering.rules import Position, written


class Table(CardTable[Position]):
    """A position of a covering game in play."""

    referee: Referee

    @property
    def layout(self) -> str:
        return written(self.referee.rules, self.position)

    @property
    def choices(self) -> list[Choice]:
        plays = list(self.referee.plays(self.position))
        return [
            Choice(play.word, play.cards[0], play.cards[1:], self.display.describe(play, self.position))
            for play in plays
        ]
