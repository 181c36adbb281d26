"""Imported verdicts: results of a run that are written with the layouts of its source, each batch as a job that is
done; and layouts on which an import has two different verdicts."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, and_, func, insert, or_, select

from dealmill.pipeline.digests import BLOCK
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, items, jobs, sources, verdicts
from dealmill.pipeline.store.runs.planned import PlannedRun, lock_run
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.sources.writing import WriteMore, write_nothing
from dealmill.pipeline.store.storages.blocks import record_blocks
from dealmill.pipeline.store.storages.rows_solving import solved_rows

DECIDED = [int(verdict) for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED)]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two lines of an import with the same layout and different verdicts or values, of which one is wrong."""

    line: int
    result: str
    first_line: int
    first_result: str

    def __str__(self) -> str:
        return (
            f"lines {self.first_line} and {self.line} have the same layout, with the verdicts {self.first_result} and "
            f"{self.result}: one of them is wrong"
        )


def contradictions(store: Database, run: PlannedRun, limit: int) -> list[Contradiction]:
    """Return up to `limit` lines of an imported run whose layout occurs in an earlier line with another decided verdict
    or value. The database sorts the digests of the layouts, unless there are no duplicates."""
    with store.reading() as connection:
        if not connection.execute(select(sources.c.duplicates).where(sources.c.id == run.source)).scalar():
            return []
        rows = connection.execute(_contradictions(run).limit(limit)).all()
    return [
        Contradiction(
            row.line, _result(row.verdict, row.value), row.first_line, _result(row.first_verdict, row.first_value)
        )
        for row in rows
    ]


def _contradictions(run: PlannedRun) -> Select[*tuple[Any, ...]]:
    columns = (items.c.line, verdicts.c.verdict, verdicts.c.value)
    firsts = [
        func.first_value(column)
        .over(partition_by=items.c.digest, order_by=items.c.position)
        .label(f"first_{column.name}")
        for column in columns
    ]
    decided = (
        select(*columns, *firsts)
        .join(items, and_(items.c.source_id == run.source, items.c.position == verdicts.c.position))
        .where(verdicts.c.run_id == run.id, verdicts.c.verdict.in_(DECIDED))
        .subquery()
    )
    column = decided.c
    differing = or_(column.verdict != column.first_verdict, column.value.is_distinct_from(column.first_value))
    return select(decided).where(differing).order_by(column.line)


def _result(verdict: int, value: int | None) -> str:
    word = Verdict(verdict).word
    return word if value is None else f"{word} {value}"


def write_imported(store: Database, run: PlannedRun, source: Source, entries: Entries | None) -> WriteMore:
    """Return the function that writes the verdicts of the next entries of a source as results of a run, in the
    transaction that stores the entries. None in place of entries stands for the end of the source.

    Raises
    ------
    NotFoundError
        When the function is called, if the run was deleted.
    """
    if entries is None:
        return lambda connection: _write_end(connection, run, source.accepted)
    if entries.solved is None or not len(entries.layouts):
        return write_nothing
    results = solved_rows(store, run, source.accepted + 1, entries.layouts, entries.solved)
    planned = {"run_id": run.id, "first": results.first, "stop": results.stop, "attempt": 1}
    totals = {**results.totals, **results.spread}

    def write(connection: Connection) -> None:
        lock_run(connection, run.id)
        done = {"state": DONE, "started": clock(), "finished": clock()}
        connection.execute(insert(jobs).values(**planned, **done, **totals))
        results.write(connection)

    return write


def _write_end(connection: Connection, run: PlannedRun, items: int) -> None:
    """Record the last block, if it is shorter than others: only now is it known that it is the last one."""
    lock_run(connection, run.id)
    if items % BLOCK:
        record_blocks(connection, run.id, items, items + 1, {})
