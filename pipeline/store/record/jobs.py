"""Jobs of runs, a kind of job (see `dealmill.workers.kinds`): finished in the one transaction that writes what came
out."""

from collections.abc import Mapping
from dataclasses import dataclass

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queue import leases
from dealmill.pipeline.store.queue.leases import Lease
from dealmill.pipeline.store.queue.solving import SOLVING
from dealmill.pipeline.store.record import record_of
from dealmill.pipeline.store.record.contract import Found
from dealmill.pipeline.store.runs.planned import PlannedRun, run_of_job

TABLE = SOLVING


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job: the items ``lease.first`` to before ``lease.stop`` of a run."""

    lease: Lease
    run: PlannedRun


def prepare(run: PlannedRun) -> None:
    """Load and compile all that it takes to solve jobs of a run."""
    record_of(run).prepare(run)


def claim(store: Database, job: int, worker: str, seconds: float) -> Job | None:
    """Take a job for so many seconds; None if it is done or someone else's. One whose run cannot be read is not taken.

    Whoever looked at the run of this job before may have seen another's: SQLite gives numbers of deleted rows again.
    """
    with store.writing() as connection:
        lease = leases.claim(connection, SOLVING, job, worker, seconds)
        run = None if lease is None else run_of_job(connection, SOLVING, job)
    return None if lease is None or run is None else Job(lease, run)


def do(store: Database, job: Job) -> Found:
    """Solve the items of a job."""
    return record_of(job.run).solve(store, job.run, job.lease.first, job.lease.stop)


def give_up(store: Database, job: Job, trouble: str) -> Found:
    """Say of the items of a job that they have failed, because of `trouble`."""
    return record_of(job.run).give_up(store, job.run, job.lease.first, job.lease.stop, trouble)


def finish(store: Database, job: Job, found: Found) -> bool:
    """Write what came out of a job and mark it done; False, and nothing written, if it is no longer this attempt's."""
    with store.writing() as connection:
        if not leases.finish(connection, SOLVING, job.lease, found.totals):
            return False
        found.write(connection)
    return True


def count(found: Found) -> Mapping[str, int]:
    """Verdicts by word."""
    return {verdict.word: found.totals[verdict.word] for verdict in Verdict}
