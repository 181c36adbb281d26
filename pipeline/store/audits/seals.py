"""The seal of the record of a run, a short text that users store elsewhere. With it, a change of the record is noticed
even if all digests in the record were changed to match."""

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

from blake3 import blake3
from sqlalchemy import Connection, bindparam, func, select

from dealmill.pipeline.digests import block_of, seal, values
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.store.audits.audit import AuditStatus
from dealmill.pipeline.store.audits.earlier_digests import log_digest, node_digests, reject_digests
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import (
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
NODES = select(func.coalesce(func.sum(bounded(jobs.c.nodes)), 0)).where(
    jobs.c.run_id == bindparam("run"), jobs.c.first <= bindparam("population")
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

    It covers the seal of the run, the audit's number of items, the source, the digests of the blocks of these items,
    and the sum of their nodes. If the layouts of the run are stored, it covers the items of the source. Otherwise
    the source may be read later, for another run, so the seal covers only the parts that never change.
    """
    fields = _fields(connection, run, entry)
    return None if fields is None else _written(entry, *fields)


def _fields(connection: Connection, run: PlannedRun, entry: int, more: Iterable[bytes] = ()) -> tuple[Any, ...] | None:
    """Return the fields of a seal, the audit's number of items second. The digests `more` follow those of the items."""
    audited = connection.execute(AUDITED, {"entry": entry, "run": run.id}).one_or_none()
    if audited is None:
        return None
    where = {"run": run.id, "population": audited.population, "last": block_of(audited.population)}
    results = _digest(connection.execute(RESULTS, where, execution_options=FETCH_OPTIONS).scalars())
    nodes = int(connection.execute(NODES, where).scalar_one())
    return *audited, *_source(connection, run, more), results, nodes


def _written(entry: int, *fields: object) -> str:
    return f"{entry}-{seal('record', *fields).hex()}"


def _source(connection: Connection, run: PlannedRun, more: Iterable[bytes]) -> tuple[object, ...]:
    if not run.storage.stores_layouts:
        return run.source, run.game, run.source_name, run.generator, run.deals
    where = {"source": run.source}
    digests = connection.execute(ITEMS, where, execution_options=FETCH_OPTIONS).scalars()
    return connection.execute(SOURCE_SEAL, where).scalar_one(), _digest(chain(digests, more))


def _earlier_seals(connection: Connection, run: PlannedRun, entry: int) -> list[str]:
    """Return the seal that version 0.1.0 gave a record, and the one that it got afterwards, before version 0.2.0."""
    fields = _fields(connection, run, entry, reject_digests(connection, run.source))
    if fields is None:
        return []
    _, items, *_ = fields
    nodes, log = _digest(node_digests(connection, run, items)), log_digest(connection, entry)
    return [_written(entry, *fields, log), _written(entry, *fields, nodes, log)]


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
    """Return the seal of a run if `audit` checked all its verdicts and found nothing, and the run is finished."""
    if not audit.clean or audit.size < audit.population:
        return None
    run = find_run(database, audit.run)
    return seal_of_audit(database, run, audit.id) if run.finished else None


def still_sealed(database: Database, run: int, seal: str) -> bool:
    """Return whether the record of a run, as of the entry of the log that the seal names, has this seal, or one of
    those that earlier versions gave it."""
    entry, planned = entry_in(seal), find_run(database, run)
    with database.browsing() as connection:
        return seal == record_seal(connection, planned, entry) or seal in _earlier_seals(connection, planned, entry)
