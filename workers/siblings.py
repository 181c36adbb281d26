"""Which jobs the children of a worker are busy with: a second message for one of them would make another child connect
to the database and load the engine, only to find that the job is taken.

The children write that into memory that they share. It only saves work: whatever it says, a job can be claimed once.
"""

import mmap
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

from billiard import current_process

PATIENCE = 10.0
"""Seconds after which a message for a job is followed although another child is busy with it: it may have been
stopped."""
SLOT = struct.Struct("2qd")
"""What a child is busy with: the kind and the number of a job, and since when on the monotonic clock; zeros between two
messages."""
_slots: mmap.mmap | None = None
"""A slot for each child, in the order of the pool; None in processes that are no workers."""


def share_slots(processes: int) -> None:
    """Create the memory that this process shares with children that it will start."""
    global _slots  # noqa: PLW0603
    _slots = mmap.mmap(-1, processes * SLOT.size)


@contextmanager
def busy_with(kind: int, job_id: int) -> Iterator[bool]:
    """Say that this child is busy with a job, of the kind with this number. Yield False, and say nothing, if another
    one has been for less than `PATIENCE`."""
    if _slots is None:
        yield True
        return
    now = time.monotonic()
    if any(slot[:2] == (kind, job_id) and slot[2] > now - PATIENCE for slot in SLOT.iter_unpack(_slots[:])):
        yield False
        return
    at = current_process().index * SLOT.size
    SLOT.pack_into(_slots, at, kind, job_id, now)
    try:
        yield True
    finally:
        SLOT.pack_into(_slots, at, 0, 0, 0.0)
