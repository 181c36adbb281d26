"""Tables for people: on a terminal, no line is wider than the terminal, and what is longer than it goes to a pager.
Elsewhere, tables have their full width, or that of the environment variable COLUMNS if it is set.

Columns that say least are left out first: those that are empty, those that are the same in all rows, then the least
important ones. What is still too wide is shortened, but never a number, an engine or a verdict; states, and what
`doctor` found, are wrapped instead, so that such a row has several lines.
"""

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import NoneType
from typing import Self

import click

from dealmill.pipeline.printable import decimal, printable
from dealmill.pipeline.results.measures import recorded_numbers

GAP = 2
"""Spaces between columns."""
NAMES = {"run", "runs", "repeats", "audit", "source", "line", "deal", "position"}
"""Columns whose numbers are names, which are written without separators."""
NUMBERS_OF_SEARCHES = [order.measure.field for order in recorded_numbers(scored=False)]
DISPENSABLE = (
    *("dealmill", "version", "fingerprint", "storage", "duplicates", "seconds_ago", "items/s", "runs"),
    *("elapsed", "position", "line", "layouts/s", "pending", "started", "note", "audit", "solved", "step"),
    *(f"other_{name}" for name in NUMBERS_OF_SEARCHES),
    *("priority", "repeats", "tags"),
)
"""Columns that are left out before texts become shorter than `LONG`, the least important first."""
LEAST_IMPORTANT = (
    *("deal_parameters", "max_nodes", *NUMBERS_OF_SEARCHES, "rejected", "other_value", "other_evidence", "evidence"),
    *("source", "game", "engine"),
)
"""Columns that are left out next, before texts become shorter than `SHORT`. All others say what a row is about."""
LONG, SHORT, SHORTEST = 24, 14, 4
"""Widths to which texts are shortened; the last one when nothing else can be left out."""
NEVER_SHORTENED = {"engine", "game", "item", "items", "kind", "other_verdict", "verdict", "when", "who"}
IN_THE_MIDDLE = {"evidence", "layout", "name", "other_evidence", "source", "text", "worker"}
"""Columns that are shortened in the middle, because their ends tell them apart. Others lose their ends."""
WRAPPED = {"details", "reason", "reasons", "results", "state", "why"}
"""Columns that are not shortened: their cells take several lines."""
TO_COPY = {"layout"}
"""Columns that stay whole if leaving out others makes room for them."""
COLOURED = {"outcome", "other_verdict", "state", "verdict"}
COLOURS = (
    dict.fromkeys(("finished", "ok", "valid", "winnable"), "green")
    | dict.fromkeys(("damaged", "stopped", "stuck", "failed", "invalid", "retracted", "unwinnable", "wrong"), "red")
    | dict.fromkeys(("undecided", "waiting", "paused", "cancelled", "nothing"), "yellow")
)
"""The colours of verdicts and states, by their first word. What a colour says, the word says as well."""


def _columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


NUMBERS = int, float, NoneType
"""The types of the values of a column of numbers."""


@dataclass
class Column:
    """A column of a table: its cells, the first of which is its head, the width of the widest, and the width that the
    column may take."""

    name: str
    cells: list[str]
    is_ascii: bool
    is_number: bool
    widest: int
    width: int

    @classmethod
    def of(cls, name: str, values: Sequence[object]) -> Self:
        """Return the column of these values."""
        cells = [name, *(_cell(name, value) for value in values)]
        is_number = all(isinstance(value, NUMBERS) for value in values)
        is_ascii = "".join(cells).isascii()
        widest = max(map(len if is_ascii else _columns_of, cells))
        return cls(name, cells, is_ascii, is_number, widest, widest)

    @property
    def says_nothing(self) -> bool:
        """Whether it is empty, or the same in all of several rows and not what these are about."""
        _, *cells = self.cells
        alike = len(cells) > 1 and len({*cells}) == 1
        return not any(cells) or (alike and self.name in (*DISPENSABLE, *LEAST_IMPORTANT))

    def least(self, shortest: int, whole: Collection[str] = ()) -> int:
        """Return the width to which it may be shortened, unless it is one of those that stay `whole`."""
        fixed = self.is_number or self.name in NEVER_SHORTENED or self.name in whole
        return self.width if fixed else min(self.width, max(shortest, len(self.name)))


def write_table(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, object]],
    *,
    wide: bool,
    narrow: Sequence[str] = (),
    pager: bool = False,
) -> list[str]:
    """Write a table so that it fits the terminal, unless `wide`; with a `pager` if it has more lines than the terminal.
    If not all columns fit, write those in `narrow` instead, if there are any. Return the names of columns that are not
    all there.

    Columns that show by an ellipsis in the middle that they are shortened are not named.
    """
    shown = every = [Column.of(name, [row.get(name) for row in rows]) for name in columns]
    on_terminal = sys.stdout.isatty()
    room = shutil.get_terminal_size().columns
    limited = on_terminal or "COLUMNS" in os.environ
    if limited and not wide and _total(every) > room:
        chosen = [Column.of(name, [row.get(name) for row in rows]) for name in narrow] or every
        shown = _fitting(chosen, room)
    coloured = on_terminal and "NO_COLOR" not in os.environ
    print_lines([*_lines(shown, coloured=coloured)], pager=pager, coloured=coloured)
    widths = {column.name: column.width for column in shown}
    return [
        column.name
        for column in every
        if any(column.cells[1:])
        and (column.name not in widths or widths[column.name] < column.width)
        and not (column.name in widths and column.name in {*IN_THE_MIDDLE, *WRAPPED})
    ]


def print_lines(lines: Sequence[str], *, pager: bool, coloured: bool = False) -> None:
    """Print lines; with a `pager` if standard output is a terminal that has fewer."""
    room, height = shutil.get_terminal_size()
    if (
        pager
        and sys.stdout.isatty()
        and sum(max(1, -(-_columns_of(click.unstyle(line)) // room)) for line in lines) >= height
    ):
        click.echo_via_pager("\n".join([*lines, ""]), color=coloured or None)
        return
    if lines:
        click.echo("\n".join(lines))


def _fitting(columns: Sequence[Column], room: int) -> list[Column]:
    """Return the columns to show, with widths that fit into the room."""
    chosen = _chosen(columns, room, TO_COPY)
    if _total(chosen, SHORT, TO_COPY) > room:
        chosen = _chosen(columns, room)
    whole = TO_COPY if _total(chosen, SHORT, TO_COPY) <= room else ()
    while _total(chosen, SHORTEST, whole) > room and len(chosen) > 1:
        del chosen[-1]
    least = next((least for least in (LONG, SHORT) if _total(chosen, least, whole) <= room), SHORTEST)
    _shorten(chosen, room, least, whole)
    return chosen


def _chosen(columns: Sequence[Column], room: int, whole: Collection[str] = ()) -> list[Column]:
    """Return the columns that are left if those that say least are left out until the others fit."""
    chosen = list(columns)
    for column in columns:
        if _total(chosen) > room and column.says_nothing and len(chosen) > 1:
            chosen.remove(column)
    for names, least in ((DISPENSABLE, LONG), (LEAST_IMPORTANT, SHORT)):
        for name in names:
            if _total(chosen, least, whole) > room:
                chosen = [column for column in chosen if column.name != name] or chosen
    return chosen


def _shorten(columns: Sequence[Column], room: int, least: int, whole: Collection[str]) -> None:
    """Make the widest texts narrower, but not narrower than `least`, until the table fits or none can be shortened."""
    while (excess := _total(columns) - room) > 0:
        wider = [column for column in columns if column.width > column.least(least, whole)]
        longest = sorted(wider, key=_width, reverse=True)
        if not longest:
            return
        next_width = longest[1].width if len(longest) > 1 else 0
        widest = longest[0]
        widest.width = max(widest.width - excess, widest.least(least, whole), min(next_width, widest.width - 1))


def _width(column: Column) -> int:
    return column.width


def _total(columns: Sequence[Column], shortest: int | None = None, whole: Collection[str] = ()) -> int:
    """Return the width of a table with these columns, shortened to `shortest` where they can be."""
    widths = [column.width if shortest is None else column.least(shortest, whole) for column in columns]
    return sum(widths) + GAP * (len(widths) - 1)


def _lines(columns: Sequence[Column], *, coloured: bool) -> Iterator[str]:
    """Yield the lines of a table; a row has several if a cell is wrapped."""
    if all(_is_plain(column, coloured=coloured) for column in columns):  # so are long tables, which go to files
        for texts in zip(*map(_padded, columns), strict=True):
            yield (" " * GAP).join(texts).rstrip()
        return
    blanks = [" " * column.width for column in columns]
    for cells in zip(*(_written_cells(column, coloured=coloured) for column in columns), strict=True):
        for texts in zip_longest(*cells):
            yield (" " * GAP).join(text or blank for text, blank in zip(texts, blanks, strict=True)).rstrip()


def _written_cells(column: Column, *, coloured: bool) -> list[list[str]]:
    """Return the lines of each cell, as wide as the column, with their colours."""
    if _is_plain(column, coloured=coloured):
        return [[cell] for cell in _padded(column)]
    return [[_written(column, text, coloured=coloured) for text in _cell_lines(column, cell)] for cell in column.cells]


def _is_plain(column: Column, *, coloured: bool) -> bool:
    """Return whether each cell of a column is one line of its width if it is padded."""
    return column.is_ascii and column.widest <= column.width and not (coloured and column.name in COLOURED)


def _padded(column: Column) -> list[str]:
    pad = str.rjust if column.is_number else str.ljust
    return [pad(cell, column.width) for cell in column.cells]


def _cell_lines(column: Column, cell: str) -> list[str]:
    """Return the lines of a cell, none of which is wider than its column."""
    if _columns_of(cell) <= column.width:
        return [cell]
    if column.name in WRAPPED:
        from rich.console import Console
        from rich.text import Text

        parts = _between_commas(cell, column.width)
        return [line.plain.rstrip() for part in parts for line in Text(part).wrap(Console(), column.width)]
    return [shortened(cell, column.width, in_the_middle=column.name in IN_THE_MIDDLE)]


def _between_commas(text: str, width: int) -> list[str]:
    """Return a text cut after commas, into parts that fit into a width unless they have no comma."""
    parts = [""]
    for part in re.split("(?<=, )", text):
        if parts[-1] and _columns_of((parts[-1] + part).rstrip()) > width:
            parts.append("")
        parts[-1] += part
    return parts


def _written(column: Column, text: str, *, coloured: bool) -> str:
    """Return a line of a cell with its colour and as wide as its column."""
    blanks = " " * (column.width - _columns_of(text))
    if coloured and column.name in COLOURED:
        first = text.replace(":", " ").replace(",", " ").split(" ", 1)[0]
        if first in COLOURS:
            text = click.style(text, fg=COLOURS[first])
    return blanks + text if column.is_number else text + blanks


def shortened(text: str, width: int, *, in_the_middle: bool = True) -> str:
    """Return a text that takes at most `width` columns, with an ellipsis for what is left out."""
    if _columns_of(text) <= width:
        return text
    from rich.cells import set_cell_size

    end = (width - 1) // 2 if in_the_middle else 0
    head = set_cell_size(text, width - 1 - end).rstrip()
    return f"{head}…{set_cell_size(text[::-1], end)[::-1].lstrip() if end else ''}"


def _cell(column: str, value: object) -> str:
    match value:
        case str():  # most are
            return printable(value)
        case None:
            return ""
        case int() if column not in NAMES and not isinstance(value, bool):
            return f"{value:,}"
        case float():
            return decimal(value)
        case list():
            return printable(", ".join(map(str, value)))
    return printable(str(value))
