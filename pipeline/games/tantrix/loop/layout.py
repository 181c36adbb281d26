"""Layouts of Tantrix loop: the colour of the loop, and its tiles, one layout per line.

The canonical text has the letter of the colour, a slash, and the tiles in alphabetical order, each in its
alphabetically first rotation, as in the hand of Tantrix::

    R / BBRRGG BGBRGR BGBRRG
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from dealmill.game import BadLayout, EachLine, Layout, Line, Reject, read_file
from dealmill.pipeline.games.tantrix.tiles import COLOURS, LEAST, why_no_tile

LEAST_TILES, MAX_TILES = 3, 42
"""Three sharp curves make a circle; 42 of the 56 tiles have a given colour."""
LONGEST_LINE = 1000


def read(lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read one layout per line; blank lines and comments are skipped."""
    return read_file(lines, each_line)


def each_line(_first: str) -> EachLine:
    """Return the reader of a file."""
    return EachLine(canonical)


def canonical(text: str) -> str:
    """Return the canonical text of a layout; tiles may be in any order and rotation, and lower case is accepted.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a layout.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
    colour, slash, rest = text.upper().partition("/")
    if not slash:
        raise BadLayout(["there is no / between the colour and the tiles"])
    tiles = rest.split()
    if reasons := list(_reasons(colour.strip(), tiles)):
        raise BadLayout(reasons)
    return f"{colour.strip()} / {' '.join(sorted(LEAST[tile] for tile in tiles))}"


def _reasons(colour: str, tiles: list[str]) -> Iterator[str]:
    known = colour in set(COLOURS)
    if not known:
        yield f"the colour before the / is {colour!r}, expected one of {', '.join(COLOURS)}"
    if not LEAST_TILES <= len(tiles) <= MAX_TILES:
        yield f"the number of tiles is {len(tiles)}, expected {LEAST_TILES} to {MAX_TILES}"
    yield from filter(None, map(why_no_tile, tiles))
    for tile, times in Counter(LEAST[tile] for tile in tiles if tile in LEAST).items():
        if times > 1:
            yield f"tile {tile} occurs {times} times, expected 1"
        if known and colour not in tile:
            yield f"tile {tile} has no {colour}"
