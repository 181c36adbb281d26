"""Reading of an export in CSV: the first line names the columns; a number or evidence that is missing is empty.

The columns of a pack that follow those of an export are not read.
"""

import csv
from collections.abc import Iterator
from typing import BinaryIO

from dealmill.pipeline.results.checker.facts import ExportRow

GRADED = ["grade", "number"]
"""The columns of a pack that follow those of an export."""
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
        rows = csv.reader(_csv_lines(file), strict=True)
        names = next(rows, [])
        count = len(ExportRow._fields)
        if names[:count] != [*ExportRow._fields] or names[count : count + 2] not in ([], GRADED):
            raise ValueError(f"the first line of the file is not {','.join(ExportRow._fields)}")
        for cells in rows:
            if len(cells) != len(names):
                raise ValueError(f"it has {len(cells)} columns, expected {len(names)}")
            yield _csv_row(cells[:count])
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _csv_lines(file: BinaryIO) -> Iterator[str]:
    for line in file:
        if not line.endswith(b"\n"):
            raise ValueError("the file ends in the middle of a line")
        yield line.decode()


def _csv_row(cells: list[str]) -> ExportRow:
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
