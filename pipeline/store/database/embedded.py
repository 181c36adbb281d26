"""The file of an embedded store: which one it is, how it is opened, and what SQLite's errors about it mean.

A store that was opened belongs to one file. Connections would go on with a file that was deleted, and lose everything;
so they compare the file that they have open with the one of that name, and refuse to go on if these differ.
"""

import os
import sqlite3
import stat
from dataclasses import dataclass
from pathlib import Path

from dealmill.pipeline.errors import DamagedError, ReplacedError, StoreError, StoreUnavailable

BUSY_SECONDS = 60
BESIDE = ("-wal", "-shm")
"""What SQLite keeps in files beside its own while it is open: the newest changes, and the memory that connections
share."""
UNFINISHED = ("-wal", "-journal")
"""The files beside it that hold changes which SQLite has to write into its own."""
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
"""SQLite's errors that may be over when it is tried again."""
OVERFLOW = "integer overflow"
"""What SQLite says of sums that it cannot hold, which has no code of its own."""

Which = tuple[int, int] | None
"""The device and the inode of a file; None if there is none."""


class EmbeddedConnection(sqlite3.Connection):
    """A connection that notices if its files are deleted or replaced."""

    file: "EmbeddedFile"
    immutable: bool
    _beside: dict[Path, Which]
    _state: tuple[int, int, int]

    def watch(self, file: "EmbeddedFile", *, immutable: bool) -> None:
        """Read from the file, which opens those beside it, and remember which ones they are."""
        self.file, self.immutable = file, immutable
        self._state = file.state()
        self._beside = {}
        self.execute("SELECT count(*) FROM sqlite_master")
        self.watch_beside()

    def watch_beside(self) -> None:
        """Remember the files beside it, unless they are known: they stay the same while a connection has them open,
        which it has after it has read or begun to write in WAL mode."""
        if not self._beside and not self.immutable and self.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            found = {path: _which(path) for path in map(self.file.beside, BESIDE)}
            self._beside = {path: which for path, which in found.items() if which is not None}

    def check(self) -> None:
        """See that the files which are open are still those of their names.

        Raises
        ------
        ReplacedError
        """
        self.file.check()
        for path, which in self._beside.items():
            if _which(path) != which:
                raise replaced(path)

    @property
    def stale(self) -> bool:
        """Whether somebody has changed the file since it was opened as one that nobody changes."""
        return self.immutable and self._state != self.file.state()


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """The file that a store was opened with. Another file of the same name is not equal to it."""

    path: Path
    which: Which
    read_only: bool
    """Whether the URL says so."""

    def check(self) -> None:
        """See that it is still the file of its name.

        Raises
        ------
        ReplacedError
        StoreUnavailable
            If its folder cannot be looked at.
        """
        if _which(self.path) != self.which:
            raise replaced(self.path)

    def connect(self) -> EmbeddedConnection:
        """Open it; where it cannot be written to, for reading only, and nothing is written beside it.

        Raises
        ------
        ReplacedError
        StoreError
            If it cannot be read without writing.
        """
        self.check()
        mode = self._mode()
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            factory=EmbeddedConnection,
        )
        try:
            connection.watch(self, immutable="immutable" in mode)
            connection.check()
        except BaseException:
            connection.close()
            raise
        return connection

    def beside(self, suffix: str) -> Path:
        """A file that SQLite keeps beside it: of a link, beside the file that the link leads to."""
        return Path(f"{self.path.resolve()}{suffix}")

    def state(self) -> tuple[int, int, int]:
        """What changes when the store does: the size of the file in bytes, the time of its last change in nanoseconds,
        and the size of the changes beside it."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise replaced(self.path) from error
        return found.st_size, found.st_mtime_ns, _size(self.beside("-wal"))

    def _mode(self) -> str:
        """The parameters of SQLite's URI. It reads a file that it cannot write to if somebody has it open, because
        then the files beside it are there; or as one that nobody changes, if no changes wait beside it."""
        file = self.path.resolve()
        if not self.read_only and os.access(file, os.W_OK) and os.access(file.parent, os.W_OK):
            return "mode=rw"
        if all(os.access(self.beside(suffix), os.R_OK) for suffix in BESIDE):
            return "mode=ro"
        for path in map(self.beside, UNFINISHED):
            if _size(path):
                raise StoreError(
                    f"{self.path} cannot be read without writing, since {path.name} holds changes that are to be "
                    f"written into it: make it and its folder writable, or copy all its files to a folder that is"
                )
        return "mode=ro&immutable=1"


def find_file(path: Path, *, read_only: bool) -> EmbeddedFile | None:
    """The file of that absolute path; None if there is none.

    Raises
    ------
    StoreError
        If it is not a regular file, or there is no such folder.
    StoreUnavailable
        If it cannot be looked for.
    """
    which = _which(path)
    if which is None and not path.parent.is_dir():
        raise StoreError(f"there is no folder {path.parent}: make it, or name a file elsewhere in the database URL")
    if which is not None and not stat.S_ISREG(path.stat().st_mode):
        raise StoreError(f"{path} is not a regular file: name another one in the database URL")
    return None if which is None else EmbeddedFile(path, which, read_only)


def create_file(path: Path) -> None:
    """Create an empty file, unless there is one; that is not opened, since closing it would drop the locks that this
    process holds on it.

    Raises
    ------
    StoreUnavailable
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        return
    except OSError as error:
        raise StoreUnavailable(
            f"the store {path} cannot be created: {error.strerror}; can {path.parent} be written to?"
        ) from error


def error_of(path: Path, place: str, error: BaseException | None) -> StoreError:
    """What an error of SQLite about a file means; `place` is the URL to be shown."""
    reason = " ".join(str(error).split())
    extended = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    code = extended & 0xFF
    if extended == sqlite3.SQLITE_READONLY_DBMOVED:
        return replaced(path)
    if code == sqlite3.SQLITE_READONLY:
        return StoreUnavailable(
            f"the database {place} takes no changes: {reason}; can {path} and its folder be written to?"
        )
    if code == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{place} is not a store of Dealmill: {reason}; name another file in the database URL")
    if code == sqlite3.SQLITE_CORRUPT or reason == OVERFLOW:
        return DamagedError(
            f"the database {place} is damaged: {reason}; restore it from a backup (PRAGMA integrity_check in SQLite "
            "lists the damage)"
        )
    if code in PASSING:
        hint = f"can {path.parent} be written to, and is there room on the disk?"
        return StoreUnavailable(f"the database {place} does not answer: {reason}; {hint}")
    return StoreError(f"the database {place} refuses: {reason}")


def replaced(path: Path) -> ReplacedError:
    """The error about a file that was deleted or replaced."""
    return ReplacedError(
        f"{path} was deleted or replaced while it was open, and what was stored since may be lost: put a backup in its "
        "place, or start again"
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _which(path: Path) -> Which:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreUnavailable(
            f"the database {path} does not answer: {error.strerror}; may {path.parent} be read?"
        ) from error
    return found.st_dev, found.st_ino
