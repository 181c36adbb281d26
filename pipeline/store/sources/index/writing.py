"""Write the index of layouts, in segments that never change.

A large source is indexed in the transactions that store its items. Small ones wait until there are enough of them. Each
source with items that no segment covers yet has a row in `unindexed`, and a lookup reads those items themselves.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, delete, func, insert, or_, select, text, update

from dealmill.pipeline.games.batch import Bytes
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import (
    index_blocks,
    index_segments,
    index_stretches,
    items,
    sources,
    unindexed,
)
from dealmill.pipeline.store.sources.duplicates import DigestPrefixes
from dealmill.pipeline.store.sources.index.entries import ENTRY, HEAD, block_digest
from dealmill.pipeline.store.sources.stored import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEGMENT = 1 << 20
"""The items that are indexed together while a source is being read."""
LEAST = 1 << 16
"""Fewer unindexed items of complete sources are searched one by one, which takes some 10 ms."""
SOURCES = 256
"""Fewer complete sources with unindexed items are searched in this way."""
BLOCK = 4_096
"""The most entries of a block on average: 32 KB."""


def index_items(connection: Connection, before: Source, after: Source, seen: DigestPrefixes | None) -> None:
    """Index the items of a source that has grown, if there are enough, in the transaction that stores them. `seen`
    holds the beginnings of its digests, if they are known."""
    if after.accepted // SEGMENT == before.accepted // SEGMENT and not after.complete:
        return
    _lock(connection)
    listed = select(unindexed.c.position).where(unindexed.c.source_id == after.id)
    first = connection.execute(listed).scalar()
    if first is None:
        return
    count = min(after.accepted - first + 1, 2 * SEGMENT)
    if count >= SEGMENT or (after.complete and count >= LEAST):
        heads = None if seen is None else seen.part(first, first + count, after.accepted)
        if heads is None:
            heads = _stored_heads(connection, after.id, first, count)
        _write_segment(connection, [(after.id, first, count)], heads)
    elif after.complete:
        _index_complete(connection)


def index_some(store: Database) -> bool:
    """Index up to a segment of the items of complete sources that are not indexed yet. Return False if there are too
    few to be worth it."""
    with store.writing() as connection:
        _lock(connection)
        return _index_complete(connection)


def clear_index(store: Database) -> None:
    """Delete the index, so that `index_some` builds it again."""
    with store.writing() as connection:
        _lock(connection)
        for table in (unindexed, index_stretches, index_blocks, index_segments):
            connection.execute(delete(table))
        every = select(sources.c.id, 1)
        connection.execute(insert(unindexed).from_select(["source_id", "position"], every))


def _index_complete(connection: Connection) -> bool:
    left = (sources.c.accepted - unindexed.c.position + 1).label("left")
    waiting = (
        select(unindexed.c.source_id, unindexed.c.position, left)
        .join(sources)
        .where(sources.c.complete, left > 0)
        .order_by(unindexed.c.source_id)
        .limit(SOURCES)
    )
    each = waiting.subquery()
    count, total = connection.execute(select(func.count(), func.sum(each.c.left))).one()
    if count < SOURCES and (total or 0) < LEAST:
        return False
    stretches, free = list[tuple[int, int, int]](), SEGMENT
    for source, position, size in connection.execute(waiting).all():
        if free:
            stretches.append((source, position, min(size, free)))
            free -= stretches[-1][2]
    _write_segment(connection, stretches, np.concatenate([_stored_heads(connection, *one) for one in stretches]))
    return True


def _lock(connection: Connection) -> None:
    """Let one transaction at a time write the index; on SQLite, every writer is the only one."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"LOCK TABLE {index_segments.name} IN EXCLUSIVE MODE"))


def _stored_heads(connection: Connection, source: int, first: int, count: int) -> Bytes:
    """Return the beginnings of the stored digests of items (n × 3); zeros where an item is missing or damaged."""
    start = func.substr(items.c.digest, 1, HEAD)
    query = select(items.c.position, start).where(
        items.c.source_id == source, items.c.position >= first, items.c.position < first + count
    )
    found = np.zeros((count, HEAD), dtype=np.uint8)
    for rows in connection.execute(query).partitions(BLOCK):
        sound = [(position - first, head) for position, head in rows if isinstance(head, bytes) and len(head) == HEAD]
        heads = np.frombuffer(b"".join([head for _, head in sound]), dtype=np.uint8)
        found[[place for place, _ in sound]] = heads.reshape(-1, HEAD)
    return found


def _write_segment(connection: Connection, stretches: Sequence[tuple[int, int, int]], heads: Bytes) -> None:
    """Write a segment for consecutive items of sources, given as source, position and count, with their `heads`
    (n × 3 or more)."""
    behind = select(index_stretches.c.first + index_stretches.c.size).order_by(index_stretches.c.first.desc()).limit(1)
    number: int = connection.execute(behind).scalar() or 0
    entries = _sorted_entries(heads, number)
    bits = ((len(entries) - 1) // BLOCK).bit_length()
    segment = connection.execute(
        insert(index_segments).values(bits=bits, entries=len(entries)).returning(index_segments.c.id)
    ).scalar_one()
    starts = np.arange(1, 1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    blocks = [part.astype(">u8").tobytes() for part in np.split(entries, np.searchsorted(entries, starts))]
    rows = [(segment, place, block, block_digest(segment, bits, place, block)) for place, block in enumerate(blocks)]
    insert_rows(connection, index_blocks, ("segment_id", "number", "entries", "digest"), rows)
    sizes = [size for _, _, size in stretches]
    covered = [
        (first, size, source, position)
        for first, (source, position, size) in zip(accumulate(sizes, initial=number), stretches, strict=False)
    ]
    insert_rows(connection, index_stretches, ("first", "size", "source_id", "position"), covered)
    _cover(connection, stretches)


def _sorted_entries(heads: Bytes, number: int) -> "NDArray[np.uint64]":
    padded = np.zeros((len(heads), ENTRY), dtype=np.uint8)
    padded[:, :HEAD] = heads[:, :HEAD]
    entries = padded.view(">u8").ravel().astype(np.uint64)
    entries += np.arange(number, number + len(heads), dtype=np.uint64)
    entries.sort()
    return entries


def _cover(connection: Connection, stretches: Sequence[tuple[int, int, int]]) -> None:
    """Note that these items are indexed now."""
    last, position, size = stretches[-1]  # all others are covered to their end
    connection.execute(update(unindexed).where(unindexed.c.source_id == last).values(position=position + size))
    covered = select(sources.c.id).where(
        sources.c.id.in_([source for source, _, _ in stretches]),
        sources.c.complete,
        or_(sources.c.id != last, sources.c.accepted < position + size),
    )
    connection.execute(delete(unindexed).where(unindexed.c.source_id.in_(covered)))
