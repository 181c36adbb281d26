"""The temporary folder of a command, for the socket of its broker and the files of its workers. It is deleted when the
command ends. If the command is killed, the next one deletes it."""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "dealmill-"
OWNED = "owned"
"""The name of the file that the command keeps locked while it runs."""


@contextmanager
def work_folder() -> Iterator[Path]:
    """Create a temporary folder, and delete it at the end. Delete the folders of killed commands first."""
    _remove_orphans()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        unlocked = Path(name) / f"not-yet-{OWNED}"
        with unlocked.open("w") as owned:
            fcntl.flock(owned, fcntl.LOCK_EX)
            unlocked.rename(Path(name) / OWNED)  # so that no other command finds it before it is locked
            yield Path(name)


def _remove_orphans() -> None:
    for owned in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{OWNED}"):
        with suppress(OSError), owned.open() as lock:  # raised if it belongs to a running command or to another user
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(owned.parent, ignore_errors=True)
