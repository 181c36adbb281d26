"""Reruns: repeating a run with its recorded parameters."""

from dealmill.pipeline.errors import DamagedError, StoreError, VersionError
from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.runs.planning import check_not_retracted
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.runs.plan import plan_repetition
from dealmill.pipeline.store.runs.status import RunStatus


def queue_rerun(store: Database, run: RunStatus, *, any_version: bool) -> int:
    """Plan a rerun, with the same engine, source and limit, and return its number.

    If an earlier rerun was interrupted, its number is returned.

    Raises
    ------
    StoreError
        If the run is not finished.
    DamagedError
        If its jobs, or the numbers of its deals, are lost or damaged.
    VersionError
        If its engine is not installed, or another version of it (unless `any_version` is set), or the run is packed and
        another version of its generator is installed.
    RetractedError
        If the installed version was retracted, or the run is unfinished and its version was retracted.
    """
    check_finished(run)
    _, engine = engine_of_run(run.id, run.engine)
    if engine.version != run.version and not any_version:
        raise VersionError(
            f"run {run.id} is by version {run.version} of {run.engine}, but version {engine.version} is installed: "
            f"install the Dealmill that has it, or use --any-version to compare it with version {engine.version}"
        )
    if run.storage is Storage.PACKED:
        from dealmill.pipeline.store.record.packed.again import deals_of  # loads the compiler

        deals_of(run)
    return plan_repetition(store, run, engine.version)


def check_finished(run: RunStatus) -> None:
    """Check that every item of a run has a verdict.

    Raises
    ------
    RetractedError, DamagedError, StoreError
        If it has not, by the reason.
    """
    if run.finished:
        return
    check_not_retracted(run)
    if run.damaged:
        raise DamagedError(f"jobs of run {run.id} are lost or damaged; find them with: dealmill audit {run.id}")
    if not run.complete:
        raise StoreError(
            f"run {run.id} is not finished, since {run.source_name} has not been read to its end; read it again with: "
            "dealmill ingest"
        )
    raise StoreError(f"run {run.id} is not finished; finish it with: dealmill work --drain")
