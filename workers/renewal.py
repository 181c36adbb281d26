"""Renewal of leases: the parent of the worker processes renews the lease of each job that a child does, however long it
takes. So only a silent worker loses its job: one that was killed or stopped, or is cut off from the database. It also
reports its children to the store, whether they have a job or not.

The parent also kills a child whose run was cancelled, since nothing else can end a kernel.

The children write which job they do into memory that they share with their parent. The database does not say that: a
claim whose answer was lost leaves a lease on a job that nobody does.
"""

import logging
import mmap
import os
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread

from billiard import current_process

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.job_kinds import KINDS
from dealmill.pipeline.store.planning.installation import lacking_engines
from dealmill.pipeline.store.runs.leases import JobInHand, Lease, give_back, renew
from dealmill.pipeline.store.runs.workers import REPORT_SECONDS, report, worker_name
from dealmill.pipeline.system.settings import settings

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""The time between two looks of the parent at what its children do. Shorter jobs cost it nothing."""
LOOKS_PER_LEASE = 4

SLOT = struct.Struct("3q")
"""What a child does: its process number, and the number and attempt of its job, which are zeros between two jobs."""
FORKING = Lock()
"""Held while a thread of the parent uses the database, and while the parent forks."""
_slots: mmap.mmap | None = None
"""A slot for each child, in the order of the pool; None in processes that are no workers."""


def begin() -> None:
    """Say that this child has started, so that its parent reports it."""
    _write(0, 0)


@contextmanager
def in_hand(lease: Lease) -> Iterator[None]:
    """Say that this child does a job, so that its parent renews the lease."""
    _write(lease.id, lease.attempt)
    try:
        yield
    finally:
        _write(0, 0)


def _write(*job: int) -> None:
    if _slots is not None:
        SLOT.pack_into(_slots, current_process().index * SLOT.size, os.getpid(), *job)


class Renewal(Thread):
    """The thread of a parent of worker processes that renews their leases. Create it before the children.

    While it uses the database, the parent forks no child, which would inherit a lock that nobody releases.
    """

    def __init__(self, database: Database, processes: int) -> None:
        global _slots  # noqa: PLW0603
        super().__init__(name="renewal", daemon=True)
        self._database = database
        _slots = mmap.mmap(-1, processes * SLOT.size)
        os.register_at_fork(before=FORKING.acquire, after_in_parent=FORKING.release, after_in_child=FORKING.release)

    def run(self) -> None:
        """Look what the children do, again and again."""
        seconds, before, due = settings().lease_seconds, set[tuple[int, ...]](), 0.0
        while True:
            time.sleep(min(LOOK_SECONDS, seconds / LOOKS_PER_LEASE))
            assert _slots is not None  # noqa: S101 -- created with this thread
            children = {slot for slot in SLOT.iter_unpack(_slots[:]) if slot[0] and runs(slot[0])}
            now = {slot for slot in children if slot[1]}
            if now & before:
                with FORKING, suppress(DealmillError):  # the children and the command report it, too
                    self._renew(
                        {
                            JobInHand(job_id, attempt, worker_name(child)): child
                            for child, job_id, attempt in now & before
                        },
                        seconds,
                    )
            before = now
            if children and time.monotonic() >= due:
                due = time.monotonic() + REPORT_SECONDS
                with FORKING, suppress(DealmillError):
                    names = [worker_name(child) for child, *_ in children]
                    report(self._database, names, worker_name(os.getpid()), lacking_engines(self._database))

    def _renew(self, children: dict[JobInHand, int], seconds: float) -> None:
        for kind in KINDS.values():
            for job in renew(self._database, kind.jobs, children, seconds):
                logger.warning("job %d was ended, because its run was cancelled", job.job_id)
                with suppress(ProcessLookupError):
                    os.kill(children[job], signal.SIGKILL)
                give_back(self._database, kind.jobs, job.worker)


def runs(child: int) -> bool:
    """Whether a child of this process runs: it has neither ended nor been stopped by a signal."""
    if not hasattr(os, "waitid"):  # macOS, before Python 3.13
        return True
    try:
        return os.waitid(os.P_PID, child, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False
