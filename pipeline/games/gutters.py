"""Lines between cards that lie in rows and columns: they run in the gutters between cards and cover none."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from dealmill.pipeline.games.svg import Point

CLEARANCE = 2
"""The distance of ends of lines from the edges of cards, which can have rings."""
SPACING = 5
"""The distance between lines in the same gutter, if there is room."""

Segment = tuple[Point, Point]


@dataclass(frozen=True, slots=True)
class Gutters:
    """The room around cards of one size: `gap` units to the next column and to the next row."""

    width: float
    height: float
    gap: float

    def routes(self, ends: Sequence[tuple[Point, Point]]) -> list[list[Point]]:
        """Return the corners of lines between cards, given by their upper left corners; lines do not overlap."""
        straight = [self._route(one, other, 0) for one, other in ends]
        lanes: list[int] = []
        for number, line in enumerate(straight):
            taken = {lanes[earlier] for earlier in range(number) if _overlap(line, straight[earlier])}
            lanes.append(next(lane for lane in count() if lane not in taken))
        last = max(lanes, default=0)
        spacing = min(SPACING, 0.6 * self.gap / max(last, 1))
        return [self._route(*end, (lane - last / 2) * spacing) for end, lane in zip(ends, lanes, strict=True)]

    def _route(self, one: Point, other: Point, aside: float) -> list[Point]:
        """Return the corners of a line that runs `aside` the middle of gutters.

        It leaves a card towards the column of the other (to the right within a column), and reaches that column in the
        gutter above the other card.
        """
        (x, y), (end_x, end_y) = one, other
        rightwards, same_column = end_x >= x, end_x == x
        leave, first = self._side(x, rightwards, aside)
        enter, last = self._side(end_x, same_column or not rightwards, aside)
        above = end_y - self.gap / 2 + aside
        middle, end_middle = y + self.height / 2, end_y + self.height / 2
        across = [] if first == last else [(first, above), (last, above)]
        return [(leave, middle), (first, middle), *across, (last, end_middle), (enter, end_middle)]

    def _side(self, x: float, right: bool, aside: float) -> tuple[float, float]:
        """Return where lines meet a side of a card, and where they run in the gutter there."""
        if right:
            return x + self.width + CLEARANCE, x + self.width + self.gap / 2 + aside
        return x - CLEARANCE, x - self.gap / 2 + aside


def _overlap(one: Sequence[Point], other: Sequence[Point]) -> bool:
    return any(_touch(first, second) for first in pairwise(one) for second in pairwise(other))


def _touch(one: Segment, other: Segment) -> bool:
    """Return whether two segments have a point in common and the same direction."""
    for across, along in ((0, 1), (1, 0)):
        if len({point[across] for point in (*one, *other)}) == 1:
            (start, stop), (begin, end) = (sorted(point[along] for point in segment) for segment in (one, other))
            return start <= end and begin <= stop
    return False
