"""Pictures of layouts and of the steps of evidence: SVG elements with a common look, scenes made of them, sheets of
several scenes, and the lines between cards.

Colours are presentation attributes, which any style sheet overrides. A page can restyle pictures by these classes:

========== ============================================================================
``paper``  the background
``card``   a card, hole or space
``ghost``  the place of something that has left: dashed, without fill
``back``   the back of a card that lies face down, a peg, a tile
``chosen`` a ring around what moves, and lines that belong to it: blue, solid
``mover``  the piece that moves, where it is filled: blue
``other``  a second kind of ring: orange, dashed
``ink``    texts and badges
``note``   texts of less importance
``light``  texts and signs on ``back`` and ``ink``
``red``    ranks of red suits
``arrow``  lines of arrows, and their heads as ``ink``; ``casing`` is the gap around them
========== ============================================================================
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import count, pairwise
from math import dist
from textwrap import wrap

PAPER, WHITE, INK, GREY, SLATE, BLUE, ORANGE = (
    "#f7f5ef",
    "#ffffff",
    "#1a1a1a",
    "#595959",
    "#3d5a73",
    "#0072b2",
    "#d55e00",
)
FONT = "Helvetica, Arial, sans-serif"

Point = tuple[float, float]
Style = dict[str, str | float]

INKED: Style = {"class_": "ink", "fill": INK}
NOTE: Style = {"class_": "note", "fill": GREY}
LIGHT: Style = {"class_": "light", "fill": WHITE}
CARD: Style = {"class_": "card", "fill": WHITE, "stroke": INK, "stroke_width": 1.5}
GHOST: Style = {"class_": "ghost", "fill": "none", "stroke": "#8c8c8c", "stroke_width": 1.5, "stroke_dasharray": "4 3"}
BACKED: Style = {"class_": "back", "fill": SLATE, "stroke": INK, "stroke_width": 1.5}
CHOSEN: Style = {"class_": "chosen", "fill": "none", "stroke": BLUE, "stroke_width": 5}
MOVER: Style = {"class_": "mover", "fill": BLUE, "stroke": INK, "stroke_width": 1.5}
OTHER: Style = {"class_": "other", "fill": "none", "stroke": ORANGE, "stroke_width": 5, "stroke_dasharray": "8 5"}
ARROW: Style = {"class_": "arrow", "fill": "none", "stroke": INK, "stroke_width": 3}
CASING: Style = {"class_": "casing", "fill": "none", "stroke": PAPER, "stroke_width": 6}

BADGE = 10
"""The radius of a badge."""
HEAD = 8.5
"""The length of the head of an arrow."""
TURN = 6
"""The radius of the turns of an arrow."""


def element(name: str, *children: str, **attributes: str | float) -> str:
    """Return an element with these children, which are elements or escaped text.

    Attributes are written with dashes for underscores; a last underscore is dropped (``class_``).
    """
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{round(value, 2):g}"


def text(
    x: float, y: float, words: str, size: float, style: Style = INKED, *, anchor: str = "middle", bold: bool = False
) -> str:
    """Return a text around the line at height `y`; `x` is its middle, or its start or end as `anchor` says."""
    look: Style = {"text_anchor": anchor, "font_family": FONT, "font_size": size, **style}
    if bold:
        look["font_weight"] = "bold"
    return element("text", escape(words), x=x, y=y + 0.36 * size, **look)


def box(x: float, y: float, width: float, height: float, style: Style) -> str:
    """Return a rectangle with round corners."""
    return element("rect", x=x, y=y, width=width, height=height, rx=min(width, height) / 8, **style)


def card(x: float, y: float, width: float, height: float, words: str, style: Style = CARD) -> str:
    """Return a card, or the place of one (`GHOST`), with its rank."""
    edge = box(x, y, width, height, style)
    if not words:
        return edge
    size, left = min(0.66 * height, 1.15 * width / len(words)), style is GHOST
    return edge + text(x + width / 2, y + height / 2, words, size, NOTE if left else INKED, bold=not left)


def bare_text(x: float, y: float, words: str, size: float, style: Style) -> str:
    """Return a text around its point for `texts`."""
    return f'<text class="{style["class_"]}" x="{_value(x)}" y="{_value(y + 0.36 * size)}">{escape(words)}</text>'


def texts(parts: Iterable[str], size: float, style: Style) -> str:
    """Return many texts of one size, made by `bare_text`, as a group that has their common look."""
    look = {key: value for key, value in style.items() if key != "class_"}
    return element("g", *parts, text_anchor="middle", font_family=FONT, font_size=size, **look)


def outline(x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle as a part of a path."""
    return f"M{at((x, y))}h{width:g}v{height:g}h{-width:g}z"


def circle(x: float, y: float, radius: float, style: Style) -> str:
    """Return a circle."""
    return element("circle", cx=x, cy=y, r=radius, **style)


def badge(x: float, y: float, words: str) -> str:
    """Return a filled circle with a short text."""
    return circle(x, y, BADGE, INKED) + text(x, y, words, BADGE * (1.5 if len(words) == 1 else 1.2), LIGHT, bold=True)


def cross(x: float, y: float, reach: float, style: Style) -> str:
    """Return a diagonal cross."""
    corners = [(x - reach, y - reach), (x + reach, y + reach)], [(x + reach, y - reach), (x - reach, y + reach)]
    return element("path", d="".join(map(path, corners)), **style)


def arrows(lines: Sequence[Sequence[Point]]) -> Iterator[str]:
    """Yield arrows along lines with these corners; a gap around each separates it from lines that it crosses."""
    for *corners, bend, tip in lines:
        line = path([*corners, bend, _towards(tip, bend, HEAD)])
        yield element("path", d=line, **CASING)
        yield element("path", d=line, **ARROW)
    for *_, bend, tip in lines:
        yield head(tip, bend, INKED)


def head(tip: Point, behind: Point, style: Style) -> str:
    """Return the head of an arrow that comes from `behind`."""
    x, y = _towards(tip, behind, HEAD)
    across, down = (y - tip[1]) / 2, (tip[0] - x) / 2
    return element("path", d=f"M{at(tip)}L{at((x + across, y + down))}L{at((x - across, y - down))}Z", **style)


def path(corners: Sequence[Point]) -> str:
    """Return the path of a line that takes round turns at its corners."""
    drawn = f"M{at(corners[0])}"
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        radius = min(TURN, dist(before, corner) / 2, dist(corner, after) / 2)
        into, out = _towards(corner, before, radius), _towards(corner, after, radius)
        drawn += f"L{at(into)}Q{at(corner)} {at(out)}"
    return drawn + f"L{at(corners[-1])}"


def at(point: Point) -> str:
    """Return a point as it is written in a path."""
    return f"{round(point[0], 1):g} {round(point[1], 1):g}"


def _towards(start: Point, end: Point, length: float) -> Point:
    share = length / (dist(start, end) or 1)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


NAMESPACE = "http://www.w3.org/2000/svg"
BACK_INK = "back-ink"
"""The class of the group with the names of cards that lie face down."""
NAMES_ON_BACKS = re.compile(f'<g class="{BACK_INK}".*?</g>')
RANKS = {"T": "10", "0": "10"}
"""The ranks whose symbol in a layout is not the one on the card."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture with its caption.

    `svg` is an SVG document of `width` by `height` units, without style sheets, scripts, ids and references. `alt`
    describes what it shows. `path` is the choice at each branch that leads to a leaf of a tree of cases; it is empty
    for a layout and for the steps of a play. `proves` says in a few words what a proof of a loss shows and how to read
    its pictures, all of which have it; pages open at the first of them. `focus` is the left and upper end, the width
    and the height of the part that lists show of a layout; None for all of it. `closed_alt` is what `alt` is without
    the cards that lie face down; empty if there are none, or a proof needs them.
    """

    svg: str
    caption: str
    alt: str
    width: int
    height: int
    path: tuple[str, ...] = ()
    proves: str = ""
    focus: tuple[int, int, int, int] | None = None
    closed_alt: str = ""

    @property
    def closed(self) -> "Scene":
        """The same scene with the backs of cards that lie face down; the scene itself if none is hidden."""
        if not self.closed_alt:
            return self
        svg = NAMES_ON_BACKS.sub("", self.svg).replace(escape(self.alt), escape(self.closed_alt))
        return replace(self, svg=svg, alt=self.closed_alt, closed_alt="")

    @property
    def thumbnail(self) -> str:
        """The document of the part that lists show."""
        if self.focus is None:
            return self.svg
        part = " ".join(map(str, self.focus))
        return self.svg.replace(f'viewBox="0 0 {self.width} {self.height}"', f'viewBox="{part}"', 1)


def scene(
    width: float,
    height: float,
    parts: Iterable[str],
    caption: str,
    alt: str,
    path: tuple[str, ...] = (),
    proves: str = "",
) -> Scene:
    """Return a scene of elements on paper of `width` by `height` units."""
    across, down = round(width), round(height)
    svg = element(
        "svg",
        element("title", escape(caption)),
        element("desc", escape(alt)),
        element("rect", class_="paper", width=across, height=down, rx=8, fill=PAPER),
        *parts,
        xmlns=NAMESPACE,
        viewBox=f"0 0 {across} {down}",
        role="img",
    )
    return Scene(svg, caption, alt, across, down, path, proves)


def rank_name(symbol: str) -> str:
    """Return what is printed on a card."""
    return RANKS.get(symbol, symbol)


LETTERS = 52
"""The letters in a line of a caption."""
SIZE = 1 / (0.62 * LETTERS)
"""The size of letters in relation to the width of a caption; in a wide font, a letter is 0.62 times as wide."""
NARROWEST = 340
"""The least width of a caption."""
GAP = 18
SHEET_WIDTH = 1_600
"""The width of a sheet that has as many columns as fit."""


def sheet(scenes: Sequence[Scene], columns: int | None = None) -> str:
    """Return an SVG document with some scenes in rows, each with its path and caption below it; in
    `columns` columns, by default as many as fit on a screen."""
    width = max(NARROWEST, *(scene.width for scene in scenes))
    columns = columns or max(1, (SHEET_WIDTH - GAP) // (width + GAP))
    size = width * SIZE
    line_height = 1.4 * size
    parts: list[str] = []
    y: float = GAP
    for start in range(0, len(scenes), columns):
        row = [(scene, _captions(scene)) for scene in scenes[start : start + columns]]
        tallest = max(scene.height for scene, _ in row)
        for column, (scene, captions) in enumerate(row):
            x = GAP + column * (width + GAP)
            parts.append(_placed(scene, x, y))
            below = y + tallest + line_height
            parts += [
                text(x, below + number * line_height, line, size, style, anchor="start")
                for number, (line, style) in enumerate(captions)
            ]
        y += tallest + max(len(captions) for _, captions in row) * line_height + 2 * GAP
    across = min(columns, len(scenes)) * (width + GAP) + GAP
    paper = element("rect", class_="paper", width=across, height=y, fill=PAPER)
    return element("svg", paper, *parts, xmlns=NAMESPACE, viewBox=f"0 0 {across} {round(y)}")


def _captions(scene: Scene) -> list[tuple[str, Style]]:
    path = [(line, NOTE) for choice in scene.path for line in wrap(choice, LETTERS)]
    return [*path, *((line, INKED) for line in wrap(scene.caption, LETTERS))]


def _placed(scene: Scene, x: float, y: float) -> str:
    """Return the document of a scene as an element of another one."""
    return scene.svg.replace("<svg ", f'<svg x="{x:g}" y="{y:.1f}" width="{scene.width}" height="{scene.height}" ', 1)


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
        """Return the corners of lines between cards, given by their upper left corners.

        Lines that would overlap run in different lanes: those that end on their left first, so that the ends of lines
        cross no other line in their gutter.
        """
        straight = [self._route(source, target, 0) for source, target in ends]
        lanes: dict[int, int] = {}
        for number in sorted(range(len(ends)), key=lambda number: straight[number][-1] > straight[number][-2]):
            taken = {lane for neighbour, lane in lanes.items() if _overlap(straight[number], straight[neighbour])}
            lanes[number] = next(lane for lane in count() if lane not in taken)
        last = max(lanes.values(), default=0)
        spacing = min(SPACING, 0.6 * self.gap / max(last, 1))
        return [self._route(*end, (lanes[number] - last / 2) * spacing) for number, end in enumerate(ends)]

    def _route(self, source: Point, target: Point, aside: float) -> list[Point]:
        """Return the corners of a line that runs `aside` the middle of gutters.

        It leaves a card towards the column of the other (to the right within a column), and reaches that column in the
        gutter above the other card.
        """
        (x, y), (end_x, end_y) = source, target
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


def _overlap(left: Sequence[Point], right: Sequence[Point]) -> bool:
    return any(_touch(first, second) for first in pairwise(left) for second in pairwise(right))


def _touch(left: Segment, right: Segment) -> bool:
    """Return whether two segments have a point in common and the same direction."""
    for across, along in ((0, 1), (1, 0)):
        if len({point[across] for point in (*left, *right)}) == 1:
            (start, stop), (begin, end) = (sorted(point[along] for point in segment) for segment in (left, right))
            return start <= end and begin <= stop
    return False
