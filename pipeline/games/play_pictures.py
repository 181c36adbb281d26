"""The plays of the careful player of docs/chances.md as text and as pictures: which are won, in rows."""

from collections import defaultdict
from collections.abc import Sequence

from dealmill.pipeline.games.card_pictures import MARGIN
from dealmill.pipeline.games.pictures import CARD, MOVER, Scene, Style, element, outline, scene

MARKS = {True: "●", False: "·"}
WON: Style = MOVER | {"stroke_width": 0.75}
LOST: Style = CARD | {"stroke_width": 0.75}
PLAYS_IN_ROW = 40
"""A divisor of 1,000."""


def caption_of_plays(share: str) -> str:
    """Return the caption of plays, after a sentence that says how many are won."""
    return f"{share} Each mark is a play, from the first in rows of {PLAYS_IN_ROW}; those that are won are filled."


def rows_of_plays(wins: Sequence[bool]) -> str:
    """Return the plays as text."""
    marks = "".join(MARKS[won] for won in wins)
    return "\n".join(marks[at : at + PLAYS_IN_ROW] for at in range(0, len(marks), PLAYS_IN_ROW))


def grid_of_plays(width: int, height: int, wins: Sequence[bool], caption: str) -> Scene:
    """Return the plays that are won and those that are lost, as squares on paper of this size."""
    pitch = min((width - 2 * MARGIN) / PLAYS_IN_ROW, (height - 2 * MARGIN) / (len(wins) // PLAYS_IN_ROW))
    side = round(0.8 * pitch, 1)
    squares = defaultdict[bool, list[str]](list)
    for number, won in enumerate(wins):
        row, column = divmod(number, PLAYS_IN_ROW)
        squares[won].append(outline(MARGIN + column * pitch, MARGIN + row * pitch, side, side))
    parts = [element("path", d="".join(part), **(WON if won else LOST)) for won, part in squares.items()]
    return scene(width, height, parts, caption, caption)
