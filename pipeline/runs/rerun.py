"""Repeating a run with what is on record of it."""

from dealmill.pipeline.errors import DamagedError, StoreError, VersionError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.runs.planning import refuse_retracted
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.runs.plan import plan_repetition
from dealmill.pipeline.store.runs.status import RunStatus


def queue_rerun(store: Database, run: RunStatus, *, any_version: bool) -> int:
    """Plan a run of the same engine over the same source with the same limit; the number of that run, which is an
    earlier repetition if one was broken off.

    Raises
    ------
    StoreError
        If the run is not finished.
    DamagedError
        If jobs of it, or the numbers of its deals, are lost or damaged.
    VersionError
        If its engine's version is not the one that is installed, unless `any_version` will do; or if the run is packed,
        and deals are dealt otherwise here.
    RetractedError
        If the installed version was retracted, or that of a run that is not finished.
    """
    _check_finished(run)
    _, engine = find_engine(run.engine)
    if engine.version != run.version and not any_version:
        raise VersionError(
            f"run {run.id} is by version {run.version} of {run.engine}, but version {engine.version} is installed: "
            f"install the Dealmill that has it, or say --any-version to compare it with version {engine.version}"
        )
    if run.storage is Storage.PACKED:
        from dealmill.pipeline.store.record.packed.again import deals_of  # loads the compiler

        deals_of(run)
    return plan_repetition(store, run, engine.version)


def _check_finished(run: RunStatus) -> None:
    if run.finished:
        return
    refuse_retracted(run)
    if run.damaged:
        raise DamagedError(f"jobs of run {run.id} are lost or damaged: dealmill audit {run.id} says which")
    if not run.complete:
        raise StoreError(
            f"run {run.id} is not finished, for {run.source_name} has not been read to its end; read it in again with: "
            "dealmill ingest"
        )
    raise StoreError(f"run {run.id} is not finished; finish it with: dealmill work --drain")
