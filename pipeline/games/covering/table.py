"""A covering game in play: a position after some moves, its legal moves, and its picture with links."""

from collections.abc import Mapping, Sequence

from dealmill.cards import Marks
from dealmill.game import Choice, Link, Scene
from dealmill.pipeline.games.covering.drawing import table
from dealmill.pipeline.games.covering.picture import board, told
from dealmill.pipeline.games.covering.referee import Referee
from dealmill.pipeline.games.covering.rules import written
from dealmill.referees import NO_MOVES


class Table:
    """A position of a game in play."""

    def __init__(self, referee: Referee, layout: str, moves: Sequence[str] = ()) -> None:
        """Play some moves from a layout.

        Raises
        ------
        InvalidEvidence
            If a word is not a move, or the rules do not allow it.
        """
        self.referee = referee
        self.position = referee.position(layout)
        for play, _ in referee.replayed(self.position, " ".join(moves) or NO_MOVES):
            self.position = play.after

    @property
    def layout(self) -> str:
        """The position as a layout."""
        return written(self.referee.rules, self.position)

    @property
    def won(self) -> bool:
        """Whether the game is won."""
        return self.referee.won(self.position)

    @property
    def choices(self) -> list[Choice]:
        """The legal moves."""
        plays = list(self.referee.plays(self.position))
        return [Choice(play.word, play.cards[0], play.cards[1:], told(play, self.position)) for play in plays]

    def scene(self, links: Mapping[str, Link], moved: Sequence[str]) -> Scene:
        """Return the picture, with links on cards, and a ring around the cards `moved`."""
        alt = " ".join(board(self.referee, self.position).split())
        return table(self.referee.rules, self.position, Marks(moved, links=links), "The table.", f"{alt}.")
