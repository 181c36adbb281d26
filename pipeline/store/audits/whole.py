"""The record of a run as a whole: what binds its plan and its source, and the seal of all of it."""

from collections.abc import Iterator

from blake3 import blake3
from sqlalchemy import Connection, Select, func, select

from dealmill.pipeline.fingerprint import block_of
from dealmill.pipeline.seals import seal, values
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import (
    Storage,
    actions,
    audits,
    blocks,
    jobs,
    rejects,
    runs,
    source_blocks,
    sources,
)
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.sealing import run_seal
from dealmill.pipeline.store.sources.blocks import (
    ITEM_LISTING,
    REJECT_LISTING,
    source_blocks_from,
    stray_source_blocks,
)
from dealmill.pipeline.store.sources.stored import COLUMNS

FETCHED = 1_000


def source_faults(store: Database, run: PlannedRun) -> Iterator[str]:
    """What is wrong with the row of the source of a run."""
    row = select(*COLUMNS, sources.c.seal).where(sources.c.id == run.source)
    with store.reading() as connection:
        *told, recorded = connection.execute(row).one()
    if seal("source", *told) != recorded:
        yield f"what is on record of source {run.source} is not what was written"


def item_faults(store: Database, run: PlannedRun, population: int) -> Iterator[str]:
    """Whether a run has lost its last items, so that rows go up to fewer than its source has, its `population`."""
    if run.storage is Storage.ROWS:
        with store.reading() as connection:
            last = connection.execute(select(sources.c.accepted).where(sources.c.id == run.source)).scalar_one()
    elif run.deals is None or run.deals.get("last") is None:
        return
    else:
        last = run.deals["last"] - run.deals["first"] + 1
    if last != population:
        yield f"source {run.source} has {last} items, but there are rows for {population} only"


def reject_faults(store: Database, run: PlannedRun, population: int) -> Iterator[str]:
    """What is wrong with the rejects of the source of a run, and with digests of blocks that it does not have."""
    listing, source = REJECT_LISTING, run.source
    with store.reading() as connection:
        counted, accepted, complete = connection.execute(
            select(sources.c.rejected, sources.c.accepted, sources.c.complete).where(sources.c.id == source)
        ).one()
        there = connection.execute(
            select(func.count()).select_from(rejects).where(rejects.c.source_id == source)
        ).scalar_one()
        if there != counted:
            yield f"source {source} has {there} rejects on record, and not {counted}"
        for first, stop, recorded, found in source_blocks_from(connection, listing, source, there, 1, there + 1):
            if recorded != found and (complete or recorded is not None):
                yield f"rejects {first} to {stop - 1} of source {source} are not those that were written"
        items = population if run.storage is Storage.ROWS else accepted if isinstance(accepted, int) else 0
        if stray_source_blocks(connection, source, {ITEM_LISTING: items, listing: there}):
            yield f"there are digests of items or rejects that source {source} does not have"


def plan_faults(store: Database, run: PlannedRun) -> Iterator[str]:
    """What is wrong with the plan of a run."""
    with store.reading() as connection:
        recorded = connection.execute(select(runs.c.seal).where(runs.c.id == run.id)).scalar_one()
        if run_seal(connection, run.id) != recorded:
            yield f"run {run.id} is not the one that was planned: its source, engine or limit was changed"


def seal_of_audit(store: Database, run: PlannedRun, audit: int) -> str | None:
    """The seal of the record of a run as an audit found it."""
    with store.reading() as connection:
        entry = connection.execute(select(func.max(actions.c.id)).where(actions.c.audit_id == audit)).scalar()
    return None if entry is None else record_seal(store, run, entry)


def record_seal(store: Database, run: PlannedRun, entry: int) -> str | None:
    """The seal of the record of a run as it was when that entry of the log of actions was the last: the number of the
    entry, a dash, and 64 hexadecimal digits; None if the entry is not that of an audit of this run.

    It covers the seal of the run, its source, how many items the audit was of, the digests of their blocks, the sum of
    their nodes, and the digest of the entry, which covers all before. Of the source of rows it covers all that was
    read. That of a packed run may be read later, for another run, so it covers only what does not change then.
    """
    planned = (
        select(runs.c.seal, audits.c.population)
        .select_from(actions.join(audits, audits.c.id == actions.c.audit_id).join(runs, runs.c.id == audits.c.run_id))
        .where(actions.c.id == entry, runs.c.id == run.id)
    )
    with store.browsing() as connection:
        if (found := connection.execute(planned).one_or_none()) is None:
            return None
        of_items = (blocks.c.run_id == run.id, blocks.c.number <= block_of(found.population))
        results = _digest(connection, select(blocks.c.digest).where(*of_items).order_by(blocks.c.number))
        of_jobs = (jobs.c.run_id == run.id, jobs.c.first <= found.population)
        nodes = connection.execute(select(func.coalesce(func.sum(jobs.c.nodes), 0)).where(*of_jobs)).scalar_one()
        log = connection.execute(select(actions.c.digest).where(actions.c.id == entry)).scalar_one()
        return f"{entry}-{seal('record', *found, *_source(connection, run), results, int(nodes), log).hex()}"


def _source(connection: Connection, run: PlannedRun) -> tuple[object, ...]:
    if run.storage is Storage.PACKED:
        return run.source, run.game, run.source_name, run.generator, run.deals
    sealed = connection.execute(select(sources.c.seal).where(sources.c.id == run.source)).scalar_one()
    block = source_blocks.c
    listed = select(block.digest).where(block.source_id == run.source).order_by(block.kind, block.number)
    return sealed, _digest(connection, listed)


def _digest(connection: Connection, digests: Select[tuple[bytes]]) -> bytes:
    """The digest of digests, in their order."""
    whole = blake3()
    for digest in connection.execution_options(yield_per=FETCHED).execute(digests).scalars():
        whole.update(values([digest]))
    return whole.digest()
