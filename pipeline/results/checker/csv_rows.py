"""Reading of an export in CSV: the first line names the columns; a number or evidence that is missing is empty."""

import csv
from collections.abc import Iterator
from typing import BinaryIO

from dealmill.pipeline.results.checker.facts import ExportRow

LONGEST_CELL = 2**31 - 1
"""The greatest limit that every system accepts. The limit of the library, 131,072, is too low for some evidence."""


def read_rows(file: BinaryIO) -> Iterator[ExportRow]:
    """Yield the rows of an export.

    Raises
    ------
    ValueError
        At the first line that is not a row.
    """
    csv.field_size_limit(LONGEST_CELL)
    try:
        yield from map(_csv_row, csv.reader(_csv_lines(file), strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _csv_lines(file: BinaryIO) -> Iterator[str]:
    """Yield the lines below the names of the columns."""
    heading = f"{','.join(ExportRow._fields)}\n"
    if file.readline() != heading.encode():
        raise ValueError(f"the first line of the file is not {heading.rstrip()}")
    for line in file:
        if not line.endswith(b"\n"):
            raise ValueError("the file ends in the middle of a line")
        yield line.decode()


def _csv_row(cells: list[str]) -> ExportRow:
    if len(cells) != len(ExportRow._fields):
        raise ValueError(f"it has {len(cells)} columns, expected {len(ExportRow._fields)}")
    position, line, layout, verdict, value, nodes, evidence = cells
    return ExportRow(
        _csv_number(position),
        _csv_number(line),
        layout,
        verdict,
        _csv_number(value) if value else None,
        _csv_number(nodes),
        None if verdict == "undecided" and not evidence else evidence,  # an empty trace is evidence
    )


def _csv_number(text: str) -> int:
    number = int(text)
    if str(number) != text:
        raise ValueError(f"{text!r} is not a number as Dealmill writes it")
    return number
