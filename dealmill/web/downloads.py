"""Streams of results as CSV or JSON Lines.

The last line of JSON Lines proves that a file is complete: it has the number of rows. CSV has rows only, so that every
program can read it; a transfer that fails ends with an error of the connection.
"""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Literal

import dealmill

END_KEY = "end"
ROWS = 500
"""Rows in each part that is sent."""

Form = Literal["csv", "jsonl"]


@dataclass(frozen=True, slots=True)
class Writer:
    """A format: its media type, and the function that writes results in it."""

    media_type: str
    write: Callable[[dealmill.Query], Iterator[str]]


def _csv(results: dealmill.Query) -> Iterator[str]:
    text = StringIO()
    columns = dealmill.Result.COLUMNS + dealmill.Result.AUDIT_COLUMNS * bool(results.filter.audit)
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    rest = iter(results)
    yield _take(text)
    while part := list(islice(rest, ROWS)):
        writer.writerows(result.row for result in part)
        yield _take(text)


def _take(text: StringIO) -> str:
    """Return what was written, and empty the buffer."""
    written = text.getvalue()
    text.seek(0)
    text.truncate()
    return written


def _json_lines(results: dealmill.Query) -> Iterator[str]:
    count = 0
    rest = iter(results)
    while part := list(islice(rest, ROWS)):
        count += len(part)
        yield "".join(json.dumps(result.row) + "\n" for result in part)
    yield json.dumps({END_KEY: True, "rows": count}) + "\n"


FORMS: dict[Form, Writer] = {
    "csv": Writer("text/csv; charset=utf-8", _csv),
    "jsonl": Writer("application/jsonl", _json_lines),
}
