"""Findings of audits: faults of the record, and invalid verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import (
    literal_column,
    select,
)

from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.store.audits.planned import AuditStatus
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import faults, judgements
from dealmill.pipeline.store.record.contract import Fault

FETCHED = 1_000


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


def objections_of(store: Database, audit: AuditStatus) -> Iterator[tuple[int, Judgement]]:
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
    with store.browsing() as connection:
        for position, step, reason in connection.execution_options(yield_per=FETCHED).execute(query):
            yield position, Judgement(Outcome.INVALID, step, reason)


def faults_of(store: Database, audit: int) -> list[Fault]:
    """Return the faults that an audit found, in order of their items."""
    query = (
        select(faults.c.first, faults.c.last, faults.c.reason)
        .where(faults.c.audit_id == audit)
        .order_by(faults.c.first, faults.c.job, faults.c.number)
    )
    with store.reading() as connection:
        return [Fault(*row) for row in connection.execute(query)]


def findings_of(store: Database, audit: AuditStatus) -> Iterator[Finding]:
    """Yield all findings of an audit: first the faults, then the invalid verdicts, each in order of their items."""
    for fault in faults_of(store, audit.id):
        yield Finding(audit.run, fault.first, fault.last, "fault", None, fault.reason)
    for position, judgement in objections_of(store, audit):
        yield Finding(audit.run, position, position, "invalid", judgement.step, judgement.reason)
