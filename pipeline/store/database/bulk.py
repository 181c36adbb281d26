"""Insert rows: many at once, by the fastest method of each database (measured in docs/decisions/0004-bulk-writes.md),
or a single row that another process may insert concurrently."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Insert, Table
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.types import TypeEngine

if TYPE_CHECKING:
    from psycopg import Copy

Row = tuple[Any, ...]


def insert_rows(connection: Connection, table: Table, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows. Each row holds the values of `columns`, in that order; all other columns are NULL."""
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        names = ", ".join(columns)
        places = ", ".join("?" * len(columns))
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({places})", list(rows))  # noqa: S608
        return
    with copying(connection, table, columns) as copy:
        copy.set_types([_postgresql_name(connection, table.c[column].type) for column in columns])
        for row in rows:
            copy.write_row(row)


@contextmanager
def copying(connection: Connection, table: Table, columns: Sequence[str]) -> "Iterator[Copy]":
    """Open a binary PostgreSQL COPY into the given columns of a table."""
    cursor = connection.connection.cursor()
    statement = f"COPY {table.name} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
    try:
        with cursor.copy(statement) as copy:
            yield copy
    except connection.dialect.loaded_dbapi.Error as error:
        raise DBAPIError.instance(statement, None, error, connection.dialect.loaded_dbapi.Error) from error


def insert_once(connection: Connection, statement: Insert, values: Mapping[str, object]) -> None:
    """Insert a row. Do nothing if it violates a constraint, that is, if another process has inserted it already."""
    with suppress(IntegrityError), connection.begin_nested():
        connection.execute(statement, values)


def _postgresql_name(connection: Connection, kind: TypeEngine[Any]) -> str:
    name = kind.compile(connection.dialect).lower()
    return {"float": "float8"}.get(name, name)
