"""Checks of the earlier audits of a run: their plans, and the findings of their jobs."""

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
"""The columns from which the positions of a job's findings are computed."""


def audit_seal(connection: Connection, audit: int) -> bytes:
    """Compute the seal of an audit from its plan."""
    return seal("audit", *connection.execute(select(*PLAN).join_from(audits, runs).where(audits.c.id == audit)).one())


def findings_digest(
    counted: Sequence[object], judged: Sequence[Sequence[object]], objected: Sequence[Sequence[object]]
) -> bytes:
    """Return the digest of a job's findings.

    `counted` holds its audit, range and totals (`COUNTED`), `judged` its judgements in order of position (`JUDGED`),
    and `objected` its faults in order of number (`OBJECTED`).
    """
    positions, outcomes, steps, reasons = zip(*judged, strict=True) if judged else ((), (), (), ())
    places, firsts, lasts, whys = zip(*objected, strict=True) if objected else ((), (), (), ())
    return columns_digest(
        "audit job",
        values(counted),
        *(numbers(positions), numbers(outcomes), values(steps), texts(reasons)),
        *(numbers(places), numbers(firsts), numbers(lasts), texts(whys)),
    )


def earlier_faults(store: Database, run: int, audit: int, first: int, stop: int, *, last: bool) -> Iterator[Fault]:
    """Yield the faults of other audits of a run, for their jobs that start in `[first, stop)`. The first stretch also
    covers jobs that start before it, and the `last` stretch those that start after it."""
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
                yield Fault(first, max(first, stop - 1), f"audit {job.audit_id}, job from {job.first}: {trouble}")


def _trouble(connection: Connection, run: int, job: Row[*tuple[Any, ...]]) -> str | None:
    """Return what is wrong with a job of an audit, or None."""
    if job.state != DONE:
        begun = job.digest is not None or any(getattr(job, total.name) for total in TOTALS)
        return "the job is not done, but has findings" if begun else None
    start, end = _positions(job)
    judged = connection.execute(
        select(*JUDGED)
        .where(judgements.c.run_id == run, judgements.c.audit_id == job.audit_id)
        .where(judgements.c.position >= start, judgements.c.position < end)
        .order_by(judgements.c.position)
        .limit(_row_limit(job.valid + job.invalid + job.no_evidence))
    ).all()
    objected = connection.execute(
        select(*OBJECTED)
        .where(faults.c.audit_id == job.audit_id, faults.c.job == job.first)
        .order_by(faults.c.number)
        .limit(_row_limit(job.faults))
    ).all()
    digest = findings_digest([getattr(job, column.name) for column in COUNTED], judged, objected)
    return None if job.digest == digest else "its judgements or faults were changed"


def _row_limit(count: int) -> int:
    """Return the number of rows to read where `count` are expected: one more, to detect extra rows."""
    return min(max(count, 0), GREATEST - 1) + 1


def _positions(job: Row[*tuple[Any, ...]]) -> tuple[int, int]:
    """Return the range of positions `[start, end)` whose judgements belong to a job. A sample has one position in each
    of `size` stretches (see `dealmill.pipeline.sampling.sampled`). Positions out of range belong to the first or the
    last job."""
    start, end = (1 + (number - 1) * job.population // max(job.size, 1) for number in (job.first, job.stop))
    start = -GREATEST if job.first <= 1 else start
    end = GREATEST if job.stop > job.size else end
    return max(start, -GREATEST), min(end, GREATEST)


def audit_faults(store: Database, run: int) -> Iterator[str]:
    """Yield what is wrong with the audits of a run: changed plans, jobs with gaps, and findings without an audit or a
    job."""
    known = select(audits.c.id).where(audits.c.run_id == run)
    with store.reading() as connection:
        plans = connection.execute(select(*PLAN, audits.c.seal).join_from(audits, runs).where(audits.c.run_id == run))
        for *plan, recorded in plans.all():
            if seal("audit", *plan) != recorded:
                yield f"the plan of audit {plan[0]} was changed"
            elif not _tiled(connection, plan[0], plan[3]):
                yield f"the jobs of audit {plan[0]} have gaps or overlap"
        strange = select(judgements.c.audit_id).where(judgements.c.run_id == run, judgements.c.audit_id.not_in(known))
        if (audit := connection.execute(strange.limit(1)).scalar()) is not None:
            yield f"there are judgements of audit {audit}, which is not an audit of this run"
        found = exists().where(
            audit_jobs.c.audit_id == faults.c.audit_id, audit_jobs.c.first == faults.c.job, audit_jobs.c.state == DONE
        )
        lost = select(faults.c.audit_id).where(faults.c.audit_id.in_(known), ~found)
        if (audit := connection.execute(lost.limit(1)).scalar()) is not None:
            yield f"there are faults of audit {audit} that belong to none of its finished jobs"


def _tiled(connection: Connection, audit: int, size: int) -> bool:
    """Return whether the jobs of an audit cover its verdicts from 1 to `size` without gaps or overlaps."""
    query = select(audit_jobs.c.first, audit_jobs.c.stop).where(audit_jobs.c.audit_id == audit)
    reached = 1
    for first, stop in connection.execution_options(yield_per=FETCHED).execute(query.order_by(audit_jobs.c.first)):
        if first != reached or (stop == first and size):
            return False
        reached = stop
    return reached == size + 1
