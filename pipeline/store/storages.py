"""The choice of a storage."""

from dealmill.pipeline.store import tables
from dealmill.pipeline.store.runs import PlannedRun
from dealmill.pipeline.store.storage import Storage


def storage_of(run: PlannedRun) -> Storage:
    """Return the storage of a run's verdicts."""
    return storage_for(run.storage)


def storage_for(code: tables.Storage) -> Storage:
    """Return a storage by its code."""
    if code is tables.Storage.PACKED:
        from dealmill.pipeline.store.packed import Packed  # loads the compiler

        return Packed()
    from dealmill.pipeline.store.rows import Rows

    return Rows()
