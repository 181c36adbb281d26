"""The audits of a run as a later audit reads them: their plans, and what their jobs found."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, exists, select, true

from dealmill.pipeline.seals import columns_digest, numbers, seal, texts, values
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import DONE, audit_jobs, audits, faults, judgements, runs
from dealmill.pipeline.store.record.contract import Fault

PLAN = (audits.c.id, runs.c.seal, audits.c.population, audits.c.size, audits.c.seed)
TOTALS = (audit_jobs.c.valid, audit_jobs.c.invalid, audit_jobs.c.no_evidence, audit_jobs.c.faults)
COUNTED = (audit_jobs.c.audit_id, audit_jobs.c.first, audit_jobs.c.stop, *TOTALS)
JUDGED = (judgements.c.position, judgements.c.outcome, judgements.c.step, judgements.c.reason)
OBJECTED = (faults.c.number, faults.c.first, faults.c.last, faults.c.reason)
FETCHED = 1_000
GREATEST = 2**63 - 1

SHAPE = Shape(*COUNTED, audit_jobs.c.state, audits.c.population, audits.c.size)
"""What the places of a job's findings are computed of."""


def audit_seal(connection: Connection, audit: int) -> bytes:
    """What the seal of an audit should be."""
    return seal("audit", *connection.execute(select(*PLAN).join_from(audits, runs).where(audits.c.id == audit)).one())


def findings_digest(
    counted: Sequence[object], judged: Sequence[Sequence[object]], objected: Sequence[Sequence[object]]
) -> bytes:
    """The digest of what a job found: its audit, its range and its totals, the rows of its judgements in the order of
    their positions, and those of its faults."""
    positions, outcomes, steps, reasons = zip(*judged, strict=True) if judged else ((), (), (), ())
    places, firsts, lasts, whys = zip(*objected, strict=True) if objected else ((), (), (), ())
    return columns_digest(
        "audit job",
        values(counted),
        *(numbers(positions), numbers(outcomes), values(steps), texts(reasons)),
        *(numbers(places), numbers(firsts), numbers(lasts), texts(whys)),
    )


def earlier_faults(store: Database, run: int, audit: int, first: int, stop: int, *, last: bool) -> Iterator[Fault]:
    """What is wrong with the jobs of other audits of a run that begin from `first` to before `stop`: behind that too if
    this is the `last` stretch, and before if it is the first one."""
    after = true() if first == 1 else audit_jobs.c.first >= first
    before = true() if last else audit_jobs.c.first < stop
    query = (
        select(*COUNTED, audit_jobs.c.state, audits.c.population, audits.c.size, audit_jobs.c.digest)
        .join_from(audit_jobs, audits)
        .where(audits.c.run_id == run, audits.c.id != audit, after, before)
        .order_by(audit_jobs.c.audit_id, audit_jobs.c.first)
    )
    with store.reading() as connection:
        for job in connection.execute(query).all():
            if trouble := SHAPE.trouble(job) or _trouble(connection, run, job):
                yield Fault(first, max(first, stop - 1), f"audit {job.audit_id}, from {job.first}: {trouble}")


def _trouble(connection: Connection, run: int, job: Row[*tuple[Any, ...]]) -> str | None:
    """What is wrong with a job of an audit."""
    if job.state != DONE:
        begun = job.digest is not None or any(getattr(job, total.name) for total in TOTALS)
        return "a job that is not done has findings" if begun else None
    start, end = _positions(job)
    judged = connection.execute(
        select(*JUDGED)
        .where(judgements.c.run_id == run, judgements.c.audit_id == job.audit_id)
        .where(judgements.c.position >= start, judgements.c.position < end)
        .order_by(judgements.c.position)
        .limit(_at_most(job.valid + job.invalid + job.no_evidence))
    ).all()
    objected = connection.execute(
        select(*OBJECTED)
        .where(faults.c.audit_id == job.audit_id, faults.c.job == job.first)
        .order_by(faults.c.number)
        .limit(_at_most(job.faults))
    ).all()
    digest = findings_digest([getattr(job, column.name) for column in COUNTED], judged, objected)
    return None if job.digest == digest else "the judgements and faults on record are not those that it found"


def _at_most(count: int) -> int:
    """How many rows to read where there should be so many: one more shows that there are others."""
    return min(max(count, 0), GREATEST - 1) + 1


def _positions(job: Row[*tuple[Any, ...]]) -> tuple[int, int]:
    """The positions whose judgements are those of a job, half-open. Those of a sample are drawn one from each of `size`
    stretches (see `dealmill.pipeline.audit.jobs.sampled`). The first job has all that are before, the last one all that
    are behind."""
    start, end = (1 + (number - 1) * job.population // max(job.size, 1) for number in (job.first, job.stop))
    start = -GREATEST if job.first <= 1 else start
    end = GREATEST if job.stop > job.size else end
    return max(start, -GREATEST), min(end, GREATEST)


def audit_faults(store: Database, run: int) -> Iterator[str]:
    """What is wrong with the plans of the audits of a run, each of which has its jobs without a gap, and with findings
    that belong to none."""
    known = select(audits.c.id).where(audits.c.run_id == run)
    with store.reading() as connection:
        plans = connection.execute(select(*PLAN, audits.c.seal).join_from(audits, runs).where(audits.c.run_id == run))
        for *plan, recorded in plans.all():
            if seal("audit", *plan) != recorded:
                yield f"audit {plan[0]} is not the one that was planned"
            elif not _tiled(connection, plan[0], plan[3]):
                yield f"audit {plan[0]} has lost jobs, or has some that are not its own"
        strange = select(judgements.c.audit_id).where(judgements.c.run_id == run, judgements.c.audit_id.not_in(known))
        if (audit := connection.execute(strange.limit(1)).scalar()) is not None:
            yield f"there are judgements of audit {audit}, which is none of this run"
        found = exists().where(
            audit_jobs.c.audit_id == faults.c.audit_id, audit_jobs.c.first == faults.c.job, audit_jobs.c.state == DONE
        )
        lost = select(faults.c.audit_id).where(faults.c.audit_id.in_(known), ~found)
        if (audit := connection.execute(lost.limit(1)).scalar()) is not None:
            yield f"there are faults of audit {audit} that none of its jobs found"


def _tiled(connection: Connection, audit: int, size: int) -> bool:
    """Whether the jobs of an audit follow each other from its first verdict to its last one."""
    query = select(audit_jobs.c.first, audit_jobs.c.stop).where(audit_jobs.c.audit_id == audit)
    reached = 1
    for first, stop in connection.execution_options(yield_per=FETCHED).execute(query.order_by(audit_jobs.c.first)):
        if first != reached or (stop == first and size):
            return False
        reached = stop
    return reached == size + 1
