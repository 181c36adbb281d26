"""Jobs of audits: claimed, and finished in the transaction that writes their judgements and faults."""

from dataclasses import dataclass

from sqlalchemy import bindparam, select, update

from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.store.audits.earlier import findings_digest
from dealmill.pipeline.store.audits.planned import AUDITING
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, audit_jobs, audits, faults, judgements
from dealmill.pipeline.store.queue import leases
from dealmill.pipeline.store.queue.leases import Lease
from dealmill.pipeline.store.record import record_of
from dealmill.pipeline.store.record.contract import Fault
from dealmill.pipeline.store.runs.planned import PlannedRun, run_of_job

PLAN = select(audits.c.population, audits.c.size, audits.c.seed).where(audits.c.id == bindparam("audit"))
DONE_BEFORE = (
    update(audit_jobs)
    .where(audit_jobs.c.id == bindparam("job"), audit_jobs.c.digest.is_not(None))
    .values(state=DONE, digest=b"")
)
DIGESTED = update(audit_jobs).where(audit_jobs.c.id == bindparam("job")).values(digest=bindparam("found"))


@dataclass(frozen=True, slots=True)
class AuditJob:
    """A claimed job: the verdicts ``[lease.first, lease.stop)`` of an audit, numbered from 1.

    `population`, `size` and `seed` are those of the audit.
    """

    lease: Lease
    run: PlannedRun
    population: int
    size: int
    seed: int


Findings = tuple[list[tuple[int, Judgement]], list[Fault]]
"""The findings of a job: judgements, each with the position of its verdict, and faults."""


def claim(store: Database, job: int, worker: str, seconds: float) -> AuditJob | None:
    """Claim a job for `seconds`; return None if it is done or leased to another worker.

    Raises
    ------
    DamagedError
        If its run cannot be read. The job is not claimed then.
    """
    with store.writing() as connection:
        lease = leases.claim(connection, AUDITING, job, worker, seconds)
        run = None if lease is None else run_of_job(connection, AUDITING, job)
        if lease is None or run is None:
            return None
        row = connection.execute(PLAN, {"audit": lease.owner}).one()
    return AuditJob(lease, run, row.population, row.size, row.seed)


def finish(store: Database, job: AuditJob, found: Findings) -> bool:
    """Write the findings of a job and mark it done. Return False, and write nothing, if another attempt holds the job.
    The valid verdicts of a packed run are only counted."""
    judged, wrong = found
    outcomes = [judgement.outcome for _, judgement in judged]
    totals = {
        "valid": outcomes.count(Outcome.VALID),
        "invalid": outcomes.count(Outcome.INVALID),
        "no_evidence": outcomes.count(Outcome.NO_EVIDENCE),
        "faults": len(wrong),
    }
    lease, audit, keeps_valid = job.lease, job.lease.owner, record_of(job.run).KEEPS_VALID
    said = [
        (position, int(judgement.outcome), judgement.step, judgement.reason)
        for position, judgement in judged
        if keeps_valid or judgement.outcome is not Outcome.VALID
    ]
    objected = [(number, fault.first, fault.last, fault.reason) for number, fault in enumerate(wrong, start=1)]
    digest = findings_digest((audit, lease.first, lease.stop, *totals.values()), said, objected)
    with store.writing() as connection:
        if connection.execute(DONE_BEFORE, {"job": lease.id}).rowcount == 1:
            # The state of a finished job was changed by hand. Its findings are kept, but its digest is cleared now, so
            # that audits report it.
            return True
        if not leases.finish(connection, AUDITING, lease, totals):
            return False
        connection.execute(DIGESTED, {"job": lease.id, "found": digest})
        insert_rows(
            connection,
            judgements,
            ("run_id", "audit_id", "position", "outcome", "step", "reason"),
            [(job.run.id, audit, *row) for row in said],
        )
        insert_rows(
            connection,
            faults,
            ("audit_id", "job", "number", "first", "last", "reason"),
            [(audit, lease.first, *row) for row in objected],
        )
    return True
