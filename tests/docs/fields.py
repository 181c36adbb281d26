"""The page of the fields of results and runs, generated from the modules that list them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from dealmill.pipeline.results.measures import FILTERS, Order
from dealmill.pipeline.results.record import API, FRAME, JUDGEMENT, RESULT, RUN, STATUS, UNFINISHED, RecordField

PAGE = Path(__file__).parent.parent.parent / "docs" / "fields.md"
INTRODUCTION = """\
# Fields of results and runs

The fields that files, tables and the JSON API have. They are listed in `pipeline/results/record.py` and
`pipeline/results/measures.py`, and `make docs` generates this page from there.

## A result

A row of an exported file (`dealmill export`, `Run.to_arrow`). `dealmill query` and the JSON API have the field `item`,
`RUN:POSITION`, in place of `position`; data frames of a query begin with `run` and `engine`.

"""
JUDGEMENTS = """
With a filter by audit outcome, a row also has the newest judgement:

"""
RUNS = """
## A run

A row of `dealmill status`, of the JSON API, and of data frames of runs (`Store.status().to_arrow()`). In data frames
and in `dealmill status`, each verdict has a column with its count; `dealmill status` calls the rate `layouts/s` and the
reason `why_retracted`. Times are in seconds since 1970 in the JSON API.

"""
NUMBERS = """
## Numbers to filter, order and grade by

Each is an option of `dealmill query`, an argument of `Store.query`, a parameter in URLs and a condition of saved
queries, and can be named by `query --order` and `pack --by`. Engines can have further numbers in their evidence, for
`pack --by` only.

"""
TYPES = {int: "whole number", float: "number", str: "text", dict[str, int]: "numbers by name", list[str]: "texts"}


def page() -> str:
    """Return the text of the page; `make docs` writes it."""
    fields = ("field", "type", "meaning")
    results = _table((*fields, "in the fingerprint"), ((*_row(field), _mark(field.in_fingerprint)) for field in RESULT))
    runs = _table((*fields, FRAME, f"`{STATUS}`", API), map(_run_row, RUN))
    numbers = _table(("number", "lets through only", "example", "in SQL"), map(_number_row, FILTERS))
    judgements = _table(fields, map(_row, JUDGEMENT))
    further = f"\nAn export of an unfinished run has one more, `{UNFINISHED.name}`: {UNFINISHED.meaning}.\n"
    return INTRODUCTION + results + further + JUDGEMENTS + judgements + RUNS + runs + NUMBERS + numbers


def _row(field: RecordField) -> tuple[str, str, str]:
    kind = "word" if field.is_word else TYPES.get(field.type, "time")
    return f"`{field.name}`", f"{kind}, or none" if field.nullable else kind, field.meaning


def _run_row(field: RecordField) -> tuple[str, ...]:
    return (*_row(field), *(_mark(not field.only or kind in field.only) for kind in (FRAME, STATUS, API)))


def _number_row(order: Order) -> tuple[str, ...]:
    measure = order.measure
    sql = str(measure.sql).format(measure.field)
    return f"`{order.word}`", measure.condition, f"`{measure.example}`", f"`{sql}`"


def _mark(holds: bool) -> str:
    return "yes" if holds else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
