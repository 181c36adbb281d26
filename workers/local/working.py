"""Local workers kept at work until something is done: runs solved, an audit finished, the queue empty."""

import time
from collections.abc import Callable, Sequence

from dealmill.pipeline.errors import DamagedError, VersionError
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
from dealmill.pipeline.runs.planning import installed_engines, other_version_here, refuse_retracted
from dealmill.pipeline.store.audits.planned import AUDITING, AuditStatus, find_audit
from dealmill.pipeline.store.database.connections import Database, refresh_statistics
from dealmill.pipeline.store.database.patience import patiently
from dealmill.pipeline.store.queue.leases import Lease, stuck
from dealmill.pipeline.store.queue.solving import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus, list_runs
from dealmill.workers.kinds import KINDS
from dealmill.workers.local.farm import Farm
from dealmill.workers.reconciler import unfinished, unworkable

LEAST_PAUSE, LONGEST_PAUSE = 0.2, 1.0
"""Seconds between two looks at how far the work is, a fiftieth of those it has taken; each look takes time from it."""
TIMES, MOST_SECONDS = 20, 60.0
"""How many times as long as a look took it is until the next one, and how long at most: a look at a million jobs takes
the database most of a second."""


def work_until(
    store: Database,
    done: Callable[[], bool],
    progress: Progress,
    readings: Sequence[Reading] = (),
    *,
    engines: bool = True,
) -> None:
    """Keep local workers at work until `done`, and read these sources meanwhile. While the database is unavailable,
    wait for it. `engines` says whether the work needs engines.

    Raises
    ------
    BrokerError, WorkerError
        If the broker or the workers cannot be started.
    StoreError
        If the store is opened for reading only, or its file was deleted or replaced.
    """
    store.refuse_read_only()
    with Farm(store, lambda line: progress(Message(line)), engines=engines) as farm:
        for reading in readings:
            reading.finish(progress, farm.tick)
        begun = due = time.monotonic()

        def look() -> bool:
            nonlocal due
            start = time.monotonic()  # of the last try, where the database was away
            found = done()
            end = time.monotonic()
            due = end + min(TIMES * (end - start), MOST_SECONDS)
            return found

        while time.monotonic() < due or not patiently(look, farm.say):
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
    DamagedError
        If one of them, or jobs of one, are lost or damaged.
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
        known.update((run.id, run) for run in _still_there(store, [run for run in known.values() if not run.finished]))
        runs = list(known.values())
        for run in runs:
            refuse_retracted(run)
            refuse_damaged(store, run)
        progress(_solving(runs))
        broken = {reading.source.id for reading in readings if reading.broken}
        return all(run.finished or (run.source in broken and not run.pending + run.leased) for run in runs)

    work_until(store, done, progress, readings)
    refresh_statistics(store)
    return list(known.values())


def _still_there(store: Database, runs: Sequence[RunStatus]) -> list[RunStatus]:
    """These runs as they are now."""
    found = list_runs(store, [run.id for run in runs])
    if lost := {run.id for run in runs} - {run.id for run in found}:
        raise DamagedError(f"the store has lost run {min(lost)}; restore the database from a backup")
    return found


def refuse_damaged(store: Database, run: RunStatus) -> None:
    """Nobody need wait for a run that cannot be finished.

    Raises
    ------
    DamagedError
    """
    nothing_left = run.complete and not run.finished and not run.pending + run.leased
    if run.damaged or nothing_left:
        raise DamagedError(
            f"run {run.id} cannot be finished, since jobs of it are lost or damaged: dealmill audit {run.id} says which"
        )
    for lease in stuck(store, SOLVING, [run.id]) if run.retried else ():
        raise DamagedError(_told_stuck(f"run {run.id}", lease))


def _told_stuck(what: str, lease: Lease) -> str:
    return (
        f"items {lease.first:,} to {lease.stop - 1:,} of {what} cannot be done, after {lease.attempt} tries: "
        f"{lease.trouble}; once that is put right, try again with: dealmill work"
    )


def _continued(run: RunStatus) -> Continued:
    return Continued(run.id, run.engine, run.source_name, run.solved, run.items, run.complete, run.finished)


def _solving(runs: Sequence[RunStatus]) -> Solving:
    working = next((run for run in runs if not run.finished), runs[-1])
    solved, layouts = sum(run.solved for run in runs), sum(run.items for run in runs)
    return Solving(solved, layouts, working.id, working.engine, working.source_name, working.rate)


def finish_audit(store: Database, number: int, progress: Progress) -> AuditStatus:
    """Do an audit that was planned, and return what it found.

    Raises
    ------
    DamagedError
        If jobs of it are lost or changed, or one fails again and again.
    """

    def done() -> bool:
        audit = find_audit(store, number)
        progress(Auditing(audit.judged, audit.size, audit.id, audit.invalid, audit.faults))
        if audit.damaged:
            raise DamagedError(f"audit {number} cannot be finished, since jobs of it are lost or changed: audit again")
        for lease in () if audit.finished else stuck(store, AUDITING, [number]):
            raise DamagedError(_told_stuck(f"audit {number}", lease))
        return audit.finished

    work_until(store, done, progress, engines=False)
    return find_audit(store, number)


def work(store: Database, progress: Progress, *, drain: bool) -> None:
    """Do whatever is queued: for ever, or until nothing is left to `drain` that can be done here.

    Raises
    ------
    VersionError
        If jobs are left that cannot be done here; those of retracted versions do not count.
    DamagedError
        If jobs are left that fail again and again.
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
    for kind in KINDS.values():
        for lease in stuck(store, kind.TABLE, kind.TABLE.owners(installed_engines())):
            raise DamagedError(_told_stuck(f"{kind.TABLE.owner.name.removesuffix('_id')} {lease.owner}", lease))
