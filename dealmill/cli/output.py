"""Rows on standard output: a table for people, or JSON, JSON lines or CSV for programs."""

import csv
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, TypeVar

import click

from dealmill.pipeline.printable import printable

Command = TypeVar("Command", bound=Callable[..., Any])

WIDE = 10_000
GAP = 2
"""Spaces between columns."""
LEAST = 20
"""Columns wider than this are cut on narrow terminals, but not below this many characters."""
SCREEN = 100
"""Rows of a table by default; the other formats have no limit."""


def output_options(command: Command) -> Command:
    """Add ``--json``, ``--nl`` and ``--csv``; the command receives the choice as `form`."""
    for form, meaning in (
        ("csv", "Print rows as CSV."),
        ("nl", "Print rows as one JSON object per line."),
        ("json", "Print rows as a JSON array."),
    ):
        command = click.option(f"--{form}", "form", flag_value=form, help=meaning)(command)
    return command


def called_as() -> str:
    """Return how the user calls the command: its name if it is on the PATH, else the path that was typed."""
    from pathlib import Path  # slow to import, not needed for help texts

    path = Path(sys.argv[0])
    return path.name if shutil.which(path.name) else str(path)


def tell(message: str) -> None:
    """Print a line on standard error."""
    click.echo(printable(message), err=True)


def write_line(text: str) -> None:
    """Print a line on standard output."""
    click.echo(printable(text))


def write_lines(text: str) -> None:
    """Print lines on standard output."""
    for line in text.split("\n"):
        write_line(line)


def counted(number: int, thing: str) -> str:
    """Return a count with its noun: ``1 fault``, ``2,000 faults``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def write_rows(columns: Sequence[str], rows: Iterable[Mapping[str, object]], form: str | None) -> None:
    """Write rows to standard output. Only a table holds all of them in memory; the other formats stream."""
    match form:
        case "json" | "nl":
            _write_json(rows, lines=form == "nl")
        case "csv":
            writer = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            shown = _cell_of_csv if sys.stdout.isatty() else _joined
            writer.writerows({name: shown(value) for name, value in row.items()} for row in rows)
        case _:
            _write_table(columns, rows)


def write_first(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], form: str | None, most: int = SCREEN
) -> Mapping[str, object] | None:
    """Write all rows, or the first `most` as a table. Return the last row shown if there are more, else None."""
    if form:
        write_rows(columns, rows, form)
        return None
    found = list(islice(rows, most + 1))
    write_rows(columns, found[:most], form)
    return found[most - 1] if len(found) > most else None


def _write_json(rows: Iterable[Mapping[str, object]], *, lines: bool) -> None:
    import json  # slow to import, not needed for help texts

    opening = "["
    for row in rows:
        if lines:
            click.echo(json.dumps(row))
        else:
            click.echo(f"{opening}\n{json.dumps(row)}", nl=False)
            opening = ","
    if not lines:
        click.echo("[]" if opening == "[" else "\n]")


def _write_table(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    from rich.console import Console
    from rich.table import Table

    kept = list(rows)
    cells = [[_cell(row.get(column)) for column in columns] for row in kept]
    room = Console().width if sys.stdout.isatty() else WIDE
    widths = _widths([columns, *cells], room)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        numbers = all(isinstance(row.get(column), int | float | None) for row in kept)
        justify: Literal["left", "right"] = "right" if numbers else "left"
        table.add_column(column, justify=justify, width=width, no_wrap=True, overflow="ellipsis")
    for row in cells:
        table.add_row(*row)
    Console(width=max(room, sum(widths) + GAP * len(widths)), markup=False, highlight=False).print(table)


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the widths of columns that fit into `room`: the widest are cut, but not below `LEAST`."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    widest = min(max(widths), room)
    widths = [min(width, widest) for width in widths]
    while widest > LEAST and sum(widths) + GAP * (len(widths) - 1) > room:
        widest -= 1
        widths = [min(width, widest) for width in widths]
    return widths


def _joined(value: object) -> object:
    return "; ".join(map(str, value)) if isinstance(value, list) else value


def _cell_of_csv(value: object) -> object:
    """Escape control characters for a terminal. Files and pipes get the text unchanged."""
    found = _joined(value)
    return printable(found) if isinstance(found, str) else found


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case float():
            return f"{value:,.3f}" if value < 1000 else f"{value:,.0f}"
        case list():
            return printable(", ".join(map(str, value)))
    return printable(str(value))
