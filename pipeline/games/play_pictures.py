"""Pictures of the steps of evidence of card games; and the plays of the careful player of docs/chances.md, as text and
as pictures: which are won, in rows."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from dealmill.pipeline.games.card_pictures import MARGIN
from dealmill.pipeline.games.pictures import CARD, MOVER, Scene, Style, element, outline, scene

MARKS = {True: "●", False: "·"}
WON: Style = MOVER | {"stroke_width": 0.75}
LOST: Style = CARD | {"stroke_width": 0.75}
PLAYS_IN_ROW = 40
"""A divisor of 1,000."""


class Step(Protocol):
    """A step of evidence: its caption, what it proves, and which plays are won if it is about plays."""

    @property
    def caption(self) -> str: ...
    @property
    def proves(self) -> str: ...
    @property
    def wins(self) -> Sequence[bool]: ...


def scene_of_step(step: Step, board: Callable[[bool], str], table: Callable[[str], Scene]) -> Scene:
    """Return the picture of a step: the plays, or the table.

    `board` returns the table as text, with backs if its argument is true, and `table` the picture with a description. A
    proof shows all cards.
    """
    alt, closed_alt = (f"{' '.join(board(closed).split())}. {step.caption}" for closed in (False, True))
    drawn = table(alt)
    if step.wins:
        return _grid_of_plays(drawn.width, drawn.height, step.wins, step.caption)
    return replace(drawn, closed_alt="" if step.proves or alt == closed_alt else closed_alt)


def caption_of_plays(share: str) -> str:
    """Return the caption of plays, after a sentence that says how many are won."""
    return f"{share} Each mark is a play, from the first in rows of {PLAYS_IN_ROW}; those that are won are filled."


def rows_of_plays(wins: Sequence[bool]) -> str:
    """Return the plays as text."""
    marks = "".join(MARKS[won] for won in wins)
    return "\n".join(marks[at : at + PLAYS_IN_ROW] for at in range(0, len(marks), PLAYS_IN_ROW))


def _grid_of_plays(width: int, height: int, wins: Sequence[bool], caption: str) -> Scene:
    """Return the plays that are won and those that are lost, as squares on paper of this size."""
    pitch = min((width - 2 * MARGIN) / PLAYS_IN_ROW, (height - 2 * MARGIN) / (len(wins) // PLAYS_IN_ROW))
    side = round(0.8 * pitch, 1)
    squares = defaultdict[bool, list[str]](list)
    for number, won in enumerate(wins):
        row, column = divmod(number, PLAYS_IN_ROW)
        squares[won].append(outline(MARGIN + column * pitch, MARGIN + row * pitch, side, side))
    parts = [element("path", d="".join(part), **(WON if won else LOST)) for won, part in squares.items()]
    return scene(width, height, parts, caption, caption)
