"""The choice of a storage."""

from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages.storage import VerdictStorage


def storage_of(run: PlannedRun) -> VerdictStorage:
    """Return the storage of a run's verdicts."""
    return storage_for(run.storage)


def storage_for(code: Storage) -> VerdictStorage:
    """Return a storage by its code."""
    if code is Storage.PACKED:
        from dealmill.pipeline.store.storages.packed import Packed  # loads the compiler

        return Packed()
    from dealmill.pipeline.store.storages.rows import Rows

    return Rows()
