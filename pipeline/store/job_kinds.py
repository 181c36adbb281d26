"""The kinds of jobs: a worker claims a job, does it with no transaction open, and finishes it in one transaction."""

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, bindparam, select

from dealmill.pipeline.evidence.digests import block_of
from dealmill.pipeline.evidence.referee import Judgement, referee
from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.sampling import sampled
from dealmill.pipeline.store.audits.audit import AUDITING
from dealmill.pipeline.store.audits.findings import Findings
from dealmill.pipeline.store.audits.invariants import AuditScope, faults_in
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.database.tables import audits
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.jobs import SOLVING, more_urgent_job
from dealmill.pipeline.store.runs.leases import Installed, JobTable, Lease
from dealmill.pipeline.store.runs.planned import PlannedRun, run_of_job
from dealmill.pipeline.store.runs.times import mark_started
from dealmill.pipeline.store.storages import audit_scans
from dealmill.pipeline.store.storages.choice import storage_of
from dealmill.pipeline.store.storages.storage import SolvedJob


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job: the items ``[lease.first, lease.stop)`` of a run."""

    lease: Lease
    run: PlannedRun


@dataclass(frozen=True, slots=True)
class AuditJob(Job):
    """A claimed job of an audit: the verdicts ``[lease.first, lease.stop)`` of the audit, numbered from 1.

    `population`, `size` and `seed` are those of the audit.
    """

    population: int
    size: int
    seed: int


JobT = TypeVar("JobT", bound=Job)
ResultsT = TypeVar("ResultsT")


class JobKind(ABC, Generic[JobT, ResultsT]):
    """A kind of job. Its jobs are rows of `table`."""

    table: JobTable

    def choose(self, _connection: Connection, job_id: int, _installed: Installed) -> int:
        """Return the id of the job to do when a message names a job."""
        return job_id

    @abstractmethod
    def prepare(self, run: PlannedRun) -> None:
        """Load and compile everything needed for jobs of a run, before the lease starts."""

    @abstractmethod
    def claim(self, database: Database, job_id: int, worker: str, seconds: float) -> JobT | None:
        """Claim a job for `seconds`; return None if it is done or leased to another worker.

        The run is read in the same transaction: SQLite reuses the ids of deleted rows, so a run that was read
        earlier for this id may be that of another job.

        Raises
        ------
        DamagedError
            If the run cannot be read. The job is not claimed then.
        """

    @abstractmethod
    def do(self, database: Database, job: JobT) -> ResultsT:
        """Do a job and return its results."""

    @abstractmethod
    def give_up(self, database: Database, job: JobT, error: str) -> ResultsT:
        """Return the results of a job that has failed permanently because of `error`."""

    @abstractmethod
    def finish(self, database: Database, job: JobT, results: ResultsT) -> bool:
        """Write the results and mark the job done. Return False, and write nothing, if another attempt holds the
        job."""

    @abstractmethod
    def count(self, results: ResultsT) -> Mapping[str, int]:
        """Return the number of verdicts or judgements by word, for the metrics."""


class SolvingJobs(JobKind[Job, SolvedJob]):
    """The jobs of runs. The storage of a run decides how its items are solved and its verdicts stored."""

    table = SOLVING

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


AUDIT_OF_JOB = select(audits.c.population, audits.c.size, audits.c.seed).where(audits.c.id == bindparam("audit"))


class AuditJobs(JobKind[AuditJob, Findings]):
    """The jobs of audits. Each checks verdicts with the referee, and the record against its invariants."""

    table = AUDITING

    def prepare(self, run: PlannedRun) -> None:
        """Load and compile what reading the items of a run needs."""
        storage_of(run).prepare_audit(run)

    def claim(self, database: Database, job_id: int, worker: str, seconds: float) -> AuditJob | None:
        """Claim a job for `seconds`, with its run and the sample of its audit."""
        with database.writing() as connection:
            lease = leases.claim(connection, AUDITING, job_id, worker, seconds)
            run = None if lease is None else run_of_job(connection, AUDITING, job_id)
            if lease is None or run is None:
                return None
            audit = connection.execute(AUDIT_OF_JOB, {"audit": lease.parent}).one()
        return AuditJob(lease, run, audit.population, audit.size, audit.seed)

    def do(self, database: Database, job: AuditJob) -> Findings:
        """Return the judgements of the referee and the faults of the record. In an audit of a sample, only the sampled
        items are checked. If reading or checking takes long, the last items are left to other jobs."""
        positions = _positions(job)
        scope = _scope(database, job, positions)
        judge = referee(job.run.rules_engine, imported=job.run.checked_as is not None)
        judged = list[tuple[int, Judgement]]()
        may_end_anywhere = storage_of(job.run).audits_end_within_blocks
        end, items = time.monotonic() + audit_scans.PART_SECONDS, scope.scan.items
        for item, following in zip_longest(items, items[1:]):
            if item.verdict is not None:
                judged.append((item.position, judge(item.layout, item.verdict, item.value, item.evidence)))
            if following is None or time.monotonic() <= end:
                continue
            if may_end_anywhere or block_of(item.position) < block_of(following.position):
                scope = _scope(database, job, positions[: positions.index(item.position) + 1])
                judged = [judgement for judgement in judged if judgement[0] < scope.stop]  # it may have ended earlier
                break
        done = len(scope.scan.positions)
        stop = job.lease.stop if done == len(positions) else job.lease.first + done
        return Findings(judged, faults_in(scope), stop)

    def give_up(self, database: Database, job: AuditJob, error: str) -> Findings:
        """Return the findings of a job that cannot be done because of `error`: one fault."""
        ends = (number for number in (job.lease.first, job.lease.stop - 1) if number <= job.size)
        positions = [sampled(number, job.size, job.population, job.seed) for number in ends] or [1]
        fault = Fault(positions[0], positions[-1], f"these items cannot be audited: {error}")
        return Findings([], [fault], job.lease.stop)

    def finish(self, database: Database, job: AuditJob, results: Findings) -> bool:
        """Write the findings of a job and mark it done. The valid verdicts of a compact run are only counted. The items
        that were not checked become jobs of the length that was."""
        with database.writing() as connection:
            if not leases.finish(connection, AUDITING, job.lease, results.totals, results.stop):
                return False
            results.write(connection, job.run.id, job.lease, keeps_valid=storage_of(job.run).stores_valid_judgements)
        return True

    def count(self, results: Findings) -> Mapping[str, int]:
        """Return the number of judgements for each outcome, by its name in lower case."""
        return Counter(judgement.outcome.name.lower() for _, judgement in results.judged)


def _positions(job: AuditJob) -> Sequence[int]:
    """Return the positions of the items that a job checks."""
    if job.size >= job.population:
        return range(job.lease.first, min(job.lease.stop, job.population + 1))
    numbers = range(job.lease.first, job.lease.stop)
    return [sampled(number, job.size, job.population, job.seed) for number in numbers]


def _scope(database: Database, job: AuditJob, positions: Sequence[int]) -> AuditScope:
    """Read the record of the items at these positions of a job."""
    record, population = storage_of(job.run), job.population
    if isinstance(positions, range):
        scan = record.scan(database, job.run, population, positions)
    else:
        scan = record.sample(database, job.run, population, positions)
        if job.lease.first > 1:  # a block belongs to the job with the first sampled item in it
            before = sampled(job.lease.first - 1, job.size, population, job.seed)
            scan = replace(scan, blocks=[block for block in scan.blocks if block.first > before])
    return AuditScope(database, job.run, job.lease.parent, population, scan, isinstance(positions, range))


SOLVING_JOBS, AUDIT_JOBS = SolvingJobs(), AuditJobs()
KINDS: dict[str, JobKind[Any, Any]] = {"solve": SOLVING_JOBS, "audit": AUDIT_JOBS}
"""All kinds of jobs, by their name in messages."""
