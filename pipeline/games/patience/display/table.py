"""A patience in play: a position after some moves, its legal moves, and its picture with links."""

import re

from dealmill.cards import CardTable
from dealmill.game import Choice
from dealmill.pipeline.games.patience.display.drawing import names_of_foundations
from dealmill.pipeline.games.patience.moves import CELL, DEALT, EMPTY, FOUNDATION, HOLE, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import RANKS, Rules


class Table(CardTable[Position]):
    """A position of a patience in play."""

    referee: Referee

    @property
    def layout(self) -> str:
        return written(self.referee, self.position)

    @property
    def choices(self) -> list[Choice]:
        plays = {play.word: play for play in self.referee.plays(self.position)}
        pieces = {word: _piece(self.referee.rules, word) for word in plays}
        return [
            Choice(word, pieces[word], self._targets(play), self.display.describe(play, self.position))
            for word, play in plays.items()
        ]

    def _targets(self, play: Play) -> tuple[str, ...]:
        target = play.word[2:]
        if target.endswith(FOUNDATION):
            counts = zip(self.position.foundations, play.after.foundations, strict=True)
            names = zip(names_of_foundations(self.referee.rules), counts, strict=True)
            return tuple(name for name, (before, after) in names if after > before)
        if "-" in target:
            return (self._top(int(target.partition("-")[2])),)
        if target.startswith(EMPTY):
            numbers = range(1, len(self.position.columns) + 1)
            named = [int(target[1:])] if target[1:] else numbers
            return tuple(f"column {number}" for number in named if not self.position.columns[number - 1])
        if target == DEALT:
            return tuple(self._top(number) for number in range(1, len(self.position.columns) + 1)[: len(play.cards)])
        return {CELL: ("cell",), HOLE: ("hole",)}.get(target, (target,) if target in self.referee.rules.deck() else ())

    def _top(self, number: int) -> str:
        """Return the name of the top card of a column, or of the empty column."""
        column, has_copies = self.position.columns[number - 1], self.referee.rules.copies > 1
        return column[-1] + has_copies * str(number) if column else f"column {number}"


def _piece(rules: Rules, word: str) -> str:
    """Return the name of the card that a move takes; of copies, with its column, or as that which is dealt."""
    return word[:2] if rules.copies == 1 else re.split(f"[-{FOUNDATION}]", word)[0]


def written(referee: Referee, position: Position) -> str:
    """Return the canonical text of a position, which `Referee.position` reads."""
    rules, tops = referee.rules, referee.tops(position) if referee.rules.hole == "none" else []
    count = len(rules.upward_piles)
    parts = {
        "base": RANKS[position.base] if rules.foundations == "dealt" else "",
        "cells": "".join(position.cells),
        "downward": "".join(tops[count:]),
        "foundations": "".join(tops[:count]),
        "hole": position.hole,
        "passes": str(position.passes) if rules.counts_passes else "",
        "reserve": "".join(position.reserve),
        "stock": "".join(position.stock[position.turned :]),
        "waste": "".join(position.stock[: position.turned]),
    }
    columns = "/".join("".join(column) or "-" for column in position.columns)
    return " ".join([rules.name, columns, *(f"{name}:{cards}" for name, cards in parts.items() if cards)])
