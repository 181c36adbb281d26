"""The limits of a program, and the processor time that it takes. They protect the machine from mistakes: a manifest is
trusted like a script."""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import nan
from pathlib import Path

PR_SET_PDEATHSIG = 1
MAX_FILE_BYTES = 64_000_000
"""The size of the largest file that a program can write."""
PROCESSES = Path("/proc")


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as its parent dies. Linux only; does nothing on other systems."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def limiter(memory: int) -> Callable[[], None]:
    """Return a function that limits the process that calls it, and each of its children, to so many megabytes of
    address space.

    It writes no core files and no large files, and dies with its parent.
    """

    def limit() -> None:
        die_with_parent()
        sizes = {
            resource.RLIMIT_AS: memory * 1_000_000,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_FSIZE: MAX_FILE_BYTES,
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


def cpu_seconds(process: int) -> float:
    """Return the processor seconds that a process and its descendants have taken; NaN where the system does not say."""
    ticks: list[int] = []
    for each in _tree(process):
        with suppress(OSError, ValueError):  # it has ended
            fields = (PROCESSES / str(each) / "stat").read_text().rpartition(")")[2].split()
            ticks.append(sum(map(int, fields[11:15])))  # user and system time, also of ended children
    return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else nan


def _tree(process: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield process
    with suppress(OSError):  # it has ended
        for children in (PROCESSES / str(process) / "task").glob("*/children"):
            for child in children.read_text().split():
                yield from _tree(int(child))
