"""Checks of the types of stored values, for columns whose values nothing else determines.

SQLite stores any value in any column; PostgreSQL stores only values of the column's type.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, Table, bindparam, func, or_, select, true, type_coerce
from sqlalchemy.types import NullType

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import KINDS, Fault, is_unicode, shown_value
from dealmill.pipeline.store.database.tables import actions, audits, engines, metadata, runs, sources
from dealmill.pipeline.store.runs.planned import PlannedRun

STORED: Mapping[type, tuple[type, ...]] = {bool: (int,), float: (float, int), int: (int,), str: (str,)}
"""The types in which SQLite stores the valid values of a type."""
CLASSES: Mapping[type, str] = {float: "real", int: "integer", str: "text"}
"""SQLite's names of these."""
NOT_ASCII = "*[^\x01-~]*"
"""The pattern of texts that may not be UTF-8."""
ENGINE_OF_RUN = select(runs.c.engine_id).where(runs.c.id == bindparam("run")).scalar_subquery()
AUDITS_OF_RUN = select(audits.c.id).where(audits.c.run_id == bindparam("run"))
OF_RUN: Mapping[Table, ColumnElement[bool]] = {
    runs: runs.c.id == bindparam("run"),
    sources: sources.c.id == bindparam("source"),
    engines: engines.c.id == ENGINE_OF_RUN,
    actions: true(),
}
"""The rows of tables that concern a run, if these have no column with the number of their run, audit or source."""
MAX_NAMED = 20
"""The faults of a table that an audit reports for each stretch."""


def type_faults(
    database: Database, run: PlannedRun, free: Collection[str], population: int, first: int, stop: int
) -> Iterator[Fault]:
    """Yield a fault for values of another type in the `free` columns, given by their names with or without that of the
    table: of rows of items at the positions `[first, stop)`, and of all other rows with the first stretch."""
    if not database.embedded:
        return
    where = {"run": run.id, "source": run.source, "first": first, "stop": stop}
    with database.reading() as connection:
        for table in metadata.sorted_tables:
            columns = tuple(column for column in table.c if {column.name, str(column)} & {*free})
            if not columns or (first > 1 and "position" not in table.c):
                continue
            rows = connection.execution_options(yield_per=1_000).execute(_strange_rows(table, columns), where)
            errors = ((row, error) for row in rows if (error := _error(columns, row)))
            for row, error in islice(errors, MAX_NAMED):
                key = ", ".join(f"{column.name} {row[number]!r}" for number, column in enumerate(table.primary_key))
                items = (row.position, row.position) if "position" in table.c else (1, max(population, 1))
                yield Fault(items[0], items[1], f"{error} ({key})")


@cache
def _strange_rows(table: Table, columns: tuple[Column[Any], ...]) -> Select[*tuple[Any, ...]]:
    """The rows of a table that concern a run, or items of it, and may have values of another type in these columns: the
    primary key, then these columns, as they are stored."""
    concerned = [_of_run(table)]
    if "position" in table.c:
        concerned += [table.c.position >= bindparam("first"), table.c.position < bindparam("stop")]
    stored = [type_coerce(column, NullType()).label(column.name) for column in (*table.primary_key, *columns)]
    return select(*stored).where(*concerned, or_(*map(_is_strange, columns))).order_by(*table.primary_key)


def _of_run(table: Table) -> ColumnElement[bool]:
    if table in OF_RUN:
        return OF_RUN[table]
    if "run_id" in table.c:
        return table.c.run_id == bindparam("run")
    return table.c.audit_id.in_(AUDITS_OF_RUN) if "audit_id" in table.c else table.c.source_id == bindparam("source")


def _is_strange(column: Column[Any]) -> ColumnElement[bool]:
    classes = [CLASSES[stored] for stored in STORED[column.type.python_type]]
    mistyped = func.typeof(column).not_in([*classes, *["null"] * bool(column.nullable)])
    return or_(mistyped, column.op("GLOB")(NOT_ASCII)) if column.type.python_type is str else mistyped


def _error(columns: tuple[Column[Any], ...], row: Any) -> str | None:
    """Return what is wrong with the values of these columns, which are the last ones of a row, or None."""
    for column, value in zip(columns, row[-len(columns) :], strict=True):
        if value is None:
            continue
        if type(value) not in STORED[column.type.python_type]:
            return f"{column} is {shown_value(value)}, not {KINDS[column.type.python_type]}"
        if isinstance(value, str) and not is_unicode(value):
            return f"{column} is {shown_value(value)}, which is not UTF-8"
    return None
