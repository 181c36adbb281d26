"""Layouts that occur more than once in a run, with different decided verdicts or values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, and_, bindparam, func, or_, select

from dealmill.pipeline.games.descriptions import DECIDED
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault, shown_value
from dealmill.pipeline.store.database.tables import items, sources, verdicts
from dealmill.pipeline.store.runs.planned import PlannedRun

DUPLICATES = select(sources.c.duplicates, sources.c.complete).where(sources.c.id == bindparam("source"))
MAX_FAULTS = 1_000
"""The most contradictions that an audit lists."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two lines of an import with the same layout and different verdicts or values, of which one is wrong. `line` is 0
    for a deal that the file leaves out."""

    line: int
    result: str
    first_line: int
    first_result: str

    def __str__(self) -> str:
        lines = f"lines {self.first_line} and {self.line}"
        if not self.line:
            lines = f"line {self.first_line} and a deal that is left out"
        return (
            f"{lines} have the same layout, with the verdicts {self.first_result} and "
            f"{self.result}: one of them is wrong"
        )


def contradictions(database: Database, run: PlannedRun, limit: int) -> list[Contradiction]:
    """Return up to `limit` lines of an imported run whose layout occurs in an earlier line with another decided verdict
    or value."""
    return [
        Contradiction(
            row.line, _result(row.verdict, row.value), row.first_line, _result(row.first_verdict, row.first_value)
        )
        for row in _contradicting_items(database, run, limit)
    ]


def contradiction_faults(database: Database, run: PlannedRun) -> Iterator[Fault]:
    """Yield the items whose layout occurs earlier in the run with another decided verdict or value, at most
    `MAX_FAULTS` of them; the last fault says if there are more."""
    rows = _contradicting_items(database, run, MAX_FAULTS + 1)
    for row in rows[:MAX_FAULTS]:
        yield Fault(
            row.position,
            row.position,
            f"the verdict is {_result(row.verdict, row.value)}, but {_result(row.first_verdict, row.first_value)} for "
            f"item {row.first_position}, which has the same layout",
        )
    if len(rows) > MAX_FAULTS:
        last = rows[-1].position
        yield Fault(last, last, "there are more contradictions, from this item on")


def _contradicting_items(database: Database, run: PlannedRun, limit: int) -> Sequence[Row[Any]]:
    """Return up to `limit` items in their order, each with the first item that has the same layout. The database sorts
    the digests of the layouts, unless the source has no duplicates."""
    with database.reading() as connection:
        duplicates, complete = connection.execute(DUPLICATES, {"source": run.source}).one()
        if complete and duplicates == 0:
            return []
        return connection.execute(_contradicting(run).limit(limit)).all()


def _contradicting(run: PlannedRun) -> Select[*tuple[Any, ...]]:
    columns = (verdicts.c.position, verdicts.c.verdict, verdicts.c.value, items.c.line)
    firsts = (
        func.first_value(column)
        .over(partition_by=items.c.digest, order_by=verdicts.c.position)
        .label(f"first_{column.name}")
        for column in columns
    )
    decided = (
        select(*columns, *firsts)
        .join(items, and_(items.c.source_id == run.source, items.c.position == verdicts.c.position))
        .where(verdicts.c.run_id == run.id, verdicts.c.verdict.in_(sorted(DECIDED)))
        .subquery("decided")
    )
    column = decided.c
    differing = or_(column.verdict != column.first_verdict, column.value.is_distinct_from(column.first_value))
    return select(decided).where(differing).order_by(column.position)


def _result(verdict: int, value: object) -> str:
    """Return a verdict with its value, if it has one."""
    word = Verdict(verdict).word
    return word if value is None else f"{word} with {shown_value(value)}"
