"""A store's connections, and its two kinds of transaction: `reading` and `writing`."""

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, exc, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import Float

from dealmill.pipeline.errors import StoreError, StoreUnavailable, UsageError
from dealmill.pipeline.extras import check_extra
from dealmill.pipeline.store.database.embedded import (
    EmbeddedConnection,
    EmbeddedFile,
    create_file,
    error_of,
    find_file,
)

NO_FILE = {"", ":memory:"}
READ_ONLY_FILE = {"mode": "ro"}
"""The options of a file that is only to be read."""
ORIGIN = "(where none is passed, it is that of DEALMILL_DATABASE_URL)"
READ_ONLY = "25006"
"""What PostgreSQL calls the refusal of a change while it takes none (SQLSTATE)."""
TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name <> 'alembic_version'"
UNDEFINED = {"42703", "42P01"}
"""What it calls columns and tables that do not exist."""
UNDEFINED_IN_SQLITE = re.compile(r"no such (table|column): |table \S+ has no column ")
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
    UsageError
        If it is a URL of PostgreSQL and the extra ``postgresql`` is missing.
    """
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):  # which may speak of parts of a password
        raise StoreError(
            f"the database URL is not valid; write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME {ORIGIN}"
        ) from None
    if parsed.drivername in {"postgres", "postgresql"}:
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in {"sqlite", "postgresql+psycopg"}:
        raise StoreError(
            f"the database URL names {parsed.drivername}; Dealmill keeps its store in sqlite or postgresql {ORIGIN}"
        )
    if parsed.drivername == "sqlite":
        _check_file_url(url, parsed)
    else:
        check_extra("postgresql")
    return parsed


def _check_file_url(url: str, parsed: URL) -> None:
    """A URL of a file means what it means to SQLite (``%20`` is a blank), or is refused; its one option is ``mode``."""
    file = (parsed.database or "").replace("\0", "")
    if parsed.host or parsed.username or file != parsed.database or file in NO_FILE:
        raise StoreError(f"the database URL names no file; workers share the store, so write sqlite:///FILE {ORIGIN}")
    if "#" in url:
        raise StoreError(f"the database URL holds the sign #, which ends the name of a file: write it as %23 {ORIGIN}")
    if file.startswith("file:"):
        raise StoreError(f"the database URL names a URI; write sqlite:///FILE {ORIGIN}")
    if not file.isprintable() or "\ufffd" in file:
        raise StoreError(f"the database URL names a file, but it is not in UTF-8 or not printable {ORIGIN}")
    if parsed.query and dict(parsed.query) != READ_ONLY_FILE:
        raise StoreError(f"the database URL has options; the only one for a file is ?mode=ro {ORIGIN}")
    if not Path(file).is_absolute():
        _check_working_directory(file)


def _check_working_directory(file: str) -> None:
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise StoreError(
            f"the working directory was deleted, so {file} cannot be opened: change to another directory"
        ) from error


def _prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    assert isinstance(connection, EmbeddedConnection)  # noqa: S101 -- listens on sqlite engines only
    connection.isolation_level = None  # we say BEGIN ourselves, see _begin_sqlite
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")  # see decode.py
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
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


def _replace_stale(connection: DBAPIConnection, _record: ConnectionPoolEntry, _proxy: PoolProxiedConnection) -> None:
    """Open a new connection in the place of one that was opened when nobody changed the file."""
    if _embedded(connection).stale:
        raise exc.DisconnectionError


def _begin_sqlite(connection: Connection) -> None:
    """A transaction that reads first and writes later fails whatever the timeout, so writers say so at once. Only they
    set the journal mode, which changes the file."""
    opened = _embedded(connection.connection.dbapi_connection)
    opened.check()
    options = connection.get_execution_options()
    writes = options.get("writes", False)
    if writes:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
    if options.get("rebuilds", False):
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
    if writes:
        opened.watch_beside()


def _commit_sqlite(connection: Connection) -> None:
    """See that what was read is of one moment, and that what was written goes to the file of that name."""
    opened = _embedded(connection.connection.dbapi_connection)
    opened.check()
    if opened.stale:
        raise StoreUnavailable(f"{opened.file.path} was changed while it was read: try again")


def _embedded(connection: DBAPIConnection | None) -> EmbeddedConnection:
    assert isinstance(connection, EmbeddedConnection)  # noqa: S101 -- of sqlite engines only
    return connection


@cache
def engine_for(url: URL, file: EmbeddedFile | None) -> Engine:
    """The connections of this process to a database, and to one file of it if it is embedded; a forked one begins with
    none, for they cannot be shared."""
    if file is not None:
        engine = create_engine(URL.create("sqlite", database=str(file.path)), creator=file.connect)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "checkout", _replace_stale)
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "commit", _commit_sqlite)
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


class Database:
    """A database, at whatever migration it stands; `dealmill.pipeline.store.database.opening` opens it for use.

    An embedded one belongs to the file that it finds first. Only `rebuilding` creates a file.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.embedded = url.get_backend_name() == "sqlite"
        """Whether the store is a file of ours."""
        self.path = Path(url.database or "").absolute()
        """That file."""
        self._file: EmbeddedFile | None = None
        self._closed = False

    def close(self) -> None:
        """Close the connections of this process; no more transactions after that."""
        self._closed = True
        if self._file or not self.embedded:
            engine_for(self.url, self._file).dispose()

    def vacant(self) -> bool:
        """Whether an embedded store has yet to be created: its file is missing or has no tables.

        Raises
        ------
        StoreError
            If the file cannot be read, or is not a database.
        """
        if self._file or not self.embedded:
            return False
        file = find_file(self.path, read_only=bool(self.url.query))
        if file is None:
            return True
        with self._told(), engine_for(self.url, file).begin() as connection:
            empty = not connection.exec_driver_sql(TABLES).scalar_one()
        self._file = None if empty else file
        return empty

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, all of it as it was at one moment."""
        moment = {} if self.embedded else {"isolation_level": "REPEATABLE READ"}
        with self._transaction(engine_for(self.url, self._opened()), **moment) as connection:
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
        self.refuse_read_only()
        with self._transaction(engine_for(self.url, self._opened()), writes=True) as connection:
            yield connection
        if self._file:
            self._file.check()

    @contextmanager
    def rebuilding(self) -> Iterator[Connection]:
        """A transaction that may also create the store or rebuild tables: SQLite looks after foreign keys only at its
        end."""
        self.refuse_read_only()
        file = self._opened(create=True)
        engine = engine_for(self.url, file)
        with self._transaction(engine, writes=True, rebuilds=True) as connection:
            yield connection
            if self.embedded and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first()):
                raise StoreError(f"rows of the table {broken[0]} point to rows of {broken[2]} that do not exist")
        engine.dispose()  # its connections do not look after foreign keys any more
        self._file = file

    def _opened(self, *, create: bool = False) -> EmbeddedFile | None:
        """The file of an embedded store; an empty one, if there is no store yet and one is to be created.

        Raises
        ------
        UsageError
            If the store was closed.
        StoreError
            If it has yet to be created.
        """
        if self._closed:
            raise UsageError(f"the store {shown(self.url)} is closed; open it again with dealmill.open")
        if not self.vacant():
            return self._file
        if not create:
            raise StoreError(f"there is no store in {self.path} yet; begin with: dealmill run FILE…")
        create_file(self.path)
        return find_file(self.path, read_only=False)

    @contextmanager
    def _transaction(self, engine: Engine, **options: Any) -> Iterator[Connection]:
        with self._told(), engine.execution_options(**options).begin() as connection:
            yield connection

    def refuse_read_only(self) -> None:
        """See that the URL does not open a file for reading only.

        Raises
        ------
        StoreError
        """
        if self.embedded and self.url.query:
            raise StoreError(f"the database URL opens {self.path} for reading only; leave out ?mode=ro {ORIGIN}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the driver's errors into one sentence."""
        try:
            yield
        except UnicodeEncodeError as error:
            raise StoreError(f"a database holds text, and {error.object!r} is none: it is not in UTF-8") from error
        except exc.DatabaseError as error:
            raise self._meaning(error) from error

    def _meaning(self, error: exc.DatabaseError) -> StoreError:
        place, reason = shown(self.url), " ".join(str(error.orig).split())
        if getattr(error.orig, "sqlstate", None) in UNDEFINED or UNDEFINED_IN_SQLITE.match(reason):
            return StoreError(
                f"the database {place} has other tables than this Dealmill needs ({reason}): dealmill db current says "
                "which, and dealmill db upgrade brings them up to date"
            )
        if self.embedded:
            found = error_of(self.path, place, error.orig)
            if isinstance(found, StoreUnavailable) and self._file:
                engine_for(self.url, self._file).dispose()  # a new connection may be able to write
            return found
        if getattr(error.orig, "sqlstate", None) == READ_ONLY:
            engine_for(self.url, None).dispose()  # a new connection may reach one that does
            return StoreUnavailable(
                f"the database {place} takes no changes: {reason}; is it a standby, or was it set to read-only?"
            )
        if isinstance(error, exc.OperationalError):
            hint = "is the server running, and is DEALMILL_DATABASE_URL right?"
            return StoreUnavailable(f"the database {place} does not answer: {reason}; {hint}")
        return StoreError(f"the database {place} refuses: {reason}")


def refresh_statistics(store: Database) -> None:
    """Have PostgreSQL look at its tables anew, as after many rows came in: it plans pages of a table that it takes for
    small by reading all of it. SQLite needs none of that, for every page follows a key."""
    if not store.embedded:
        with store.writing() as connection:
            connection.execute(text("ANALYZE"))
