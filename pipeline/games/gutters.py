"""Lines between cards that lie in rows and columns: they run in the gutters between cards and cover none."""

from collections.abc import Sequence
from dataclasses import dataclass

from dealmill.pipeline.games.svg import Point

CLEARANCE = 2
"""The distance of ends of lines from the edges of cards, which can have rings."""


@dataclass(frozen=True, slots=True)
class Gutters:
    """The room around cards of one size: `gap` units to the next column and to the next row."""

    width: float
    height: float
    gap: float

    def route(self, one: Point, other: Point, lane: float = 0) -> list[Point]:
        """Return the corners of a line from the side of one card to the side of another.

        Cards are given by their upper left corners. The line leaves towards the column of the other card (to the right
        within a column), and reaches that column in the gutter above the other card. `lane`, from -1 to 1, separates
        lines in the same gutter.
        """
        aside = lane * self.gap / 4
        (x, y), (end_x, end_y) = one, other
        to_the_right, same_column = end_x >= x, end_x == x
        leave, first = self._side(x, to_the_right, aside)
        enter, last = self._side(end_x, same_column or not to_the_right, aside)
        above = end_y - self.gap / 2 + aside
        middle, end_middle = y + self.height / 2, end_y + self.height / 2
        across = [] if first == last else [(first, above), (last, above)]
        return [(leave, middle), (first, middle), *across, (last, end_middle), (enter, end_middle)]

    def _side(self, x: float, right: bool, aside: float) -> tuple[float, float]:
        """Return where a line meets a side of a card, and the middle of the gutter there."""
        if right:
            return x + self.width + CLEARANCE, x + self.width + self.gap / 2 + aside
        return x - CLEARANCE, x - self.gap / 2 + aside


def lanes(count: int) -> Sequence[float]:
    """Return the lanes of some lines, spread evenly."""
    return [0.0] if count == 1 else [2 * number / (count - 1) - 1 for number in range(count)]
