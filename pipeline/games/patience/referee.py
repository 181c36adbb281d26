"""The referee of patiences: it replays the moves of a win, and checks the evidence of a loss by its form."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import MAX_POSITIONS
from dealmill.pipeline.games.patience.losses.visits import FEW_POSITIONS
from dealmill.pipeline.games.patience.moves import CELL, DEALT, EMPTY, FOUNDATION, HOLE, RESERVE, STOCK, Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, SUITS
from dealmill.referees import Judge
from dealmill.verdicts import Unchecked, Verdict

TARGET = rf"[{RANKS}][{SUITS}]|[{FOUNDATION}{CELL}{HOLE}{DEALT}]|{EMPTY}(?:[1-9][0-9]?)?"
MOVE = rf"[{RANKS}][{SUITS}](?:{TARGET})"
COLUMN_NUMBER = "[1-9][0-9]?"
SOURCE = rf"(?:{COLUMN_NUMBER}|{RESERVE}|{STOCK}[1-9][0-9]{{0,2}})"
MOVE_OF_COPIES = (
    rf"[{RANKS}][{SUITS}](?:{SOURCE}(?:-{COLUMN_NUMBER}|{FOUNDATION})|{FOUNDATION}-{COLUMN_NUMBER}|{DEALT})"
)
"""A move if cards exist more than once."""


@dataclass(frozen=True)
class Referee(Moves, Judge[Position, Play]):
    """The rules of a game at work: moves, and checks of evidence. Losses of more positions than the `limit` are left to
    others."""

    limit: int = MAX_POSITIONS

    @property
    def form_of_moves(self) -> tuple[str, str]:
        """The regular expression of the word for a move, and examples."""
        return (MOVE, "6H7S or 6Hf") if self.rules.copies == 1 else (MOVE_OF_COPIES, "6H3-5 or KH3f")

    def check_loss(self, position: Position, evidence: str) -> None:
        """Check the evidence of a loss by its form."""
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
