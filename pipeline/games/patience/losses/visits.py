"""The positions of a loss, as they are shown one by one."""

from collections.abc import Set
from typing import NamedTuple

from dealmill.pipeline.games.patience.moves import Play
from dealmill.pipeline.games.patience.position import Position

FEW_POSITIONS = range(1, 13)
"""How many positions of a loss are shown one by one."""
NO_MOVE = "No move is possible."


class Visit(NamedTuple):
    """A position of a loss: the play that first leads to it, if it is not the first position, and the number of the
    position before that. `leads_to` are the numbers of the positions after its moves, and `end` says why there are
    none. Numbers count from 1. If it is lost because of `stuck` cards, all others are grey in its picture."""

    position: Position
    origin: int
    play: Play | None
    leads_to: list[int]
    end: str = NO_MOVE
    stuck: Set[str] = frozenset()

    @property
    def moves(self) -> str:
        """Where its moves lead, in a sentence."""
        *numbers, last = map(str, self.leads_to or [0])
        to = f"positions {', '.join(numbers)} and {last}" if numbers else f"position {last}"
        return f"Its moves lead to {to}." if self.leads_to else self.end
