"""The process of a command: signals, standard streams, warnings, and exit codes.

The KeyboardInterrupt that a signal raises can get lost: a library may catch it, and the interpreter ignores exceptions
in ``__del__`` and in callbacks of weak references.
"""

import errno
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, TextIOBase, TextIOWrapper
from threading import Event
from typing import Any

import click

from dealmill.pipeline.errors import (
    BadLayout,
    DamagedError,
    DamagedWarning,
    DealmillError,
    DifferenceError,
    NotFoundError,
    OutputError,
    UnknownSettingWarning,
    UsageError,
)
from dealmill.pipeline.printable import printable

DONE = 0
ERROR = 1
WRONG_USAGE = 2
DIFFERENT = 3
"""An audit or diff found a difference, or a stored row is damaged."""
REJECTED = 4
"""Success, but some input was rejected."""
NOT_PROVED = 4
"""Success, but an audit could not prove everything, since it is not solved yet or has no evidence."""
INTERRUPTED = 130


def exit_code(error: DealmillError) -> int:
    """Return the exit code for an error."""
    match error:
        case UsageError() | NotFoundError() | BadLayout():
            return WRONG_USAGE
        case DifferenceError() | DamagedError():
            return DIFFERENT
    return ERROR


RETRY_SECONDS = 0.01
"""Seconds after which an ignored KeyboardInterrupt is raised again."""

_interrupted = Event()


def handle_signals() -> None:
    """Make these signals raise KeyboardInterrupt, and raise it again if the interpreter ignored it.

    SIGHUP, which is sent when a terminal is closed, stays ignored under `nohup`.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, _interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _interrupt)
    sys.unraisablehook = _raise_again


def check_interrupted() -> None:
    """Raise KeyboardInterrupt if a signal has arrived."""
    if _interrupted.is_set():
        raise KeyboardInterrupt


def _interrupt(_signal: int, _frame: object) -> None:
    _interrupted.set()
    raise KeyboardInterrupt


def _raise_again(unraisable: "sys.UnraisableHookArgs") -> None:
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, RETRY_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)


@contextmanager
def resumable() -> Iterator[None]:
    """Say how to go on if the `with` block, or the command that this decorates, is interrupted."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise click.exceptions.Abort("repeat the command to continue where it stopped") from error


class ClosedOutput(TextIOBase):
    """A closed standard output, on which every write raises an error."""

    encoding = "utf-8"

    def write(self, _text: str) -> int:
        """Raise an error.

        Raises
        ------
        OutputError
            Always.
        """
        raise OutputError("standard output is closed: the output cannot be written")


class StandardError(TextIOWrapper):
    """An open standard error that ignores what cannot be written, as on a full disk, so that the exit code stays.

    Errors are caught above the buffer, never below it: a signal that arrives in a method written in Python, once the
    bytes are written, would make the buffer keep them and write them again.
    """

    def write(self, text: str) -> int:
        """Write text if that is possible; return how many characters it has."""
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        """Write what is buffered, if that is possible."""
        with suppress(OSError):
            super().flush()


def replace_streams() -> None:
    """Replace closed standard streams, so that the next files opened do not get their file descriptors.

    A replaced standard input is empty, a replaced standard error drops everything, and a replaced standard output
    raises an error. An open standard output escapes the characters that its encoding does not have, and fails if it
    cannot be written as a whole; an open standard error drops what cannot be written.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    sys.stdout = sys.stdout or ClosedOutput()
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, FileIO):
        sys.stdout = _by_lines(TextIOWrapper, sys.stdout)  # unbuffered, Python takes a part written for the whole
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    elif isinstance(sys.stderr, TextIOWrapper):
        sys.stderr = _by_lines(StandardError, sys.stderr)


def _by_lines(kind: type[TextIOWrapper], like: TextIOWrapper) -> TextIOWrapper:
    """Return a stream of a kind that writes lines to the file of another stream, with its encoding."""
    raw = FileIO(like.fileno(), "w", closefd=False)
    return kind(BufferedWriter(raw), like.encoding, like.errors, line_buffering=True)


NOT_LOADED = "failed to map segment"
"""What the loader of libraries says if it lacks memory."""


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error, or one that led to it, is that there is not enough memory."""
    led_to_it = error.__cause__ or error.__context__
    lacking = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
    return lacking or NOT_LOADED in str(error) or (led_to_it is not None and lacks_memory(led_to_it))


PYTHON_SHOWS = warnings.showwarning


class WarningPrinter:
    """Prints each warning of Dealmill as one line, others as Python does; `damaged` tells whether one was of damaged
    rows."""

    def __init__(self) -> None:
        self.damaged = False
        warnings.showwarning = self.show  # type: ignore[assignment]
        for category in (DamagedWarning, UnknownSettingWarning):  # also if PYTHONWARNINGS makes warnings errors
            warnings.simplefilter("always", category)

    def show(self, message: Warning | str, category: type[Warning], *where: Any) -> None:
        """Print a warning."""
        from dealmill.cli.output import tell

        if not issubclass(category, DamagedWarning | UnknownSettingWarning):
            PYTHON_SHOWS(message, category, *where)
            return
        if issubclass(category, UnknownSettingWarning):  # the settings, such as the format of the log, are being read
            click.echo(printable(f"dealmill: {message}"), err=True)
            return
        self.damaged = True
        tell(f"dealmill: {message}")
