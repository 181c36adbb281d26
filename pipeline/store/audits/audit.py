"""Audits: their progress, and the findings that they record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    bindparam,
    case,
    cast,
    false,
    func,
    literal_column,
    select,
    true,
)

from dealmill.pipeline.errors import DamagedError, NotFoundError
from dealmill.pipeline.evidence.referee import Judgement, Outcome
from dealmill.pipeline.games.descriptions import DECIDED
from dealmill.pipeline.printable import counted
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import NUMBER_LIST, one_of
from dealmill.pipeline.store.database.row_checks import Fault, RowCheck, readable
from dealmill.pipeline.store.database.tables import (
    DONE,
    LEASED,
    PENDING,
    audit_jobs,
    audits,
    faults,
    judgements,
    verdicts,
)
from dealmill.pipeline.store.runs.job_totals import MAX_ADDEND, bounded, sizes
from dealmill.pipeline.store.runs.leases import JobTable
from dealmill.pipeline.store.runs.workable import workable_audits

AUDIT = RowCheck(audits.c.id, audits.c.run_id, audits.c.population, audits.c.size, audits.c.seed)
AUDITING = JobTable(
    noun="audit",
    with_parents=audit_jobs.join(audits),
    run=audits.c.run_id,
    totals=("valid", "invalid", "no_evidence", "faults"),
    workable_parents=workable_audits,
    not_halted=true(),
    cancelled=false(),
)


@dataclass(frozen=True, slots=True)
class AuditStatus:
    """An audit of a run and its progress.

    `population` is the number of items of the run when the audit was planned, and `size` the number of verdicts to
    judge; `seed` is the seed of a sample. `covered` is the number of verdicts in its `jobs`, of which some are `done`
    and some are `left` (pending or leased). The other fields count its judgements and faults so far.
    """

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
        """Whether all of its verdicts have been judged."""
        return self.done == self.jobs and self.covered == self.size

    @property
    def damaged(self) -> bool:
        """Whether it cannot be finished, because some of its jobs are missing or were changed."""
        return not self.left and not self.finished

    @property
    def judged(self) -> int:
        """The number of verdicts judged so far."""
        return self.valid + self.invalid + self.no_evidence

    @property
    def clean(self) -> bool:
        """Whether no invalid verdict and no fault was found."""
        return self.invalid == self.faults == 0

    @property
    def is_sample(self) -> bool:
        """Whether it is of a sample of the verdicts."""
        return self.size != self.population

    @property
    def proves_nothing(self) -> bool:
        """Whether all verdicts judged so far are claims without evidence."""
        return bool(self.no_evidence) and not self.valid

    @property
    def summary(self) -> str:
        """What it found, in a few words."""
        if not self.finished:
            return f"{self.judged:,} of {self.size:,}"
        if not self.clean:
            return f"{self.invalid:,} invalid, {counted(self.faults, 'fault')}"
        if self.proves_nothing:
            return "nothing proved"
        return f"{self.valid:,} of a sample valid" if self.is_sample else f"{self.valid:,} valid"


def find_audit(database: Database, audit: int) -> AuditStatus:
    """Return the audit with the given number, and its progress.

    Raises
    ------
    NotFoundError
        If there is no such audit.
    DamagedError
        If it cannot be read.
    """
    with database.reading() as connection:
        row = connection.execute(_counted_audit(), {"audit": audit}).one_or_none()
    if row is None:
        raise NotFoundError(f"the store has no audit {audit}")
    return _audit(row)


def _audit(row: Row[*tuple[Any, ...]]) -> AuditStatus:
    if error := AUDIT.error((row.id, row.run, row.population, row.size, row.seed)):
        raise DamagedError(f"audit {row.id} cannot be read: {error}")
    if row.valid + row.invalid + row.no_evidence > row.size or row.faults >= MAX_ADDEND:
        raise DamagedError(f"audit {row.id} cannot be read: the totals of its jobs do not add up; start a new audit")
    return AuditStatus(**row._mapping)


def latest_audits(database: Database, run_ids: Sequence[int] | None = None) -> dict[int, AuditStatus]:
    """Return the newest audit of every run that has one, or of the runs `run_ids`, by run, without those that cannot be
    read (see `readable`)."""
    newest = select(func.max(audits.c.id)).group_by(audits.c.run_id)
    if run_ids is not None:
        newest = newest.where(one_of(audits.c.run_id, NUMBER_LIST))
    query = _counted().where(audits.c.id.in_(newest))
    with database.reading() as connection:
        rows = connection.execute(query, {} if run_ids is None else {"numbers": run_ids}).all()
    return {audit.run: audit for audit in readable(rows, _audit)}


@cache
def _counted_audit() -> Select[*tuple[Any, ...]]:
    return _counted().where(audits.c.id == bindparam("audit"))


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
            total(sizes(audit_jobs)).label("covered"),
            *(total(bounded(audit_jobs.c[name])).label(name) for name in AUDITING.totals),
        )
        .select_from(audits.join(audit_jobs))
        .group_by(audits.c.id)
    )
    return query


JUDGEMENTS_PER_FETCH = 1_000


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of an audit on the items `first` to `last` (both inclusive).

    `finding` is ``fault`` for a fault of the record, or ``invalid`` for an invalid verdict. `step` is the step of the
    evidence that is invalid, 0 for the verdict itself, and None for a fault.
    """

    run: int
    first: int
    last: int
    finding: str
    step: int | None
    reason: str | None

    @property
    def items(self) -> str:
        """The items as ``RUN:POSITION`` or ``RUN:FIRST-LAST``."""
        return f"{self.run}:{self.first}" + ("" if self.last == self.first else f"-{self.last}")


def objections_of(database: Database, audit: AuditStatus) -> Iterator[tuple[int, Judgement]]:
    """Yield the positions of the verdicts that an audit found invalid, with their judgements, in order of position."""
    query = (
        select(judgements.c.position, judgements.c.step, judgements.c.reason)
        .where(
            judgements.c.run_id == audit.run,
            judgements.c.audit_id == audit.id,
            judgements.c.outcome == int(Outcome.INVALID),
            judgements.c.outcome != literal_column("1"),  # the literal condition of the partial index
        )
        .order_by(judgements.c.position)
    )
    with database.browsing() as connection:
        for position, step, reason in connection.execution_options(yield_per=JUDGEMENTS_PER_FETCH).execute(query):
            yield position, Judgement(Outcome.INVALID, step, reason)


def recorded_faults(database: Database, audit: int) -> list[Fault]:
    """Return the faults that an audit found, in order of their items."""
    query = (
        select(faults.c.first, faults.c.last, faults.c.reason)
        .where(faults.c.audit_id == audit)
        .order_by(faults.c.first, faults.c.job, faults.c.number)
    )
    with database.reading() as connection:
        return [Fault(*row) for row in connection.execute(query)]


UNPROVED = (
    select(func.count())
    .select_from(
        judgements.join(
            verdicts, (verdicts.c.run_id == judgements.c.run_id) & (verdicts.c.position == judgements.c.position)
        )
    )
    .where(
        judgements.c.run_id == bindparam("run"),
        judgements.c.audit_id == bindparam("audit"),
        judgements.c.outcome == int(Outcome.NO_EVIDENCE),
        judgements.c.outcome != literal_column("1"),  # the literal condition of the partial index
        verdicts.c.verdict.in_(list(map(int, DECIDED))),
    )
)


def count_unproved(database: Database, audit: AuditStatus) -> int:
    """Return the number of judged verdicts that are claims without evidence."""
    with database.reading() as connection:
        return connection.execute(UNPROVED, {"run": audit.run, "audit": audit.id}).scalar_one()


def findings_of(database: Database, audit: AuditStatus) -> Iterator[Finding]:
    """Yield all findings of an audit: first the faults, then the invalid verdicts, each in order of their items."""
    for fault in recorded_faults(database, audit.id):
        yield Finding(audit.run, fault.first, fault.last, "fault", None, fault.reason)
    for position, judgement in objections_of(database, audit):
        yield Finding(audit.run, position, position, "invalid", judgement.step, judgement.reason)
