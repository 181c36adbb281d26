"""Reading of an export in CSV: the first line names the columns; a number or evidence that is missing is empty.

The columns of a pack that follow those of an export, and that of an unfinished run, are not read.
"""

import csv
from collections.abc import Iterator
from typing import Any, BinaryIO

from dealmill.pipeline.results.record import RESULT, UNFINISHED, RecordField, ResultRow

FURTHER: tuple[list[str], ...] = ([], [UNFINISHED.name], ["grade", "number"])
"""What may follow the columns of an export: nothing, the column of an unfinished run, or those of a pack."""
LONGEST_CELL = 2**31 - 1
"""The greatest limit that every system accepts. The limit of the library, 131,072, is too low for some evidence."""


def read_rows(file: BinaryIO) -> Iterator[ResultRow]:
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
        count = len(ResultRow._fields)
        if names[:count] != [*ResultRow._fields] or names[count : count + 2] not in FURTHER:
            raise ValueError(f"the first line of the file is not {','.join(ResultRow._fields)}")
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


def _csv_row(cells: list[str]) -> ResultRow:
    row = ResultRow(*[_csv_value(field, text) for field, text in zip(RESULT, cells, strict=True)])
    no_evidence = row.verdict == "undecided" and not row.evidence  # an empty trace is evidence
    return row._replace(evidence=None) if no_evidence else row


def _csv_value(field: RecordField, text: str) -> Any:
    if field.type is str:
        return text
    return None if field.nullable and not text else _csv_number(text)


def _csv_number(text: str) -> int:
    number = int(text)
    if str(number) != text:
        raise ValueError(f"{text!r} is not a number as Dealmill writes it")
    return number
