"""The jobs of audits, which check verdicts with the referee, and the record against its invariants."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from sqlalchemy import bindparam, select

from dealmill.pipeline.evidence.digests import block_of
from dealmill.pipeline.evidence.referee import Judgement, referee
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.store.audits.audit import AUDITING
from dealmill.pipeline.store.audits.findings import Findings
from dealmill.pipeline.store.audits.invariants import AuditScope, faults_in
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.database.tables import audits
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.job_kind import Job, JobKind
from dealmill.pipeline.store.runs.planned import PlannedRun, run_of_job
from dealmill.pipeline.store.storages import audit_scans
from dealmill.pipeline.store.storages.choice import storage_of

AUDIT_OF_JOB = select(audits.c.population, audits.c.size, audits.c.seed).where(audits.c.id == bindparam("audit"))


@dataclass(frozen=True, slots=True)
class AuditJob(Job):
    """A claimed job of an audit: the verdicts ``[lease.first, lease.stop)`` of the audit, numbered from 1.

    `population`, `size` and `seed` are those of the audit.
    """

    population: int
    size: int
    seed: int


class AuditJobs(JobKind[AuditJob, Findings]):
    """The jobs of audits. Each checks verdicts with the referee, and the record against its invariants."""

    jobs = AUDITING

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
        judge = referee(job.run.referee_engine, imported=job.run.checked_as is not None)
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
