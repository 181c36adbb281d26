"""Child processes that never outlive their parent."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from dealmill.pipeline.programs.bounds import die_with_parent
from dealmill.pipeline.system.settings import settings

STOP_SECONDS = 1.0
"""How long a process may finish what it is doing when the user wants it to end."""


WORKER_NAME = "dealmill-worker"
"""The name of forked workers and their children in lists of processes."""
POLL_SECONDS = 0.01
"""The time between two looks at whether a forked process has ended."""
FAILED = 1
"""The exit status of a forked process whose function raises an exception."""
DESCRIPTORS = Path("/dev/fd")
"""The folder of the file descriptors of a process."""
_forks_allowed = False


class Process(Protocol):
    """A running child process, as `subprocess.Popen` describes it."""

    pid: int
    returncode: int | None

    @property
    def stdout(self) -> IO[str] | None:
        """The output of the process."""

    def poll(self) -> int | None:
        """Return the exit status, or None if the process is still running."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit status."""

    def terminate(self) -> None:
        """Send SIGTERM."""


def allow_forks() -> None:
    """Say that this process runs a command and nothing else. Its first workers are forked from it then, with all that
    it has imported, which takes half of the processor time of a new interpreter. The processes of others may have
    threads, connections, signal handlers or another Celery app, which a fork would copy."""
    global _forks_allowed  # noqa: PLW0603
    _forks_allowed = sys.platform == "linux"


def forks_allowed() -> bool:
    """Return whether workers may be forked from this process."""
    return _forks_allowed


def start(command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start a process in its own session, so that Ctrl-C interrupts only the parent. Its output goes to a pipe."""
    return subprocess.Popen(  # noqa: S603 -- all commands are built in this package
        command,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509 -- no other thread holds a lock that prctl needs
    )


def fork(function: Callable[[], int], *, name: str, environment: Mapping[str, str]) -> "ForkedProcess":
    """Run a function in a process that is forked from this one, with what `start` gives a process: a session of its
    own, no input, and a pipe for its output. `name` is its name in lists of processes. No connection to a database may
    be open."""
    reading, writing = os.pipe()
    waiting, beginning = os.pipe()
    parent = os.getpid()
    if child := os.fork():
        os.close(writing)
        os.close(beginning)
        os.read(waiting, 1)  # until it has a session of its own: before, nobody could kill it with its children
        os.close(waiting)
        return ForkedProcess(child, os.fdopen(reading, errors="replace"))
    status = FAILED
    try:
        os.setsid()
        os.close(beginning)
        _begin(writing, parent, name, environment)
        status = function()
    except SystemExit as exiting:
        status = exiting.code if isinstance(exiting.code, int) else FAILED
    except BaseException:  # noqa: BLE001 -- nothing of this process may return to what the command does
        sys.excepthook(*sys.exc_info())
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(status)


def _begin(output: int, parent: int, name: str, environment: Mapping[str, str]) -> None:
    """Drop everything that a forked process has from its parent but its modules."""
    gc.freeze()  # the next collection would look at all objects of the parent, and so copy most of its memory
    die_with_parent()
    if os.getppid() != parent:  # it was killed before that
        os._exit(FAILED)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    sys.unraisablehook = sys.__unraisablehook__
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in [int(entry.name) for entry in DESCRIPTORS.iterdir()]:
        if descriptor not in {1, 2, output, nothing}:
            with suppress(OSError):  # that of the folder, which is closed by now
                os.fstat(descriptor)
                os.dup2(nothing, descriptor)  # not closed, because objects of the parent have it
    os.dup2(output, 1)
    os.dup2(output, 2)
    # Another thread, which draws a progress bar, may have held the locks of the old ones.
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", 1, errors="backslashreplace", closefd=False)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)  # type: ignore[misc]
    os.environ.update(environment)
    settings.cache_clear()
    tempfile.tempdir = None
    Path("/proc/self/comm").write_text(name)


class ForkedProcess:
    """A child process that `fork` has started. Its attributes and methods are those of `subprocess.Popen`."""

    def __init__(self, pid: int, stdout: IO[str]) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or None if the process is still running."""
        return self._ended(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit status.

        Raises
        ------
        subprocess.TimeoutExpired
            If it has not ended after `timeout` seconds.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while (status := self._ended(0 if deadline is None else os.WNOHANG)) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a forked process", timeout or 0)
            time.sleep(POLL_SECONDS)
        return status

    def _ended(self, options: int) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, options)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def terminate(self) -> None:
        """Send SIGTERM, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


def stop(process: Process) -> None:
    """Terminate a process and wait until it has finished its work. Kill it after `STOP_SECONDS`, or on an exception."""
    if process.poll() is None:
        process.terminate()
        try:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
        finally:
            kill(process)


def kill(process: Process) -> None:
    """Kill a process and its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def has_ended(process: int) -> bool:
    """Whether no process of this machine has this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it belongs to another user
        pass
    return False
