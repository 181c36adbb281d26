"""The seal of the record of a run, a short text that users store elsewhere. With it, a change of the record is noticed
even if all digests in the record were changed to match."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from blake3 import blake3
from sqlalchemy import Connection, bindparam, func, select

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.evidence.digests import BLOCK, block_of, columns_digest, numbers, seal, values
from dealmill.pipeline.store.audits.audit import AuditStatus
from dealmill.pipeline.store.audits.earlier_digests import log_digest, reject_digests
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import (
    actions,
    audits,
    blocks,
    jobs,
    runs,
    source_blocks,
    sources,
    verdicts,
)
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.job_totals import bounded
from dealmill.pipeline.store.runs.planned import PlannedRun

FETCH_OPTIONS = {"yield_per": 1_000}

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
SUM_OF_NODES = select(func.coalesce(func.sum(bounded(jobs.c.nodes)), 0)).where(
    jobs.c.run_id == bindparam("run"), jobs.c.first <= bindparam("population")
)
NODES = (
    select(verdicts.c.nodes)
    .where(verdicts.c.run_id == bindparam("run"))
    .where(verdicts.c.position >= bindparam("first"), verdicts.c.position < bindparam("stop"))
    .order_by(verdicts.c.position)
)
SOURCE_SEAL = select(sources.c.seal).where(sources.c.id == bindparam("source"))
ITEMS = (
    select(source_blocks.c.digest)
    .where(source_blocks.c.source_id == bindparam("source"))
    .order_by(source_blocks.c.number)
)


def seal_of_audit(database: Database, run: PlannedRun, audit: int) -> str | None:
    """Return the seal of the record of a run as of an audit; None if the audit has no entry in the action log."""
    with database.browsing() as connection:
        entry = connection.execute(LAST_ENTRY, {"audit": audit}).scalar()
        return None if entry is None else record_seal(connection, run, entry)


def record_seal(connection: Connection, run: PlannedRun, entry: int) -> str | None:
    """Return the seal of the record of a run as of an entry of the action log; None if that is not the entry of an
    audit of this run. A seal is the number of the entry, a dash, and 64 hexadecimal digits.

    It covers the seal of the run, the audit's number of items, the source, and the digests of the blocks of these
    items. If the layouts of the run are stored, it covers the items of the source and the nodes of each verdict.
    Otherwise the nodes are those that solving again gives, and the seal covers the sum of those on record. A source
    without an end, or one that need not be read, may be read further later, so the seal covers only the parts of it
    that never change.
    """
    fields = _fields(connection, run, entry)
    if fields is None:
        return None
    *others, nodes = fields
    if run.storage.stores_layouts:
        _, items, *_ = others
        nodes = _digest(_node_digests(connection, run, items))
    return _written(entry, *others, nodes)


def _fields(connection: Connection, run: PlannedRun, entry: int, more: Iterable[bytes] = ()) -> tuple[Any, ...] | None:
    """Return the fields of a seal of version 0.2.0: the audit's number of items is the second, and the sum of the nodes
    the last one. The digests `more` follow those of the items."""
    audited = connection.execute(AUDITED, {"entry": entry, "run": run.id}).one_or_none()
    if audited is None:
        return None
    where = {"run": run.id, "population": audited.population, "last": block_of(audited.population)}
    results = _digest(connection.execute(RESULTS, where, execution_options=FETCH_OPTIONS).scalars())
    nodes = int(connection.execute(SUM_OF_NODES, where).scalar_one())
    return *audited, *_source(connection, run, where["last"], more), results, nodes


def _written(entry: int, *fields: object) -> str:
    return f"{entry}-{seal('record', *fields).hex()}"


def _source(connection: Connection, run: PlannedRun, last: int, more: Iterable[bytes]) -> tuple[object, ...]:
    """Return what identifies the source of a run whose last block has the number `last`."""
    constant = (run.source, run.game, run.source_name, run.generator, run.deals)
    if not run.storage.stores_layouts:
        return constant
    where = {"source": run.source}
    of_run = ITEMS.where(source_blocks.c.number <= last) if run.endless else ITEMS
    digests = chain(connection.execute(of_run, where, execution_options=FETCH_OPTIONS).scalars(), more)
    if run.endless:
        return *constant, _digest(digests)
    return connection.execute(SOURCE_SEAL, where).scalar_one(), _digest(digests)


def _node_digests(connection: Connection, run: PlannedRun, items: int) -> Iterator[bytes]:
    """Yield the digests of the node counts of every thousand of the first `items` verdicts of a run, if these
    are stored."""
    if run.storage.stores_layouts:
        for first in range(1, items + 1, BLOCK):
            where = {"run": run.id, "first": first, "stop": min(first + BLOCK, items + 1)}
            nodes = connection.execute(NODES, where).scalars().all()
            yield columns_digest("nodes", numbers([first]), numbers(nodes))


def _earlier_seals(connection: Connection, run: PlannedRun, entry: int) -> list[str]:
    """Return the seals that versions 0.2.0 and 0.1.0 gave a record, and the one that it got between these."""
    fields = _fields(connection, run, entry)
    with_rejects = _fields(connection, run, entry, reject_digests(connection, run.source))
    if fields is None or with_rejects is None:
        return []
    _, items, *_ = fields
    nodes, log = _digest(_node_digests(connection, run, items)), log_digest(connection, entry)
    return [
        _written(entry, *fields),
        _written(entry, *with_rejects, nodes, log),
        _written(entry, *with_rejects, log),
    ]


def _digest(digests: Iterable[object]) -> bytes:
    """Return the digest of digests."""
    digest_of_all = blake3()
    for digest in digests:
        digest_of_all.update(values([digest]))
    return digest_of_all.digest()


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


def seal_of(database: Database, audit: AuditStatus) -> str | None:
    """Return the seal of a run if `audit` checked all its verdicts and found nothing, and the run is finished. There is
    none if verdicts were added since the audit began."""
    run = find_run(database, audit.run)
    if not audit.clean or audit.judged < run.items or not run.finished:
        return None
    return seal_of_audit(database, run, audit.id)


def still_sealed(database: Database, run: int, seal: str) -> bool:
    """Return whether the record of a run, as of the entry of the log that the seal names, has this seal, or one of
    those that earlier versions gave it."""
    entry, planned = entry_in(seal), find_run(database, run)
    with database.browsing() as connection:
        return seal == record_seal(connection, planned, entry) or seal in _earlier_seals(connection, planned, entry)
