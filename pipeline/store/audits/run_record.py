"""Checks of the record of a run as a whole: its plan, its source and its rejects."""

from collections.abc import Iterator

from sqlalchemy import bindparam, func, select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import rejects, runs, sources
from dealmill.pipeline.store.runs.planned import PlannedRun, run_seal
from dealmill.pipeline.store.sources.source import SOURCE_COLUMNS, source_seal
from dealmill.pipeline.store.sources.source_digests import stray_source_blocks

SOURCE = select(*SOURCE_COLUMNS, sources.c.seal).where(sources.c.id == bindparam("source"))
COUNTS = select(sources.c.rejected, sources.c.accepted).where(sources.c.id == bindparam("source"))
REJECTED = select(func.count(), func.min(rejects.c.number), func.max(rejects.c.number)).where(
    rejects.c.source_id == bindparam("source")
)
RUN_SEAL = select(runs.c.seal).where(runs.c.id == bindparam("run"))


def source_faults(database: Database, run: PlannedRun) -> Iterator[str]:
    """Yield a message if the row of the run's source was changed."""
    with database.reading() as connection:
        *columns, recorded = connection.execute(SOURCE, {"source": run.source}).one()
    if source_seal(*columns) != recorded:
        yield f"the row of source {run.source} was changed"


def item_faults(database: Database, run: PlannedRun, population: int) -> Iterator[str]:
    """Yield a message if the last items of a run are missing: its `population`, counted from the rows that exist, is
    not the number of items of its source. Yield another one if there are digests of further items."""
    stored = run.storage.stores_layouts and not run.endless
    with database.reading() as connection:
        _, accepted = connection.execute(COUNTS, {"source": run.source}).one()
        items = population if stored else accepted if isinstance(accepted, int) else 0
        stray = stray_source_blocks(connection, run.source, items)
    if stored:
        last = accepted
    elif run.deals is None or run.endless:
        last = population
    else:
        last = run.deals["last"] - run.deals["first"] + 1
    if last != population:
        yield f"source {run.source} should have {last} items, but there are rows for only {population}"
    if stray:
        yield f"there are digests of blocks that source {run.source} does not have"


def reject_faults(database: Database, run: PlannedRun) -> Iterator[str]:
    """Yield a message if the run's source has not the rejects that it should have."""
    with database.reading() as connection:
        expected, _ = connection.execute(COUNTS, {"source": run.source}).one()
        count, first, last = connection.execute(REJECTED, {"source": run.source}).one()
    if count != expected or (count and (first, last) != (1, count)):
        yield f"source {run.source} has {count} rejects, expected {expected}, numbered from 1"


def plan_faults(database: Database, run: PlannedRun) -> Iterator[str]:
    """Yield a message if the plan of a run was changed."""
    with database.reading() as connection:
        recorded = connection.execute(RUN_SEAL, {"run": run.id}).scalar_one()
        if run_seal(connection, run.id) != recorded:
            yield f"the plan of run {run.id} was changed: its source, engine, limit or storage"
