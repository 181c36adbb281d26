"""The jobs of runs, which solve layouts."""

from collections.abc import Mapping

from sqlalchemy import Connection

from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.job_kind import Job, JobKind
from dealmill.pipeline.store.runs.jobs import SOLVING, more_urgent_job
from dealmill.pipeline.store.runs.leases import Installed
from dealmill.pipeline.store.runs.planned import PlannedRun, run_of_job
from dealmill.pipeline.store.runs.times import mark_started
from dealmill.pipeline.store.storages.choice import storage_of
from dealmill.pipeline.store.storages.storage import SolvedJob


class SolvingJobs(JobKind[Job, SolvedJob]):
    """The jobs of runs. The storage of a run decides how its items are solved and its verdicts stored."""

    jobs = SOLVING

    def choose(self, connection: Connection, job_id: int, installed: Installed) -> int:
        """Return the job of a run with a higher priority, if there is one."""
        return more_urgent_job(connection, job_id, installed) or job_id

    def prepare(self, run: PlannedRun) -> None:
        """Load and compile the engine of a run."""
        storage_of(run).prepare(run)

    def claim(self, database: Database, job_id: int, worker: str, seconds: float) -> Job | None:
        """Claim a job for `seconds`, with its run."""
        with database.writing() as connection:
            lease = leases.claim(connection, SOLVING, job_id, worker, seconds)
            if lease is not None:
                mark_started(connection, lease.parent)
            run = None if lease is None else run_of_job(connection, SOLVING, job_id)
        return None if lease is None or run is None else Job(lease, run)

    def do(self, database: Database, job: Job) -> SolvedJob:
        """Solve the items of a job."""
        return storage_of(job.run).solve(database, job.run, job.lease.first, job.lease.stop)

    def give_up(self, database: Database, job: Job, error: str) -> SolvedJob:
        """Return the verdict ``failed`` for the items of a job, with this error. It may be tried again:
        no engine has said that these layouts fail."""
        retryable = f"{RETRYABLE}{error}"
        return storage_of(job.run).give_up(database, job.run, job.lease.first, job.lease.stop, retryable)

    def finish(self, database: Database, job: Job, results: SolvedJob) -> bool:
        """Write the verdicts and totals of a job and mark it done. The items that were not solved become jobs of the
        length that was."""
        with database.writing() as connection:
            cost = results.cpu_seconds if results.cpu_seconds >= 0 else None  # of NaN, too
            totals = {**results.totals, **results.distributions, "cpu_seconds": cost}
            if not leases.finish(connection, SOLVING, job.lease, totals, results.stop):
                return False
            results.write(connection)
        return True

    def count(self, results: SolvedJob) -> Mapping[str, int]:
        """Return the number of verdicts by word."""
        return {verdict.word: results.totals[verdict.word] for verdict in Verdict}
