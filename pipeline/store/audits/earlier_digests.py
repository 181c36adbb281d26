"""Digests that earlier versions stored and their seals cover, computed from the rows. Seals that were printed before
version 0.2.0 are accepted until version 0.3.0, which can do without this module."""

from collections.abc import Iterator

from sqlalchemy import Connection, bindparam, select

from dealmill.pipeline.evidence.digests import BLOCK, columns_digest, numbers, seal, texts
from dealmill.pipeline.store.database.tables import actions, engines, rejects

LOG = (
    select(
        *(actions.c.id, actions.c.who, actions.c.what, actions.c.run_id, actions.c.audit_id),
        *(engines.c.name, engines.c.version, actions.c.why, actions.c.dealmill),
    )
    .select_from(actions.outerjoin(engines))
    .where(actions.c.id <= bindparam("entry"))
    .order_by(actions.c.id)
)
REJECTS = (
    select(rejects.c.number, rejects.c.line, rejects.c.text, rejects.c.reasons)
    .where(rejects.c.source_id == bindparam("source"))
    .order_by(rejects.c.number)
)


def log_digest(connection: Connection, entry: int) -> bytes | None:
    """Return the digest of an entry of the action log, which covered the digest of the entry before it."""
    digest = None
    for row in connection.execute(LOG, {"entry": entry}):
        digest = seal("action", digest, *row)
    return digest


def reject_digests(connection: Connection, source: int) -> Iterator[bytes]:
    """Yield the digests of every thousand rejects of a source."""
    for rows in connection.execute(REJECTS, {"source": source}).partitions(BLOCK):
        positions, lines, contents, reasons = zip(*rows, strict=True)
        yield columns_digest("rejects", numbers(positions), numbers(lines), texts(contents), texts(reasons))
