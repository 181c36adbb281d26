"""The parts of pictures: elements, texts, boxes, badges and arrows, each as a string of SVG.

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
``arrow``  lines of arrows, and their heads as ``ink``; ``casing`` is the gap around them
========== ============================================================================
"""

from collections.abc import Sequence
from html import escape
from math import dist

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


def arrow(corners: Sequence[Point]) -> str:
    """Return an arrow along a line with these corners; a gap around it separates it from lines that it crosses."""
    tip, bend = corners[-1], corners[-2]
    line = path([*corners[:-1], _towards(tip, bend, HEAD)])
    return element("path", d=line, **CASING) + element("path", d=line, **ARROW) + head(tip, bend, INKED)


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
