"""What audits object to."""

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
