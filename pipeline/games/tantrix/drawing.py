"""Tantrix as a picture: dark hexagons with curved links that run on from tile to tile, and the hand beside the field.

The colour of a link is also told by the pattern along its middle, and by a letter at each end that no other tile joins.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import cos, pi, sin, sqrt

from dealmill.game import (
    BLUE,
    CHOSEN,
    GHOST,
    INK,
    INKED,
    NOTE,
    ORANGE,
    WHITE,
    Point,
    Scene,
    Style,
    at,
    circle,
    cross,
    element,
    scene,
    text,
)
from dealmill.pipeline.games.tantrix.rules import COLOURS, Move, Position, Space, around, rotations

DRAWN = 1 << 10
"""The tiles in the cache: a position has a picture for each of its moves, and most tiles are in all of them."""
RADIUS = 40
"""From the middle of a hexagon to its corners."""
APOTHEM = RADIUS * sqrt(3) / 2
INSET = 1.5
"""The gap between a hexagon and its edge, so that neighbours do not touch."""
MARGIN = 16
BETWEEN = 10
"""The gap between tiles in hand."""
SIDES = 6
BENDS = {1: 0.44, 2: 0.62, 3: 0.5}
"""How far a link runs straight towards the middle before it bends, by the number of sides it turns over: these shares
of the apothem as controls of a cubic curve give nearly circular arcs."""

TILE: Style = {"class_": "tile", "fill": "#262626", "stroke": INK, "stroke_width": 1}
CASED: Style = {"class_": "cased", "fill": "none", "stroke": WHITE, "stroke_width": 13}
LINKS: dict[str, Style] = {
    colour: {"class_": f"link {name}", "fill": "none", "stroke": stroke, "stroke_width": 9.5}
    for colour, name, stroke in zip(
        COLOURS, ("blue", "green", "red", "yellow"), (BLUE, "#009e73", ORANGE, "#f0e442"), strict=True
    )
}
PATTERNS: dict[str, Style] = {
    "G": {"class_": "cased", "stroke": WHITE, "stroke_width": 2.5},
    "R": {"class_": "cased", "stroke": WHITE, "stroke_width": 3, "stroke_dasharray": "7 5"},
    "Y": {"class_": "dotted", "stroke": INK, "stroke_width": 3.5, "stroke_dasharray": "3.5 4"},
}
"""The line along the middle of a link: none for blue, solid for green, dashes for red, dots for yellow."""
DISC: Style = {"class_": "cased", "fill": WHITE, "stroke": INK, "stroke_width": 0.8}
LETTER: Style = {"class_": "letter", "fill": INK}
FORCED: Style = {"class_": "forced", "fill": "none", "stroke": INK, "stroke_width": 4}


def drawn(position: Position, move: Move | None, caption: str) -> Scene:
    """Return the field with its forced (!) and controlled (✕) spaces, the hand, and the tile that a move places."""
    places = [middle_of(space) for space in (*position.field, *position.links)]
    left, top = min(x for x, _ in places) - RADIUS, min(y for _, y in places) - APOTHEM
    across, down = max(x for x, _ in places) + RADIUS - left, max(y for _, y in places) + APOTHEM - top
    beside = len(position.hand) * (2 * APOTHEM + BETWEEN) - BETWEEN + 2 * MARGIN
    width = across + 2 * RADIUS + 3 * MARGIN
    height = max(down, beside) + 2 * MARGIN
    shift = MARGIN - left, (height - down) / 2 - top
    field = element("g", *_field(position, move), transform=f"translate({at(shift)})")
    first = width - MARGIN - RADIUS, (height - beside) / 2 + 2 * MARGIN + APOTHEM
    return scene(width, height, [field, *_hand(position, move, first)], caption, _described(position))


def _field(position: Position, move: Move | None) -> Iterator[str]:
    tiles = position.field | ({move.space: move.tile} if move else {})
    yield from tiles_on(tiles)
    for space in sorted(position.links.keys() - tiles.keys()):
        x, y = middle_of(space)
        yield hexagon((x, y), FORCED if space in position.forced_spaces else GHOST)
        yield text(x, y + 20, str(space), 13, NOTE)
        if space in position.forced_spaces:
            yield text(x, y - 8, "!", 36, INKED, bold=True)
        elif space in position.controlled_spaces:
            yield cross(x, y - 4, 9, {**GHOST, "stroke_width": 3, "stroke_dasharray": "none"})
    if move:
        yield hexagon(middle_of(move.space), CHOSEN)


def tiles_on(field: Mapping[Space, str]) -> Iterator[str]:
    """Yield the tiles on a field, with letters on their free sides."""
    for space in field:
        yield hexagon(middle_of(space), TILE)
    for space, tile in field.items():
        free = frozenset(side for side, beyond in enumerate(around(space)) if beyond not in field)
        yield _links(middle_of(space), tile, free)


def free_tile(middle: Point, tile: str) -> str:
    """Return a tile with letters on all sides."""
    return hexagon(middle, TILE) + _links(middle, tile, frozenset(range(SIDES)))


def _hand(position: Position, move: Move | None, first: Point) -> Iterator[str]:
    for number, tile in enumerate(position.hand):
        middle = first[0], first[1] + number * (2 * APOTHEM + BETWEEN)
        yield free_tile(middle, tile)
        if move and move.tile in rotations(tile):
            yield hexagon(middle, CHOSEN | {"stroke_dasharray": "8 5"})
    yield text(first[0], first[1] - APOTHEM - MARGIN, "in hand", 16, NOTE)


def middle_of(space: Space) -> Point:
    """Return the middle of a space; that of 0,0 is the origin."""
    return 1.5 * RADIUS * space.x, -2 * APOTHEM * (space.y + space.x / 2)


def hexagon(middle: Point, style: Style) -> str:
    """Return the edge of a tile or space."""
    reach = RADIUS - INSET
    corners = [(middle[0] + reach * cos(pi / 3 * k), middle[1] + reach * sin(pi / 3 * k)) for k in range(SIDES)]
    return element("path", d=f"M{'L'.join(map(at, corners))}Z", **style)


@lru_cache(maxsize=DRAWN)
def _links(middle: Point, tile: str, lettered: frozenset[int]) -> str:
    """Return the links of a tile, with letters on some of its sides."""
    parts: list[str] = []
    for colour in COLOURS:
        sides = [side for side, shown in enumerate(tile) if shown == colour]
        for first, second in zip(sides[::2], sides[1::2], strict=False):
            parts += _link(middle, first, second, colour)
    for side in sorted(lettered):
        disc = _towards(middle, side, APOTHEM - 10)
        parts += [circle(*disc, 7, DISC), text(*disc, tile[side], 10, LETTER, bold=True)]
    return "".join(parts)


def _link(middle: Point, first: int, second: int, colour: str) -> Iterator[str]:
    apart = min(second - first, SIDES + first - second)
    inner = APOTHEM * (1 - BENDS[apart])
    points = [_towards(middle, first, APOTHEM), _towards(middle, first, inner)]
    points += [_towards(middle, second, inner), _towards(middle, second, APOTHEM)]
    curve = f"M{at(points[0])}C{' '.join(map(at, points[1:]))}"
    yield element("path", d=curve, **CASED)
    yield element("path", d=curve, **LINKS[colour])
    if colour in PATTERNS:
        yield element("path", d=curve, fill="none", **PATTERNS[colour])


def _towards(middle: Point, side: int, distance: float) -> Point:
    """Return the point at a distance from the middle of a hexagon towards a side, clockwise from the top side."""
    angle = pi / 3 * side
    return middle[0] + distance * sin(angle), middle[1] - distance * cos(angle)


def _described(position: Position) -> str:
    field = ", ".join(f"{tile} on {space}" for space, tile in position.field.items())
    forced, controlled = (
        ", ".join(map(str, sorted(spaces))) or "none" for spaces in (position.forced_spaces, position.controlled_spaces)
    )
    hand = ", ".join(position.hand)
    return f"Field: {field}. In hand: {hand}. Forced spaces: {forced}. Controlled spaces: {controlled}."
