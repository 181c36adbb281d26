"""Audits: planned once, cut into jobs, with a judgement on every audited verdict and the faults of the record."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    case,
    cast,
    func,
    insert,
    literal,
    literal_column,
    select,
    update,
)

from dealmill.pipeline.errors import DamagedError, DamagedWarning, NotFoundError
from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.store import actions
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import DONE, LEASED, PENDING, audit_jobs, audits, faults, judgements, runs
from dealmill.pipeline.store.database.tables import actions as actions_table
from dealmill.pipeline.store.earlier import audit_seal, findings_digest
from dealmill.pipeline.store.extent import items_there
from dealmill.pipeline.store.queue import leases
from dealmill.pipeline.store.queue.leases import JobTable, Lease, cut
from dealmill.pipeline.store.queue.workable import audits_of
from dealmill.pipeline.store.record import record_of
from dealmill.pipeline.store.record.contract import Fault
from dealmill.pipeline.store.runs.planned import PlannedRun, run_of_job
from dealmill.pipeline.store.runs.status import RunStatus

FETCHED = 1_000
AUDIT = Shape(audits.c.id, audits.c.run_id, audits.c.population, audits.c.size, audits.c.seed)


AUDITING = JobTable(
    table=audit_jobs,
    owner=audit_jobs.c.audit_id,
    joined=audit_jobs.join(audits),
    run=audits.c.run_id,
    totals=("valid", "invalid", "no_evidence", "faults"),
    owners=audits_of,
    grain=literal(1),
)


@dataclass(frozen=True, slots=True)
class AuditStatus:
    """An audit of `size` verdicts of a run that had so many items, its `population`, and what it has found so far. Its
    jobs cover so many verdicts; some are done, and others left."""

    id: int
    run: int
    population: int
    size: int
    seed: int
    jobs: int
    done: int
    left: int
    covered: int
    valid: int
    invalid: int
    no_evidence: int
    faults: int

    @property
    def finished(self) -> bool:
        """Whether all has been looked at."""
        return self.done == self.jobs and self.covered == self.size

    @property
    def damaged(self) -> bool:
        """Whether it cannot be finished, for jobs of it are lost or changed."""
        return not self.left and not self.finished

    @property
    def judged(self) -> int:
        """How many verdicts the referee has judged."""
        return self.valid + self.invalid + self.no_evidence

    @property
    def clean(self) -> bool:
        """Whether nothing was found to be wrong."""
        return self.invalid == self.faults == 0


@dataclass(frozen=True, slots=True)
class AuditJob:
    """A claimed job: the audited verdicts number ``lease.first`` to before ``lease.stop`` of an audit."""

    lease: Lease
    run: PlannedRun
    population: int
    size: int
    seed: int


Findings = tuple[list[tuple[int, Judgement]], list[Fault]]
"""What a job found: judgements, each with the position of its verdict, and faults."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What an audit objects to: a ``fault`` of the record of the items `first` to `last`, or an ``invalid`` verdict
    with the step of its evidence (0 for the verdict itself)."""

    run: int
    first: int
    last: int
    finding: str
    step: int | None
    reason: str | None

    @property
    def items(self) -> str:
        """``RUN:POSITION`` or ``RUN:FIRST-LAST``."""
        return f"{self.run}:{self.first}" + ("" if self.last == self.first else f"-{self.last}")


def plan_audit(store: Database, run: RunStatus, sample: int | None, seed: int, chunk: int) -> int:
    """The number of a new audit with its jobs; of an earlier one of the same verdicts, if that is not finished.
    `sample` is None for all verdicts."""
    unfinished = select(audit_jobs.c.audit_id).where(
        audit_jobs.c.state.in_((PENDING, LEASED)), audit_jobs.c.digest.is_(None)
    )
    with store.writing() as connection:
        population = min(run.items, items_there(connection, run))
        size = population if sample is None else min(sample, population)
        same = (
            audits.c.run_id == run.id,
            audits.c.population == population,
            audits.c.size == size,
            audits.c.seed == seed,
        )
        begun: int | None = connection.execute(
            select(audits.c.id).where(*same, audits.c.id.in_(unfinished)).limit(1)
        ).scalar()
        if begun is not None:
            return begun
        number = {"id": _next_number(connection)} if store.embedded else {}
        audit: int = connection.execute(
            insert(audits)
            .values(**number, run_id=run.id, population=population, size=size, seed=seed, created=clock(), seal=b"")
            .returning(audits.c.id)
        ).scalar_one()
        seal = audit_seal(connection, audit)
        connection.execute(update(audits).where(audits.c.id == audit).values(seal=seal))
        cut(
            connection,
            AUDITING,
            audit,
            [(first, min(first + chunk, size + 1)) for first in range(1, max(size, 1) + 1, chunk)],
        )
        engine = connection.execute(select(runs.c.engine_id).where(runs.c.id == run.id)).scalar_one()
        what = "all verdicts" if size == population else f"a sample of {size:,} of {population:,}, seed {seed}"
        actions.record(connection, "audit", engine, run=run.id, audit=audit, why=what)
    return audit


def _next_number(connection: Connection) -> int:
    """A number that no audit has had: SQLite would give that of a deleted one again, whose findings may be there."""
    ever = [select(func.max(column)) for column in (audits.c.id, actions_table.c.audit_id, audit_jobs.c.audit_id)]
    return 1 + max(connection.execute(number).scalar() or 0 for number in ever)


def find_audit(store: Database, audit: int) -> AuditStatus:
    """The audit of that number, counted by its jobs.

    Raises
    ------
    NotFoundError
    DamagedError
        If it cannot be read.
    """
    with store.reading() as connection:
        row = connection.execute(_counted().where(audits.c.id == audit)).one_or_none()
    if row is None:
        raise NotFoundError(f"the store has no audit {audit}")
    if trouble := AUDIT.trouble(row):
        raise DamagedError(f"audit {audit} cannot be read: {trouble}")
    return AuditStatus(**row._mapping)


def latest_audits(store: Database) -> dict[int, AuditStatus]:
    """The newest audit of every run that has one. Of audits that cannot be read there is a `DamagedWarning`."""
    newest = select(func.max(audits.c.id)).group_by(audits.c.run_id)
    found = {}
    with store.reading() as connection:
        for row in connection.execute(_counted().where(audits.c.id.in_(newest))):
            if trouble := AUDIT.trouble(row):
                warnings.warn(DamagedWarning(f"audit {row.id} cannot be read: {trouble}"), stacklevel=2)
            else:
                found[row.run] = AuditStatus(**row._mapping)
    return found


def _counted() -> Select[*tuple[Any, ...]]:
    def total(column: ColumnElement[int]) -> ColumnElement[int]:
        return cast(func.coalesce(func.sum(column), 0), BigInteger)

    query: Select[*tuple[Any, ...]] = (
        select(
            audits.c.id,
            audits.c.run_id.label("run"),
            audits.c.population,
            audits.c.size,
            audits.c.seed,
            func.count(audit_jobs.c.id).label("jobs"),
            total(case((audit_jobs.c.state == DONE, 1), else_=0)).label("done"),
            total(case((audit_jobs.c.state.in_((PENDING, LEASED)), 1), else_=0)).label("left"),
            total(audit_jobs.c.stop - audit_jobs.c.first).label("covered"),
            *(total(audit_jobs.c[name]).label(name) for name in AUDITING.totals),
        )
        .select_from(audits.join(audit_jobs))
        .group_by(audits.c.id)
    )
    return query


def claim(store: Database, job: int, worker: str, seconds: float) -> AuditJob | None:
    """Take a job for so many seconds; None if it is done or someone else's."""
    lease = leases.claim(store, AUDITING, job, worker, seconds)
    run = None if lease is None else run_of_job(store, AUDITING, job)
    if lease is None or run is None:
        return None
    with store.reading() as connection:
        row = connection.execute(
            select(audits.c.population, audits.c.size, audits.c.seed).where(audits.c.id == lease.owner)
        ).one()
    return AuditJob(lease, run, row.population, row.size, row.seed)


def finish(store: Database, job: AuditJob, found: Findings) -> bool:
    """Write what a job found, and mark it done; False, and nothing written, if it is no longer this attempt's. What is
    valid of a packed run is only counted."""
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
    # Somebody has changed the state of a job that was done. What it found stays, without its digest, so audits name it.
    done_before = (
        update(audit_jobs)
        .where(audit_jobs.c.id == lease.id, audit_jobs.c.digest.is_not(None))
        .values(state=DONE, digest=b"")
    )
    digest = findings_digest((audit, lease.first, lease.stop, *totals.values()), said, objected)
    with store.writing() as connection:
        if connection.execute(done_before).rowcount == 1:
            return True
        if not leases.finish(connection, AUDITING, lease, totals):
            return False
        connection.execute(update(audit_jobs).where(audit_jobs.c.id == lease.id).values(digest=digest))
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


def objections_of(store: Database, audit: AuditStatus) -> Iterator[tuple[int, Judgement]]:
    """The verdicts that an audit found invalid, by position, in their order."""
    query = (
        select(judgements.c.position, judgements.c.step, judgements.c.reason)
        .where(
            judgements.c.run_id == audit.run,
            judgements.c.audit_id == audit.id,
            judgements.c.outcome == int(Outcome.INVALID),
            judgements.c.outcome != literal_column("1"),  # in the words of the index of what is not valid
        )
        .order_by(judgements.c.position)
    )
    with store.browsing() as connection:
        for position, step, reason in connection.execution_options(yield_per=FETCHED).execute(query):
            yield position, Judgement(Outcome.INVALID, step, reason)


def faults_of(store: Database, audit: int) -> list[Fault]:
    """The faults that an audit found, in the order of their items."""
    query = (
        select(faults.c.first, faults.c.last, faults.c.reason)
        .where(faults.c.audit_id == audit)
        .order_by(faults.c.first, faults.c.job, faults.c.number)
    )
    with store.reading() as connection:
        return [Fault(*row) for row in connection.execute(query)]


def findings_of(store: Database, audit: AuditStatus) -> Iterator[Finding]:
    """All that an audit objects to: first the faults, then the invalid verdicts, each in the order of the items."""
    for fault in faults_of(store, audit.id):
        yield Finding(audit.run, fault.first, fault.last, "fault", None, fault.reason)
    for position, judgement in objections_of(store, audit):
        yield Finding(audit.run, position, position, "invalid", judgement.step, judgement.reason)
