"""Solving, auditing and surveying with local workers until the work is done."""

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial

from dealmill.pipeline.errors import DamagedError, ProgramError, VersionError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.printable import counted, duration
from dealmill.pipeline.programs.declared import check_starts
from dealmill.pipeline.progress.events import (
    Auditing,
    Continued,
    Finished,
    Ingested,
    Message,
    Progress,
    Solving,
    Surveying,
    Working,
)
from dealmill.pipeline.store.audits.audit import AUDITING, AuditStatus, find_audit
from dealmill.pipeline.store.audits.work import seconds_left
from dealmill.pipeline.store.database.connections import Database, refresh_statistics
from dealmill.pipeline.store.job_kinds import (
    KINDS,
    ParentsByKind,
    count_unfinished_jobs,
    runs_with_unfinished_jobs,
    unworkable_jobs,
)
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.runs.finding import check_not_deleted, find_run, list_runs, read_runs
from dealmill.pipeline.store.runs.jobs import SOLVING, paused_jobs, withdraw
from dealmill.pipeline.store.runs.leases import JobTable, Lease, has_leased, stuck, unstarted_runs
from dealmill.pipeline.store.runs.status import RunStatus, check_not_halted, check_not_retracted
from dealmill.pipeline.survey.estimate import Estimate, estimate
from dealmill.pipeline.survey.growth import (
    Width,
    check_in_reach,
    extend_to,
    growth_of,
    next_stage,
    planned_deals,
    words_so_far,
)
from dealmill.pipeline.system.settings import settings
from dealmill.workers.farm import Farm

LEAST_PAUSE, LONGEST_PAUSE = 0.2, 1.0
"""Bounds on the seconds between two checks of the progress, which take time from the work. The pause is a fiftieth of
the elapsed time."""
TIMES, MAX_SECONDS = 20, 60.0
"""After a check, the pause is at least this many times as long as the check took, but at most this many seconds. With a
million jobs, a check takes the database most of a second."""
LEAST_ANNOUNCED = 10.0
"""An audit says beforehand about how many seconds it takes if they are at least so many."""
MAX_NAMED = 10
"""The most other runs that a command names whose jobs its workers do, too."""

NextInstallation = Callable[[], Installation | None]
"""A function that reports the progress of a command, and raises an error if its work cannot be finished. It returns the
installation with which to go on; None if the work is done."""


def work_until_done(
    database: Database,
    next_installation: NextInstallation,
    progress: Progress,
    readings: Sequence[Reading] = (),
    *,
    engines: bool = True,
    only: ParentsByKind | None = None,
) -> None:
    """Run local workers until `next_installation` says that the work is done, and ingest the sources in `readings`
    meanwhile. Wait while the database is not available. `engines` says whether the work needs engines; it may be `only`
    that of some runs or audits."""
    database.refuse_read_only()
    with Farm(database, lambda line: progress(Message(line)), engines=engines, only=only) as farm:
        for reading in readings:
            reading.finish(progress, farm.tick)
        begun = due = time.monotonic()

        def ask_and_schedule() -> Installation | None:
            nonlocal due
            start = time.monotonic()  # of the last try, where the database was away
            installation = next_installation()
            end = time.monotonic()
            due = end + min(TIMES * (end - start), MAX_SECONDS)
            return installation

        while True:
            if time.monotonic() >= due:
                installation = farm.patiently(ask_and_schedule)
                if installation is None:
                    return
                farm.installation = installation
            farm.tick(at_once=True)
            time.sleep(min(max((time.monotonic() - begun) / 50, LEAST_PAUSE), LONGEST_PAUSE))


def _report_other_runs(database: Database, own: Collection[int], progress: Progress) -> None:
    """Report the unfinished runs besides a command's own: they wait, unless its workers share a broker with others,
    whose messages they get, too."""
    if other_runs := sorted(runs_with_unfinished_jobs(database).difference(own)):
        named = other_runs[:MAX_NAMED]
        listed = ", ".join([*map(str, named), *(["…"] if len(other_runs) > len(named) else [])])
        if settings().broker_url is None:
            progress(Message(f"other unfinished runs ({listed}) wait; to finish all runs: dealmill work --drain"))
        else:
            pause = f"dealmill pause {' '.join(map(str, named))}"
            progress(Message(f"the workers may also do jobs of unfinished runs ({listed}); to leave these: {pause}"))


def solve_runs(
    database: Database, run_ids: Sequence[int], progress: Progress, readings: Sequence[Reading] = ()
) -> list[RunStatus]:
    """Solve runs, while the sources in `readings` are being ingested, and return their final status. If
    nothing is left to do, no workers are started. Do not wait for runs that are paused or cancelled."""
    batch = _Batch(database, run_ids, progress)
    ended = all(run.finished or (run.halted and run.complete) for run in batch.runs)
    if ended:
        for reading in readings:
            progress(Ingested(reading.source, reading.name, new=False))
    for run in batch.runs:
        if run.finished or run.solved:
            progress(_continued(run))
    batch.report_finished()
    if ended:
        return batch.runs
    for run in batch.runs:
        _check_startable(run)
    _report_other_runs(database, run_ids, progress)
    only = {"solve": run_ids}
    try:
        work_until_done(database, partial(batch.next_installation, readings), progress, readings, only=only)
    except KeyboardInterrupt:
        batch.read_again()
        batch.report_finished()
        if not all(run.finished for run in batch.runs):
            raise  # else the workers finished the last jobs while they were stopped
    refresh_statistics(database)
    check_not_deleted(database, [run.id for run in batch.runs if run.halted])
    return batch.runs


class _Batch:
    """Runs that a command solves together, as they were when they were read last."""

    def __init__(self, database: Database, run_ids: Sequence[int], progress: Progress) -> None:
        self._database = database
        self._progress = progress
        self._runs = {run.id: run for run in read_runs(database, run_ids)}
        self._reported = set[int]()

    @property
    def runs(self) -> list[RunStatus]:
        """All runs, oldest first."""
        return list(self._runs.values())

    def report_finished(self) -> None:
        """Report each run once when it is finished."""
        for run in self.runs:
            if run.finished and run.id not in self._reported:
                self._reported.add(run.id)
                self._progress(Finished(run.id, run.engine, run.source_name))

    def read_again(self) -> None:
        """Read the runs that were not finished."""
        unfinished_ids = [run.id for run in self.runs if not run.finished]
        self._runs.update((run.id, run) for run in read_runs(self._database, unfinished_ids))

    def next_installation(self, readings: Sequence[Reading]) -> Installation | None:
        """Read the runs again, and return with what to go on; see `NextInstallation`."""
        self.read_again()
        waiting = unstarted_runs(self._database, SOLVING) if any(run.retried for run in self.runs) else ()
        installation = Installation.loading(run for run in self.runs if run.id in waiting)
        for run in self.runs:
            check_not_retracted(run)
            if not run.halted:
                check_not_damaged(self._database, run)
                installation.check(run)
        self._progress(_solving(self.runs))
        self.report_finished()
        broken = {reading.source.id for reading in readings if reading.error}
        done = all(
            run.finished or run.halted or (run.source in broken and not run.pending + run.leased) for run in self.runs
        )
        return None if done else installation


def _check_startable(run: RunStatus) -> None:
    """Check before workers are started that they can work on a run, unless it is paused or has nothing left to do."""
    check_not_retracted(run)
    if not (run.finished or run.halted):
        Installation().check(run)
        check_starts(find_engine(run.solved_by)[1])


def check_not_damaged(database: Database, run: RunStatus) -> None:
    """Check that a run can be finished, so that it is worth waiting for.

    Raises
    ------
    DamagedError
        If some of its jobs are missing, damaged or stuck.
    ProgramError
        If some are stuck because a program does not start.
    """
    nothing_left = run.complete and not run.finished and not run.pending + run.leased
    if run.damaged or nothing_left:
        raise DamagedError(
            f"run {run.id} cannot be finished, because some of its jobs are missing or damaged; find them with: "
            f"dealmill audit {run.id}"
        )
    for lease in stuck(database, SOLVING, [run.id]) if run.retried else ():
        raise _stuck(SOLVING, lease)


def _stuck(jobs: JobTable, lease: Lease) -> ProgramError | DamagedError:
    items = f"items {lease.first:,} to {lease.stop - 1:,} of {jobs.noun} {lease.parent} cannot be done"
    if not lease.unstarted:
        return DamagedError(
            f"{items} after {lease.attempt} attempts: {lease.error}; fix the cause, then try again with: dealmill work"
        )
    reason = (lease.error or "").removeprefix(f"{ProgramError.__name__}: ")
    return ProgramError(
        f"{jobs.noun} {lease.parent} stopped: {reason}; fix the cause, then solve the rest with: dealmill work, and "
        f"layouts that failed with: dealmill retry {lease.parent}; if files of the program change, start a new run"
    )


def _continued(run: RunStatus) -> Continued:
    return Continued(run.id, run.engine, run.source_name, run.solved, run.items, run.complete, run.finished)


def _solving(runs: Sequence[RunStatus]) -> Solving:
    working = next((run for run in runs if not (run.finished or run.halted)), runs[-1])
    solved, layouts = sum(run.solved for run in runs), sum(run.items for run in runs)
    return Solving(solved, layouts, working.id, working.engine, working.source_name, working.rate)


def finish_audit(database: Database, audit_id: int, progress: Progress) -> AuditStatus:
    """Do a planned audit and return its final status.

    Raises
    ------
    DamagedError
        If some of its jobs are missing or changed, or one fails repeatedly.
    """

    def next_installation() -> Installation | None:
        audit = find_audit(database, audit_id)
        waits = not audit.done and not has_leased(database, AUDITING, audit_id) and bool(other_runs())
        progress(Auditing(audit.judged, audit.size, audit.id, audit.invalid, audit.faults, waits))
        if audit.damaged:
            raise DamagedError(
                f"audit {audit_id} cannot be finished, because some of its jobs are missing or changed; start a new "
                "audit"
            )
        for lease in () if audit.finished else stuck(database, AUDITING, [audit_id]):
            raise _stuck(AUDITING, lease)
        return None if audit.finished else Installation()

    audit = find_audit(database, audit_id)
    run = find_run(database, audit.run)

    def other_runs() -> set[int]:
        return set() if settings().broker_url is None else runs_with_unfinished_jobs(database) - {run.id}

    _report_other_runs(database, [run.id], progress)
    seconds = seconds_left(database, run, audit)
    if seconds >= LEAST_ANNOUNCED:
        left = counted(audit.size - audit.judged, "verdict")
        about = f"about {duration(seconds)} of processor time"
        progress(Message(f"audit {audit_id} of run {run.id}: {left} to check, {about}"))
    try:
        work_until_done(database, next_installation, progress, engines=False, only={"audit": [audit_id]})
    except KeyboardInterrupt:
        if not find_audit(database, audit_id).finished:
            raise
    return find_audit(database, audit_id)


def work(database: Database, progress: Progress, *, drain: bool) -> None:
    """Do all queued jobs. Run forever, or with `drain`, until no job is left that this installation can do.

    Raises
    ------
    VersionError
        If jobs are left that need other versions, or engines that cannot be loaded or started; jobs of retracted
        versions and of paused and cancelled runs do not count.
    DamagedError
        If jobs are left that fail repeatedly.
    ProgramError
        If jobs are left whose program does not start.
    """
    installation = Installation()
    largest_backlog = count_unfinished_jobs(database, installation)

    def next_installation() -> Installation | None:
        nonlocal installation, largest_backlog
        installation = Installation.loading(list_runs(database, unstarted_runs(database, SOLVING)))
        left = count_unfinished_jobs(database, installation)
        largest_backlog = max(largest_backlog, left) if left else 0
        progress(Working(largest_backlog - left, largest_backlog))
        return None if drain and not left else installation

    work_until_done(database, next_installation, progress)
    for run, count in paused_jobs(database).items():
        progress(Message(f"run {run} is paused, jobs left: {count:,}; continue it with: dealmill resume {run}"))
    others = []
    for jobs in unworkable_jobs(database, installation):
        if jobs.retracted:
            progress(Message(f"skipped jobs of {jobs.engine} {jobs.version}, which was retracted: {jobs.count:,}"))
        else:
            reason = installation.mismatch(jobs.engine, jobs.version) or "its deals need another generator"
            others.append(f"{jobs.count:,} of {jobs.engine} {jobs.version} ({reason})")
    if others:
        raise VersionError(
            f"some jobs cannot be done here: {', '.join(others)}; run dealmill work where these versions are "
            "installed, or start new runs and cancel these"
        )
    for kind in KINDS.values():
        for lease in stuck(database, kind.jobs, kind.jobs.workable_parents(installation.engines(database))):
            raise _stuck(kind.jobs, lease)


def grow_survey(database: Database, run_id: int, goal: Width | int, progress: Progress) -> tuple[RunStatus, Estimate]:
    """Work on a survey until its interval is narrow enough, or it has the requested number of deals. Return its status
    and its estimate."""
    run, estimated = find_run(database, run_id), None
    if run.items and not (run.finished or run.halted or run.held or run.damaged):
        withdraw(database, run_id, planned_deals(database, run, goal))  # of a narrower goal, which was interrupted

    def tell_so_far() -> None:
        if words := words_so_far(database, run):
            progress(Message(words))

    def next_installation() -> Installation | None:
        nonlocal run, estimated
        run = find_run(database, run_id)
        progress(Surveying(run.solved, run.items, run.id, run.rate))
        if not run.finished:
            check_not_retracted(run)
            if run.halted:
                tell_so_far()
            check_not_halted(run)
            check_not_damaged(database, run)
            unstarted = run.retried and run.id in unstarted_runs(database, SOLVING)
            installation = Installation.loading([run] if unstarted else [])
            installation.check(run)
            return installation
        estimated = estimate(database, run)
        if estimated is not None and isinstance(goal, Width):
            check_in_reach(database, run, estimated, goal)
        items = next_stage(run, estimated, goal)
        if items <= run.items:
            return None
        if estimated is not None and isinstance(goal, Width):
            progress(Message(growth_of(run, estimated, goal)))
        extend_to(database, run, items)
        return Installation()

    if next_installation():
        _report_other_runs(database, [run_id], progress)
        try:
            work_until_done(database, next_installation, progress, only={"solve": [run_id]})
        except KeyboardInterrupt:
            run = find_run(database, run_id)
            estimated = estimate(database, run) if run.finished else None
            if estimated is None or next_stage(run, estimated, goal) > run.items:
                tell_so_far()
                raise
    assert estimated is not None  # noqa: S101 -- there is at least one block
    return run, estimated
