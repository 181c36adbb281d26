"""Card pairing as pictures: the stacks side by side, top cards uppermost, with gutters between them for arrows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dealmill.pipeline.games.card_pairing.cases import Place
from dealmill.pipeline.games.card_pairing.rules import STACK_NAMES
from dealmill.pipeline.games.scene import rank_name
from dealmill.pipeline.games.svg import CARD, CHOSEN, GHOST, INKED, NOTE, Point, Style, arrow, box, element, path, text

WIDTH, HEIGHT, GUTTER = 46, 48, 22
ABOVE, BELOW = 20, 30
"""The room above each row of stacks for brackets, and below it for names."""
LONGEST_ROW = 16
"""The most stacks in a row."""
RING = 2
"""The distance of arrows from the edges of cards, which can have rings."""
LANES = 5
"""The greatest distance of an arrow from the middle of a gutter."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of cards: stacks of equal height, in one or more rows."""

    stacks: int
    height: int

    @property
    def rows(self) -> int:
        """The number of rows of stacks."""
        return -(-self.stacks // LONGEST_ROW)

    @property
    def columns(self) -> int:
        """The number of stacks in a row."""
        return -(-self.stacks // self.rows)

    @property
    def row_height(self) -> int:
        """The distance between rows of stacks."""
        return ABOVE + self.height * (HEIGHT + GUTTER) + BELOW

    @property
    def size(self) -> tuple[int, int]:
        """The width and the height of the picture."""
        return self.columns * (WIDTH + GUTTER) + GUTTER, self.rows * self.row_height

    def corner(self, place: Place) -> Point:
        """Return the upper left corner of a card."""
        row, column = divmod(place[0], self.columns)
        below_top = self.height - 1 - place[1]
        top = row * self.row_height + ABOVE + GUTTER / 2
        return GUTTER + column * (WIDTH + GUTTER), top + below_top * (HEIGHT + GUTTER)

    def names(self) -> Iterator[str]:
        """Yield the names below the stacks."""
        for stack in range(self.stacks):
            x, y = self.corner((stack, 0))
            yield text(x + WIDTH / 2, y + HEIGHT + GUTTER, STACK_NAMES[stack], 20, NOTE)

    def card(self, place: Place, rank: str) -> str:
        """Return a card."""
        return self.ring(place, CARD) + self._letter(place, rank, INKED)

    def ghost(self, place: Place, rank: str = "") -> str:
        """Return the place of a card that has left, with its rank if it is given."""
        return self.ring(place, GHOST) + (self._letter(place, rank, NOTE) if rank else "")

    def ring(self, place: Place, style: Style) -> str:
        """Return the edge of a card."""
        return box(*self.corner(place), WIDTH, HEIGHT, style)

    def _letter(self, place: Place, rank: str, style: Style) -> str:
        x, y = self.corner(place)
        name = rank_name(rank)
        return text(x + WIDTH / 2, y + HEIGHT / 2, name, 32 if len(name) == 1 else 26, style, bold=style is INKED)

    def bracket(self, one: Place, other: Place) -> str:
        """Return the line that joins two top cards: up from each, and along the room above its row."""
        (left, start), (right, end) = (self.corner(place) for place in (one, other))
        middle = WIDTH / 2
        upper, lower = (place[0] // self.columns * self.row_height + ABOVE / 2 for place in (one, other))
        margin = self.size[0] - GUTTER / 2
        around = [] if upper == lower else [(margin, upper), (margin, lower)]
        points = [
            (left + middle, start),
            (left + middle, upper),
            *around,
            (right + middle, lower),
            (right + middle, end),
        ]
        return element("path", d=path(points), **CHOSEN)

    def arrow(self, one: Place, other: Place, lane: float) -> str:
        """Return an arrow between two cards; see `route`."""
        return arrow(self.route(one, other, lane))

    def route(self, one: Place, other: Place, lane: float) -> list[Point]:
        """Return the corners of a way from the side of one card to the side of another that stays in the gutters.

        It leaves towards the other column (to the right within a column), and gets there in the gutter above the other
        card. `lane` from -1 to 1 keeps ways apart that share a gutter.
        """
        aside = lane * LANES
        columns = one[0] % self.columns, other[0] % self.columns
        rightwards = columns[0] <= columns[1]
        enters_left = columns[0] < columns[1]
        (x, y), (end_x, end_y) = self.corner(one), self.corner(other)
        leave = x + WIDTH + RING if rightwards else x - RING
        enter = end_x - RING if enters_left else end_x + WIDTH + RING
        first = x + (WIDTH + GUTTER / 2 if rightwards else -GUTTER / 2) + aside
        last = end_x + (-GUTTER / 2 if enters_left else WIDTH + GUTTER / 2) + aside
        above = end_y - GUTTER / 2 + aside
        middle, end_middle = y + HEIGHT / 2, end_y + HEIGHT / 2
        across = [] if first == last else [(first, above), (last, above)]
        return [(leave, middle), (first, middle), *across, (last, end_middle), (enter, end_middle)]


def lanes(count: int) -> Sequence[float]:
    """Return the lanes of some arrows, spread evenly."""
    return [0.0] if count == 1 else [2 * number / (count - 1) - 1 for number in range(count)]
