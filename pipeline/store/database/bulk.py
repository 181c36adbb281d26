"""Insert rows: many at once, by the fastest method of each database (measured in docs/decisions/0004-bulk-writes.md),
or a single row that another process may insert concurrently; and read all rows of a table."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Insert, Table, Text
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
        marks = ", ".join("?" * len(columns))
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", list(rows))  # noqa: S608
        return
    with copying(connection, table, columns) as copy:
        copy.set_types([_postgresql_name(connection, table.c[column].type) for column in columns])
        for row in rows:
            copy.write_row(row)


def read_rows(connection: Connection, table: Table) -> Generator[Row, None, None]:
    """Yield all rows of a table in the order of its primary key, with the values of all columns as the driver returns
    them: JSON is text. One row at a time is in memory."""
    query = _query(connection, table)
    with _wrapped_errors(connection, query):
        cursor = connection.connection.cursor()
        if connection.dialect.name == "sqlite":
            yield from cursor.execute(query)
            return
        with cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types([_postgresql_name(connection, column.type) for column in table.columns])
            yield from copy.rows()


def read_rows_after(connection: Connection, table: Table, key: Sequence[Any]) -> list[Row]:
    """Return the rows after a primary key, or all rows for an empty one, as `read_rows` does, but all at once, which
    is faster."""
    postgresql = connection.dialect.name == "postgresql"
    query = _query(connection, table, key)
    with _wrapped_errors(connection, query):
        cursor = connection.connection.cursor(**{"binary": True} if postgresql else {})
        cursor.execute(query, key)
        return list(cursor.fetchall())


def _query(connection: Connection, table: Table, after: Sequence[Any] = ()) -> str:
    """Return the query for the rows of a table after a key, in the order of their keys."""
    columns, binary, mark = [f'"{column.name}"' for column in table.columns], "", "?"
    if connection.dialect.name == "postgresql":
        for method in ("seqscan", "bitmapscan"):  # which would sort the whole table for each page
            connection.exec_driver_sql(f"SET LOCAL enable_{method} = off")
        columns = [f'"{column.name}"::{_postgresql_name(connection, column.type)}' for column in table.columns]
        binary, mark = ' COLLATE "C"', "%s"  # the order that SQLite has everywhere
    keys = ", ".join(f'"{key.name}"{binary if isinstance(key.type, Text) else ""}' for key in table.primary_key)
    where = f"WHERE ({keys}) > ({', '.join(mark for _ in after)})" if after else ""
    return f"SELECT {', '.join(columns)} FROM {table.name} {where} ORDER BY {keys}"  # noqa: S608 -- names and marks


@contextmanager
def copying(connection: Connection, table: Table, columns: Sequence[str]) -> "Iterator[Copy]":
    """Open a binary PostgreSQL COPY into the given columns of a table."""
    statement = f"COPY {table.name} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
    with _wrapped_errors(connection, statement), connection.connection.cursor().copy(statement) as copy:
        yield copy


@contextmanager
def _wrapped_errors(connection: Connection, statement: str) -> Iterator[None]:
    """Raise the errors of the driver as those of SQLAlchemy."""
    driver_error = connection.dialect.loaded_dbapi.Error
    try:
        yield
    except driver_error as error:
        raise DBAPIError.instance(statement, None, error, driver_error) from error


def insert_once(connection: Connection, statement: Insert, values: Mapping[str, object]) -> None:
    """Insert a row. Do nothing if it violates a constraint, that is, if another process has inserted it already.
    PostgreSQL would abort the transaction without a savepoint; SQLite undoes the statement only."""
    savepoint = nullcontext() if connection.dialect.name == "sqlite" else connection.begin_nested()
    with suppress(IntegrityError), savepoint:
        connection.execute(statement, values)


def _postgresql_name(connection: Connection, kind: TypeEngine[Any]) -> str:
    name = kind.compile(connection.dialect).lower()
    return {"float": "float8", "json": "text"}.get(name, name)  # JSON is sent and received as text
