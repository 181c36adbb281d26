"""The SQLite file of an embedded store: its identity, how it is opened, and the translation of SQLite's errors.

An open store is bound to one file. SQLite would keep writing to a file that was deleted, and those writes would be
lost. So each transaction compares the file that was opened with the one at that path before it begins, and one that
writes also after it was committed.
"""

import errno
import fcntl
import logging
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic

from sqlalchemy.exc import OperationalError

from dealmill.pipeline.errors import DamagedError, ReplacedError, StoreError, StoreUnavailable
from dealmill.pipeline.progress.waiting import SILENT_SECONDS

logger = logging.getLogger(__name__)

BUSY_SECONDS = 60
"""How long to wait for a lock."""
STEP_SECONDS = 0.5
"""How long SQLite waits at a time. Meanwhile, Python cannot handle signals."""
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
LOCK_ERRORS = {
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_UNLOCK,
    sqlite3.SQLITE_IOERR_SHMLOCK,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
}
MEMORY_ERRORS = {sqlite3.SQLITE_IOERR_NOMEM, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_MMAP}
"""SQLite's error codes for memory that it cannot get or map, though its message is "disk I/O error"."""
FREE_BYTE = 1 << 62
"""A byte of the file that SQLite never locks."""
BESIDE = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps next to an open database: the write-ahead log and the shared memory."""
WITH_CHANGES = ("-wal", "-journal")
"""Suffixes of the files that may hold changes not yet written to the database file."""
TRANSIENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
"""SQLite's error codes that may be transient, so that a retry can succeed."""
OVERFLOW = "integer overflow"
"""SQLite's message for a sum that overflows; it has no error code of its own."""

LOCAL = "set DEALMILL_DATABASE_URL to a file on a local disk, or use PostgreSQL"

Identity = tuple[int, int] | None
"""The device and inode of a file; None if the file does not exist."""


class EmbeddedConnection(sqlite3.Connection):
    """A connection to an embedded store."""

    file: "EmbeddedFile"
    state_when_opened: tuple[int, int, int] | None = None
    """The state of the file when it was opened, if that was as immutable; see `EmbeddedFile.state`."""

    def wait(self, execute: Callable[[], object]) -> None:
        """Execute a statement that may have to wait for a lock. Signals are handled meanwhile, and after some seconds
        of waiting a message says so.

        Raises
        ------
        StoreError
            If the file system has no locks, so that waiting would be in vain.
        """
        start = monotonic()
        reported = False
        self.execute(f"PRAGMA busy_timeout={STEP_SECONDS * 1000:.0f}")
        try:
            while True:
                try:
                    execute()
                except (sqlite3.OperationalError, OperationalError) as error:
                    waited = monotonic() - start
                    if _code_of(error) & 0xFF != sqlite3.SQLITE_BUSY or waited > BUSY_SECONDS:
                        raise
                    self.file.check_locks()
                    if waited >= SILENT_SECONDS and not reported:
                        reported = True
                        logger.warning("waiting for a lock on %s, which another process holds", self.file.path)
                else:
                    return
        finally:
            with suppress(sqlite3.ProgrammingError):  # an interrupt has closed the connection
                self.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")

    @property
    def stale(self) -> bool:
        """Whether the file was opened as immutable and has changed since."""
        return self.state_when_opened is not None and self.state_when_opened != self.file.state()


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """The file that a store was opened with, compared by identity: another file at the same path is not equal to it."""

    path: Path
    which: Identity
    read_only: bool
    """Whether the URL opens it read-only."""

    def check(self) -> None:
        """Check that the file is still the one at its path.

        Raises
        ------
        ReplacedError
            If it was deleted or replaced.
        StoreUnavailable
            If its folder cannot be read.
        """
        if _identity(self.path) != self.which:
            raise replaced(self.path)

    def check_locks(self) -> None:
        """Check that the file can be locked, whether or not it is locked now.

        Raises
        ------
        ReplacedError
            If it was deleted.
        StoreError
            If its file system has no locks.
        """
        if (number := _lock_error(self.path, self.which)) in NO_LOCKS:
            reason = os.strerror(number)
            raise StoreError(f"{self.path} cannot be locked ({reason}): its file system has no locks; {LOCAL}")

    def connect(self) -> EmbeddedConnection:
        """Open the file. If it is not writable, open it read-only, without creating files next to it.

        Raises
        ------
        ReplacedError
            If it was deleted or replaced.
        StoreError
            If it cannot be read without writing.
        """
        self.check()
        mode = self._mode()
        state = self.state() if "immutable" in mode else None
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            factory=EmbeddedConnection,
        )
        connection.file, connection.state_when_opened = self, state
        try:
            connection.wait(lambda: connection.execute("SELECT count(*) FROM sqlite_master"))
            self.check()  # another file may have been opened
        except BaseException:
            connection.close()
            raise
        return connection

    def beside(self, suffix: str) -> Path:
        """Return the path of a file that SQLite keeps next to this one. Symbolic links are resolved first."""
        return Path(f"{self.path.resolve()}{suffix}")

    def state(self) -> tuple[int, int, int]:
        """Return values that change whenever the store does: the file's size in bytes, its modification time in
        nanoseconds, and the size of the write-ahead log in bytes."""
        try:
            status = self.path.stat()
        except OSError as error:
            raise replaced(self.path) from error
        return status.st_size, status.st_mtime_ns, _size(self.beside("-wal"))

    def _mode(self) -> str:
        """Return the parameters of the SQLite URI. SQLite can read a file that is not writable if another process has
        it open, because then the files next to it exist. Otherwise the file is opened as immutable, provided that no
        changes are waiting to be written to it.

        Raises
        ------
        StoreError
            If there are such changes.
        """
        file = self.path.resolve()
        if not self.read_only and os.access(file, os.W_OK) and os.access(file.parent, os.W_OK):
            return "mode=rw"
        if all(os.access(self.beside(suffix), os.R_OK) for suffix in BESIDE):
            return "mode=ro"
        for path in map(self.beside, WITH_CHANGES):
            if _size(path):
                raise StoreError(
                    f"{self.path} cannot be read without writing, because {path.name} holds changes that must be "
                    f"written to it first; make it and its folder writable, or copy all its files to a writable folder"
                )
        return "mode=ro&immutable=1"


def find_file(path: Path, *, read_only: bool) -> EmbeddedFile | None:
    """Return the file at an absolute path; None if it does not exist.

    Raises
    ------
    StoreError
        If it is not a regular file, or its folder does not exist.
    StoreUnavailable
        If the folder cannot be read.
    """
    which = _identity(path)
    if which is None and not path.parent.is_dir():
        raise StoreError(f"the folder {path.parent} does not exist; create it, or change the database URL")
    if which is not None and not stat.S_ISREG(path.stat().st_mode):
        raise StoreError(f"{path} is not a regular file; change the database URL")
    return None if which is None else EmbeddedFile(path, which, read_only)


def files_of(path: Path) -> list[Path]:
    """Return the file at a path, and those that SQLite may keep next to it."""
    return [path, *(Path(f"{path.resolve()}{suffix}") for suffix in sorted({*BESIDE, *WITH_CHANGES}))]


def same_file(left: Path, right: Path) -> bool:
    """Return whether two paths lead to the same file, or would once it exists."""
    which = _identity(left)
    return which == _identity(right) if which else os.path.realpath(left) == os.path.realpath(right)


def create_file(path: Path) -> None:
    """Create an empty file, unless it exists. An existing file is not opened, because closing it would release the
    locks that this process holds on it.

    Raises
    ------
    StoreUnavailable
        If the file cannot be created.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        return
    except OSError as error:
        raise StoreUnavailable(
            f"the store {path} cannot be created: {error.strerror}; is {path.parent} writable?"
        ) from error


@cache
def _lock_error(path: Path, _which: Identity) -> int:
    """Return the error of locking a byte of a file, or 0. The file stays open in this process, because closing it would
    release the locks that this process holds on it."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError as error:
        raise replaced(path) from error
    try:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, FREE_BYTE)
        fcntl.lockf(file, fcntl.LOCK_UN, 1, FREE_BYTE)
    except OSError as error:
        return error.errno or 0
    return 0


def _code_of(error: BaseException | None) -> int:
    """Return the extended error code of SQLite for an error of its module or of SQLAlchemy."""
    code: int = getattr(getattr(error, "orig", error), "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code


def error_of(path: Path, url: str, error: BaseException | None) -> StoreError:
    """Translate an SQLite error about a file; `url` is the URL to show in the message."""
    reason = " ".join(str(error).split())
    extended = _code_of(error)
    code = extended & 0xFF
    if extended == sqlite3.SQLITE_READONLY_DBMOVED:
        return replaced(path)
    if code == sqlite3.SQLITE_READONLY:
        return StoreUnavailable(f"the database {url} is read-only: {reason}; are {path} and its folder writable?")
    if code == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{url} is not a Dealmill store: {reason}; change the database URL")
    if code == sqlite3.SQLITE_CORRUPT or reason == OVERFLOW:
        return DamagedError(
            f"the database {url} is damaged: {reason}; restore it from a backup (PRAGMA integrity_check lists the "
            "damage)"
        )
    if code in TRANSIENT:
        hint = f"is {path.parent} writable, and is there free disk space?"
        if code == sqlite3.SQLITE_BUSY:
            hint = f"another process has held a lock on {path} for {BUSY_SECONDS} s; try again when it has ended"
        elif extended in MEMORY_ERRORS:
            hint = "there is not enough memory; if it is limited, allow more, for example with: ulimit -v unlimited"
        elif extended in LOCK_ERRORS:
            hint = f"does the file system of {path} have locks? {LOCAL}"
        return StoreUnavailable(f"the database {url} is not available: {reason}; {hint}")
    return StoreError(f"the database {url} reports an error: {reason}")


def replaced(path: Path) -> ReplacedError:
    """Return the error for a file that was deleted or replaced."""
    return ReplacedError(
        f"{path} was deleted or replaced while it was open, and later writes may be lost; restore it from a backup, or "
        "start again"
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _identity(path: Path) -> Identity:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreUnavailable(
            f"the database {path} is not available: {error.strerror}; is {path.parent} readable?"
        ) from error
    return status.st_dev, status.st_ino
