"""Copy a whole store into another database of either kind: ``dealmill db copy``.

The store is locked against writes, so that the copy is of one moment. Each table is copied in pages, in the order of
its primary key, and each page is read back and compared before it is committed. So an unfinished copy holds only rows
that were equal; when it goes on, these are compared with the store again, which may have changed meanwhile. Until it is
finished, no command accepts the copy as a store (`revisions.unfinished_copy`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from sys import getsizeof
from typing import Any

from sqlalchemy import Connection, Table, func, select, text, tuple_

from dealmill.pipeline.errors import DamagedError, DifferenceError, ReplacedError, StoreUnavailable, UsageError
from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress.events import CopyingRows, Message, Progress, silent
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.audits.invariants import record_faults
from dealmill.pipeline.store.audits.seals import seal_of
from dealmill.pipeline.store.database.bulk import Row, insert_rows, read_rows, read_rows_after
from dealmill.pipeline.store.database.connections import Database, refresh_statistics
from dealmill.pipeline.store.database.revisions import (
    begin_copy,
    check_revision,
    check_tables,
    finish_copy,
)
from dealmill.pipeline.store.database.row_checks import RowCheck, shown_value
from dealmill.pipeline.store.database.tables import JOB_TABLES, metadata
from dealmill.pipeline.store.database.urls import shown
from dealmill.pipeline.store.runs.finding import list_runs
from dealmill.pipeline.store.storages.item_blocks import fingerprints_of

PAGE_ROWS = 20_000
PAGE_BYTES = 8_000_000
"""The size of the values of a page in memory, unless a single row is larger."""
LOCKED = ", ".join(dict.fromkeys(table.name for table in (*JOB_TABLES.values(), *metadata.sorted_tables)))
"""All tables, in the order in which they are locked: writers of results update a job first."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A finished copy of a store, which was compared with it.

    `url` is the URL of the copy without its password, and `rows` the number of rows of each table. `fingerprints` is
    how many runs have one, `seals` how many have one of their newest audit, and `faults` how many faults their records
    have as a whole; all of them are the same in both stores.
    """

    url: str
    rows: Mapping[str, int]
    fingerprints: int
    seals: int
    faults: int


def copy_store(source: Database, target: Database, progress: Progress = silent) -> Copy:
    """Copy all rows of a store into an empty database, or into an unfinished copy of the same store.

    Raises
    ------
    UsageError
        If both are the same database.
    StoreError
        If there is no store, it is of another revision, or the target is not empty.
    StoreUnavailable
        If one of them does not answer, or its disk is full. The same call goes on from there.
    DamagedError
        If a row has values that the target cannot hold.
    DifferenceError
        If the copy differs from the store; it stays unfinished.
    """
    if source.owns(target.path) if target.embedded else shown(source.url) == shown(target.url):
        raise UsageError(f"{shown(target.url)} is the store itself; name another database")
    check_tables(source)
    begun = False
    try:
        with _locked(source) as connection:
            check_revision(connection)  # no migration can begin from here on
            begin_copy(source, target)
            begun = True
            progress(Message(f"copying {shown(source.url)}: it can be read meanwhile, but writes wait until the end"))
            _copy_tables(connection, target, progress)
            copy = _compared(source, target, _counts(connection))
            with target.writing() as writable:
                _advance_sequences(writable)
                finish_copy(writable)
    except StoreUnavailable as error:
        if not begun:
            raise
        raise StoreUnavailable(f"{error}; the copy is not finished: the same command goes on with it") from error
    refresh_statistics(target)
    return copy


@contextmanager
def _locked(database: Database) -> Iterator[Connection]:
    """Open a transaction in which nobody else can write to any table."""
    with database.writing() as connection:  # which locks an embedded store
        if not database.embedded:
            connection.execute(text(f"LOCK TABLE {LOCKED} IN SHARE ROW EXCLUSIVE MODE"))
            for timeout in ("idle_in_transaction_session_timeout", "tcp_user_timeout"):  # the target may be slow
                connection.execute(text(f"SET LOCAL {timeout} = 0"))
        yield connection


def _counts(connection: Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    return {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in metadata.sorted_tables
    }


def _copy_tables(source: Connection, target: Database, progress: Progress) -> None:
    done, total = 0, sum(_counts(source).values())

    def advance(table: Table, rows: int) -> None:
        nonlocal done
        done += rows
        progress(CopyingRows(done, total, table.name))

    for table in metadata.sorted_tables:
        with closing(read_rows(source, table)) as rows:
            _copy_table(rows, target, table, partial(advance, table))


def _copy_table(rows: Iterator[Row], target: Database, table: Table, advance: Callable[[int], None]) -> None:
    """Copy the rows of a table that the target does not have yet. Call `advance` with the number of rows of each page,
    also of those that are equal."""
    key, stale = list[Any](), False
    with target.browsing() as connection, closing(read_rows(connection, table)) as copied:
        for page in _pages(copied):
            expected = list(islice(rows, len(page)))
            if stale := page != expected:
                rows = chain(expected, rows)
                break
            key = _key(table, page[-1])
            advance(len(page))
    if stale:
        with target.writing() as connection:
            _delete_after(connection, table, key)
    for page in _pages(rows):
        key = _write_page(target, table, page, key)
        advance(len(page))


def _pages(rows: Iterator[Row]) -> Iterator[list[Row]]:
    page, size = list[Row](), 0
    for row in rows:
        page.append(row)
        size += sum(map(getsizeof, row))
        if len(page) == PAGE_ROWS or size >= PAGE_BYTES:
            yield page
            page, size = [], 0
    if page:
        yield page


def _key(table: Table, row: Row) -> list[Any]:
    """Return the primary key of a row."""
    names = table.columns.keys()
    return [row[names.index(column.name)] for column in table.primary_key]


def _delete_after(connection: Connection, table: Table, key: Sequence[Any]) -> None:
    """Delete the rows after a key, and those of all tables that may refer to them."""
    tables = metadata.sorted_tables
    for later in reversed(tables[tables.index(table) + 1 :]):
        connection.execute(later.delete())
    stale = table.delete()
    connection.execute(stale.where(tuple_(*table.primary_key) > tuple(key)) if key else stale)


def _write_page(target: Database, table: Table, page: list[Row], key: list[Any]) -> list[Any]:
    """Insert the rows after a key, and return the key of the last one.

    Raises
    ------
    DamagedError
        If the database does not accept one of them, or has changed it. The error names the first one.
    """
    try:
        with target.writing() as connection:
            insert_rows(connection, table, table.columns.keys(), page)
            _check_copied(table, page, read_rows_after(connection, table, key))
    except (DamagedError, ReplacedError, StoreUnavailable, MemoryError):
        raise
    except Exception as error:  # of the database or of its driver, which have many for values of a wrong type
        if len(page) == 1:
            raise _refused(table, page[0], _wrong_type(table, page[0]) or str(error)) from error
        middle = len(page) // 2
        for half in (page[:middle], page[middle:]):
            key = _write_page(target, table, half, key)
    return _key(table, page[-1])


def _wrong_type(table: Table, row: Row) -> str | None:
    """Return which value of a row is not of the type of its column, as far as rows from the driver tell."""
    indexes = [index for index, column in enumerate(table.columns) if column.type.python_type not in {bool, dict}]
    return RowCheck(*(table.columns[index] for index in indexes)).error([row[index] for index in indexes])


def _check_copied(table: Table, rows: list[Row], copied: list[Row]) -> None:
    """Check that rows that were inserted are what they were.

    Raises
    ------
    DamagedError
        If the database has changed a value, which is of another type than its column.
    """
    for row, changed in zip(rows, copied, strict=True) if rows != copied else ():
        for column, value, copy in zip(table.columns, row, changed, strict=True):
            if value != copy:
                raise _refused(table, row, f"{column} is {shown_value(value)}, which becomes {shown_value(copy)}")


def _refused(table: Table, row: Row, reason: str) -> DamagedError:
    names = (column.name for column in table.primary_key)
    key = ", ".join(f"{name} {shown_value(value)}" for name, value in zip(names, _key(table, row), strict=True))
    return DamagedError(
        f"the table {table.name}, row with {key}, cannot be copied: {printable(' '.join(reason.split()))}; repair or "
        "delete this row, and the same command goes on"
    )


def _compared(source: Database, target: Database, counts: Mapping[str, int]) -> Copy:
    """Compare a copy with its store by what both say of themselves.

    Raises
    ------
    DifferenceError
        If they differ.
    """
    with target.reading() as connection:
        copied = _counts(connection)
    for name, count in counts.items():
        if copied[name] != count:
            raise DifferenceError(f"the table {name} has {count:,} rows, but the copy has {copied[name]:,}")
    ours, theirs = _summary(source), _summary(target)
    for what, values in ours.items():
        if values != theirs[what]:
            raise DifferenceError(f"the {what} of the copy differ from those of the store")
    return Copy(shown(target.url), counts, *(len(values) for values in ours.values()))


def _summary(database: Database) -> dict[str, Mapping[Any, Any]]:
    """Return the fingerprint of each run, the seal of its newest audit, and the faults of its record as a whole."""
    runs = list_runs(database)
    audits = latest_audits(database)
    seals = {run.id: seal_of(database, audits[run.id]) for run in runs if run.id in audits}
    return {
        "fingerprints": fingerprints_of(database, {run.id: run.items for run in runs}),
        "seals": {run: seal for run, seal in seals.items() if seal},
        "invariants": {(run.id, fault): fault for run in runs for fault in record_faults(database, run, run.items)},
    }


def _advance_sequences(connection: Connection) -> None:
    """Have PostgreSQL number new rows after the copied ones. SQLite does this by itself."""
    for table in metadata.sorted_tables if connection.dialect.name == "postgresql" else ():
        if (column := table.autoincrement_column) is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            connection.execute(select(func.setval(sequence, func.max(column))))  # nothing if there are no rows
