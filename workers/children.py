"""Child processes that never outlive their parent."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from dealmill.pipeline.programs.bounds import die_with_parent

STOP_SECONDS = 1.0
"""How long a process may finish what it is doing when the user wants it to end."""


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


def stop(process: subprocess.Popen[str]) -> None:
    """Terminate a process and wait until it has finished its work. Kill it after `STOP_SECONDS`, or on an exception."""
    if process.poll() is None:
        process.terminate()
        try:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
        finally:
            kill(process)


def kill(process: subprocess.Popen[str]) -> None:
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
