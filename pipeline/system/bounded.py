"""A process that calls functions one after the other, each within bounded time and memory."""

import resource
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, TypeVar

from dealmill.pipeline.errors import DealmillError, UsageError

MAX_BYTES = 500_000_000
"""The most memory that a call may take, besides what the process holds already."""
NOT_STARTED = (
    "a process could not start: it first runs the script that needs it, which must be a file and have its calls below "
    'the line: if __name__ == "__main__":'
)
STATUS = Path("/proc/self/statm")
"""Sizes of this process in pages, on Linux; the sixth is that of its data."""

T = TypeVar("T")


class TooMuch(UsageError):
    """A call that takes more time or memory than it may."""


class BoundedProcess:
    """A process that calls functions for one thread at a time. It is started for the first call, and again after it has
    ended.

    The memory is that of private data (RLIMIT_DATA), which libraries and code that are only mapped do not count as.
    Systems other than Linux limit the time only.
    """

    def __init__(self) -> None:
        self.process: SpawnProcess | None = None
        self._connection: Connection[Any, Any] | None = None

    def call(self, seconds: int, function: Callable[..., T], *arguments: object) -> T:
        """Call a function of a module, whose arguments and value can be pickled.

        Raises
        ------
        TooMuch
            If it takes more than `seconds`, or more than `MAX_BYTES` of memory.
        DealmillError
            If the function raises any other error.
        """
        connection = self._started()
        try:
            connection.send((seconds, function, arguments))
            value = connection.recv()
        except (EOFError, OSError) as error:
            raise TooMuch(self._reason(seconds)) from error
        if isinstance(value, DealmillError):
            raise value
        answer: T = value
        return answer

    def start(self) -> None:
        """Start the process, if it is not running.

        Raises
        ------
        UsageError
            If it ends at once.
        """
        self._started()

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self._connection = None

    def _started(self) -> "Connection[Any, Any]":
        if self._connection is None or self.process is None or not self.process.is_alive():
            self.close()
            ours, theirs = get_context("spawn").Pipe()
            process = get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            self.process, self._connection = process, ours
            try:
                ours.recv()
            except EOFError:
                self.close()
                raise UsageError(NOT_STARTED) from None
        return self._connection

    def _reason(self, seconds: int) -> str:
        """Return why the process has ended, which then starts again for the next call."""
        code = None
        if self.process is not None:
            self.process.join()
            code = self.process.exitcode
        if code == -signal.SIGALRM:
            return f"took more than {seconds} seconds"
        return f"took more than {MAX_BYTES // 1_000_000} MB of memory" if code == 0 else f"ended with exit code {code}"


def _serve(connection: "Connection[Any, Any]") -> None:
    """Say that the process has started, and call functions until the other end is closed, or one takes too much memory,
    since Python may keep that. SIGALRM ends the process if a call takes too long."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the parent, which closes the connection
    connection.send(None)
    while True:
        try:
            seconds, function, arguments = connection.recv()
            signal.alarm(seconds)
            _limit_memory()
            connection.send(_value_of(function, arguments))
            signal.alarm(0)
        except (EOFError, MemoryError):
            return


def _value_of(function: Callable[..., object], arguments: tuple[object, ...]) -> object:
    try:
        return function(*arguments)
    except DealmillError as error:
        return error
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 -- a package from outside may raise anything
        return DealmillError(f"{type(error).__name__}: {error}")


def _limit_memory() -> None:
    """Limit the data of this process to what it has now and `MAX_BYTES` more."""
    if not STATUS.exists():
        return
    size = int(STATUS.read_text().split()[5]) * resource.getpagesize() + MAX_BYTES
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))
