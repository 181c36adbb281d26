"""The referee of patiences: it replays the moves of a win, and checks the evidence of a loss by its form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import MOST_POSITIONS
from dealmill.pipeline.games.patience.losses.visits import FEW_POSITIONS
from dealmill.pipeline.games.patience.moves import CELL, DEALT, EMPTY, FOUNDATION, HOLE, Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, SUITS
from dealmill.verdicts import IllegalMove, InvalidEvidence, Unchecked, Verdict

NO_MOVES = "-"
TARGET = rf"[{RANKS}][{SUITS}]|[{FOUNDATION}{CELL}{HOLE}{DEALT}]|{EMPTY}(?:[1-9][0-9]?)?"
MOVE = re.compile(rf"[{RANKS}][{SUITS}](?:{TARGET})", re.ASCII)
COLUMN_NUMBER = "[1-9][0-9]?"
MOVE_OF_COPIES = re.compile(
    rf"[{RANKS}][{SUITS}](?:{COLUMN_NUMBER}(?:-{COLUMN_NUMBER}|{FOUNDATION})|{DEALT})", re.ASCII
)
"""A move if cards exist more than once."""


@dataclass(frozen=True)
class Referee(Moves):
    """The rules of a game at work: moves, and checks of evidence. Losses of more positions than the `limit` are left to
    others."""

    limit: int = MOST_POSITIONS

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
            self._check_loss(position, evidence)
        else:
            raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")

    def replayed(self, position: Position, evidence: str) -> Iterator[tuple[Play, Position]]:
        """Yield each move of a win with the position before it. `NO_MOVES` is a win without moves.

        Raises
        ------
        InvalidEvidence
            If a word is not a move.
        IllegalMove
            If the rules do not allow a move.
        """
        for step, word in enumerate([] if evidence == NO_MOVES else evidence.split(" "), start=1):
            form, examples = (MOVE, "6H7S or 6Hf") if self.rules.copies == 1 else (MOVE_OF_COPIES, "6H3-5 or KH3f")
            if not form.fullmatch(word):
                raise InvalidEvidence(step, f"{word[:40]!r} is not a move such as {examples}")
            play = self.play(position, word)
            if play is None:
                raise IllegalMove(step, f"the rules do not allow {word}")
            yield play, position
            position = play.after

    def _check_win(self, position: Position, evidence: str) -> None:
        steps = 0
        for play, _ in self.replayed(position, evidence):
            position = play.after
            steps += 1
        if not self.won(position):
            raise InvalidEvidence(steps, "the game is not won after the last move")

    def _check_loss(self, position: Position, evidence: str) -> None:
        loss = read_loss(self.rules, evidence)
        if loss.visited > self.limit:
            raise Unchecked(f"{loss.visited:,} positions are more than the {self.limit:,} that plain Python visits")
        loss.check(self, position)

    def explained(self, layout: str, verdict: Verdict, evidence: str) -> Iterator[str]:
        """Yield, in words, what evidence that was checked says of a loss, with its positions if there are few."""
        if verdict is not Verdict.UNWINNABLE:
            return
        loss = read_loss(self.rules, evidence)
        yield loss.reason
        shown = loss.visits(self, self.position(layout)) if loss.positions in FEW_POSITIONS else ()
        for number, visit in enumerate(shown, start=1):
            before = f", from position {visit.origin} by {visit.play.word}" if visit.play else ""
            yield f"position {number}{before}: {self._placed(visit.position)}. {visit.moves}"

    def _placed(self, position: Position) -> str:
        """Return where cards lie, in words."""
        places = {f"column {number}": cards for number, cards in enumerate(position.columns, start=1)}
        places |= {
            "cells": position.cells,
            "reserve": position.reserve,
            "waste": position.stock[: position.turned],
            "stock": position.stock[position.turned :],
            "foundations": tuple(filter(None, self.tops(position))),
            "hole": (position.hole,) if position.hole else (),
        }
        return "; ".join(f"{name}: {' '.join(cards)}" for name, cards in places.items() if cards)
