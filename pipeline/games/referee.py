"""What the referees of families of card games share: which claims they judge, and how the moves of a win are replayed.

Checkers take this module along, so it imports nothing but the standard library and verdicts.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

NO_MOVES = "-"
"""The evidence of a win without moves."""


class Made(Protocol):
    """A move that is made: `after` is the position after it."""

    @property
    def after(self) -> Any:
        """The position after it."""


PositionT = TypeVar("PositionT")
PlayT = TypeVar("PlayT", bound=Made)


class Judge(ABC, Generic[PositionT, PlayT]):
    """A referee of games that are won or lost. The game says what its positions, moves and losses are."""

    def __call__(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        """Replay the moves of a win, or check the evidence of a loss.

        Raises
        ------
        InvalidEvidence
            If the evidence does not prove the verdict; at step 0, if the text is not a position.
        Unchecked
            If a loss has too many positions for plain Python.
        """
        position = self.position(layout)
        if engine != "winnable" or value is not None:
            raise InvalidEvidence(0, f"{engine} does not give value {value}")
        if verdict is Verdict.WINNABLE:
            self._check_win(position, evidence)
        elif verdict is Verdict.UNWINNABLE:
            self.check_loss(position, evidence)
        else:
            raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")

    @abstractmethod
    def position(self, text: str) -> PositionT:
        """Return the position that a canonical text describes.

        Raises
        ------
        InvalidEvidence
            At step 0, if the text is not the canonical text of a position; it says why.
        """

    @abstractmethod
    def won(self, position: PositionT) -> bool:
        """Return whether the game is won."""

    @property
    @abstractmethod
    def form_of_moves(self) -> tuple[str, str]:
        """The regular expression of the word for a move, and examples."""

    @abstractmethod
    def play(self, position: PositionT, word: str) -> PlayT | None:
        """Return the move for a word, or None if the rules do not allow it."""

    @abstractmethod
    def check_loss(self, position: PositionT, evidence: str) -> None:
        """Check the evidence of a loss."""

    @abstractmethod
    def explained(self, layout: str, verdict: Verdict, evidence: str) -> Iterator[str]:
        """Yield, in words, what evidence that was checked says of a loss, with its positions if there are few."""

    def replayed(self, position: PositionT, evidence: str) -> Iterator[tuple[PlayT, PositionT]]:
        """Yield each move of a win with the position before it. `NO_MOVES` is a win without moves.

        Raises
        ------
        InvalidEvidence
            If a word is not a move.
        IllegalMove
            If the rules do not allow a move.
        """
        form, examples = self.form_of_moves
        pattern = re.compile(form, re.ASCII)
        for step, word in enumerate([] if evidence == NO_MOVES else evidence.split(" "), start=1):
            if not pattern.fullmatch(word):
                raise InvalidEvidence(step, f"{word[:40]!r} is not a move such as {examples}")
            play = self.play(position, word)
            if play is None:
                raise IllegalMove(step, f"the rules do not allow {word}")
            yield play, position
            position = play.after

    def _check_win(self, position: PositionT, evidence: str) -> None:
        steps = 0
        for play, _ in self.replayed(position, evidence):
            position = play.after
            steps += 1
        if not self.won(position):
            raise InvalidEvidence(steps, "the game is not won after the last move")
