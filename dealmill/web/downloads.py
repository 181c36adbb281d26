"""Streams of results as CSV or JSON Lines.

The last line of JSON Lines proves that a file is complete: it has the number of rows. CSV has rows only, so that every
program can read it; a transfer that fails ends with an error of the connection. Of an unfinished run, each row has one
more column, which says why it is not finished, and so has the last line of JSON Lines.
"""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import StreamingResponse

import dealmill
from dealmill.pipeline.results.record import UNFINISHED
from dealmill.web.filters import PageFilter

END_KEY = "end"
ROWS = 500
"""Rows in each part that is sent."""

Form = Literal["csv", "jsonl"]
Unfinished = Annotated[bool, Query(description="Send what an unfinished run has, which is refused otherwise.")]
Mark = dict[str, object]
"""What each row says, too: why the run is not finished; empty if it is."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A format: its media type, and the function that writes results in it."""

    media_type: str
    write: Callable[[dealmill.Query, Mark], Iterator[str]]


def stream(
    store: dealmill.Store, run: int, filter_: PageFilter, form: Form, *, unfinished: bool, name: str | None = None
) -> StreamingResponse:
    """Return the results of a run that match a filter as a response, which browsers save as a file if it has a name.

    Raises
    ------
    UnfinishedError
        If the run is not finished, and `unfinished` is false.
    """
    subject = store.find_run(run)
    why = subject.progress.check_exportable(unfinished=unfinished).why_unfinished
    text = FORMS[form].write(filter_.query_of(store, subject), {UNFINISHED.name: why} if why else {})
    headers = {"Content-Disposition": f'attachment; filename="{name}"'} if name else None
    return StreamingResponse(text, media_type=FORMS[form].media_type, headers=headers)


def _csv(results: dealmill.Query, mark: Mark) -> Iterator[str]:
    text = StringIO()
    columns = (*dealmill.Result.COLUMNS, *dealmill.Result.AUDIT_COLUMNS * bool(results.filter.audit), *mark)
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    rest = iter(results)
    yield _take(text)
    while part := list(islice(rest, ROWS)):
        writer.writerows(result.row | mark for result in part)
        yield _take(text)


def _take(text: StringIO) -> str:
    """Return what was written, and empty the buffer."""
    written = text.getvalue()
    text.seek(0)
    text.truncate()
    return written


def _json_lines(results: dealmill.Query, mark: Mark) -> Iterator[str]:
    count = 0
    rest = iter(results)
    while part := list(islice(rest, ROWS)):
        count += len(part)
        yield "".join(json.dumps(result.row | mark) + "\n" for result in part)
    yield json.dumps({END_KEY: True, "rows": count, **mark}) + "\n"


FORMS: dict[Form, Writer] = {
    "csv": Writer("text/csv; charset=utf-8", _csv),
    "jsonl": Writer("application/jsonl", _json_lines),
}
