"""The processes of a program, found by the folder that they run in."""

import time
from pathlib import Path

SECONDS = 10.0


def running_in(folder: Path) -> int:
    """Return the number of processes whose working directory is a folder."""
    return sum(_folder_of(process) == folder for process in Path("/proc").glob("[0-9]*"))


def left_in(folder: Path) -> int:
    """Return the number of processes that still run in a folder, after all of them had time to end."""
    deadline = time.monotonic() + SECONDS
    while (found := running_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _folder_of(process: Path) -> Path | None:
    try:
        return (process / "cwd").readlink()
    except OSError:
        return None
