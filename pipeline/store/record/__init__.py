"""The record of what runs have said: a row for each verdict, or packed.

`contract` says what every storage can do, `rows` and `packed` do it, and `record_of` chooses between them.
"""

from functools import cache

from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record.contract import Record
from dealmill.pipeline.store.runs.planned import PlannedRun


def record_of(run: PlannedRun) -> Record:
    """How the verdicts of a run are stored."""
    return _record(run.storage)


@cache
def _record(storage: Storage) -> Record:
    if storage is Storage.PACKED:
        from dealmill.pipeline.store.record.packed.record import Packed  # loads the compiler

        return Packed()
    from dealmill.pipeline.store.record.rows.record import Rows

    return Rows()
