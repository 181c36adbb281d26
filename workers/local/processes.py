"""Child processes that never outlive their parent."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

PR_SET_PDEATHSIG = 1
STOP_SECONDS = 1.0
"""How long a process may finish what it is doing when the user wants it to end."""


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as its parent is gone (Linux; elsewhere nothing happens)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start a process in a session of its own, so that Ctrl-C reaches us alone; its output is a pipe to us."""
    return subprocess.Popen(  # noqa: S603 -- every command is ours
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
    """Ask a process to end, wait for what it has in hand, and insist if that takes too long or we are interrupted."""
    if process.poll() is None:
        process.terminate()
        try:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
        finally:
            kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    """End a process and those it started at once."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
