"""Layouts of Tantrix: the tiles on the field, and the hand of the player to move.

The canonical text has the tiles on the field as ``x,y:COLOURS`` in order of x, then y; a slash; and the five tiles in
hand in alphabetical order, each in its alphabetically first rotation. All are separated by single blanks::

    -1,1:GGYBYB 0,0:BRYRBY / BBRRGG BBYGYG BGBRGR BGRBRG BGYBYG

COLOURS are those of the sides, clockwise from the top side. Clockwise from above, the spaces around (x, y) are
(x, y+1), (x+1, y), (x+1, y-1), (x, y-1), (x-1, y), (x-1, y+1).
"""

import re
from collections.abc import Iterable, Iterator

from dealmill.game import BadLayout, EachLine, Layout, Line, Reject, read_file
from dealmill.pipeline.games.tantrix.position import canonical_text
from dealmill.pipeline.games.tantrix.statement import COUNT, read_cases

LONGEST_LINE = 2000


def read(lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read the problem statement's format if the first line is a number, otherwise one layout per line.

    Blank lines and comments are skipped.
    """
    return read_file(lines, each_line, read_cases)


def each_line(first: str) -> EachLine | None:
    """Return the reader of a file whose first line is `first`; None if that is a number."""
    return None if COUNT.fullmatch(first) else EachLine(canonical)


def canonical(text: str) -> str:
    """Return the canonical text of a layout on one line; tiles may be in any order, and lower case is accepted.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a layout.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
    field, slash, hand = text.partition("/")
    if not slash and re.match(r"\d+ +\d+ ", text):
        raise BadLayout(["in the problem statement's format, each number, tile and hand has a line of its own"])
    if not slash:
        raise BadLayout(["there is no / between the field and the hand"])
    faults, placed = [], []
    for entry in field.split():
        coordinates, colon, tile = entry.partition(":")
        x, comma, y = coordinates.partition(",")
        if colon and comma:
            placed.append((x, y, tile.upper()))
        else:
            faults.append(f"{entry!r} is not of the form x,y:COLOURS")
    return canonical_text(placed, hand.upper().split(), faults)
