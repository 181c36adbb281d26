"""Card pairing as pictures: the stacks side by side, top cards uppermost, with gutters between them for arrows."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate

from dealmill.game import (
    CARD,
    CHOSEN,
    GHOST,
    NOTE,
    Gutters,
    Point,
    Style,
    arrows,
    badge,
    bare_text,
    box,
    card,
    element,
    outline,
    path,
    rank_name,
    text,
    texts,
)
from dealmill.pipeline.games.card_pairing.rules import Stacks, stack_name, start

WIDTH, HEIGHT, GUTTER, LEFT = 46, 48, 22, 44
LETTER = 12
"""The width of a card for each letter of its rank, if that is more than `WIDTH`."""
ABOVE, BELOW = 20, 30
"""The room above each row of stacks for brackets, and below it for names."""
MANY = 100
"""If there are more cards than that, those that matter less are drawn faintly."""
LONGEST_ROW, MAX_ROWS = 16, 4
"""The most stacks in a row, or twice as many if there would be more than `MAX_ROWS` rows."""
NAME_SIZE, HEIGHT_SIZE = 20, 16
FAINT: Style = CARD | {"stroke_width": 0.5}

Cell = tuple[int, int]
"""The number of a stack and the height of a card in it, both from 0."""


def printer(layout: str) -> Callable[[str], str]:
    """Return the function that gives what is printed on the cards of a layout."""
    return str if "," in layout else rank_name


def listed(stacks: Stacks, printed: Callable[[str], str]) -> str:
    """Return a description of stacks."""
    cards = "; ".join(
        f"{stack_name(number, len(stacks))}: {' '.join(map(printed, stack)) or 'empty'}"
        for number, stack in enumerate(stacks)
    )
    return f"Stacks from bottom to top: {cards}."


class Grid:
    """The places of the cards of a layout: its stacks in one or more rows."""

    def __init__(self, layout: str) -> None:
        stacks, printed = start(layout), printer(layout)
        self.ranks = {
            (number, height): printed(rank) for number, stack in enumerate(stacks) for height, rank in enumerate(stack)
        }
        self.stacks = len(stacks)
        self.longest = max(map(len, self.ranks.values()))
        self.width = max(WIDTH, LETTER * self.longest)
        rows = -(-len(stacks) // LONGEST_ROW)
        if rows > MAX_ROWS:
            rows = -(-len(stacks) // (2 * LONGEST_ROW))
        self.columns = -(-len(stacks) // rows)
        starts = range(0, len(stacks), self.columns)
        self.heights = [max(1, *map(len, stacks[start : start + self.columns])) for start in starts]
        row_heights = (ABOVE + height * (HEIGHT + GUTTER) + BELOW for height in self.heights)
        self.tops = list(accumulate(row_heights, initial=0))
        self.size = LEFT + self.columns * (self.width + GUTTER), self.tops[-1]
        self.gutters = Gutters(self.width, HEIGHT, GUTTER)
        corners = {cell: self.corner(cell) for cell in self.ranks}
        self.cards = {cell: card(*corners[cell], self.width, HEIGHT, rank) for cell, rank in self.ranks.items()}
        self._outlines = {cell: outline(*corner, self.width, HEIGHT) for cell, corner in corners.items()}
        self._rank_size = min(0.66 * HEIGHT, 1.15 * self.width / self.longest)
        self._texts = {
            cell: bare_text(x + self.width / 2, y + HEIGHT / 2, self.ranks[cell], self._rank_size, NOTE)
            for cell, (x, y) in corners.items()
        }
        self.names = texts(self._names(), NAME_SIZE, NOTE) + texts(self._heights(), HEIGHT_SIZE, NOTE)
        """The names below the stacks, and on their left how high a card lies, counted from 1."""

    def corner(self, cell: Cell) -> Point:
        """Return the upper left corner of a card."""
        row, column = divmod(cell[0], self.columns)
        below_top = self.heights[row] - 1 - cell[1]
        top = self.tops[row] + ABOVE + GUTTER / 2
        return LEFT + column * (self.width + GUTTER), top + below_top * (HEIGHT + GUTTER)

    def _names(self) -> Iterator[str]:
        for stack in range(self.stacks):
            x, y = self.corner((stack, 0))
            name = stack_name(stack, self.stacks)
            yield bare_text(x + self.width / 2, y + HEIGHT + GUTTER, name, NAME_SIZE, NOTE)

    def _heights(self) -> Iterator[str]:
        for row, height in enumerate(self.heights):
            for level in range(height):
                _, y = self.corner((row * self.columns, level))
                yield bare_text(LEFT / 3, y + HEIGHT / 2, str(level + 1), HEIGHT_SIZE, NOTE)

    def ghost(self, cell: Cell, *, rank: bool = True) -> str:
        """Return the place of a card that has left."""
        return card(*self.corner(cell), self.width, HEIGHT, self.ranks[cell] if rank else "", GHOST)

    def faint(self, cells: Collection[Cell], style: Style = FAINT) -> Iterator[str]:
        """Yield cards that matter less, or the places of cards that have left, as two elements."""
        if cells:
            yield element("path", d="".join(self._outlines[cell] for cell in cells), **style)
            yield texts((self._texts[cell] for cell in cells), self._rank_size, NOTE)

    def ring(self, cell: Cell, style: Style) -> str:
        """Return the edge of a card."""
        return box(*self.corner(cell), self.width, HEIGHT, style)

    def waiting(self, cell: Cell, lines: Sequence[str]) -> Iterator[str]:
        """Yield a card with up to three short lines below its rank."""
        x, y = self.corner(cell)
        middle = x + self.width / 2
        size = 12 if len(lines) < 3 and max(map(len, lines)) < 6 else 9.5
        yield self.ring(cell, CARD | {"stroke_width": 3})
        yield text(middle, y + 11, self.ranks[cell], min(17, 1.15 * self.width / self.longest), bold=True)
        for number, line in enumerate(lines):
            yield text(middle, y + 18 + size / 2 + size * number, line, size)

    def badge(self, cell: Cell, words: str, corner: int = 0) -> str:
        """Return a badge on a corner of a card: 0 is the upper left one, 1 the upper right one, then the lower ones."""
        x, y = self.corner(cell)
        return badge(x + (self.width - 3 if corner % 2 else 3), y + (HEIGHT - 3 if corner > 1 else 3), words)

    def bracket(self, first: Cell, second: Cell) -> str:
        """Return the line that joins two top cards: up from each, and along the room above its row."""
        (left, start), (right, end) = (self.corner(cell) for cell in (first, second))
        middle = self.width / 2
        upper, lower = (self.tops[cell[0] // self.columns] + ABOVE / 2 for cell in (first, second))
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

    def arrows(self, ends: Iterable[tuple[Cell, Cell]]) -> Iterator[str]:
        """Yield arrows from card to card, in the gutters."""
        return arrows(self.gutters.routes([(self.corner(source), self.corner(target)) for source, target in ends]))
