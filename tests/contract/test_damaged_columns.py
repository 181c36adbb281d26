"""No reader takes a value that its column cannot hold: it raises an error that names what is damaged, or gives what it
gave before. `test_every_column` tests that an audit finds every change, also to valid values."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Table, Text

import dealmill
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import metadata
from dealmill.pipeline.store.database.urls import database_url
from tests.contract.damages import COMPACT, ITEM, ROWS, RUN
from tests.contract.prepared import drop_checks, prepare
from tests.contract.readers import Reading, broken_promises, read_all

TABLES = {
    ROWS: [table for table in metadata.sorted_tables if table.name not in {"source_blocks", "rules"}],
    COMPACT: [
        table for table in metadata.sorted_tables if table.name not in {"items", "rejects", "source_blocks", "rules"}
    ],
}
CASES = [pytest.param(storage, table, id=f"{table.name}, {storage}") for storage in TABLES for table in TABLES[storage]]
ROW_OF_TABLE = {
    "sources": "id = 1",
    "engines": "id = (SELECT engine_id FROM runs WHERE id = {run})",
    "runs": "id = {run}",
    "jobs": "run_id = {run} AND first = 1",
    "items": "source_id = 1 AND position = {item}",
    "verdicts": "run_id = {run} AND position = {item}",
    "blocks": "run_id = {run} AND number = 1",
    "rejects": "number = 1",
    "audits": "run_id = {run}",
    "audit_jobs": "audit_id = (SELECT id FROM audits WHERE run_id = {run})",
    "judgements": "run_id = {run} AND position = {item}",
    "faults": "audit_id = (SELECT id FROM audits WHERE run_id = {run})",
    "actions": "run_id = {run}",
}


ONLY_AUDITS = {("items.digest", "find"), ("rejects.source_id", "rejects"), ("rejects.number", "rejects")}
"""Columns by which a reader looks rows up, so that it does not meet one with another value."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a prepared store without constraints."""
    path = tmp_path_factory.mktemp("prepared") / "store.db"
    database = Database(database_url(f"sqlite:///{path}"))
    revisions.upgrade(database)
    prepare(database)
    database.close()
    drop_checks(path)
    return path


@pytest.fixture(scope="module")
def before(file: Path) -> dict[str, dict[str, Reading]]:
    """Return what the readers give for the run of each storage before any damage."""
    with dealmill.open(f"sqlite:///{file}") as store:
        readings = {storage: read_all(store, RUN[storage]) for storage in TABLES}
    assert not [reading for of_run in readings.values() for reading in of_run.values() if reading.error]
    return readings


def invalid_values(column: Column[Any]) -> Iterator[str]:
    """Yield SQL for values that a column cannot hold."""
    yield "CAST(x'ff' AS TEXT)" if isinstance(column.type, Text) else "'many'"
    if column.type.python_type is not bytes:
        yield "x'0102'"
    if not column.nullable and not column.primary_key:
        yield "NULL"


def changes(table: Table, storage: str) -> Iterator[tuple[Column[Any], str]]:
    """Yield columns, and SQL for values that they cannot hold. Of a table with rows of both storages, the values are
    tried in one and the other, in turn, so that each column is damaged in both."""
    storages = [storage for storage in TABLES if table in TABLES[storage]]
    columns = [column for column in table.c if column is not table.autoincrement_column]
    for number, column in enumerate(columns):
        for turn, value in enumerate(invalid_values(column), number):
            if storages[turn % len(storages)] == storage:
                yield column, value


@pytest.mark.parametrize(("storage", "table"), CASES)
def test_each_column(
    storage: str, table: Table, file: Path, before: dict[str, dict[str, Reading]], tmp_path: Path
) -> None:
    wrong = list[str]()
    where = ROW_OF_TABLE[table.name].format(run=RUN[storage], item=ITEM)
    for column, value in changes(table, storage):
        path = tmp_path / "store.db"
        shutil.copy(file, path)
        with closing(sqlite3.connect(path)) as connection, connection:  # foreign keys are off
            connection.execute(f"UPDATE OR REPLACE {table.name} SET {column.name} = {value} WHERE {where}")
        with dealmill.open(f"sqlite:///{path}") as store:
            after = read_all(store, RUN[storage])
        readings = {name: after[name] for name in after if (str(column), name) not in ONLY_AUDITS}
        wrong += [f"{column} = {value}: {promise}" for promise in broken_promises(before[storage], readings)]
    assert not wrong, "\n".join(wrong)
