"""The findings of the jobs of audits, which are written with a digest; and checks of earlier audits of a run: of their
plans, and of the findings of their jobs."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, Row, Select, bindparam, exists, select, true, update

from dealmill.pipeline.digests import columns_digest, numbers, seal, texts, values
from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.shapes import Fault, Shape
from dealmill.pipeline.store.database.tables import DONE, audit_jobs, audits, faults, judgements, runs
from dealmill.pipeline.store.runs.leases import Lease

PLAN = (audits.c.id, runs.c.seal, audits.c.population, audits.c.size, audits.c.seed)
PLAN_OF_AUDIT = select(*PLAN).join_from(audits, runs).where(audits.c.id == bindparam("audit"))
PLANS_OF_RUN = select(*PLAN, audits.c.seal).join_from(audits, runs).where(audits.c.run_id == bindparam("run"))
RANGES = (
    select(audit_jobs.c.first, audit_jobs.c.stop)
    .where(audit_jobs.c.audit_id == bindparam("audit"))
    .order_by(audit_jobs.c.first)
)
TOTALS = (audit_jobs.c.valid, audit_jobs.c.invalid, audit_jobs.c.no_evidence, audit_jobs.c.faults)
COUNTED = (audit_jobs.c.audit_id, audit_jobs.c.first, audit_jobs.c.stop, *TOTALS)
JUDGEMENTS_OF_JOB = (
    select(judgements.c.position, judgements.c.outcome, judgements.c.step, judgements.c.reason)
    .where(judgements.c.run_id == bindparam("run"), judgements.c.audit_id == bindparam("audit"))
    .where(judgements.c.position >= bindparam("start"), judgements.c.position < bindparam("end"))
    .order_by(judgements.c.position)
    .limit(bindparam("most", type_=BigInteger))
)
FAULTS_OF_JOB = (
    select(faults.c.number, faults.c.first, faults.c.last, faults.c.reason)
    .where(faults.c.audit_id == bindparam("audit"), faults.c.job == bindparam("job"))
    .order_by(faults.c.number)
    .limit(bindparam("most", type_=BigInteger))
)
AUDITS_OF_RUN = select(audits.c.id).where(audits.c.run_id == bindparam("run"))
JUDGEMENT_OF_NO_AUDIT = (
    select(judgements.c.audit_id)
    .where(judgements.c.run_id == bindparam("run"), judgements.c.audit_id.not_in(AUDITS_OF_RUN))
    .limit(1)
)
FAULT_OF_NO_JOB = (
    select(faults.c.audit_id)
    .where(
        faults.c.audit_id.in_(AUDITS_OF_RUN),
        ~exists().where(
            audit_jobs.c.audit_id == faults.c.audit_id, audit_jobs.c.first == faults.c.job, audit_jobs.c.state == DONE
        ),
    )
    .limit(1)
)
FETCHED = 1_000
GREATEST = 2**63 - 1

SHAPE = Shape(*COUNTED, audit_jobs.c.state, audits.c.population, audits.c.size)
"""The columns from which the positions of a job's findings are computed."""


SET_DIGEST = update(audit_jobs).where(audit_jobs.c.id == bindparam("job")).values(digest=bindparam("findings"))


class Findings(NamedTuple):
    """The findings of a job of an audit: judgements, each with the position of its verdict, and faults. `stop` is the
    end of the part of the job that was done."""

    judged: list[tuple[int, Judgement]]
    faults: list[Fault]
    stop: int

    @property
    def totals(self) -> dict[str, int]:
        """The totals of the job, in the order of `TOTALS`."""
        outcomes = [judgement.outcome for _, judgement in self.judged]
        return {
            "valid": outcomes.count(Outcome.VALID),
            "invalid": outcomes.count(Outcome.INVALID),
            "no_evidence": outcomes.count(Outcome.NO_EVIDENCE),
            "faults": len(self.faults),
        }

    def write(self, connection: Connection, run: int, job: Lease, *, keeps_valid: bool) -> None:
        """Insert the findings, and set their digest. Without `keeps_valid`, valid verdicts are only counted."""
        judged = [
            (position, int(judgement.outcome), judgement.step, judgement.reason)
            for position, judgement in self.judged
            if keeps_valid or judgement.outcome is not Outcome.VALID
        ]
        objected = [(number, fault.first, fault.last, fault.reason) for number, fault in enumerate(self.faults, 1)]
        digest = findings_digest((job.owner, job.first, self.stop, *self.totals.values()), judged, objected)
        connection.execute(SET_DIGEST, {"job": job.id, "findings": digest})
        columns = ("run_id", "audit_id", "position", "outcome", "step", "reason")
        insert_rows(connection, judgements, columns, [(run, job.owner, *row) for row in judged])
        columns = ("audit_id", "job", "number", "first", "last", "reason")
        insert_rows(connection, faults, columns, [(job.owner, job.first, *row) for row in objected])


def audit_seal(connection: Connection, audit: int) -> bytes:
    """Compute the seal of an audit from its plan."""
    return seal("audit", *connection.execute(PLAN_OF_AUDIT, {"audit": audit}).one())


def findings_digest(
    counted: Sequence[object], judged: Sequence[Sequence[object]], objected: Sequence[Sequence[object]]
) -> bytes:
    """Return the digest of a job's findings.

    `counted` holds its audit, range and totals (`COUNTED`), `judged` its judgements in order of position
    (`JUDGEMENTS_OF_JOB`), and `objected` its faults in order of number (`FAULTS_OF_JOB`).
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
    where = {"run": run, "audit": audit, "first": first, "stop": stop}
    with store.reading() as connection:
        for job in connection.execute(_other_jobs(first == 1, last), where).all():
            if trouble := SHAPE.trouble(job) or _trouble(connection, run, job):
                yield Fault(first, max(first, stop - 1), f"audit {job.audit_id}, job from {job.first}: {trouble}")


@cache
def _other_jobs(begins: bool, ends: bool) -> Select[*tuple[Any, ...]]:
    """The jobs of other audits that start in a stretch, or outside of the run if the stretch `begins` or `ends` it."""
    after = true() if begins else audit_jobs.c.first >= bindparam("first")
    before = true() if ends else audit_jobs.c.first < bindparam("stop")
    return (
        select(*COUNTED, audit_jobs.c.state, audits.c.population, audits.c.size, audit_jobs.c.digest)
        .join_from(audit_jobs, audits)
        .where(audits.c.run_id == bindparam("run"), audits.c.id != bindparam("audit"), after, before)
        .order_by(audit_jobs.c.audit_id, audit_jobs.c.first)
    )


def _trouble(connection: Connection, run: int, job: Row[*tuple[Any, ...]]) -> str | None:
    """Return what is wrong with a job of an audit, or None."""
    if job.state != DONE:
        begun = job.digest is not None or any(getattr(job, total.name) for total in TOTALS)
        return "the job is not done, but has findings" if begun else None
    start, end = _positions(job)
    most = _row_limit(job.valid + job.invalid + job.no_evidence)
    where = {"run": run, "audit": job.audit_id, "start": start, "end": end, "most": most}
    judged = connection.execute(JUDGEMENTS_OF_JOB, where).all()
    where = {"audit": job.audit_id, "job": job.first, "most": _row_limit(job.faults)}
    objected = connection.execute(FAULTS_OF_JOB, where).all()
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
    with store.reading() as connection:
        for *plan, recorded in connection.execute(PLANS_OF_RUN, {"run": run}).all():
            if seal("audit", *plan) != recorded:
                yield f"the plan of audit {plan[0]} was changed"
            elif not _tiled(connection, plan[0], plan[3]):
                yield f"the jobs of audit {plan[0]} have gaps or overlap"
        if (audit := connection.execute(JUDGEMENT_OF_NO_AUDIT, {"run": run}).scalar()) is not None:
            yield f"there are judgements of audit {audit}, which is not an audit of this run"
        if (audit := connection.execute(FAULT_OF_NO_JOB, {"run": run}).scalar()) is not None:
            yield f"there are faults of audit {audit} that belong to none of its finished jobs"


def _tiled(connection: Connection, audit: int, size: int) -> bool:
    """Return whether the jobs of an audit cover its verdicts from 1 to `size` without gaps or overlaps."""
    reached = 1
    for first, stop in connection.execution_options(yield_per=FETCHED).execute(RANGES, {"audit": audit}):
        if first != reached or (stop == first and size):
            return False
        reached = stop
    return reached == size + 1
