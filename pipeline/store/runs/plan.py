"""Planning runs and reruns, and cutting them into jobs."""

from sqlalchemy import ColumnElement, Connection, exists, func, insert, literal, select, update

from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.games import find_game
from dealmill.pipeline.store import actions
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.tables import DONE, NodeLimit, Storage, jobs, runs, sources
from dealmill.pipeline.store.queue.solving import CHUNK, cut_jobs
from dealmill.pipeline.store.runs.engines import enter_engine
from dealmill.pipeline.store.runs.planned import item_count
from dealmill.pipeline.store.runs.sealing import run_seal
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.stored import Source

LEAST_CHUNK, MOST_CHUNK, PARTS = 5_000, 100_000, 64
"""Bounds on the items per job of a packed run, for a tenth of a second to several seconds of work; and the number of
jobs to aim for, enough for all cores of a machine."""


def plan_run(
    store: Database,
    source: Source,
    engine: str,
    version: str,
    max_nodes: int | None,
    *,
    storage: Storage = Storage.ROWS,
    chunk: int | None = None,
    why: str | None = None,
) -> int:
    """Return the number of the run of an engine over a source. If there is none, plan it and cut it into jobs. While a
    source is still being ingested, more jobs are added as its items are stored. `why` goes to the action log.

    Raises
    ------
    RetractedError
        If the engine version was retracted.
    """
    with store.writing() as connection:
        entered = enter_engine(connection, engine, version)
        known: int | None = connection.execute(
            select(runs.c.id)
            .where(*_same_plan(source.id, entered.id, max_nodes, storage))
            .order_by(runs.c.repetition)
            .limit(1)
        ).scalar()
        if known is not None:
            return known
        number = _plan(connection, source.id, entered.id, max_nodes, storage, None)
        items, complete = _items(connection, source, storage)
        cut_jobs(connection, number, items, complete, chunk or chunk_of(items, storage))
        actions.record(connection, "run", entered.id, run=number, why=why)
    return number


def plan_repetition(store: Database, run: RunStatus, version: str, chunk: int | None = None) -> int:
    """Plan a rerun of a run with the given version of its engine, and return its number. If there is an unfinished
    rerun, return the number of that one.

    Raises
    ------
    RetractedError
        If the engine version was retracted.
    """
    with store.writing() as connection:
        entered = enter_engine(connection, run.engine, version)
        unfinished = exists().where(jobs.c.run_id == runs.c.id, jobs.c.state != DONE)
        begun: int | None = connection.execute(
            select(runs.c.id)
            .where(
                *_same_plan(run.source, entered.id, run.max_nodes, run.storage), runs.c.repeats == run.id, unfinished
            )
            .limit(1)
        ).scalar()
        if begun is not None:
            return begun
        number = _plan(connection, run.source, entered.id, run.max_nodes, run.storage, run.id)
        cut_jobs(connection, number, run.items, True, chunk or chunk_of(run.items, run.storage))
        actions.record(connection, "rerun", entered.id, run=number, why=f"repeats run {run.id}")
    return number


def _same_plan(source: int, engine: int, max_nodes: int | None, storage: Storage) -> tuple[ColumnElement[bool], ...]:
    return (
        runs.c.source_id == source,
        runs.c.engine_id == engine,
        runs.c.node_limit == literal(max_nodes, NodeLimit),
        runs.c.storage == storage,
    )


def _plan(
    connection: Connection,
    source: int,
    engine: int,
    max_nodes: int | None,
    storage: Storage,
    repeats: int | None,
) -> int:
    repetition = connection.execute(
        select(func.count()).select_from(runs).where(*_same_plan(source, engine, max_nodes, storage))
    ).scalar_one()
    run: int = connection.execute(
        insert(runs)
        .values(
            source_id=source,
            engine_id=engine,
            node_limit=max_nodes,
            storage=storage,
            repetition=repetition,
            repeats=repeats,
            created=clock(),
            seal=b"",  # it covers the number of the run
        )
        .returning(runs.c.id)
    ).scalar_one()
    connection.execute(update(runs).where(runs.c.id == run).values(seal=run_seal(connection, run)))
    return run


def _items(connection: Connection, source: Source, storage: Storage) -> tuple[int, bool]:
    """Return the number of items that a run starts with, and whether that is final. The row of the source stays locked
    until the end of the transaction, so its reader waits."""
    if storage is Storage.PACKED:
        assert source.deals is not None  # noqa: S101 -- checked by `queue_run`
        deals = DealRange.of(find_game(source.game), source.deals)
        return 0 if deals.endless else len(deals), True
    row = connection.execute(
        select(sources.c.accepted, sources.c.complete).where(sources.c.id == source.id).with_for_update(read=True)
    ).one()
    return item_count(f"source {source.id}", row.accepted), row.complete


def chunk_of(items: int, storage: Storage) -> int:
    """Return the number of items per job for a run of `items` items, without knowing how long an item takes."""
    if storage is Storage.ROWS:
        return CHUNK
    return min(max(-(-items // PARTS // BLOCK) * BLOCK, LEAST_CHUNK), MOST_CHUNK)
