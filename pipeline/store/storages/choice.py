"""The choice of a storage. No module outside this package knows which class implements which storage."""

from collections.abc import Sequence

from sqlalchemy import select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import NUMBER_LIST, one_of
from dealmill.pipeline.store.database.tables import Storage, runs
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages.storage import VerdictStorage


def storage_of(run: PlannedRun) -> VerdictStorage:
    """Return the storage of a run's verdicts."""
    return storage_for(run.storage)


def storage_for(code: Storage) -> VerdictStorage:
    """Return a storage by its code."""
    if code is Storage.COMPACT:
        from dealmill.pipeline.store.storages.compact import Compact  # loads NumPy

        return Compact()
    from dealmill.pipeline.store.storages.rows import Rows

    return Rows()


def runs_by_storage(database: Database, numbers: Sequence[int]) -> list[tuple[VerdictStorage, list[int]]]:
    """Return each storage with the numbers of the runs that use it. A run with an invalid code is among those stored as
    rows."""
    groups: dict[Storage, list[int]] = {}
    query = select(runs.c.id, runs.c.storage).where(one_of(runs.c.id, NUMBER_LIST))
    with database.reading() as connection:
        for number, code in connection.execute(query, {"numbers": numbers}):
            storage = Storage.COMPACT if code == Storage.COMPACT else Storage.ROWS
            groups.setdefault(storage, []).append(number)
    return [(storage_for(code), group) for code, group in groups.items()]
