"""FreeCell as text and as pictures: the table before the first move and after each."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.game import CHOSEN, GHOST, NOTE, Scene, box, card, rank_name, scene, text
from dealmill.verdicts import Verdict
from dealmill_freecell.rules import RANKS, SUITS, Table, check

SIGNS = dict(zip(SUITS, "♡♣♢♠", strict=True))
"""Hollow signs for red suits, filled ones for black suits."""
CELLS = "abcd"
WIDTH, HEIGHT, PITCH_X, PITCH_Y = 50, 24, 56, 26
MARGIN = 14
TOP = 2 * MARGIN + HEIGHT + 24
"""The height of the upper edge of the columns."""
ROWS = 19
"""The cards in the longest column: twelve on a King that was the last card of seven."""


@dataclass(frozen=True, slots=True)
class Step:
    """The table after a move, or before the first one. `moved` are the cards that have moved."""

    columns: list[list[str]]
    cells: dict[str, str]
    foundations: dict[str, str]
    """The card on top of each foundation, by suit."""
    moved: list[str]
    caption: str


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the layout, then the table after each move of a win, or the reason why it is lost.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    for step in _steps(layout, verdict, evidence):
        cells = "  ".join(f"{cell} {step.cells.get(cell, '··')}" for cell in CELLS)
        foundations = "  ".join(step.foundations.get(suit, f"·{suit}") for suit in SUITS)
        rows = [
            [column[row] if row < len(column) else "  " for column in step.columns]
            for row in range(max(map(len, step.columns)))
        ]
        lines = ["  ".join(row).rstrip() for row in [[f" {number}" for number in range(1, 9)], *rows]]
        yield "\n".join([f"{cells}     h  {foundations}", "", *lines, "", step.caption])


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the same as pictures; rings mark the cards that have moved. Hollow signs are red suits.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    for step in _steps(layout, verdict, evidence):
        parts = [*_upper_row(step), *_columns(step)]
        yield scene(8 * PITCH_X + 2 * MARGIN, TOP + ROWS * PITCH_Y + MARGIN, parts, step.caption, _described(step))


def _steps(layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Step]:
    table = Table(layout)
    yield _step(table, [], "The layout.")
    if evidence is None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        return
    check("a picture", layout, verdict, None, evidence)
    if verdict is Verdict.UNWINNABLE:
        yield _step(table, [], f"Lost: {int(evidence):,} positions can be reached, and none of them is won.")
        return
    for number, word in enumerate(evidence.split(" "), start=1):
        cards = table.move(word, number)
        names = ", ".join(map(_name, cards))
        won = "" if table.left else " All cards are on the foundations: won."
        yield _step(table, cards, f"Move {number}, {word}: {names} {_target(word[1])}.{won}")


def _step(table: Table, moved: list[str], caption: str) -> Step:
    tops = {suit: RANKS[count - 1] + suit for suit, count in table.foundations.items() if count}
    return Step([column.copy() for column in table.columns], table.cells.copy(), tops, moved, caption)


def _target(place: str) -> str:
    match place:
        case "h":
            return "to the foundation"
        case "a" | "b" | "c" | "d":
            return f"to free cell {place}"
    return f"to column {place}"


def _name(symbols: str) -> str:
    return rank_name(symbols[0]) + SIGNS[symbols[1]]


def _upper_row(step: Step) -> Iterator[str]:
    """Yield the free cells and the foundations, with their names below."""
    for place, cell in enumerate(CELLS):
        yield from _place(step, place, step.cells.get(cell), cell)
    for place, suit in enumerate(SUITS, start=len(CELLS)):
        yield from _place(step, place, step.foundations.get(suit), f"h {SIGNS[suit]}")


def _place(step: Step, place: int, shown: str | None, label: str) -> Iterator[str]:
    x = MARGIN + place * PITCH_X
    if shown:
        yield from _card(step, x, MARGIN, shown)
    else:
        yield box(x, MARGIN, WIDTH, HEIGHT, GHOST)
    yield text(x + WIDTH / 2, MARGIN + HEIGHT + 10, label, 13, NOTE)


def _columns(step: Step) -> Iterator[str]:
    for place, column in enumerate(step.columns):
        x = MARGIN + place * PITCH_X
        yield text(x + WIDTH / 2, TOP - 8, str(place + 1), 13, NOTE)
        if not column:
            yield box(x, TOP, WIDTH, HEIGHT, GHOST)
        for row, shown in enumerate(column):
            yield from _card(step, x, TOP + row * PITCH_Y, shown)


def _card(step: Step, x: float, y: float, shown: str) -> Iterator[str]:
    yield card(x, y, WIDTH, HEIGHT, _name(shown))
    if shown in step.moved:
        yield box(x, y, WIDTH, HEIGHT, CHOSEN | {"stroke_width": 4})


def _described(step: Step) -> str:
    columns = "; ".join(
        f"column {number}: {' '.join(map(_name, column)) or 'empty'}"
        for number, column in enumerate(step.columns, start=1)
    )
    cells = " ".join(map(_name, step.cells.values())) or "empty"
    tops = " ".join(map(_name, step.foundations.values())) or "empty"
    return f"Free cells: {cells}; foundations: {tops}; {columns}. {step.caption}"
