"""The seal of the record of a run, a short text that users store elsewhere. With it, a change of the record is noticed
even if all digests in the record were changed to match."""

import re
from collections.abc import Mapping

from blake3 import blake3
from sqlalchemy import Connection, Select, bindparam, func, select

from dealmill.pipeline.digests import block_of, seal, values
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.store.audits.audit import AuditStatus
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import (
    Storage,
    actions,
    audits,
    blocks,
    jobs,
    runs,
    source_blocks,
    sources,
)
from dealmill.pipeline.store.runs.jobs import bounded
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import find_run

FETCHED = 1_000

LAST_ENTRY = select(func.max(actions.c.id)).where(actions.c.audit_id == bindparam("audit"))
AUDITED = (
    select(runs.c.seal, audits.c.population)
    .select_from(actions.join(audits, audits.c.id == actions.c.audit_id).join(runs, runs.c.id == audits.c.run_id))
    .where(actions.c.id == bindparam("entry"), runs.c.id == bindparam("run"))
)
RESULTS = (
    select(blocks.c.digest)
    .where(blocks.c.run_id == bindparam("run"), blocks.c.number <= bindparam("last"))
    .order_by(blocks.c.number)
)
NODE_DIGESTS = (
    select(blocks.c.node_digest)
    .where(
        blocks.c.run_id == bindparam("run"),
        blocks.c.number <= bindparam("last"),
        blocks.c.node_digest.is_not(None),
    )
    .order_by(blocks.c.number)
)
NODES = select(func.coalesce(func.sum(bounded(jobs.c.nodes)), 0)).where(
    jobs.c.run_id == bindparam("run"), jobs.c.first <= bindparam("population")
)
LOGGED = select(actions.c.digest).where(actions.c.id == bindparam("entry"))
SOURCE_SEAL = select(sources.c.seal).where(sources.c.id == bindparam("source"))
LISTED = (
    select(source_blocks.c.digest)
    .where(source_blocks.c.source_id == bindparam("source"))
    .order_by(source_blocks.c.kind, source_blocks.c.number)
)


def seal_of_audit(store: Database, run: PlannedRun, audit: int) -> str | None:
    """Return the seal of the record of a run up to the log entry of an audit; None if the audit has no entry."""
    with store.reading() as connection:
        entry = connection.execute(LAST_ENTRY, {"audit": audit}).scalar()
    return None if entry is None else next(iter(record_seals(store, run, entry)), None)


def record_seals(store: Database, run: PlannedRun, entry: int) -> list[str]:
    """Return the seal of the record of a run as of an entry of the action log, and the seal that version 0.1.0 gave
    it; nothing if the entry is not that of an audit of this run. A seal is the number of the entry, a dash, and 64
    hexadecimal digits.

    It covers the seal of the run, its source, the audit's number of items, the digests of their blocks, the sum of
    their nodes, the digests of their nodes (since version 0.2.0), and the digest of the entry, which covers all
    earlier entries. For a run stored as rows, it covers everything read from the source. The source of a packed run
    may be read later, for another run, so the seal covers only the parts that never change.
    """
    with store.browsing() as connection:
        if (found := connection.execute(AUDITED, {"entry": entry, "run": run.id}).one_or_none()) is None:
            return []
        audited = {"run": run.id, "last": block_of(found.population)}
        results, node_digests = (_digest(connection, digests, audited) for digests in (RESULTS, NODE_DIGESTS))
        nodes = connection.execute(NODES, {"run": run.id, "population": found.population}).scalar_one()
        log = connection.execute(LOGGED, {"entry": entry}).scalar_one()
        fields = (*found, *_source(connection, run), results, int(nodes))
        return [f"{entry}-{seal('record', *fields, *rest).hex()}" for rest in ((node_digests, log), (log,))]


def _source(connection: Connection, run: PlannedRun) -> tuple[object, ...]:
    if run.storage is Storage.PACKED:
        return run.source, run.game, run.source_name, run.generator, run.deals
    where = {"source": run.source}
    return connection.execute(SOURCE_SEAL, where).scalar_one(), _digest(connection, LISTED, where)


def _digest(connection: Connection, digests: Select[bytes], where: Mapping[str, int]) -> bytes:
    """Return the digest of digests, in the order of the query."""
    whole = blake3()
    for digest in connection.execution_options(yield_per=FETCHED).execute(digests, where).scalars():
        whole.update(values([digest]))
    return whole.digest()


def entry_in(seal: str) -> int:
    """Return the number of the last entry of the action log that a seal covers.

    Raises
    ------
    UsageError
        If the text is not a seal.
    """
    match = re.fullmatch(r"([1-9]\d{0,8})-[0-9a-f]{64}", seal, re.ASCII)
    if match is None:
        raise UsageError(f"{seal!r} is not a seal; a seal is a number, a dash and 64 hexadecimal digits")
    return int(match[1])


def seal_of(store: Database, audit: AuditStatus) -> str | None:
    """Return the seal of a run if `audit` checked all its verdicts and found nothing, and the run is finished."""
    if not audit.clean or audit.size < audit.population:
        return None
    run = find_run(store, audit.run)
    return seal_of_audit(store, run, audit.id) if run.finished else None


def still_sealed(store: Database, run: int, seal: str) -> bool:
    """Return whether the record of a run, up to the entry of the log that the seal names, has this seal."""
    return seal in record_seals(store, find_run(store, run), entry_in(seal))
