"""Find the processes of a scene by a variable in their environment, and tell workers from others."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def marked(variable: str) -> dict[int, int]:
    """Return the parents, by process number, of the running processes whose environment has this ``NAME=value``."""
    return dict(_marked(f"{variable}\0".encode()))


def _marked(variable: bytes) -> Iterator[tuple[int, int]]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with suppress(OSError):  # the process has just ended
                state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z" and variable in (process / "environ").read_bytes():
                    yield int(process.name), int(parent)


def is_worker(process: int) -> bool:
    """Return whether a process is a Celery worker or one of its children."""
    with suppress(OSError):
        return b"\0-m\0dealmill.workers\0" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def children_of(process: int) -> list[int]:
    """Return the running children of a process, including those that have overwritten their environment, as servers
    do."""
    found = []
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            with suppress(OSError):  # the process has just ended
                state, parent = (one / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z" and int(parent) == process:
                    found.append(int(one.name))
    return sorted(found)
