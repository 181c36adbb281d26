"""Audits and their jobs, one of the kinds of jobs (see `dealmill.workers.kinds`).

A job checks verdicts with the referee, and the record against its invariants.
"""

from collections import Counter
from collections.abc import Mapping

from dealmill.pipeline.errors import DamagedError, NotFoundError, StoreError, UsageError, VersionError
from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.referee import referee
from dealmill.pipeline.sampling import sampled
from dealmill.pipeline.store import audits
from dealmill.pipeline.store.audits import AUDITING, AuditJob, Findings, plan_audit
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.invariants import AuditScope, faults_of
from dealmill.pipeline.store.record import record_of
from dealmill.pipeline.store.record.contract import Fault
from dealmill.pipeline.store.runs import PlannedRun, RunStatus
from dealmill.pipeline.store.seals import plan_faults, source_faults

CHUNK = 10_000
"""Verdicts per job: a few seconds of work for a referee at most."""

TABLE, claim, finish = AUDITING, audits.claim, audits.finish


def queue_audit(store: Database, run: RunStatus, sample: int | None, seed: int) -> int:
    """Plan an audit of all verdicts of a run, or of a sample, and return its number.

    Raises
    ------
    UsageError
        If the sample is larger than the run.
    StoreError
        If the source of the run has not been read to its end.
    VersionError
        If the engine of the run, and so its referee, is not installed; or the run is packed, and other versions of its
        engine or generator are installed.
    DealmillError
        If the referee cannot be imported.
    DamagedError
        If one of these is so because the plan or the source of the run was changed from outside.
    """
    if sample is not None and sample > run.items:
        raise UsageError(f"run {run.id} has {run.items:,} items, too few for a sample of {sample:,}")
    try:
        _check_auditable(run)
    except (NotFoundError, StoreError, VersionError) as error:
        for reason in (*plan_faults(store, run), *source_faults(store, run)):
            raise DamagedError(f"{reason}; restore it, or the store, from a backup") from error
        raise
    return plan_audit(store, run, sample, seed, CHUNK)


def _check_auditable(run: RunStatus) -> None:
    if not run.complete:
        raise StoreError(f"{run.source_name} has not been read to its end: finish reading it, then audit run {run.id}")
    game, _ = engine_of_run(run.id, run.engine)
    _ = game.check  # imported here too, so that the command ends at once with the reason if that fails
    record_of(run).check_readable(run)


def prepare(_run: PlannedRun) -> None:
    """Do nothing: a referee needs no preparation."""


def do(store: Database, job: AuditJob) -> Findings:
    """Do a job of an audit, and return its findings: the referee's judgements, and the faults of the record.

    In an audit of a sample, only the sampled items are checked.
    """
    run, numbers, record = job.run, range(job.lease.first, job.lease.stop), record_of(job.run)
    whole = job.size >= job.population
    if whole:
        stretch = record.stretch(
            store, run, job.population, range(numbers.start, min(numbers.stop, job.population + 1))
        )
    else:
        positions = [sampled(number, job.size, job.population, job.seed) for number in numbers]
        stretch = record.sample(store, run, job.population, positions)
    look = AuditScope(store, run, job.lease.owner, job.population, stretch, whole)
    judge = referee(run.engine)
    judged = [
        (item.position, judge(item.layout, item.verdict, item.value, item.evidence))
        for item in stretch.items
        if item.verdict is not None
    ]
    return judged, faults_of(look)


def give_up(_store: Database, job: AuditJob, trouble: str) -> Findings:
    """Return the findings of a job that cannot be done because of `trouble`: one fault."""
    ends = (number for number in (job.lease.first, job.lease.stop - 1) if number <= job.size)
    places = [sampled(number, job.size, job.population, job.seed) for number in ends] or [1]
    return [], [Fault(places[0], places[-1], f"these items cannot be audited: {trouble}")]


def count(found: Findings) -> Mapping[str, int]:
    """Return the number of judgements for each outcome, by its name in lower case."""
    return Counter(judgement.outcome.name.lower() for _, judgement in found[0])
