"""A store's connections, and its two kinds of transaction: `reading` and `writing`."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, exc, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import Float

from dealmill.pipeline.errors import StoreError, StoreUnavailable, UsageError

BUSY_SECONDS = 60
NO_FILE = {"", ":memory:"}
ORIGIN = "(where none is passed, it is that of DEALMILL_DATABASE_URL)"
READ_ONLY = "25006"
"""What PostgreSQL calls the refusal of a change while it takes none (SQLSTATE)."""
UNDEFINED = {"42703", "42P01"}
"""What it calls columns and tables that do not exist."""
PATIENCE_OF_THE_SERVER = {
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": "15s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "30s",  # keepalives are not sent while something else waits for its acknowledgement
}
"""How long PostgreSQL waits for one of us that stands still or is cut off, and holds rows that others need."""
OUR_PATIENCE = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""How long we wait for a PostgreSQL that says nothing any more (seconds; the last one milliseconds)."""


class clock(GenericFunction[float]):  # noqa: N801 -- reads like the SQL function it is
    """Seconds since 1970 by the clock of the database, the only one that leases go by."""

    type = Float()
    inherit_cache = True


@compiles(clock, "sqlite")  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _sqlite_clock(_element: clock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(clock, "postgresql")  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _postgresql_clock(_element: clock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


def database_url(url: str) -> URL:
    """The URL as SQLAlchemy wants it: plain ``postgresql://`` means our driver.

    Raises
    ------
    StoreError
        If it is no URL of a database that Dealmill knows.
    """
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):  # which may speak of parts of a password
        raise StoreError(
            f"the database URL is not valid; write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME {ORIGIN}"
        ) from None
    if parsed.drivername in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in {"sqlite", "postgresql+psycopg"}:
        raise StoreError(
            f"the database URL names {parsed.drivername}; Dealmill keeps its store in sqlite or postgresql {ORIGIN}"
        )
    file = (parsed.database or "").replace("\0", "")
    if parsed.drivername == "sqlite" and (parsed.host or parsed.username or file != parsed.database or file in NO_FILE):
        raise StoreError(f"the database URL names no file; workers share the store, so write sqlite:///FILE {ORIGIN}")
    if parsed.drivername == "sqlite" and not Path(file).is_absolute():
        _check_working_directory(file)
    return parsed


def _check_working_directory(file: str) -> None:
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise StoreError(
            f"the working directory was deleted, so {file} cannot be opened: change to another directory"
        ) from error


def _prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)  # noqa: S101 -- listens on sqlite engines only
    connection.isolation_level = None  # we say BEGIN ourselves, see _begin_sqlite
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")  # see decode.py
    for pragma in (f"busy_timeout={BUSY_SECONDS * 1000}", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _end_transaction(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """Roll back before a connection is closed: SQLite closes it, and frees its locks, only when all of its statements
    are gone, and the traceback of an interrupt keeps them."""
    connection.rollback()


def _prepare_postgresql(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    with closing(connection.cursor()) as cursor:
        for setting, value in PATIENCE_OF_THE_SERVER.items():
            cursor.execute(f"SET {setting} = '{value}'")
    connection.commit()


def _begin_sqlite(connection: Connection) -> None:
    """A transaction that reads first and writes later fails whatever the timeout, so writers say so at once."""
    options = connection.get_execution_options()
    writes = options.get("writes", False)
    if options.get("rebuilds", False):
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@cache
def engine_for(url: URL) -> Engine:
    """The connections of this process to a database; a forked one begins with none, for they cannot be shared."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "close", _end_transaction)
    else:
        unsaid = {setting: value for setting, value in OUR_PATIENCE.items() if setting not in url.query}
        engine = create_engine(url, connect_args=unsaid)
        event.listen(engine, "connect", _prepare_postgresql)
    os.register_at_fork(after_in_child=partial(engine.dispose, close=False))
    return engine


def shown(url: URL) -> str:
    """A database as it may be shown, without its password wherever that stands."""
    return url.difference_update_query(["password", "sslpassword"]).render_as_string(hide_password=True)


@contextmanager
def _told(url: URL) -> Iterator[None]:
    """Turn the driver's errors into one sentence."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise StoreError(f"a database holds text, and {error.object!r} is none: it is not in UTF-8") from error
    except exc.DatabaseError as error:
        reason, place = " ".join(str(error.orig).split()), f"the database {shown(url)}"
        if getattr(error.orig, "sqlstate", None) == READ_ONLY:
            engine_for(url).dispose()  # a new connection may reach one that does
            raise StoreUnavailable(
                f"{place} takes no changes: {reason}; is it a standby, or was it set to read-only?"
            ) from error
        if _lacks_tables(error):
            raise StoreError(
                f"{place} has other tables than this Dealmill needs ({reason}): dealmill db current says which, and "
                "dealmill db upgrade brings them up to date"
            ) from error
        if isinstance(error, exc.OperationalError) and not _is_refusal(error):
            if url.get_backend_name() == "sqlite":
                folder = Path(url.database or "").absolute().parent
                hint = f"can {folder} be written to, and is there room on the disk?"
            else:
                hint = "is the server running, and is DEALMILL_DATABASE_URL right?"
            raise StoreUnavailable(f"{place} does not answer: {reason}; {hint}") from error
        raise StoreError(f"{place} refuses: {reason}") from error


def _lacks_tables(error: exc.DatabaseError) -> bool:
    """Whether a table or a column does not exist, as after a migration that somebody else has run."""
    said = str(error.orig)
    return getattr(error.orig, "sqlstate", None) in UNDEFINED or (
        _is_refusal(error) and ("no such table" in said or "no such column" in said or "has no column" in said)
    )


def _is_refusal(error: exc.DatabaseError) -> bool:
    """Whether SQLite has refused a statement: it raises the same class of errors where its file cannot be used."""
    return getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR


class Database:
    """A database, at whatever migration it stands; `dealmill.pipeline.store.database.opening` opens it for use."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self._closed = False

    @property
    def embedded(self) -> bool:
        """Whether the store is a file of ours."""
        return self.url.get_backend_name() == "sqlite"

    def close(self) -> None:
        """Close the connections of this process; no more transactions after that."""
        self._closed = True
        engine_for(self.url).dispose()

    def _engine(self, **options: Any) -> Engine:
        """The connections, with options for the next transaction.

        Raises
        ------
        UsageError
            If the store was closed.
        """
        if self._closed:
            raise UsageError(f"the store {shown(self.url)} is closed; open it again with dealmill.open")
        return engine_for(self.url).execution_options(**options)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, all of it as it was at one moment."""
        moment = {} if self.embedded else {"isolation_level": "REPEATABLE READ"}
        with _told(self.url), self._engine(**moment).begin() as connection:
            yield connection

    @contextmanager
    def browsing(self) -> Iterator[Connection]:
        """The same for rows that are handed out one by one, to somebody who may look at them for hours."""
        with self.reading() as connection:
            if not self.embedded:
                connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes; committed as a whole at the end or not at all."""
        with _told(self.url), self._engine(writes=True).begin() as connection:
            yield connection

    @contextmanager
    def rebuilding(self) -> Iterator[Connection]:
        """A transaction that may also rebuild tables: SQLite looks after foreign keys only at its end."""
        with _told(self.url), self._engine(writes=True, rebuilds=True).begin() as connection:
            yield connection
            if self.embedded and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first()):
                raise StoreError(f"rows of the table {broken[0]} point to rows of {broken[2]} that do not exist")
        engine_for(self.url).dispose()  # its connections do not look after foreign keys any more


def refresh_statistics(store: Database) -> None:
    """Have PostgreSQL look at its tables anew, as after many rows came in: it plans pages of a table that it takes for
    small by reading all of it. SQLite needs none of that, for every page follows a key."""
    if not store.embedded:
        with store.writing() as connection:
            connection.execute(text("ANALYZE"))


def revision_of(connection: Connection) -> str | None:
    """The migration a database stands at; None for one without any tables of ours."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision
