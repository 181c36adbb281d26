"""Card pairing as pictures: the stacks side by side, top cards uppermost, with gutters between them for arrows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dealmill.game import CHOSEN, GHOST, NOTE, Gutters, Point, Style, arrows, box, card, element, path, rank_name, text
from dealmill.pipeline.games.card_pairing.cases import Place
from dealmill.pipeline.games.card_pairing.rules import STACK_NAMES

WIDTH, HEIGHT, GUTTER = 46, 48, 22
ABOVE, BELOW = 20, 30
"""The room above each row of stacks for brackets, and below it for names."""
LONGEST_ROW = 16
"""The most stacks in a row."""
GUTTERS = Gutters(WIDTH, HEIGHT, GUTTER)


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
        return card(*self.corner(place), WIDTH, HEIGHT, rank_name(rank))

    def ghost(self, place: Place, rank: str = "") -> str:
        """Return the place of a card that has left, with its rank if it is given."""
        return card(*self.corner(place), WIDTH, HEIGHT, rank_name(rank), GHOST)

    def ring(self, place: Place, style: Style) -> str:
        """Return the edge of a card."""
        return box(*self.corner(place), WIDTH, HEIGHT, style)

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

    def arrows(self, ends: Iterable[tuple[Place, Place]]) -> Iterator[str]:
        """Yield arrows from card to card, in the gutters."""
        return arrows(GUTTERS.routes([(self.corner(one), self.corner(other)) for one, other in ends]))
