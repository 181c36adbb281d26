"""The limits that a program runs in, as far as the system has them."""

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache

PR_SET_PDEATHSIG = 1
MOST_FILE_BYTES = 64_000_000
"""The size of the largest file that a program can write."""
NAMESPACES = ("--user", "--net", "--pid", "--fork", "--kill-child")
"""Options of unshare(1): no network, and processes that all end with the first of them."""
FIRST = ("sh", "-c", '"$@"; exit $?', "sh")
"""The first process of the namespaces. It must not be the program itself, because the kernel protects it from signals.
It is a shell that runs the program and ends with its exit code, or 128 plus the number of the signal that killed it."""


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as its parent dies. Linux only; does nothing on other systems."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def limiter(memory: int) -> Callable[[], None]:
    """Return a function that limits the process that calls it to so many megabytes of address space.

    It writes no core files and no large files, and dies with its parent.
    """

    def limit() -> None:
        die_with_parent()
        sizes = {
            resource.RLIMIT_AS: memory * 1_000_000,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_FSIZE: MOST_FILE_BYTES,
        }
        for kind, size in sizes.items():
            with suppress(ValueError, OSError):  # a lower limit is set already, or the system does not have this one
                resource.setrlimit(kind, (size, size))

    return limit


def environment() -> dict[str, str]:
    """Return the environment of a program: nothing of the user but PATH, and Python without random hashes."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def enclosed(command: list[str]) -> list[str]:
    """Return the command line that runs a command in namespaces of its own, or the command itself if that is not
    possible here."""
    return [*_enclosing(), *command] if missing() is None else command


@cache
def missing() -> str | None:
    """Return why programs cannot be given namespaces of their own here; None if they can."""
    if shutil.which("unshare") is None:
        return "there is no unshare command"
    tried = subprocess.run([*_enclosing(), "true"], capture_output=True, text=True, check=False)  # noqa: S603
    return None if tried.returncode == 0 else " ".join(tried.stderr.split()) or f"exit code {tried.returncode}"


def _enclosing() -> list[str]:
    return ["unshare", *NAMESPACES, "--", *FIRST]
