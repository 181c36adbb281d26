"""The record of what runs have said: a row for each verdict, or packed.

`contract` says what every storage can do, `rows` and `packed` do it, and `record_of` chooses between them.
"""

from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record.contract import Record
from dealmill.pipeline.store.runs.planned import PlannedRun


def record_of(run: PlannedRun) -> Record:
    """How the verdicts of a run are stored."""
    if run.storage is Storage.PACKED:
        from dealmill.pipeline.store.record import packed  # loads the compiler

        return packed
    from dealmill.pipeline.store.record import rows

    return rows
