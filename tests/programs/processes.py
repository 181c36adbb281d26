"""The processes of a program, found by the folder that they run in."""

import time
from pathlib import Path

from tests.faults.processes import processes_in

SECONDS = 60.0


def left_in(folder: Path) -> int:
    """Return the number of processes that still run in a folder, after all of them had time to end."""
    deadline = time.monotonic() + SECONDS
    while (left := processes_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return len(left)
