"""The findings of the jobs of audits; and checks of earlier audits of a run: of their plans, and of the numbers of
their findings."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, delete, exists, func, or_, select, true

from dealmill.pipeline.evidence.digests import seal
from dealmill.pipeline.evidence.referee import Judgement, Outcome
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault, RowCheck
from dealmill.pipeline.store.database.tables import DONE, audit_jobs, audits, faults, judgements, runs
from dealmill.pipeline.store.runs.leases import Lease
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages.choice import storage_of

PLAN = (audits.c.id, runs.c.seal, audits.c.population, audits.c.size, audits.c.seed)
PLAN_OF_AUDIT = select(*PLAN).join_from(audits, runs).where(audits.c.id == bindparam("audit"))
PLANS_OF_RUN = select(*PLAN, audits.c.seal).join_from(audits, runs).where(audits.c.run_id == bindparam("run"))
RANGES = (
    select(audit_jobs.c.first, audit_jobs.c.stop)
    .where(audit_jobs.c.audit_id == bindparam("audit"))
    .order_by(audit_jobs.c.first)
)
TOTALS = (audit_jobs.c.valid, audit_jobs.c.invalid, audit_jobs.c.no_evidence, audit_jobs.c.faults)
JUDGEMENTS_OF_JOB = (
    judgements.c.run_id == bindparam("run"),
    judgements.c.audit_id == bindparam("audit"),
    judgements.c.position >= bindparam("start"),
    judgements.c.position < bindparam("end"),
)
COUNTED_JUDGEMENTS = select(judgements.c.outcome, func.count()).where(*JUDGEMENTS_OF_JOB).group_by(judgements.c.outcome)
FAULTS_OF_JOB = (faults.c.audit_id == bindparam("audit"), faults.c.job == bindparam("job"))
NUMBERED_FAULTS = select(func.count(), func.min(faults.c.number), func.max(faults.c.number)).where(*FAULTS_OF_JOB)
AUDITS_OF_RUN = select(audits.c.id).where(audits.c.run_id == bindparam("run"))
JUDGEMENT_OF_NO_AUDIT = (
    select(judgements.c.audit_id)
    .where(judgements.c.run_id == bindparam("run"), judgements.c.audit_id.not_in(AUDITS_OF_RUN))
    .limit(1)
)
JUDGEMENT_OF_NO_ITEM = (
    select(audits.c.id)
    .where(audits.c.run_id == bindparam("run"))
    .where(
        or_(  # two conditions, since SQLite would read all judgements of the run for one
            exists().where(
                judgements.c.run_id == bindparam("run"), judgements.c.audit_id == audits.c.id, judgements.c.position < 1
            ),
            exists().where(
                judgements.c.run_id == bindparam("run"),
                judgements.c.audit_id == audits.c.id,
                judgements.c.position > audits.c.population,
            ),
        )
    )
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
RANGES_PER_FETCH = 1_000
GREATEST = 2**63 - 1

JOB = (
    audit_jobs.c.audit_id,
    audit_jobs.c.first,
    audit_jobs.c.stop,
    audit_jobs.c.state,
    *TOTALS,
    audits.c.population,
    audits.c.size,
)
CHECK = RowCheck(*JOB)


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
        """Insert the findings. Without `keeps_valid`, valid verdicts are only counted."""
        if job.attempt > 1:
            self._replace_earlier(connection, run, job)
        judged = [
            (run, job.parent, position, int(judgement.outcome), judgement.step, judgement.reason)
            for position, judgement in self.judged
            if keeps_valid or judgement.outcome is not Outcome.VALID
        ]
        columns = ("run_id", "audit_id", "position", "outcome", "step", "reason")
        insert_rows(connection, judgements, columns, judged)
        columns = ("audit_id", "job", "number", "first", "last", "reason")
        numbered = [
            (job.parent, job.first, number, fault.first, fault.last, fault.reason)
            for number, fault in enumerate(self.faults, start=1)
        ]
        insert_rows(connection, faults, columns, numbered)

    def _replace_earlier(self, connection: Connection, run: int, job: Lease) -> None:
        """Delete the findings of an earlier attempt, which exist if somebody has set a finished job back."""
        if self.judged:
            (start, _), (last, _) = self.judged[0], self.judged[-1]
            where = {"run": run, "audit": job.parent, "start": start, "end": last + 1}
            connection.execute(delete(judgements).where(*JUDGEMENTS_OF_JOB), where)
        connection.execute(delete(faults).where(*FAULTS_OF_JOB), {"audit": job.parent, "job": job.first})


def audit_seal(connection: Connection, audit: int) -> bytes:
    """Compute the seal of an audit from its plan."""
    return seal("audit", *connection.execute(PLAN_OF_AUDIT, {"audit": audit}).one())


def earlier_faults(
    database: Database, run: PlannedRun, audit: int, first: int, stop: int, *, last: bool
) -> Iterator[Fault]:
    """Yield the faults of other audits of a run, for their jobs that start in `[first, stop)`. The first stretch also
    covers jobs that start before it, and the `last` stretch those that start after it."""
    where = {"run": run.id, "audit": audit, "first": first, "stop": stop}
    with database.reading() as connection:
        for job in connection.execute(_other_jobs(first == 1, last), where).all():
            if error := CHECK.error(job) or _error(connection, run, job):
                yield Fault(first, max(first, stop - 1), f"audit {job.audit_id}, job from {job.first}: {error}")


@cache
def _other_jobs(begins: bool, ends: bool) -> Select[*tuple[Any, ...]]:
    """The jobs of other audits that start in a stretch, or outside of the run if the stretch `begins` or `ends` it."""
    after = true() if begins else audit_jobs.c.first >= bindparam("first")
    before = true() if ends else audit_jobs.c.first < bindparam("stop")
    return (
        select(*JOB)
        .join_from(audit_jobs, audits)
        .where(audits.c.run_id == bindparam("run"), audits.c.id != bindparam("audit"), after, before)
        .order_by(audit_jobs.c.audit_id, audit_jobs.c.first)
    )


def _error(connection: Connection, run: PlannedRun, job: Row[*tuple[Any, ...]]) -> str | None:
    """Return what is wrong with a job of an audit, or None."""
    if job.state != DONE:
        begun = any(getattr(job, total.name) for total in TOTALS)
        return "the job is not done, but has findings" if begun else None
    start, end = _positions(job)
    where = {"run": run.id, "audit": job.audit_id, "start": start, "end": end}
    counts: dict[object, int] = dict(connection.execute(COUNTED_JUDGEMENTS, where).all())
    recorded = {Outcome.VALID: job.valid, Outcome.INVALID: job.invalid, Outcome.NO_EVIDENCE: job.no_evidence}
    if sum(recorded.values()) > job.stop - job.first:
        return "it has more judgements than items"
    if not storage_of(run).stores_valid_judgements:
        del recorded[Outcome.VALID]
    if counts != {int(outcome): count for outcome, count in recorded.items() if count}:
        return "the numbers of its judgements do not match their rows"
    count, least, greatest = connection.execute(NUMBERED_FAULTS, {"audit": job.audit_id, "job": job.first}).one()
    if count != job.faults or (count and (least, greatest) != (1, count)):
        return "the number of its faults does not match their rows"
    return None


def _positions(job: Row[*tuple[Any, ...]]) -> tuple[int, int]:
    """Return the range of positions `[start, end)` whose judgements belong to a job. A sample has one position in each
    of `size` stretches (see `dealmill.pipeline.games.sampling.sampled`)."""
    start, end = (1 + (number - 1) * job.population // max(job.size, 1) for number in (job.first, job.stop))
    return max(min(start, GREATEST), -GREATEST), max(min(end, GREATEST), -GREATEST)


def audit_faults(database: Database, run: int) -> Iterator[str]:
    """Yield what is wrong with the audits of a run: changed plans, jobs with gaps, and findings without an audit, an
    item or a job."""
    with database.reading() as connection:
        for *plan, recorded in connection.execute(PLANS_OF_RUN, {"run": run}).all():
            if seal("audit", *plan) != recorded:
                yield f"the plan of audit {plan[0]} was changed"
            elif not _tiled(connection, plan[0], plan[3]):
                yield f"the jobs of audit {plan[0]} have gaps or overlap"
        if (audit := connection.execute(JUDGEMENT_OF_NO_AUDIT, {"run": run}).scalar()) is not None:
            yield f"there are judgements of audit {audit}, which is not an audit of this run"
        if (audit := connection.execute(JUDGEMENT_OF_NO_ITEM, {"run": run}).scalar()) is not None:
            yield f"there are judgements of audit {audit} on items that the run does not have"
        if (audit := connection.execute(FAULT_OF_NO_JOB, {"run": run}).scalar()) is not None:
            yield f"there are faults of audit {audit} that belong to none of its finished jobs"


def _tiled(connection: Connection, audit: int, size: int) -> bool:
    """Return whether the jobs of an audit cover its verdicts from 1 to `size` without gaps or overlaps."""
    reached = 1
    for first, stop in connection.execution_options(yield_per=RANGES_PER_FETCH).execute(RANGES, {"audit": audit}):
        if first != reached or (stop == first and size):
            return False
        reached = stop
    return reached == size + 1
