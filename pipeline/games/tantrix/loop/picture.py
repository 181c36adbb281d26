"""Tantrix loop as text and as pictures: the tiles side by side, then the loop tile by tile, or why there is none."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill

from dealmill.game import CHOSEN, GHOST, Point, Scene, badge, element, scene
from dealmill.pipeline.games.tantrix.drawing import (
    APOTHEM,
    BETWEEN,
    MARGIN,
    RADIUS,
    free_tile,
    hexagon,
    middle_of,
    tiles_on,
)
from dealmill.pipeline.games.tantrix.loop.rules import GENTLE, Layout, read_certificate, read_layout, read_loop
from dealmill.pipeline.games.tantrix.picture import field_board, row_of_tiles
from dealmill.pipeline.games.tantrix.rules import Space
from dealmill.verdicts import Verdict

LINE = 76
PER_ROW = 7
WIDTH, HEIGHT = 640, 480
LARGEST = 1.5
"""The most by which tiles are enlarged."""
COLOUR_NAMES = {"B": "blue", "G": "green", "R": "red", "Y": "yellow"}


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the tiles, then the loop with its tiles numbered, or the reason why there is none.

    Raises
    ------
    InvalidEvidence
        If the evidence cannot be read or proves nothing. Chains are not counted.
    """
    given = read_layout(layout)
    rows = _rows(given.tiles)
    yield f"{rows}\n\n{_task(given)}"
    if verdict is Verdict.WINNABLE and evidence is not None:
        field = _field(given, evidence)
        labels = {space: f"#{number}" for number, space in enumerate(field, start=1)}
        yield f"{field_board(field, labels)}\n\nThe loop in {COLOUR_NAMES[given.colour]}, from #1 to #{len(field)}."
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        what, count = read_certificate(given, evidence)
        shown = f"{_rows(given.gentle)}\n\n" if what == GENTLE else ""
        yield shown + fill(_reason(given, what, count), LINE)


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the tiles, then the loop as it grows by one tile, or the tiles with their gentle curves marked.

    Raises
    ------
    InvalidEvidence
        If the evidence cannot be read or proves nothing. Chains are not counted.
    """
    given = read_layout(layout)
    yield _sheet(given, [], _task(given))
    if verdict is Verdict.WINNABLE and evidence is not None:
        field = _field(given, evidence)
        for number in range(1, len(field) + 1):
            yield _growing(field, number)
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        what, count = read_certificate(given, evidence)
        marked = given.gentle if what == GENTLE else []
        yield _sheet(given, marked, _reason(given, what, count), _proves(given, what, count))


def _task(given: Layout) -> str:
    return f"{len(given.tiles)} tiles, for one closed loop in {COLOUR_NAMES[given.colour]}."


def _field(given: Layout, evidence: str) -> dict[Space, str]:
    """Return the tiles by their spaces, in the order of the loop."""
    return {Space(*placed.space): placed.tile for placed in read_loop(given, evidence)}


def _reason(given: Layout, what: str, count: int) -> str:
    if what != GENTLE:
        return f"Chains of tiles that can be laid from the first tile on: {count:,}. None of them is a loop."
    return (
        f"Tiles with a gentle curve in {COLOUR_NAMES[given.colour]}: {count}. In a gentle curve, a loop turns by one "
        "sixth of a circle, in a sharp one by two, in a straight link not at all. All turns together make a full "
        f"circle, six sixths, so a loop has an even number of gentle curves. {count} is odd: there is no loop."
    )


def _proves(given: Layout, what: str, count: int) -> str:
    if what != GENTLE:
        return "All ways to lay tiles along the loop, from the first tile on, have been tried. None closes it."
    return (
        "The turns of a loop make a full circle, so it has an even number of gentle curves, which turn by a sixth. "
        f"Rings mark the tiles with a gentle curve in {COLOUR_NAMES[given.colour]}: {count}, an odd number."
    )


def _rows(tiles: Sequence[str]) -> str:
    return "\n".join(row_of_tiles(tiles[start : start + PER_ROW]) for start in range(0, len(tiles), PER_ROW))


def _sheet(given: Layout, marked: Sequence[str], caption: str, proves: str = "") -> Scene:
    """Return the tiles side by side, with rings and numbers on the marked ones."""
    rings = []
    middles = [
        (index % PER_ROW * (2 * RADIUS + BETWEEN), index // PER_ROW * (2 * APOTHEM + BETWEEN))
        for index in range(len(given.tiles))
    ]
    tiles = [free_tile(middle, tile) for middle, tile in zip(middles, given.tiles, strict=True)]
    for number, tile in enumerate(marked, start=1):
        x, y = middles[given.tiles.index(tile)]
        rings += [hexagon((x, y), CHOSEN), badge(x - RADIUS / 2, y - APOTHEM, str(number))]
    alt = f"Tiles: {', '.join(given.tiles)}." + (f" Gentle curves: {', '.join(marked)}." if marked else "")
    return scene(WIDTH, HEIGHT, [_fitted(middles, [*tiles, *rings])], caption, alt, proves=proves)


def _growing(field: dict[Space, str], number: int) -> Scene:
    """Return the first tiles of a loop, with a ring around the last one, and the places of the others."""
    spaces = list(field)
    laid = {space: field[space] for space in spaces[:number]}
    last = spaces[number - 1]
    parts = [
        *tiles_on(laid),
        *(hexagon(middle_of(space), GHOST) for space in spaces[number:]),
        hexagon(middle_of(last), CHOSEN),
    ]
    caption = f"Tile {number} of {len(field)}: {field[last]} on {last}." + " The loop is closed." * (last == spaces[-1])
    alt = f"Field: {', '.join(f'{tile} on {space}' for space, tile in laid.items())}."
    return scene(WIDTH, HEIGHT, [_fitted([middle_of(space) for space in spaces], parts)], caption, alt)


def _fitted(middles: Sequence[Point], parts: Iterable[str]) -> str:
    """Return tiles with these middles in the middle of the picture, in a size that fits."""
    across, down = [value for value, _ in middles], [value for _, value in middles]
    left, right, top, bottom = min(across) - RADIUS, max(across) + RADIUS, min(down) - APOTHEM, max(down) + APOTHEM
    scale = min(LARGEST, (WIDTH - 2 * MARGIN) / (right - left), (HEIGHT - 2 * MARGIN) / (bottom - top))
    x, y = WIDTH / 2 - scale * (left + right) / 2, HEIGHT / 2 - scale * (top + bottom) / 2
    return element("g", *parts, transform=f"translate({x:.1f} {y:.1f})scale({scale:.3f})")
