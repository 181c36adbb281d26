"""Trying again the layouts on which a program failed because of the machine."""

from dealmill.pipeline.errors import RetractedError, VersionError
from dealmill.pipeline.runs.planning import version_mismatch
from dealmill.pipeline.runs.rerun import check_finished
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.retrying import reopen
from dealmill.pipeline.store.runs.status import RunStatus


def queue_retry(store: Database, run: RunStatus) -> int:
    """Queue the jobs of a run again that have such layouts, and return the number of these layouts.

    Raises
    ------
    StoreError
        If the run is not finished.
    RetractedError
        If its engine version was retracted.
    VersionError
        If another version of its engine is installed.
    """
    check_finished(run)
    if run.retracted is not None:
        raise RetractedError(f"run {run.id} cannot be tried again: it was retracted ({run.retracted})")
    if here := version_mismatch(run.engine, run.version):
        raise VersionError(
            f"run {run.id} is by version {run.version} of {run.engine}, but {here}: install that version"
        )
    return reopen(store, run.id)
