"""Whatever somebody changes in the record of a run, an audit of it names: every column of every table, every row that
is deleted, and every row that is inserted."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Boolean, Column, Executable, LargeBinary, Table, Text, text

from dealmill.pipeline.errors import DamagedError, NotFoundError, StoreError, VersionError
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.ingest.options import SourceOptions
from dealmill.pipeline.ingest.sources import deals_source, open_readings
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.store.audits.audit import findings_of
from dealmill.pipeline.store.audits.invariants import FREE
from dealmill.pipeline.store.database.connections import Database, engine_for
from dealmill.pipeline.store.database.tables import JsonNumbers, metadata
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_run
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from tests.doing import Brittle, alter, an_audit, deal, do_runs, queue_stored
from tests.survey.doing import MEMORY, a_survey

Rows = dict[str, list[dict[str, Any]]]

FAR = 10**6
SMALL = {"pairs": 5}
"""The size of the deals, which the referee checks again and again."""
AUDITS = {"audits", "audit_jobs", "judgements", "faults", "actions"}
FREE_COLUMNS = {column for columns in FREE for column in columns}
NOT_OF_THE_RUN = {"sources", "engines", "rules"}
"""Where another row is no part of the record of the run: a source, an engine and rules without one."""
ROWLESS = {
    "rows": {"rules"},
    "compact": {"items", "rejects", "rules", "source_blocks"},
    "survey": {"items", "rejects", "rules", "source_blocks"},
    "by rules": {table.name for table in metadata.sorted_tables} - {"rules", "sources", "engines"},
}
"""The tables without rows; `by rules`, those in which the rules make no difference."""
TABLES = [
    (kind, table) for kind, without in ROWLESS.items() for table in metadata.sorted_tables if table.name not in without
]
assert {table for _, table in TABLES} == {*metadata.sorted_tables}
ON_POSTGRESQL = {"rows", "by rules"}
"""The kinds of runs whose tables are changed on PostgreSQL, too: these are all tables."""
assert {table for kind, table in TABLES if kind in ON_POSTGRESQL} == {*metadata.sorted_tables}
each_table = pytest.mark.parametrize(
    ("kind", "table", "backend"),
    [
        pytest.param(kind, table, backend, id=f"{kind}-{table.name}-{backend}")
        for kind, table in TABLES
        for backend in ("sqlite", "postgresql")
        if backend == "sqlite" or kind in ON_POSTGRESQL
    ],
    indirect=["backend"],
)


def of_rows(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"digest")
    source = append(
        database, source, Entries.of([Layout(1, "AABB"), Reject(2, "AB", ("short", "odd")), Layout(3, "ABAB")])
    )
    source = append(
        database,
        source,
        Entries.of([Layout(4, "AABB"), Layout(5, "ABBA"), Layout(6, "CDCD"), Reject(7, "", ("empty",))]),
    )
    insert_run(database, complete(database, source), MEMORY, "1", 99, chunk=2)
    do_runs(database)


def of_compact(database: Database) -> None:
    game, _ = find_engine(MEMORY)
    queue_stored(database, deals_source(database, DealRange(game, 7, 1, 5, SMALL)), MEMORY, None)
    do_runs(database)


def of_survey(database: Database) -> None:
    a_survey(database, MEMORY, 1_000, **SMALL)


def by_rules(database: Database) -> None:
    game = find_game("beleaguered-castle:deck.ranks=2")
    with open_readings(database, [DealRange(game, 1, 1, 2)], SourceOptions(), silent) as readings:
        [reading] = readings.opened
        reading.finish(silent)
    queue_run(database, reading.source, f"{game.name}/winnable", None)
    do_runs(database)


SCENES: dict[str, Callable[[Database], None]] = {"rows": of_rows, "compact": of_compact, "survey": of_survey}


MADE: dict[tuple[str, str], Rows] = {}
"""The rows of the stores that this process has made, by kind and database: they are inserted faster than made again."""


@pytest.fixture
def original(database: Database, backend: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> Rows:
    """All rows of a store with one finished run, of which one layout failed; an audit that found a fault, an audit of a
    sample, and a retraction."""
    if (kind, backend) in MADE:
        restore(database, MADE[kind, backend], *metadata.sorted_tables)
        skip_numbers(database)
    elif kind == "by rules":
        by_rules(database)
        MADE[kind, backend] = everything(database)
    else:
        MADE[kind, backend] = make(database, kind, monkeypatch)
    return MADE[kind, backend]


def make(database: Database, kind: str, monkeypatch: pytest.MonkeyPatch) -> Rows:
    [bad] = ["ABAB"] if kind == "rows" else deal(find_engine(MEMORY)[0], 7, 2, 1, **SMALL)
    with monkeypatch.context() as broken:
        brittle = Brittle(MEMORY, [bad])
        broken.setattr(solving, "load", lambda _name: brittle)
        SCENES[kind](database)
    before = everything(database)
    alter(database, "UPDATE blocks SET digest = :junk", junk=b"x" * 32)
    if kind == "rows":
        alter(database, "UPDATE verdicts SET evidence = 'x' WHERE position = 3")
    an_audit(database, find_run(database, "1"))
    with changing(database) as execute:
        for name in ("blocks", "verdicts"):
            put_back(execute, name, before[name])
    assert an_audit(database, find_run(database, "1"), sample=2).clean
    retract(database, MEMORY, "1", "it errs")
    made = everything(database)
    assert {name for name, rows in made.items() if not rows} == ROWLESS[kind]
    assert named(database) == []
    restore(database, made)
    return made


Execute = Callable[..., Any]


@contextmanager
def changing(database: Database) -> Iterator[Execute]:
    """A transaction in which no foreign key is looked after."""
    with (
        engine_for(database.url, database._opened(), None)
        .execution_options(writes=True, rebuilds=True)
        .begin() as connection
    ):
        if not database.embedded:
            connection.execute(text("SET LOCAL session_replication_role = replica"))
        yield connection.execute


def everything(database: Database) -> Rows:
    """All rows of all tables."""
    with database.reading() as connection:
        return {
            table.name: [dict(row._mapping) for row in connection.execute(table.select())]
            for table in metadata.sorted_tables
        }


def put_back(execute: Execute, name: str, rows: list[dict[str, Any]]) -> None:
    execute(metadata.tables[name].delete())
    if rows:
        execute(metadata.tables[name].insert(), rows)


def restore(database: Database, rows: Rows, *changed: Table) -> None:
    """Make these tables, and those that audits write, hold these rows again."""
    with changing(database) as execute:
        for name in AUDITS | {table.name for table in changed}:
            put_back(execute, name, rows[name])


def skip_numbers(database: Database) -> None:
    """Have PostgreSQL number new rows from half of `FAR` on, where there are none."""
    if not database.embedded:
        columns = [table.autoincrement_column for table in metadata.sorted_tables]
        for column in columns:
            if column is not None:
                alter(
                    database,
                    f"SELECT setval(pg_get_serial_sequence('{column.table.name}', '{column.name}'), {FAR // 2})",
                )


def named(database: Database) -> list[str | None]:
    """What an audit of the run says."""
    try:
        return [finding.reason for finding in findings_of(database, an_audit(database, find_run(database, "1")))]
    except (DamagedError, NotFoundError, StoreError, VersionError) as error:
        assert re.search(r"\brun '?1\b|\bsource 1\b|\bthe recorded rules\b", str(error)), error
        return [str(error)]


def others(column: Column[Any], value: Any) -> list[Any]:
    """Other values of a column: another one, and none if that can be."""
    none = [None] if column.nullable and value is not None else []
    if isinstance(column.type, JsonNumbers):
        name, number = next(iter(value.items())) if value else ("seed", 0)
        return [{**(value or {}), name: number + 1}, *none]
    if isinstance(column.type, LargeBinary):
        return [b"x" if not value else value[:-1] + bytes([value[-1] ^ 1]), *none]
    if isinstance(column.type, Text):
        return [f"{value or ''}x", *none]
    if isinstance(column.type, Boolean):
        return [not value]
    if (column.primary_key or column.foreign_keys) and column.name != "kind":
        return [(value or 0) + FAR, *none]
    return [value + 2 if column.name == "kind" else 1 if value is None else value + 1, *none]


def is_free(column: Column[Any]) -> bool:
    return not FREE_COLUMNS.isdisjoint({column.name, str(column)})


def key_of(table: Table, row: dict[str, Any]) -> list[Any]:
    return [column == row[column.name] for column in table.primary_key]


def of_another_type(column: Column[Any]) -> list[str]:
    """Values that only SQLite takes into a column."""
    return ["x'ff'", "CAST(x'ff' AS TEXT)"] if isinstance(column.type, Text) else ["''", "'many'"]


def damages(table: Table, rows: list[dict[str, Any]], *, any_type: bool) -> Iterator[tuple[str, Executable]]:
    """What somebody may do to a table: change a column of a row, delete its first or last row, insert another one."""
    last = rows[-1]
    for column in table.c:
        changes = [
            (repr(value), value)
            for value in others(column, last[column.name])
            if not is_free(column) or (column.name == "retracted" and value is None)
        ]
        if any_type and column is not table.autoincrement_column:
            changes += [(value, text(value)) for value in of_another_type(column)]
        for what, value in changes:
            yield f"{column} = {what}", table.update().where(*key_of(table, last)).values({column: value})
    for row in (rows[0], *rows[1:][-1:]):
        yield f"delete {row}", table.delete().where(*key_of(table, row))
    if table.name not in NOT_OF_THE_RUN:
        moved = {[*table.primary_key][-1].name, "first", "repetition"}
        row = {name: value + FAR if name in moved else value for name, value in last.items()}
        yield f"insert {row}", table.insert().values(row)


@each_table
def test_whatever_is_done_to_a_table_is_named(database: Database, kind: str, table: Table, original: Rows) -> None:
    missed = []
    for what, damage in damages(table, original[table.name], any_type=database.embedded):
        with changing(database) as execute:
            assert execute(damage).rowcount != 0
        if not named(database):
            missed.append(what)
        restore(database, original, table)
    assert missed == []


@pytest.mark.parametrize("kind", SCENES)
def test_free_columns_may_hold_something_else(database: Database, kind: str, original: Rows) -> None:
    with changing(database) as execute:
        for table in metadata.sorted_tables:
            free = [column for column in table.c if is_free(column)]
            for row in original[table.name][-1:] if free else []:
                values = {column: others(column, row[column.name])[0] for column in free}
                execute(table.update().where(*key_of(table, row)).values(values))
    assert named(database) == []


def test_what_is_free_exists() -> None:
    columns = {name for table in metadata.sorted_tables for column in table.c for name in (column.name, str(column))}
    assert columns >= FREE_COLUMNS
