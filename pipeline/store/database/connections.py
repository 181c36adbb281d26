"""Connections to a database and their transactions (`reading`, `browsing`, `writing` and `rebuilding`), on SQLite and
PostgreSQL; the translation of their errors; and the retries of commands and workers while the database is not
available."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from sqlite3 import SQLITE_INTERRUPT
from time import monotonic
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Dialect,
    Engine,
    create_engine,
    event,
    exc,
    select,
    text,
)
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from dealmill.pipeline.errors import SlowQuery, StoreError, StoreUnavailable, UsageError
from dealmill.pipeline.progress.waiting import waiting_for
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.sqlite import (
    BUSY_SECONDS,
    EmbeddedConnection,
    EmbeddedFile,
    create_file,
    error_of,
    files_of,
    find_file,
    same_file,
)
from dealmill.pipeline.store.database.urls import ORIGIN, shown

T = TypeVar("T")

LONGEST = 10.0
"""The longest pause, in seconds."""
YEAR_10_000 = 253_402_300_800
"""The start of the year 10,000 in seconds since 1970, the first time that `datetime` cannot represent."""


def pauses() -> Iterator[float]:
    """Yield the pauses between attempts, in seconds; each is twice as long as the one before, up to `LONGEST`."""
    pause = 0.25
    while True:
        yield pause
        pause = min(2 * pause, LONGEST)


WAITING = "; waiting for it"
"""How messages about a database that is not available end."""


def patiently(step: Callable[[], T], tell: Callable[[str], None]) -> T:
    """Call `step`, and retry while the database is not available. Call `tell` with a message when the waiting starts,
    when its reason changes, and when it ends.

    The step must be safe to repeat after it failed at any point: it only reads, or it is a single fenced transaction.
    """
    reported = ""
    for pause in pauses():
        try:
            result = step()
        except StoreUnavailable as away:
            if (reason := str(away)) != reported:
                tell(f"{reason}{WAITING}")
            reported = reason
            time.sleep(pause)
        else:
            break
    if reported:
        tell("the database is available again")
    return result


READ_ONLY = "25006"
"""The SQLSTATE with which PostgreSQL rejects a write in read-only mode."""
CANCELLED = "57014"
"""The SQLSTATE with which PostgreSQL ends a statement that takes too long."""
LOCKED = "55P03"
"""The SQLSTATE with which PostgreSQL ends a statement that has waited too long for a lock."""
NOT_PERMITTED = "42501"
"""The SQLSTATE with which PostgreSQL rejects what the user may not do."""
REFUSED = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|pg_hba\.conf rejects|"
    "role .* does not exist|not permitted to log in"
)
"""What a PostgreSQL server says when it refuses a user. A connection that fails has no SQLSTATE."""
LIMITS = "54"
"""What the SQLSTATEs begin with by which PostgreSQL says that a value is too large, for example for an index."""
MAX_CONNECTIONS = 40
"""The most connections that a process keeps open: as many as the threads of a web server may use at a time."""
STEPS_BETWEEN_CHECKS = 10_000
"""Steps of SQLite's virtual machine between two checks of the time: some tenths of a millisecond."""
TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name <> 'alembic_version'"
UNDEFINED = {"42703", "42P01"}
"""The SQLSTATEs of PostgreSQL for columns and tables that do not exist."""
UNDEFINED_IN_SQLITE = re.compile(r"no such (table|column): |table \S+ has no column ")
SERVER_TIMEOUTS = {
    "lock_timeout": f"{BUSY_SECONDS}s",
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": "15s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "30s",  # keepalives are not sent while other data is unacknowledged
}
"""How long PostgreSQL waits for a lock, and for a client that hangs or is cut off while it holds locks."""
UTF8 = {"client_encoding": "utf8"}
"""The encoding of all text that PostgreSQL sends and receives, whatever that of the database is."""
UNCHECKED = "SQL_ASCII"
"""The encoding of databases whose texts can be any bytes. PostgreSQL's default in the locale C."""
CLIENT_TIMEOUTS = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""How long a client waits for a PostgreSQL server that does not respond, in seconds; `tcp_user_timeout` is in
milliseconds."""


def _prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    assert isinstance(connection, EmbeddedConnection)  # noqa: S101 -- listens on sqlite engines only
    connection.isolation_level = None  # _begin_sqlite issues BEGIN itself
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")  # reported by row_checks.py
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _limit_statements(seconds: float) -> Callable[[Connection, *tuple[Any, ...]], None]:
    """Return a listener that makes SQLite interrupt statements after some seconds. SQLite computes rows while they are
    fetched, so the time of the caller between two rows counts too."""

    def limit(connection: Connection, *_: Any) -> None:
        end = monotonic() + seconds
        opened = _embedded(connection.connection.dbapi_connection)
        opened.set_progress_handler(lambda: monotonic() > end, STEPS_BETWEEN_CHECKS)

    return limit


def _end_transaction(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """Roll back before a connection is closed. SQLite closes it and releases its locks only when all of its statements
    are finalized, and the traceback of an interrupt keeps them alive."""
    connection.rollback()


def _connect(
    url: URL, dialect: Dialect, _record: ConnectionPoolEntry, words: list[Any], options: dict[str, Any]
) -> DBAPIConnection:
    with waiting_for(f"the database {shown(url)}"):
        return dialect.connect(*words, **options)


def _prepare_postgresql(
    url: URL, seconds: float | None, connection: DBAPIConnection, _record: ConnectionPoolEntry
) -> None:
    timeouts = dict(SERVER_TIMEOUTS)
    if seconds is not None:
        timeouts["statement_timeout"] = f"{seconds * 1_000:.0f}ms"
    with closing(connection.cursor()) as cursor:
        cursor.execute("SHOW server_encoding")
        if cursor.fetchone() == (UNCHECKED,):
            raise StoreError(
                f"the database {shown(url)} has the encoding {UNCHECKED}, so the server does not check texts; create "
                "another one with: createdb --encoding=UTF8 --template=template0 NAME"
            )
        for setting, value in timeouts.items():
            cursor.execute(f"SET {setting} = '{value}'")
    connection.commit()


def _replace_stale(connection: DBAPIConnection, _record: ConnectionPoolEntry, _proxy: PoolProxiedConnection) -> None:
    """Replace a connection that was opened in immutable mode if the file has changed since."""
    if _embedded(connection).stale:
        raise exc.DisconnectionError


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction: BEGIN IMMEDIATE if it writes. A deferred transaction that reads first and writes later can
    fail despite the busy timeout. Only writers set the journal mode, because that changes the file."""
    opened = _embedded(connection.connection.dbapi_connection)
    opened.file.check()
    options = connection.get_execution_options()
    writes = options.get("writes", False)
    if options.get("rebuilds", False):
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
    if not writes:
        connection.exec_driver_sql("BEGIN")
        return

    def begin() -> None:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    opened.wait(begin)


def _commit_sqlite(connection: Connection) -> None:
    """Check that everything read belongs to one snapshot."""
    opened = _embedded(connection.connection.dbapi_connection)
    if opened.stale:
        raise StoreUnavailable(f"{opened.file.path} was changed while it was being read; try again")


def _embedded(connection: DBAPIConnection | None) -> EmbeddedConnection:
    assert isinstance(connection, EmbeddedConnection)  # noqa: S101 -- used by sqlite engines only
    return connection


@cache
def engine_for(url: URL, file: EmbeddedFile | None, statement_seconds: float | None) -> Engine:
    """Return this process's connection pool for a database, and for a single `file` of it if it is embedded. A forked
    child starts with an empty pool, because connections cannot be shared between processes. Statements that take more
    than `statement_seconds` are ended, unless that is None."""
    if file is not None:
        embedded = URL.create("sqlite", database=str(file.path))
        engine = create_engine(embedded, creator=file.connect, pool_size=MAX_CONNECTIONS)
        if statement_seconds is not None:
            event.listen(engine, "before_cursor_execute", _limit_statements(statement_seconds))
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "checkout", _replace_stale)
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "commit", _commit_sqlite)
        event.listen(engine, "close", _end_transaction)
    else:
        defaults = {setting: value for setting, value in CLIENT_TIMEOUTS.items() if setting not in url.query}
        engine = create_engine(url, connect_args={**defaults, **UTF8}, pool_size=MAX_CONNECTIONS)
        event.listen(engine, "do_connect", partial(_connect, url))
        event.listen(engine, "connect", partial(_prepare_postgresql, url, statement_seconds))
    os.register_at_fork(after_in_child=partial(engine.dispose, close=False))
    return engine


class Database:
    """A database at any revision. `revisions.open_store` opens one for use and checks its revision.

    An embedded database is bound to the file that it finds first. Only `rebuilding` creates a file.
    """

    def __init__(self, url: URL, statement_seconds: float | None = None) -> None:
        self.url = url
        self._statement_seconds = statement_seconds
        self.embedded = url.get_backend_name() == "sqlite"
        """Whether the store is an SQLite file."""
        self.path = Path(url.database or "").absolute()
        """The absolute path of that file."""
        self._file: EmbeddedFile | None = None
        self._closed = False

    def owns(self, path: Path) -> bool:
        """Return whether a path leads, also through links, to the file of an embedded store or to one next to it."""
        return self.embedded and any(same_file(path, file) for file in files_of(self.path))

    def close(self) -> None:
        """Close the connections of this process. No transaction can be opened afterwards."""
        self._closed = True
        if self._file or not self.embedded:
            self._engine(self._file).dispose()

    def disconnect(self) -> bool:
        """Close the connections of this process, and open new ones when they are needed. Return False, and close
        nothing, while a transaction is open."""
        if self._closed or not (self._file or not self.embedded):
            return True
        engine = self._engine(self._file)
        if engine.pool.checkedout():  # type: ignore[attr-defined]
            return False
        engine.dispose()
        return True

    def vacant(self) -> bool:
        """Return whether an embedded store has not been created yet: its file is missing or has no tables."""
        if self._file or not self.embedded:
            return False
        file = find_file(self.path, read_only=bool(self.url.query))
        if file is None:
            return True
        with self._translated_errors(), self._engine(file).begin() as connection:
            empty = not connection.exec_driver_sql(TABLES).scalar_one()
        self._file = None if empty else file
        return empty

    def _engine(self, file: EmbeddedFile | None) -> Engine:
        return engine_for(self.url, file, self._statement_seconds)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a read transaction on one snapshot of the database."""
        moment = {} if self.embedded else {"isolation_level": "REPEATABLE READ"}
        with self._transaction(self._engine(self._opened()), **moment) as connection:
            yield connection

    @contextmanager
    def browsing(self) -> Iterator[Connection]:
        """Open a read transaction for rows that are handed out one by one, however long the caller takes."""
        with self.reading() as connection:
            if not self.embedded:
                connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a write transaction. It is committed at the end, or rolled back on an exception."""
        self.refuse_read_only()
        with self._transaction(self._engine(self._opened()), writes=True) as connection:
            yield connection
        if self._file:
            self._file.check()

    @contextmanager
    def rebuilding(self) -> Iterator[Connection]:
        """Open a write transaction that may also create the store or rebuild tables. On SQLite, foreign keys are
        checked only at its end.

        Raises
        ------
        StoreError
            As for `writing`; also if a foreign key is violated.
        """
        self.refuse_read_only()
        file = self._opened(create=True)
        engine = self._engine(file)
        with self._transaction(engine, writes=True, rebuilds=True) as connection:
            yield connection
            if self.embedded and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first()):
                raise StoreError(f"rows of the table {broken[0]} refer to missing rows of the table {broken[2]}")
        engine.dispose()  # its connections no longer enforce foreign keys
        self._file = file

    def _opened(self, *, create: bool = False) -> EmbeddedFile | None:
        """Return the file of an embedded store; None for a server. With `create`, create an empty file if it is
        missing.

        Raises
        ------
        UsageError
            If the store was closed.
        StoreError
            If the store does not exist yet, unless `create` is set.
        """
        if self._closed:
            raise UsageError(f"the store {shown(self.url)} is closed; open it again with dealmill.open")
        if not self.vacant():
            return self._file
        if not create:
            raise StoreError(f"there is no store in {self.path} yet; create one with: dealmill run FILE…")
        create_file(self.path)
        return find_file(self.path, read_only=False)

    @contextmanager
    def _transaction(self, engine: Engine, **options: Any) -> Iterator[Connection]:
        with self._translated_errors(), engine.connect() as connection:
            connection.execution_options(**options)
            with connection.begin():
                try:
                    yield connection
                except KeyboardInterrupt:
                    connection.invalidate()  # it may be in the middle of a command, and refuse the one that rolls back
                    raise

    def refuse_read_only(self) -> None:
        """Check that the URL does not open the file read-only.

        Raises
        ------
        StoreError
            If it does.
        """
        if self.embedded and self.url.query:
            raise StoreError(f"the database URL opens {self.path} read-only; remove ?mode=ro {ORIGIN}")

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Translate the driver's errors into a `StoreError` with a message of one sentence."""
        try:
            yield
        except UnicodeEncodeError as error:
            raise StoreError(f"{error.object!r} cannot be stored as text, because it is not valid UTF-8") from error
        except exc.DatabaseError as error:
            raise self._translate(error) from error

    def _translate(self, error: exc.DatabaseError) -> StoreError:
        url, reason = shown(self.url), " ".join(str(error.orig).split())
        if getattr(error.orig, "sqlstate", None) in UNDEFINED or UNDEFINED_IN_SQLITE.match(reason):
            return StoreError(
                f"the tables of the database {url} do not match this version of Dealmill ({reason}); dealmill db "
                "current shows their revision, and dealmill db upgrade upgrades them"
            )
        if self._statement_seconds is not None and _was_cancelled(error.orig):
            return SlowQuery(
                f"a query took more than {self._statement_seconds} seconds and was ended; choose a narrower filter"
            )
        if self.embedded:
            translated = error_of(self.path, url, error.orig)
            if isinstance(translated, StoreUnavailable) and self._file:
                self._engine(self._file).dispose()  # a new connection may be able to write
            return translated
        if getattr(error.orig, "sqlstate", None) == READ_ONLY:
            self._engine(None).dispose()  # a new connection may reach a server that is writable
            return StoreUnavailable(
                f"the database {url} is read-only: {reason}; is it a standby, or was it set to read-only?"
            )
        too_large = str(getattr(error.orig, "sqlstate", "")).startswith(LIMITS)  # which waiting does not change
        if isinstance(error, exc.OperationalError) and not too_large:
            reason = reason.partition(" Is the server running on that host")[0]  # which the hint asks, too
            hint = "is the server running, and is the URL right, the one passed or else DEALMILL_DATABASE_URL?"
            if getattr(error.orig, "sqlstate", None) == LOCKED:
                hint = f"another process has held a lock on it for {BUSY_SECONDS} s; try again when it has ended"
            elif REFUSED.search(reason):
                hint = (
                    "the server refuses this user or password; correct the URL, the one passed or else "
                    "DEALMILL_DATABASE_URL (of the pages: DEALMILL_WEB_DATABASE_URL), and start the command again"
                )
            return StoreUnavailable(f"the database {url} is not available: {reason}; {hint}")
        forbidden = getattr(error.orig, "sqlstate", None) == NOT_PERMITTED
        hint = "; if it is that of the pages, dealmill db upgrade --web-role permits it to read" if forbidden else ""
        return StoreError(f"the database {url} reports an error: {reason}{hint}")


def _was_cancelled(error: BaseException | None) -> bool:
    """Return whether a statement was ended because it took too long."""
    code = getattr(error, "sqlite_errorcode", None)
    return code == SQLITE_INTERRUPT or getattr(error, "sqlstate", None) == CANCELLED


def refresh_statistics(database: Database) -> None:
    """Update PostgreSQL's table statistics after many rows were inserted. With outdated statistics it takes a table for
    small and reads all of it for every page. SQLite does not need this, because every page is read by key."""
    if not database.embedded:
        with database.writing() as connection:
            connection.execute(text("ANALYZE"))


LEAST_SQLITE = (3, 38)
VERSION = {"sqlite": "SELECT sqlite_version()", "postgresql": "SHOW server_version"}


def file_of(database: Database) -> Path | None:
    """Return the file of an embedded store; None for a server."""
    return database.path if database.embedded else None


def server_version(database: Database) -> str:
    """Return the name and version of the database, such as ``sqlite 3.45.1``.

    Raises
    ------
    StoreError
        If its version is too old.
    """
    kind = database.url.get_backend_name()
    with database.reading() as connection:
        version = connection.execute(text(VERSION[kind])).scalar_one()
    if kind == "sqlite" and tuple(map(int, version.split("."))) < LEAST_SQLITE:
        least = ".".join(map(str, LEAST_SQLITE))
        raise StoreError(
            f"this Python uses SQLite {version}, but Dealmill needs {least} or newer for its JSON functions; use a "
            "Python with a newer SQLite, or PostgreSQL"
        )
    return f"{kind} {version}"


def instant(seconds: float | None) -> datetime | None:
    """Return a time of the database, in seconds since 1970, as a time with zone UTC; None if there is none, it has more
    than four digits for the year, or is before 1970."""
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None and 0 <= seconds < YEAR_10_000 else None


def clock_difference(database: Database) -> float:
    """Return how many seconds this machine's clock is ahead of the database's, including the time of the query."""
    with database.reading() as connection:
        return time.time() - connection.execute(select(clock())).scalar_one()
