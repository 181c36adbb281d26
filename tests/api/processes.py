"""The processes and the folders of work, while it is done and afterwards."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from tests.faults.processes import children_of, is_worker

MARK = "MARK_OF_TEST"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder, with a short name for the sake of sockets, for all temporary files of this process and of those that
    it starts; `children_with` its name are the latter."""
    with (
        tempfile.TemporaryDirectory(prefix="t-") as name,
        patch.object(tempfile, "tempdir", name),
        patch.dict(os.environ, {MARK: name}),
    ):
        yield Path(name)


def children_with(mark: str) -> list[int]:
    """Return the processes with this mark and the forked workers of this process, after all of them had time to end."""
    for _ in range(100):
        processes = [*processes_with(mark), *filter(is_worker, children_of(os.getpid()))]
        if not processes:
            break
        time.sleep(0.1)
    return processes


def processes_with(mark: str) -> list[int]:
    """Return the processes, except this one, whose environment has this mark."""
    processes = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            environment = (process / "environ").read_bytes()
        except OSError:  # it has ended, or is somebody else's
            continue
        if f"{MARK}={mark}".encode() in environment:
            processes.append(int(process.name))
    return processes
