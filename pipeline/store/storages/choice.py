"""The choice of a storage."""

from dealmill.pipeline.store.database import tables
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages.storage import Storage


def storage_of(run: PlannedRun) -> Storage:
    """Return the storage of a run's verdicts."""
    return storage_for(run.storage)


def storage_for(code: tables.Storage) -> Storage:
    """Return a storage by its code."""
    if code is tables.Storage.PACKED:
        from dealmill.pipeline.store.storages.packed import Packed  # loads the compiler

        return Packed()
    from dealmill.pipeline.store.storages.rows import Rows

    return Rows()
