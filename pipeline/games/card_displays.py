"""What the displays of families of card games share: positions and evidence as text and as pictures, step by step, and
games in play."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from textwrap import fill
from typing import Any, Generic, NamedTuple

from dealmill.pipeline.games.card_pictures import Marks
from dealmill.pipeline.games.functions import Choice, Link
from dealmill.pipeline.games.pictures import Scene, rank_name
from dealmill.pipeline.games.play_pictures import caption_of_plays, grid_of_plays, rows_of_plays
from dealmill.pipeline.games.player import read_plays
from dealmill.pipeline.games.referee import NO_MOVES, Judge, PositionT
from dealmill.pipeline.games.verdict import Verdict

LINE = 90
"""The most characters of a line of text."""
IDLE, HIDDEN = " .", "##"
"""Cards that do not matter, and cards whose backs are seen, in text."""
LAYOUT = "The layout."
"""The caption of the first step."""
SUIT_NAMES = {"C": "clubs", "H": "hearts", "S": "spades", "D": "diamonds"}


class Step(NamedTuple):
    """The table after a move, or before the first one; or which plays of the careful player are won."""

    position: Any
    marks: Marks
    caption: str
    proves: str = ""
    wins: Sequence[bool] = ()


class Display(ABC, Generic[PositionT]):
    """Positions and evidence of a card game. The game says how its table is drawn and its moves are described."""

    def __init__(self, referee: Judge[PositionT, Any]) -> None:
        self.referee = referee

    def frames(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
        """Yield the layout, then the table after each move of a win, why it is lost, or which plays are won.

        Raises
        ------
        InvalidEvidence
            If a move cannot be read or breaks a rule, or the evidence proves nothing.
        """
        for step in self._steps(layout, verdict, evidence):
            drawn = rows_of_plays(step.wins) if step.wins else self.board(step.position, step.marks.idle)
            legend = f"\n\n{fill(self.legend, LINE)}" if step.caption == LAYOUT else ""
            yield f"{drawn}\n\n{fill(step.caption, LINE)}{legend}"

    def scenes(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
        """Yield the same as pictures.

        Raises
        ------
        InvalidEvidence
            If a move cannot be read or breaks a rule, or the evidence proves nothing.
        """
        return map(self._scene, self._steps(layout, verdict, evidence))

    def _scene(self, step: Step) -> Scene:
        """Return the picture of a step: the plays, or the table. A proof shows all cards."""
        alt, closed_alt = (
            f"{' '.join(self.board(step.position, closed=closed).split())}. {step.caption}" for closed in (False, True)
        )
        drawn = self.table(step.position, step.marks, step.caption, alt, step.proves)
        if step.wins:
            return grid_of_plays(drawn.width, drawn.height, step.wins, step.caption)
        return replace(drawn, closed_alt="" if step.proves or alt == closed_alt else closed_alt)

    def _steps(self, layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Step]:
        position = self.referee.position(layout)
        yield Step(position, Marks(), LAYOUT)
        if evidence is None:
            return
        if verdict is Verdict.SCORED:
            [share] = self.referee.explained(layout, verdict, evidence)
            yield Step(position, Marks(), caption_of_plays(share), wins=read_plays(evidence))
        elif verdict is Verdict.UNWINNABLE:
            yield from self.steps_of_loss(layout, position, evidence)
        elif verdict is Verdict.WINNABLE:
            self.referee("winnable", layout, verdict, None, evidence)
            yield from self._steps_of_win(position, evidence)

    def _steps_of_win(self, position: PositionT, evidence: str) -> Iterator[Step]:
        if evidence == NO_MOVES:
            yield Step(position, Marks(), f"{self.caption_of_win}: won without a move.")
        for number, (play, before) in enumerate(self.referee.replayed(position, evidence), start=1):
            won = f" {self.caption_of_win}: won." if self.referee.won(play.after) else ""
            caption = f"Move {number}, {self.with_word(play, before)}.{won}"
            yield Step(play.after, Marks(self.moved_names(play)), caption)

    def with_word(self, play: Any, before: PositionT) -> str:
        """Return a move as its word and in words."""
        return f"{play.word}: {self.describe(play, before)}"

    def moved_names(self, play: Any) -> Sequence[str]:
        """Return the names of the cards of a move in the picture after it."""
        cards: Sequence[str] = play.cards
        return cards

    @abstractmethod
    def steps_of_loss(self, layout: str, position: PositionT, evidence: str) -> Iterator[Step]:
        """Yield why a position is lost, and then the positions that can be reached, if there are few. Their number is
        checked then."""

    @abstractmethod
    def describe(self, play: Any, before: PositionT) -> str:
        """Return a move in words."""

    @abstractmethod
    def board(self, position: PositionT, idle: Set[str] = frozenset(), *, closed: bool = False) -> str:
        """Return the table as text; cards that lie face down have a small letter, and dots stand for idle cards. If it
        is `closed`, cards that lie face down and those of the stock are hidden."""

    @abstractmethod
    def table(self, position: PositionT, marks: Marks, caption: str, alt: str, proves: str = "") -> Scene:
        """Return the table as a picture, with a text that describes it."""

    @property
    @abstractmethod
    def legend(self) -> str:
        """How the board of a layout is read."""

    @property
    @abstractmethod
    def caption_of_win(self) -> str:
        """What is so if the game is won."""


class CardTable(ABC, Generic[PositionT]):
    """A position of a card game in play, a `dealmill.pipeline.games.functions.Table`. The game says what its layout and
    its legal moves are."""

    def __init__(self, display: Display[PositionT], layout: str, moves: Sequence[str] = ()) -> None:
        """Play some moves from a layout.

        Raises
        ------
        InvalidEvidence
            If a word is not a move, or the rules do not allow it.
        """
        self.display, self.referee = display, display.referee
        self.position = self.referee.position(layout)
        for play, _ in self.referee.replayed(self.position, " ".join(moves) or NO_MOVES):
            self.position = play.after

    @property
    def won(self) -> bool:
        """Whether the game is won."""
        return self.referee.won(self.position)

    def scene(self, links: Mapping[str, Link], moved: Sequence[str]) -> Scene:
        """Return the picture, with links on cards and places, and a ring around the cards `moved`."""
        alt = " ".join(self.display.board(self.position).split())
        return self.display.table(self.position, Marks(moved, links=links), "The table.", f"{alt}.")

    @property
    @abstractmethod
    def layout(self) -> str:
        """The position as a layout."""

    @property
    @abstractmethod
    def choices(self) -> list[Choice]:
        """The legal moves, each once."""


def card_name(card: str) -> str:
    """Return the name of a card, such as ``queen of hearts``."""
    return f"{rank_name(card[0])} of {SUIT_NAMES[card[1]]}"
