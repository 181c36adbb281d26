"""The folder of a command at work, for its broker's socket and for what its workers leave: it goes with the command. If
that was killed, the next one takes it away."""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "dealmill-"
OWNED = "owned"
"""The file in each that its command holds a lock on, for as long as it lives."""


@contextmanager
def work_folder() -> Iterator[Path]:
    """A folder for as long as the `with` block lasts."""
    _take_away_orphans()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        unlocked = Path(name) / f"not-yet-{OWNED}"
        with unlocked.open("w") as owned:
            fcntl.flock(owned, fcntl.LOCK_EX)
            unlocked.rename(Path(name) / OWNED)  # so that nobody finds it before it is locked
            yield Path(name)


def _take_away_orphans() -> None:
    for owned in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{OWNED}"):
        with suppress(OSError), owned.open() as lock:  # as if it belongs to a living command, or to somebody else
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(owned.parent, ignore_errors=True)
