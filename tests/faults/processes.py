"""Find the processes of a scene by their working directory, and tell workers from others."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dealmill.workers.children import WORKER_NAME


def processes_in(folder: Path) -> dict[int, int]:
    """Return the parents, by process number, of the running processes whose working directory is `folder`."""
    return dict(_processes_in(folder.resolve()))


def _processes_in(folder: Path) -> Iterator[tuple[int, int]]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with suppress(OSError):  # the process has just ended
                if (process / "cwd").readlink() == folder:
                    state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
                    if state != "Z":
                        yield int(process.name), int(parent)


def is_worker(process: int) -> bool:
    """Return whether a process is a Celery worker or one of its children."""
    shown = Path(f"/proc/{process}")
    with suppress(OSError):
        return (
            b"\0-m\0dealmill.workers\0" in (shown / "cmdline").read_bytes()
            or (shown / "comm").read_text().rstrip() == WORKER_NAME
        )
    return False


def children_of(process: int) -> list[int]:
    """Return the running children of a process, including those that have overwritten their environment, as servers
    do."""
    children = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # the process has just ended
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z" and int(parent) == process:
                    children.append(int(entry.name))
    return sorted(children)
