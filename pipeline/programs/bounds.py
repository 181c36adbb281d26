"""The bounds of a program: limits of each of its processes, namespaces of its own, the number of its processes, and the
memory that they use together. Linux has all of them, as far as its settings allow."""

import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from math import nan
from pathlib import Path

PR_SET_PDEATHSIG = 1
MOST_FILE_BYTES = 64_000_000
"""The size of the largest file that a program can write."""
NAMESPACES = ("--user", "--net", "--pid", "--fork", "--kill-child")
"""Options of unshare(1): no network, and processes that all end with the first of them."""
FIRST = ("sh", "-c", '"$@"; exit $?', "sh")
"""The first process of the namespaces. It must not be the program itself, because the kernel protects it from signals.
It is a shell that runs the program and ends with its exit code, or 128 plus the number of the signal that killed it."""
OURS = 2
"""The processes in the namespaces that are not the program's: unshare and the shell."""
COUNTING_KERNEL = (5, 14)
"""The first version of Linux that counts the processes of each user namespace, not all those of the user."""
PROCESSES = Path("/proc")


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


def enclosed(command: list[str], processes: int) -> list[str]:
    """Return the command line that runs a command in namespaces of its own, with at most so many processes and threads
    at a time, as far as that is possible here."""
    if no_namespaces() is not None:
        return command
    counted = [] if no_count() is not None else ["prlimit", f"--nproc={processes + OURS}", "--"]
    return ["unshare", *NAMESPACES, "--", *counted, *FIRST, *command]


@cache
def no_namespaces() -> str | None:
    """Return why programs cannot be given namespaces of their own here; None if they can."""
    if shutil.which("unshare") is None:
        return "there is no unshare command"
    command = ["unshare", *NAMESPACES, "--", *FIRST, "true"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return None if tried.returncode == 0 else " ".join(tried.stderr.split()) or f"exit code {tried.returncode}"


@cache
def no_count() -> str | None:
    """Return why the number of processes of a program cannot be limited here; None if it can."""
    if (reason := no_namespaces()) is not None:
        return reason
    if os.geteuid() == 0:
        return "the kernel does not limit those of root"
    if shutil.which("prlimit") is None:
        return "there is no prlimit command"
    version = re.match(r"(\d+)\.(\d+)", os.uname().release)
    if version is None or (int(version[1]), int(version[2])) < COUNTING_KERNEL:
        return f"Linux is older than {'.'.join(map(str, COUNTING_KERNEL))}"
    return None


def bounds() -> str:
    """Return which bounds of programs hold here, and why others do not."""
    lacking = {
        "network": no_namespaces(),
        "number of processes": no_count(),
        "memory of all processes together": None if _has_children(os.getpid()) else "/proc does not list children",
    }
    held = ["memory and file sizes of each process", *(bound for bound, why in lacking.items() if why is None)]
    told = [f"bounded: {', '.join(held)}", *(f"not bounded: {bound}: {why}" for bound, why in lacking.items() if why)]
    return "; ".join(told)


def memory_in_use(process: int) -> int:
    """Return the bytes of memory that a process and its descendants use, without shared pages; 0 where the system does
    not say."""
    pages = 0
    for each in _tree(process):
        with suppress(OSError, ValueError, IndexError):  # it has ended
            _, resident, shared, *_ = (PROCESSES / str(each) / "statm").read_text().split()
            pages += int(resident) - int(shared)
    return pages * resource.getpagesize()


def cpu_seconds(process: int) -> float:
    """Return the processor seconds that a process and its descendants have taken; NaN where the system does not say."""
    ticks, found = 0, False
    for each in _tree(process):
        with suppress(OSError, ValueError):  # it has ended
            fields = (PROCESSES / str(each) / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))  # in user mode and in the kernel, and those of its ended children
            found = True
    return ticks / os.sysconf("SC_CLK_TCK") if found else nan


def _tree(process: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield process
    with suppress(OSError):  # it has ended
        for children in (PROCESSES / str(process) / "task").glob("*/children"):
            for child in children.read_text().split():
                yield from _tree(int(child))


def _has_children(process: int) -> bool:
    return (PROCESSES / str(process) / "task" / str(process) / "children").exists()
