"""Digests of the items of a source, in blocks of a thousand. They reveal changes that cannot be detected from other
tables, such as a changed line number."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, exists, not_, select

from dealmill.pipeline.evidence.digests import BLOCK, block_of, block_range, columns_digest, digests, numbers
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.tables import items, source_blocks

ITEM = (items.c.position, items.c.line, items.c.digest)
"""The columns of an item that the digest of its block covers."""
ITEMS_BETWEEN = (
    select(*ITEM)
    .where(
        items.c.source_id == bindparam("source"),
        items.c.position >= bindparam("first"),
        items.c.position < bindparam("stop"),
    )
    .order_by(items.c.position)
)
STRAYS = select(
    exists().where(
        source_blocks.c.source_id == bindparam("source"), not_(source_blocks.c.number.between(0, bindparam("last")))
    )
)


def items_digest(columns: Sequence[Any]) -> bytes:
    """Return the digest of consecutive items, given the columns `ITEM` of them, each as a sequence or an array."""
    positions, lines, layout_digests = columns
    return columns_digest("items", numbers(positions), numbers(lines), digests(layout_digests))


def record_source_blocks(
    connection: Connection, source: int, before: int, after: int, columns: Sequence[Any], *, last: bool
) -> None:
    """Record the digests of the blocks that new items of a source complete.

    The source had `before` items and now has `after`; `columns` holds the columns `ITEM` of the new ones. With `last`,
    the final block is recorded even if it is not full.
    """
    rows = []
    for number in range(before // BLOCK, block_of(after) + 1 if last else after // BLOCK):
        first, stop = block_range(number, after)
        if first <= before:
            block = connection.execute(ITEMS_BETWEEN, {"source": source, "first": first, "stop": stop}).all()
            digest = items_digest([[row[index] for row in block] for index in range(len(ITEM))])
        else:
            digest = items_digest([column[first - before - 1 : stop - before - 1] for column in columns])
        rows.append((source, number, digest))
    insert_rows(connection, source_blocks, ("source_id", "number", "digest"), rows)


def stray_source_blocks(connection: Connection, source: int, count: int) -> bool:
    """Return whether there are digests of blocks beyond the `count` items of a source."""
    return connection.execute(STRAYS, {"source": source, "last": block_of(count)}).scalar_one()
