"""Checks of the record of a run as a whole: its plan, its source and its rejects."""

from collections.abc import Iterator

from sqlalchemy import bindparam, func, select

from dealmill.pipeline.digests import seal
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import (
    Storage,
    rejects,
    runs,
    sources,
)
from dealmill.pipeline.store.runs.planned import PlannedRun, run_seal
from dealmill.pipeline.store.sources.blocks import REJECT_LISTING, source_blocks_from, stray_source_blocks
from dealmill.pipeline.store.sources.source import COLUMNS

SOURCE = select(*COLUMNS, sources.c.seal).where(sources.c.id == bindparam("source"))
COUNTS = select(sources.c.rejected, sources.c.accepted, sources.c.complete).where(sources.c.id == bindparam("source"))
REJECTED = select(func.count()).select_from(rejects).where(rejects.c.source_id == bindparam("source"))
RUN_SEAL = select(runs.c.seal).where(runs.c.id == bindparam("run"))


def source_faults(store: Database, run: PlannedRun) -> Iterator[str]:
    """Yield a message if the row of the run's source was changed."""
    with store.reading() as connection:
        *columns, recorded = connection.execute(SOURCE, {"source": run.source}).one()
    if seal("source", *columns) != recorded:
        yield f"the row of source {run.source} was changed"


def item_faults(store: Database, run: PlannedRun, population: int) -> Iterator[str]:
    """Yield a message if the last items of a run are missing: its `population`, counted from the rows that exist, is
    not the number of items of its source."""
    if run.storage is Storage.ROWS:
        with store.reading() as connection:
            last = connection.execute(COUNTS, {"source": run.source}).one().accepted
    elif run.deals is None or run.deals.get("last") is None:
        return
    else:
        last = run.deals["last"] - run.deals["first"] + 1
    if last != population:
        yield f"source {run.source} should have {last} items, but there are rows for only {population}"


def reject_faults(store: Database, run: PlannedRun, population: int) -> Iterator[str]:
    """Yield what is wrong with the rejects of the run's source, and with digests of blocks that do not exist."""
    listing, source = REJECT_LISTING, run.source
    with store.reading() as connection:
        counted, accepted, complete = connection.execute(COUNTS, {"source": source}).one()
        there = connection.execute(REJECTED, {"source": source}).scalar_one()
        if there != counted:
            yield f"source {source} has {there} rejects, expected {counted}"
        for first, stop, recorded, found in source_blocks_from(connection, listing, source, there, 1, there + 1):
            if recorded != found and (complete or recorded is not None):
                yield f"rejects {first} to {stop - 1} of source {source} were changed"
        items = population if run.storage is Storage.ROWS else accepted if isinstance(accepted, int) else 0
        if stray_source_blocks(connection, source, items, there):
            yield f"there are digests of blocks that source {source} does not have"


def plan_faults(store: Database, run: PlannedRun) -> Iterator[str]:
    """Yield a message if the plan of a run was changed."""
    with store.reading() as connection:
        recorded = connection.execute(RUN_SEAL, {"run": run.id}).scalar_one()
        if run_seal(connection, run.id) != recorded:
            yield f"the plan of run {run.id} was changed: its source, engine, limit or storage"
