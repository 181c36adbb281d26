"""Streams of results as CSV or JSON Lines. The last line proves that a file is complete: it has the number of rows."""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Literal

import dealmill
from dealmill.web.safety import damage

COLUMNS = ("item", "line", "verdict", "value", "nodes", "layout", "evidence")
AUDIT_COLUMNS = ("audit", "step", "reason")
END = "end"
ROWS = 500
"""Rows in each part that is sent."""

Form = Literal["csv", "jsonl"]


@dataclass(frozen=True, slots=True)
class Writer:
    """A format: its media type, and the function that writes results in it."""

    media_type: str
    write: Callable[[dealmill.Query], Iterator[str]]


def row(result: dealmill.Result) -> dict[str, object]:
    """Return a result with the columns of ``dealmill query``."""
    judged = result.judgement
    found: dict[str, object] = {
        "item": result.item,
        "line": result.line,
        "verdict": result.verdict.word,
        "value": result.value,
        "nodes": result.nodes,
        "layout": result.layout,
        "evidence": result.evidence,
    }
    if judged is None:
        return found
    return {**found, "audit": judged.outcome.word, "step": judged.step, "reason": judged.reason}


def _csv(results: dealmill.Query) -> Iterator[str]:
    text = StringIO()
    columns = (*COLUMNS, *AUDIT_COLUMNS) if results.wanted.audit else COLUMNS
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    count = 0
    found = iter(results)
    while part := list(islice(found, ROWS)):
        count += len(part)
        writer.writerows(map(row, part))
        yield _taken(text)
    writer.writerow({"item": END, "line": count, "verdict": f"unreadable: {len(damage())}" if damage() else None})
    yield _taken(text)


def _taken(text: StringIO) -> str:
    """Return what was written, and empty the buffer."""
    written = text.getvalue()
    text.seek(0)
    text.truncate()
    return written


def _json_lines(results: dealmill.Query) -> Iterator[str]:
    count = 0
    found = iter(results)
    while part := list(islice(found, ROWS)):
        count += len(part)
        yield "".join(json.dumps(row(result)) + "\n" for result in part)
    yield json.dumps({END: True, "rows": count, "unreadable": len(damage())}) + "\n"


FORMS: dict[Form, Writer] = {
    "csv": Writer("text/csv; charset=utf-8", _csv),
    "jsonl": Writer("application/jsonl", _json_lines),
}
