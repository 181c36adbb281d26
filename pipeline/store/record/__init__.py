"""The record of a run: its verdicts and evidence, stored as rows or packed.

`contract` defines the interface of a storage, `rows` and `packed` implement it, and `record_of` selects one.
"""

from dealmill.pipeline.store.record.contract import Record
from dealmill.pipeline.store.runs import PlannedRun
from dealmill.pipeline.store.tables import Storage


def record_of(run: PlannedRun) -> Record:
    """Return the storage of a run's verdicts."""
    if run.storage is Storage.PACKED:
        from dealmill.pipeline.store.record import packed  # loads the compiler

        return packed
    from dealmill.pipeline.store.record import rows

    return rows
