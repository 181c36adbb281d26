"""FreeCell as text and as pictures: the table before the first move and after each."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dealmill.game import CARD, CHOSEN, GHOST, INKED, NOTE, Scene, Style, box, rank_name, scene, text
from dealmill.verdicts import Verdict
from dealmill_freecell.rules import RANKS, SUITS, Table, check, read_positions

SIGNS = dict(zip(SUITS, "♡♣♢♠", strict=True))
"""Hollow signs for red suits, filled ones for black suits."""
RED: Style = {"class_": "red", "fill": "#b3261e"}
CELLS = "abcd"
WIDTH, HEIGHT, PITCH_X = 54, 34, 62
STRIP = 24
"""The height of what is seen of a card under another one."""
MARGIN = 18
TOP = MARGIN + HEIGHT + 44
"""The height of the upper edge of the columns."""
BOTTOM = TOP + 8 * STRIP + HEIGHT
"""The lower edge of the longest column. The cards of columns of more than nine lie closer together: one of 19 is
possible, with twelve cards on a King that was the last card of seven."""


@dataclass(frozen=True, slots=True)
class Step:
    """The table after a move, or before the first one. `moved` are the cards that have moved."""

    columns: list[list[str]]
    cells: dict[str, str]
    foundations: dict[str, str]
    """The card on top of each foundation, by suit."""
    moved: list[str]
    caption: str
    proves: str = ""


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
    """Yield the same as pictures; rings mark the cards that have moved. Red suits have hollow signs, too.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    for step in _steps(layout, verdict, evidence):
        parts = [*_upper_row(step), *_columns(step)]
        width = 7 * PITCH_X + WIDTH + 2 * MARGIN
        yield scene(width, BOTTOM + MARGIN, parts, step.caption, _described(step), proves=step.proves)


def _steps(layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Step]:
    table = Table(layout)
    yield _step(table, [], "The layout.")
    if evidence is None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        return
    if verdict is Verdict.UNWINNABLE:
        lost = f"{read_positions(evidence):,} positions can be reached, and none of them is won."
        yield replace(_step(table, [], f"Lost: {lost}"), proves=f"{lost} The referee visits them all.")
        return
    check("a picture", layout, verdict, None, evidence)
    for number, word in enumerate(evidence.split(" "), start=1):
        cards = table.move(word, number)
        names = ", ".join(map(_name, cards))
        won = "" if table.left else " All cards are on the foundations: won."
        yield _step(table, cards, f"Move {number}, {word}: {names} {_source(word[0])} {_target(word[1])}.{won}")


def _step(table: Table, moved: list[str], caption: str) -> Step:
    tops = {suit: RANKS[count - 1] + suit for suit, count in table.foundations.items() if count}
    return Step([column.copy() for column in table.columns], table.cells.copy(), tops, moved, caption)


def _source(name: str) -> str:
    return f"from free cell {name}" if name in CELLS else f"from column {name}"


def _target(name: str) -> str:
    match name:
        case "h":
            return "to the foundation"
        case "a" | "b" | "c" | "d":
            return f"to free cell {name}"
    return f"to column {name}"


def _name(symbols: str) -> str:
    return rank_name(symbols[0]) + SIGNS[symbols[1]]


def _upper_row(step: Step) -> Iterator[str]:
    """Yield the free cells and the foundations, with a name on each that is empty."""
    for column, cell in enumerate(CELLS):
        yield from _place(step, column, step.cells.get(cell), cell)
    for column, suit in enumerate(SUITS, start=len(CELLS)):
        yield from _place(step, column, step.foundations.get(suit), SIGNS[suit])
    for left, name in ((0, "free cells"), (len(CELLS), "foundations (h)")):
        yield text(MARGIN + left * PITCH_X, MARGIN + HEIGHT + 16, name, 14, NOTE, anchor="start")


def _place(step: Step, column: int, shown: str | None, label: str) -> Iterator[str]:
    x = MARGIN + column * PITCH_X
    if shown:
        yield from _card(step, x, MARGIN, shown)
    else:
        yield box(x, MARGIN, WIDTH, HEIGHT, GHOST)
        yield text(x + WIDTH / 2, MARGIN + HEIGHT / 2, label, 18, NOTE)


def _columns(step: Step) -> Iterator[str]:
    for index, column in enumerate(step.columns):
        x = MARGIN + index * PITCH_X
        yield text(x + WIDTH / 2, TOP - 12, str(index + 1), 14, NOTE)
        if not column:
            yield box(x, TOP, WIDTH, HEIGHT, GHOST)
        strip = min(STRIP, (BOTTOM - HEIGHT - TOP) / max(len(column) - 1, 1))
        for row, shown in enumerate(column):
            yield from _card(step, x, TOP + row * strip, shown)


def _card(step: Step, x: float, y: float, shown: str) -> Iterator[str]:
    yield box(x, y, WIDTH, HEIGHT, CARD)
    if shown in step.moved:
        yield box(x, y, WIDTH, HEIGHT, CHOSEN | {"stroke_width": 4})
    yield text(x + WIDTH / 2, y + STRIP / 2, _name(shown), 19, RED if SIGNS[shown[1]] in "♡♢" else INKED, bold=True)


def _described(step: Step) -> str:
    columns = "; ".join(
        f"column {number}: {' '.join(map(_name, column)) or 'empty'}"
        for number, column in enumerate(step.columns, start=1)
    )
    cells = " ".join(map(_name, step.cells.values())) or "empty"
    tops = " ".join(map(_name, step.foundations.values())) or "empty"
    return f"Free cells: {cells}; foundations: {tops}; {columns}. {step.caption}"
