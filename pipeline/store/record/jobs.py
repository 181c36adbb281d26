"""Jobs of runs, a kind of job (see `dealmill.workers.kinds`). A job is finished in the transaction that writes its
results."""

from collections.abc import Mapping
from dataclasses import dataclass

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store import leases
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.jobs import SOLVING
from dealmill.pipeline.store.leases import Lease
from dealmill.pipeline.store.record import record_of
from dealmill.pipeline.store.record.contract import Found
from dealmill.pipeline.store.runs import PlannedRun, run_of_job

TABLE = SOLVING


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job: the items ``[lease.first, lease.stop)`` of a run."""

    lease: Lease
    run: PlannedRun


def prepare(run: PlannedRun) -> None:
    """Load and compile everything needed to solve jobs of a run."""
    record_of(run).prepare(run)


def claim(store: Database, job: int, worker: str, seconds: float) -> Job | None:
    """Claim a job for `seconds`; return None if it is done or leased to another worker.

    The run is read in the same transaction: SQLite reuses the numbers of deleted rows, so a run that was read earlier
    for this job number may be that of another job.

    Raises
    ------
    DamagedError
        If the run cannot be read. The job is not claimed then.
    """
    with store.writing() as connection:
        lease = leases.claim(connection, SOLVING, job, worker, seconds)
        run = None if lease is None else run_of_job(connection, SOLVING, job)
    return None if lease is None or run is None else Job(lease, run)


def do(store: Database, job: Job) -> Found:
    """Solve the items of a job."""
    return record_of(job.run).solve(store, job.run, job.lease.first, job.lease.stop)


def give_up(store: Database, job: Job, trouble: str) -> Found:
    """Return the verdict ``failed`` for the items of a job, with `trouble` as the error."""
    return record_of(job.run).give_up(store, job.run, job.lease.first, job.lease.stop, trouble)


def finish(store: Database, job: Job, found: Found) -> bool:
    """Write the results of a job and mark it done. Return False, and write nothing, if another attempt holds the
    job. The items that were not solved become jobs of the length that was."""
    with store.writing() as connection:
        if not leases.finish(connection, SOLVING, job.lease, {**found.totals, **found.spread}, found.stop):
            return False
        found.write(connection)
    return True


def count(found: Found) -> Mapping[str, int]:
    """Return the number of verdicts by word."""
    return {verdict.word: found.totals[verdict.word] for verdict in Verdict}
