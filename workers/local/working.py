"""Local workers kept at work until something is done: runs solved, an audit finished, the queue empty."""

import time
from collections.abc import Callable, Sequence

from dealmill.pipeline.errors import StoreError, VersionError
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.progress import (
    Auditing,
    Continued,
    Ingested,
    Message,
    Progress,
    Solving,
    Working,
)
from dealmill.pipeline.runs.planning import other_version_here, refuse_retracted
from dealmill.pipeline.store.audits import AuditStatus, find_audit
from dealmill.pipeline.store.database.connections import Database, refresh_statistics
from dealmill.pipeline.store.database.patience import patiently
from dealmill.pipeline.store.runs.status import RunStatus, list_runs
from dealmill.workers.local.farm import Farm
from dealmill.workers.reconciler import unfinished, unworkable

LEAST_PAUSE, LONGEST_PAUSE = 0.2, 1.0
"""Seconds between two looks at how far the work is, a fiftieth of those it has taken; each look takes time from it."""


def work_until(store: Database, done: Callable[[], bool], progress: Progress, readings: Sequence[Reading] = ()) -> None:
    """Keep local workers at work until `done`, and read these sources meanwhile. While the database is unavailable,
    wait for it.

    Raises
    ------
    BrokerError, WorkerError
        If the broker or the workers cannot be started.
    StoreError
        If the store is opened for reading only, or its file was deleted or replaced.
    """
    store.refuse_read_only()
    with Farm(store, lambda line: progress(Message(line))) as farm:
        for reading in readings:
            reading.finish(progress, farm.tick)
        begun = time.monotonic()
        while not patiently(done, farm.say):
            farm.tick(at_once=True)
            time.sleep(min(max((time.monotonic() - begun) / 50, LEAST_PAUSE), LONGEST_PAUSE))


def solve_runs(
    store: Database, numbers: Sequence[int], progress: Progress, readings: Sequence[Reading] = ()
) -> list[RunStatus]:
    """Solve these runs, while their sources are still being read, and return them as they are then. Nothing is started
    if all of them are finished.

    Raises
    ------
    RetractedError
        If the engine of one of them was retracted.
    StoreError
        If jobs of one of them are lost.
    """
    known = {run.id: run for run in list_runs(store, numbers)}
    finished = all(run.finished for run in known.values())
    if finished:
        for reading in readings:
            progress(Ingested(reading.source))
    for run in known.values():
        if run.finished or run.solved:
            progress(_continued(run))
    if finished:
        return list(known.values())

    def done() -> bool:
        known.update((run.id, run) for run in list_runs(store, [one.id for one in known.values() if not one.finished]))
        runs = list(known.values())
        for run in runs:
            refuse_retracted(run)
            _refuse_damaged(run)
        progress(_solving(runs))
        broken = {reading.source.id for reading in readings if reading.broken}
        return all(run.finished or (run.source in broken and not run.pending + run.leased) for run in runs)

    work_until(store, done, progress, readings)
    refresh_statistics(store)
    return list(known.values())


def _refuse_damaged(run: RunStatus) -> None:
    if run.complete and not run.finished and not run.pending + run.leased:
        raise StoreError(
            f"run {run.id} cannot be finished, since jobs of it are lost: dealmill audit {run.id} says which"
        )


def _continued(run: RunStatus) -> Continued:
    return Continued(run.id, run.engine, run.source_name, run.solved, run.items, run.complete, run.finished)


def _solving(runs: Sequence[RunStatus]) -> Solving:
    working = next((run for run in runs if not run.finished), runs[-1])
    solved, layouts = sum(run.solved for run in runs), sum(run.items for run in runs)
    return Solving(solved, layouts, working.id, working.engine, working.source_name, working.rate)


def finish_audit(store: Database, number: int, progress: Progress) -> AuditStatus:
    """Do an audit that was planned, and return what it found."""

    def done() -> bool:
        audit = find_audit(store, number)
        progress(Auditing(audit.judged, audit.size, audit.id, audit.invalid, audit.faults))
        return audit.finished

    work_until(store, done, progress)
    return find_audit(store, number)


def work(store: Database, progress: Progress, *, drain: bool) -> None:
    """Do whatever is queued: for ever, or until nothing is left to `drain` that can be done here.

    Raises
    ------
    VersionError
        If jobs are left that cannot be done here; those of retracted versions do not count.
    """
    most = unfinished(store)

    def done() -> bool:
        nonlocal most
        left = unfinished(store)
        most = max(most, left) if left else 0
        progress(Working(most - left, most))
        return drain and not left

    work_until(store, done, progress)
    others = []
    for engine, version, retracted, count in unworkable(store):
        if retracted:
            progress(Message(f"jobs of {engine} {version} are left undone, since it was retracted: {count:,}"))
        else:
            here = other_version_here(engine, version) or "here are other deals"
            others.append(f"{count:,} of {engine} {version} ({here})")
    if others:
        raise VersionError(
            f"jobs are left that cannot be done here: {', '.join(others)}; run dealmill work where these are "
            "installed, or retract them"
        )
