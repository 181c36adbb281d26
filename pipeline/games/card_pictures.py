"""Playing cards in pictures: suits are shapes in two colours, and backs show which card lies face down, in a group of
their own, which `Scene.closed` leaves out.

A page can show many tables, so tables are short: papers of one look are a group, and so are ranks and suits.
They are drawn above all papers: what is seen of a covered card is the strip that has them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from dealmill.pipeline.games.functions import Link
from dealmill.pipeline.games.pictures import (
    BACK_INK,
    CHOSEN,
    FONT,
    GHOST,
    INK,
    INKED,
    NOTE,
    OTHER,
    WHITE,
    Style,
    at,
    box,
    element,
    rank_name,
)

RED_SUITS = "HD"
WIDTH, HEIGHT, PITCH = 46, 62, 54
STRIP = 24
"""The height of what is seen of a card under another one, if there is room."""
SMALL, SMALL_PITCH = 40, 44
SMALL_HEIGHT = 24
MARGIN, LABEL = 16, 22
RANK, SMALL_RANK = 19, 15
"""The sizes of ranks; those of two digits are a little smaller."""
RING: Style = CHOSEN | {"stroke_width": 4}
TARGET: Style = OTHER | {"stroke_width": 4}
NO_LINKS: Mapping[str, Link] = MappingProxyType({})
MAX_KEPT = 4_096
"""The elements of each kind that are kept, since most cards stay where they are from one table to the next."""


class Look(NamedTuple):
    """The paper of a card and what is on it."""

    paper: Style
    ink: Style


BLACK, RED_SUIT, BACK, IDLE, SPACE = "black", "red", "back", "idle", "space"
LOOKS = {
    BLACK: Look({"class_": "card", "fill": WHITE}, INKED),
    RED_SUIT: Look({"class_": "card", "fill": WHITE}, {"class_": "red-suit", "fill": "#b3261e"}),
    BACK: Look({"class_": "back", "fill": "#3d5a73"}, {"class_": BACK_INK, "fill": WHITE}),
    IDLE: Look(
        {"class_": "absent", "fill": "#eeeeee", "stroke": "#c4c4c4"}, {"class_": "absent-ink", "fill": "#a6a6a6"}
    ),
    SPACE: Look(GHOST | {"pointer_events": "all"}, NOTE),
}
EDGE: Style = {"stroke": INK, "stroke_width": 1.5}
PATTERN = "pattern"
WEAVE: Style = {"class_": PATTERN, "fill": "#7f9bb1"}
"""The pattern of backs."""


class Marks(NamedTuple):
    """How cards are drawn: those that have moved with a ring, and those that do not matter for a loss in grey. Cards
    and places with a link are one. If cards exist more than once, the name of a card in a column ends with the
    column's number."""

    moved: Sequence[str] = ()
    idle: Set[str] = frozenset()
    links: Mapping[str, Link] = NO_LINKS


Outline = tuple[tuple[float, ...], ...]
"""The upper point of a sign in a square of size 1, and then the steps of its outline: two numbers are a straight line,
three an arc to the right, with its radius, and four an arc of more than half a circle."""
STEM: Outline = ((0.12, 0.27), (-0.34, 0), (0.12, -0.27))
OUTLINES: dict[str, Outline] = {
    "D": ((0.5, 0), (0.4, 0.5), (-0.4, 0.5), (-0.4, -0.5)),
    "H": ((0.5, 0.14), (0.29, 0.43, 0.36), (-0.43, 0.5), (-0.43, -0.5), (0.29, 0.43, -0.36)),
    "S": ((0.5, 0), (0.43, 0.5), (0.25, -0.38, 0.25), *STEM, (0.25, -0.38, -0.25)),
    "C": ((0.36, 0.44), (0.24, 0.28, 0, 1), (0.24, -0.09, 0.29, 1), *STEM, (0.24, -0.09, -0.29, 1)),
}


@lru_cache(MAX_KEPT)
def sign(suit: str, x: float, y: float, size: float) -> str:
    """Return a part of a path: the sign of a suit in a square of this size, with its upper left corner at a point."""
    across, down = OUTLINES[suit][0]
    return f"M{at((x + size * across, y + size * down))}{_steps(suit, size)}"


@cache
def _steps(suit: str, size: float) -> str:
    """Return the outline of a sign from its upper point."""
    drawn = []
    for step in OUTLINES[suit][1:]:
        if len(step) == len(("across", "down")):
            drawn.append(f"l{at((size * step[0], size * step[1]))}")
        else:
            radius, across, down, *large = step
            drawn.append(f"a{at((size * radius, size * radius))} 0 {len(large)} 1 {at((size * across, size * down))}")
    return "".join(drawn).replace(" -", "-") + "z"


@lru_cache(MAX_KEPT)
def argyle(x: float, y: float, width: float, height: float) -> str:
    """Return two diamonds side by side, with the upper corner of the left one at a point, as a part of a path."""
    diamond = f"l{width:g} {height:g}-{width:g} {height:g}-{width:g}-{height:g}z"
    return f"M{at((x, y))}{diamond}m{2 * width:g} 0{diamond}"


@lru_cache(MAX_KEPT)
def paper(x: float, y: float, width: float, height: float) -> str:
    """Return the paper of a card."""
    return element("rect", x=x, y=y, width=width, height=height, rx=min(width, height) // 8)


@lru_cache(MAX_KEPT)
def rank_text(rank: str, x: float, middle: float, size: float) -> str:
    """Return a rank in the left of a card; its size is written if it is not `RANK`."""
    look: Style = {} if size == RANK else {"font_size": size}
    return element("text", rank, x=x + 4, y=round(middle + 0.36 * size, 1), **look)


class Cards:
    """The cards of a table, from the lowest to the highest."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self.papers: list[tuple[str, str]] = []
        """The look and the elements of each card and empty place."""
        self.ranks: defaultdict[str, list[str]] = defaultdict(list)
        self.outlines: defaultdict[str, list[str]] = defaultdict(list)
        self.rings: list[str] = []

    def add(self, x: float, y: float, card: str, *names: str, covered: bool = False) -> None:
        """Add a card, with the link of the first of some names that has one."""
        look = self._look(card, down=card[1].islower())
        link = next(filter(None, map(self.marks.links.get, names)), None)
        self._paper(look, x, y, WIDTH, HEIGHT, link)
        self._name(look, card, x, y + STRIP / 2 + 1, RANK)
        if look == BACK:
            self.outlines[PATTERN].append(argyle(x + 36, y + 6, 3, 7))
        if not covered and look == BACK:
            self.outlines[PATTERN].append(argyle(x + 15, y + 28, 8, 14))
        elif not covered:
            self.outlines[look].append(sign(card[1].upper(), x + WIDTH / 2 - 10, y + HEIGHT - 31, 20))

    def add_small(self, x: float, y: float, card: str, name: str, *, down: bool) -> None:
        """Add a small card of the stock or the waste."""
        look = self._look(card, down=down)
        self._paper(look, x, y, SMALL, SMALL_HEIGHT, self.marks.links.get(name))
        self._name(look, card, x, y + SMALL_HEIGHT / 2, SMALL_RANK)
        if look == BACK:
            self.outlines[PATTERN].append(argyle(x + 33, y + 7, 2, 5))
        if name in self.marks.moved:
            self.ring(x, y, SMALL, SMALL_HEIGHT)

    def add_space(self, x: float, y: float, name: str, suit: str = "") -> None:
        """Add an empty place, with the sign of a suit if it is that of one."""
        self._paper(SPACE, x, y, WIDTH, HEIGHT, self.marks.links.get(name))
        if suit:
            self.outlines[SPACE].append(sign(suit, x + WIDTH / 2 - 9, y + HEIGHT / 2 - 9, 18))

    def ring(self, x: float, y: float, width: float, height: float) -> None:
        """Add a ring around what has moved."""
        self.rings.append(box(x, y, width, height, RING))

    def elements(self) -> Iterator[str]:
        """Yield the elements, the lowest first."""
        runs = groupby(self.papers, key=lambda paper: LOOKS[paper[0]].paper)
        yield element("g", *(element("g", *(paper for _, paper in run), **style) for style, run in runs), **EDGE)
        above: Style = {"pointer_events": "none", "font_family": FONT, "font_size": RANK, "font_weight": "bold"}
        for name, style in ({PATTERN: WEAVE} | {look: LOOKS[look].ink for look in LOOKS}).items():
            outlines = [element("path", d="".join(self.outlines[name]))] if self.outlines[name] else []
            if outlines or self.ranks[name]:
                yield element("g", *self.ranks[name], *outlines, **style, **above)
        yield from self.rings

    def _look(self, card: str, *, down: bool) -> str:
        if card.upper() in self.marks.idle:
            return IDLE
        return BACK if down else RED_SUIT if card[1].upper() in RED_SUITS else BLACK

    def _paper(self, look: str, x: float, y: float, width: float, height: float, link: Link | None) -> None:
        self.papers.append((look, self._linked(paper(x, y, width, height), x, y, width, height, link)))

    def _linked(self, paper: str, x: float, y: float, width: float, height: float, link: Link | None) -> str:
        """Return a paper as a link if there is one, with a ring if it is a target."""
        if link is None:
            return paper
        ring = [box(x, y, width, height, TARGET)] if link.is_target else []
        return element("a", paper, *ring, href=link.url, aria_label=link.name)

    def _name(self, look: str, card: str, x: float, middle: float, size: float) -> None:
        """Add the rank and, beside it, the sign of the suit; both smaller where the rank has two digits."""
        rank = rank_name(card[0])
        size *= 0.85 if len(rank) > 1 else 1
        self.ranks[look].append(rank_text(rank, x, middle, size))
        left = x + 5 + (0.6 * len(rank) + 0.2) * size
        self.outlines[look].append(sign(card[1].upper(), left, middle - 0.32 * size, round(0.66 * size)))

    def add_stock(self, stock: Sequence[str], turned: int, top: float, per_row: int, names: Sequence[str]) -> None:
        """Add the cards of waste and stock in the order of turning, in rows, each with the name at its index; after the
        first `turned`, they lie face down."""
        for number, (card, name) in enumerate(zip(stock, names, strict=True)):
            row, column = divmod(number, per_row)
            x, y = MARGIN + column * SMALL_PITCH, top + row * (SMALL_HEIGHT + 4)
            self.add_small(x, y, card, name, down=number >= turned)


def words_of_stock(count: int, turned: int, passes: int, order: str = "turning") -> str:
    """Return what waste and stock are, in words: their cards and the further passes."""
    words = f"stock: {count - turned}, in the order of {order}" + (f"; before them, waste: {turned}" if turned else "")
    return words + (f"; further passes: {passes}" if passes else "")
