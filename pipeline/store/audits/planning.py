"""Planning of audits, of runs that can be audited."""

from dealmill.pipeline.errors import DamagedError, NotFoundError, StoreError, UsageError, VersionError
from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.store.audits.audit import plan_audit
from dealmill.pipeline.store.audits.run_record import plan_faults, source_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.choice import storage_of

CHUNK = 10_000
"""Verdicts per job: a few seconds of work for a referee at most."""


def queue_audit(database: Database, run: RunStatus, sample: int | None, seed: int) -> int:
    """Plan an audit of all verdicts of a run, or of a sample, and return its number.

    Raises
    ------
    UsageError
        If the sample is larger than the run.
    StoreError
        If the source of the run has not been read to its end.
    VersionError
        If the engine of the run, and so its referee, is not installed; or the run is compact, and other versions of its
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
        for reason in (*plan_faults(database, run), *source_faults(database, run)):
            raise DamagedError(f"{reason}; restore it, or the store, from a backup") from error
        raise
    return plan_audit(database, run, sample, seed, CHUNK)


def _check_auditable(run: RunStatus) -> None:
    if not run.complete:
        raise StoreError(f"{run.source_name} has not been read to its end: finish reading it, then audit run {run.id}")
    game, _ = engine_of_run(run.id, run.rules_engine)
    _ = game.check  # imported here too, so that the command ends at once with the reason if that fails
    storage_of(run).check_readable(run)
