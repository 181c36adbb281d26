"""Tables for people: one line for each row and, on a terminal, no line wider than the terminal.

Columns that say least are left out first: those that are empty, those that are the same in all rows, then the least
important ones. What is still too wide is shortened, but never a number.
"""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import click

from dealmill.pipeline.printable import decimal, printable

GAP = 2
"""Spaces between columns."""
NAMES = {"run", "runs", "repeats", "audit", "source", "line", "position"}
"""Columns whose numbers are names, which are written without separators."""
DISPENSABLE = (
    *("dealmill", "version", "fingerprint", "storage", "name", "duplicates", "seconds_ago", "items/s", "runs"),
    *("took", "position", "line", "layouts/s", "pending", "who", "started", "note", "audit", "solved", "mean", "step"),
    *("other_nodes", "priority", "repeats", "tags"),
)
"""Columns that are left out before texts become shorter than `LONG`, the least important first."""
LEAST_IMPORTANT = (
    *("deal_parameters", "max_nodes", "nodes", "rejected", "failed", "undecided", "other_value", "value", "scored"),
    *("unwinnable", "engine", "source"),
)
"""Columns that are left out next, before texts become shorter than `SHORT`. All others say what a row is about."""
LONG, SHORT, SHORTEST = 24, 14, 4
"""Widths to which texts are shortened; the last one when nothing else can be left out."""
NEVER_SHORTENED = {"game", "item", "items", "other_verdict", "verdict", "when"}
IN_THE_MIDDLE = {"engine", "evidence", "layout", "other_evidence", "source", "text", "worker"}
"""Columns that are shortened in the middle, because their ends tell them apart. Others lose their ends."""
COLOURED = {"outcome", "other_verdict", "state", "verdict"}
COLOURS = (
    dict.fromkeys(("finished", "ok", "valid", "winnable"), "green")
    | dict.fromkeys(("damaged", "stopped", "stuck", "failed", "invalid", "retracted", "unwinnable", "wrong"), "red")
    | dict.fromkeys(("undecided", "waiting", "paused", "cancelled", "nothing"), "yellow")
)
"""The colours of verdicts and states, by their first word. What a colour says, the word says as well."""


@dataclass
class Column:
    """A column of a table: its cells, the first of which is its head, and the width that it may take."""

    name: str
    cells: list[str]
    is_number: bool
    width: int

    @classmethod
    def of(cls, name: str, values: Sequence[object]) -> Self:
        """Return the column of these values."""
        from rich.cells import cell_len

        cells = [name, *(_cell(name, value) for value in values)]
        is_number = all(isinstance(value, int | float | None) for value in values)
        return cls(name, cells, is_number, max(map(cell_len, cells)))

    @property
    def says_nothing(self) -> bool:
        """Whether it is empty, or the same in all of several rows and not what these are about."""
        _, *cells = self.cells
        alike = len(cells) > 1 and len({*cells}) == 1
        return not any(cells) or (alike and self.name in (*DISPENSABLE, *LEAST_IMPORTANT))

    def least(self, shortest: int) -> int:
        """Return the width to which it may be shortened."""
        fixed = self.is_number or self.name in NEVER_SHORTENED
        return self.width if fixed else min(self.width, max(shortest, len(self.name)))


def write_table(columns: Sequence[str], rows: Sequence[Mapping[str, object]], *, wide: bool) -> list[str]:
    """Write a table so that it fits the terminal, unless `wide`. Return the names of columns that are not all there.

    Columns that show by an ellipsis in the middle that they are shortened are not named.
    """
    whole = [Column.of(name, [row.get(name) for row in rows]) for name in columns]
    full = {column.name: column.width for column in whole if any(column.cells[1:])}
    on_terminal = sys.stdout.isatty()
    shown = _fitting(whole, shutil.get_terminal_size().columns) if on_terminal and not wide else whole
    coloured = on_terminal and "NO_COLOR" not in os.environ
    for line in range(len(rows) + 1):
        last = shown[-1]
        cells = [_written(column, line, coloured=coloured and line > 0, padded=column is not last) for column in shown]
        click.echo((" " * GAP).join(cells).rstrip())
    widths = {column.name: column.width for column in shown}
    return [
        name
        for name, width in full.items()
        if name not in widths or (widths[name] < width and name not in IN_THE_MIDDLE)
    ]


def _fitting(columns: Sequence[Column], room: int) -> list[Column]:
    """Return the columns to show, with widths that fit into the room."""
    shown = list(columns)
    for column in columns:
        if _total(shown) > room and column.says_nothing and len(shown) > 1:
            shown.remove(column)
    for names, least in ((DISPENSABLE, LONG), (LEAST_IMPORTANT, SHORT)):
        for name in names:
            if _total(shown, least) > room:
                shown = [column for column in shown if column.name != name] or shown
    while _total(shown, SHORTEST) > room and len(shown) > 1:
        del shown[-1]
    _shorten(shown, room, next((least for least in (LONG, SHORT) if _total(shown, least) <= room), SHORTEST))
    return shown


def _shorten(columns: Sequence[Column], room: int, least: int) -> None:
    """Make the widest texts narrower, but not narrower than `least`, until the table fits or none can be shortened."""
    while (excess := _total(columns) - room) > 0:
        longest = sorted((column for column in columns if column.width > column.least(least)), key=_width, reverse=True)
        if not longest:
            return
        next_width = longest[1].width if len(longest) > 1 else 0
        widest = longest[0]
        widest.width = max(widest.width - excess, widest.least(least), min(next_width, widest.width - 1))


def _width(column: Column) -> int:
    return column.width


def _total(columns: Sequence[Column], shortest: int | None = None) -> int:
    """Return the width of a table with these columns, shortened to `shortest` where they can be."""
    widths = [column.width if shortest is None else column.least(shortest) for column in columns]
    return sum(widths) + GAP * (len(widths) - 1)


def _written(column: Column, line: int, *, coloured: bool, padded: bool) -> str:
    """Return a cell with its colour and, if it is to be `padded`, as wide as its column."""
    from rich.cells import cell_len

    cell = _shortened(column.cells[line], column.width, in_the_middle=column.name in IN_THE_MIDDLE)
    blanks = " " * (column.width - cell_len(cell))
    first = cell.replace(":", " ").split(" ", 1)[0]
    if coloured and column.name in COLOURED and first in COLOURS:
        cell = click.style(cell, fg=COLOURS[first])
    return blanks + cell if column.is_number else cell + blanks if padded else cell


def _shortened(text: str, width: int, *, in_the_middle: bool) -> str:
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    end = (width - 1) // 2 if in_the_middle else 0
    head = set_cell_size(text, width - 1 - end).rstrip()
    return f"{head}…{set_cell_size(text[::-1], end)[::-1].lstrip() if end else ''}"


def _cell(column: str, value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value)
        case int() if column not in NAMES:
            return f"{value:,}"
        case float():
            return decimal(value)
        case list():
            return printable(", ".join(map(str, value)))
    return printable(str(value))
