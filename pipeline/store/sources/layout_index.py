"""The index of layouts by their digests, and the duplicates of a source.

An entry is the first 3 bytes of the digest of an item, and the number of the item in the index (5 bytes, big-endian).
A segment holds sorted entries in blocks, which are numbered by the first bits of the digest. Digests are random, so the
blocks of a segment have nearly the same size, and a lookup reads one of them.

The index only proposes items; each is read and compared. Each block that is read is compared with its digest, and the
number of entries with the number of items, so that a damaged or incomplete index is noticed.

A large source is indexed in the transactions that store its items. Small ones wait until there are enough of them. Each
source with items that no segment covers yet has a row in `unindexed`, and a lookup reads those items themselves.
"""

import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    update,
)

from dealmill.pipeline.digests import columns_digest, digests, layout_digest, numbers
from dealmill.pipeline.errors import DamagedError, DamagedWarning
from dealmill.pipeline.games.batch import Bytes, Numbers
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.shapes import Shape
from dealmill.pipeline.store.database.tables import (
    Control,
    index_blocks,
    index_segments,
    index_stretches,
    items,
    runs,
    sources,
    unindexed,
)
from dealmill.pipeline.store.sources.source import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 20_000
"""The most items that are named in a query; if more share a prefix, the database compares all items."""
AT_ONCE = 1_000_000
"""Prefixes compared in one step, which needs several times their memory."""
PREFIX = 5
"""Bytes of a digest. Among ten million digests, some fifty pairs share these by chance."""


class DigestPrefixes:
    """The first bytes of each digest of a source, for a reader that started at its beginning."""

    MOST = 16_000_000

    def __init__(self) -> None:
        self._kept = bytearray()
        self._shared: Numbers | None = None

    def add(self, digests: Bytes) -> None:
        """Add the prefixes of these digests (n × 16), unless there are more than `MOST` already."""
        self._shared = None
        if len(self._kept) < self.MOST * PREFIX:
            self._kept += digests[:, :PREFIX].tobytes()

    def part(self, first: int, stop: int, count: int) -> Bytes | None:
        """Return the prefixes of the items `[first, stop)` (n × `PREFIX`); None if not exactly the digests of the first
        `count` items were added."""
        if len(self._kept) != count * PREFIX:
            return None
        copied = bytes(self._kept[(first - 1) * PREFIX : (stop - 1) * PREFIX])
        return np.frombuffer(copied, dtype=np.uint8).reshape(-1, PREFIX)

    def shared(self, count: int) -> Numbers | None:
        """Return the positions of the items whose prefix occurs more than once among the first `count` items; None if
        not exactly their digests were added."""
        if len(self._kept) != count * PREFIX:
            return None
        if self._shared is None:
            self._shared = _repeated(np.frombuffer(self._kept, dtype=np.uint8).reshape(-1, PREFIX)) + 1
        return self._shared


def _repeated(prefixes: Bytes) -> Numbers:
    """Return the indexes of the prefixes (n × `PREFIX`) that occur more than once. Sixteenths of them are sorted one
    after the other, which needs less memory than sorting all."""
    if len(prefixes) < 2:
        return np.empty(0, dtype=np.int64)
    sixteenths = prefixes[:, 0] & 15
    parts = (np.sort(_prefix_numbers(prefixes[sixteenths == part])) for part in range(16))
    repeated = np.concatenate([part[1:][part[1:] == part[:-1]] for part in parts])
    starts = range(0, len(prefixes), AT_ONCE) if len(repeated) else ()
    found = [
        start + np.flatnonzero(np.isin(_prefix_numbers(prefixes[start : start + AT_ONCE]), repeated))
        for start in starts
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *found])


def _prefix_numbers(prefixes: Bytes) -> "NDArray[np.uint64]":
    padded = np.zeros((len(prefixes), 8), dtype=np.uint8)
    padded[:, :PREFIX] = prefixes
    return padded.view(np.uint64).ravel()


def count_duplicates(store: Database, source: Source, seen: DigestPrefixes | None) -> int:
    """Count the items whose layout occurs earlier in the source; `seen` holds their prefixes, if these are known."""
    of_source = items.c.source_id == source.id
    shared = None if seen is None else seen.shared(source.accepted)
    if shared is None or len(shared) > FEW:
        compared, which = source.accepted, of_source
    else:
        compared, which = len(shared), of_source & items.c.position.in_(shared.tolist())
    different = select(items.c.digest).where(which).group_by(items.c.digest).subquery()
    with store.reading() as connection:
        return compared - connection.execute(select(func.count()).select_from(different)).scalar_one()


HEAD = 3
"""The bytes of a digest in an entry."""
ENTRY = 8
"""The bytes of an entry."""


def block_digest(segment: int, bits: int, number: int, entries: bytes) -> bytes:
    """Return the digest of a block, which reveals a changed or misplaced one. `bits` is the number of bits by which the
    blocks of the segment are numbered."""
    return columns_digest("index block", numbers([segment, bits, number]), digests([entries]))


def numbers_in(entries: bytes, head: bytes) -> Iterator[int]:
    """Yield the numbers of the items of a block whose digest begins with `head`."""
    count = len(entries) // ENTRY
    place = bisect_left(range(count), head, key=lambda at: entries[at * ENTRY : at * ENTRY + HEAD])
    while place < count and entries[place * ENTRY : place * ENTRY + HEAD] == head:
        yield int.from_bytes(entries[place * ENTRY + HEAD : (place + 1) * ENTRY], "big")
        place += 1


INDEX_BLOCK = (
    index_segments.c.id,
    index_segments.c.bits,
    index_blocks.c.number,
    index_blocks.c.entries,
    index_blocks.c.digest,
)
BLOCK_SHAPE = Shape(*INDEX_BLOCK)
ITEM_SHAPE = Shape(items.c.line, items.c.layout)


PLAUSIBLE = (
    exists().where(items.c.source_id == sources.c.id, items.c.position == sources.c.accepted),
    unindexed.c.position >= 1,
)
"""The conditions that the items to be indexed exist: damaged numbers could make them 2⁶²."""


class Place(NamedTuple):
    """An item of a source."""

    source: int
    position: int
    line: int


def unindexed_items(store: Database) -> int:
    """Return the number of items of complete sources that are not indexed."""
    with store.reading() as connection:
        return _unindexed(connection, sources.c.complete, *PLAUSIBLE)


def unstored_ranges(store: Database, games: Sequence[str]) -> int:
    """Return the number of ranges of deals of these games without items, which are those of packed runs only."""
    used = exists().where(runs.c.source_id == sources.c.id, runs.c.control != Control.DELETED)
    query = select(func.count()).where(
        sources.c.generator.is_not(None), sources.c.accepted == 0, sources.c.game.in_(games), used
    )
    with store.reading() as connection:
        return connection.execute(query).scalar_one()


def indexed_items(store: Database, game: str, layout: str) -> list[Place]:
    """Return the items with a layout, in order of source and position.

    Raises
    ------
    DamagedError
        If the index is damaged.
    """
    digest = layout_digest(game, layout)
    with store.reading() as connection:
        _check_counts(connection)
        proposed = [_numbered(connection, number) for number in _numbers(connection, digest[:HEAD])]
        proposed += _unindexed_with(connection, digest)
        for source, position in proposed:
            if (row := _item(connection, source, position)) is None or row.digest[:HEAD] != digest[:HEAD]:
                raise _damaged(f"it refers to item {position} of source {source}, which has another digest")
        return _with_layout(connection, proposed, digest, layout)


def scanned_items(store: Database, game: str, layout: str) -> list[Place]:
    """Return the same as `indexed_items` without the index: about a second per five million items of the store."""
    digest = layout_digest(game, layout)
    with store.reading() as connection:
        found = connection.execute(select(items.c.source_id, items.c.position).where(items.c.digest == digest))
        return _with_layout(connection, map(tuple, found.all()), digest, layout)


def _with_layout(
    connection: Connection, proposed: Iterable[tuple[int, int]], digest: bytes, layout: str
) -> list[Place]:
    found = set()
    for source, position in proposed:
        row = _item(connection, source, position)
        if row is None or row.digest != digest:
            continue
        if (trouble := ITEM_SHAPE.trouble(row)) or row.layout != layout:
            why = trouble or "its layout does not match its digest"
            warnings.warn(DamagedWarning(f"item {position} of source {source} cannot be read: {why}"), stacklevel=3)
        else:
            found.add(Place(source, position, row.line))
    return sorted(found)


def _item(connection: Connection, source: int, position: int) -> Any:
    query = select(items.c.line, items.c.layout, items.c.digest)
    return connection.execute(query.where(items.c.source_id == source, items.c.position == position)).one_or_none()


def _numbers(connection: Connection, head: bytes) -> Iterator[int]:
    """Yield the numbers of the indexed items whose digest begins with `head`."""
    place = literal(int.from_bytes(head, "big")).op(">>")(8 * HEAD - index_segments.c.bits)
    wanted = and_(index_blocks.c.segment_id == index_segments.c.id, index_blocks.c.number == place)
    for row in connection.execute(select(*INDEX_BLOCK).select_from(index_segments.outerjoin(index_blocks, wanted))):
        if BLOCK_SHAPE.trouble(row) or block_digest(row.id, row.bits, row.number, row.entries) != row.digest:
            raise _damaged(f"a block of segment {row.id} is missing or was changed")
        yield from numbers_in(row.entries, head)


def _unindexed_with(connection: Connection, digest: bytes) -> Iterator[tuple[int, int]]:
    """Yield the items with a digest that are not indexed. One query per source: for a join, SQLite would read all items
    of the store."""
    left = select(unindexed.c.source_id, unindexed.c.position, sources.c.accepted).join(sources)
    for source, first, last in connection.execute(left.where(sources.c.accepted >= unindexed.c.position)).all():
        query = select(items.c.position).where(
            items.c.source_id == source, items.c.position.between(first, last), items.c.digest == digest
        )
        yield from ((source, position) for position in connection.execute(query).scalars())


def _numbered(connection: Connection, number: int) -> tuple[int, int]:
    """Return the source and the position of an indexed item by its number."""
    first = index_stretches.c.first
    query = select(index_stretches).where(first <= number).order_by(first.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    if row is None or number >= row.first + row.size:
        raise _damaged(f"it has no source for entry {number}")
    return row.source_id, row.position + number - row.first


def _check_counts(connection: Connection) -> None:
    """Check that the index has an entry for every item that it should have."""

    def total(column: ColumnElement[int]) -> int:
        return int(connection.execute(select(func.coalesce(func.sum(column), 0))).scalar_one())

    entries, numbered = total(index_segments.c.entries), total(index_stretches.c.size)
    expected = total(sources.c.accepted) - _unindexed(connection)
    if not entries == numbered == expected:
        raise _damaged(f"it has {entries:,} entries for {expected:,} layouts")


def _unindexed(connection: Connection, *which: ColumnElement[bool]) -> int:
    left = func.sum(sources.c.accepted - unindexed.c.position + 1)
    query = select(func.coalesce(left, 0)).select_from(unindexed.join(sources)).where(*which)
    return int(connection.execute(query).scalar_one())


def _damaged(why: str) -> DamagedError:
    return DamagedError(f"the index of layouts is damaged: {why}")


SEGMENT = 1 << 20
"""The items that are indexed together while a source is being read."""
LEAST = 1 << 16
"""Fewer unindexed items of complete sources are searched one by one, which takes some 10 ms."""
SOURCES = 256
"""Fewer complete sources with unindexed items are searched in this way."""
BLOCK = 4_096
"""The most entries of a block on average: 32 KB."""


LEFT = (sources.c.accepted - unindexed.c.position + 1).label("left")
FIRST_UNINDEXED = select(unindexed.c.position).where(unindexed.c.source_id == bindparam("source"))
WAITING = (
    select(unindexed.c.source_id, unindexed.c.position, LEFT)
    .join(sources)
    .where(sources.c.complete, *PLAUSIBLE, LEFT > 0)
    .order_by(unindexed.c.source_id)
    .limit(SOURCES)
)
WAITING_TOTAL = select(func.count(), func.sum(WAITING.subquery().c.left))


def index_items(connection: Connection, before: Source, after: Source, seen: DigestPrefixes | None) -> None:
    """Index the items of a source that has grown, if there are enough, in the transaction that stores them. `seen`
    holds the beginnings of its digests, if they are known."""
    if after.accepted // SEGMENT == before.accepted // SEGMENT and not after.complete:
        return
    _lock(connection)
    first = connection.execute(FIRST_UNINDEXED, {"source": after.id}).scalar()
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
        delete_index(connection)


def delete_index(connection: Connection) -> None:
    """Delete the index in a transaction, and note that no source is indexed."""
    _lock(connection)
    for table in (unindexed, index_stretches, index_blocks, index_segments):
        connection.execute(delete(table))
    every = select(sources.c.id, 1)
    connection.execute(insert(unindexed).from_select(["source_id", "position"], every))


def _index_complete(connection: Connection) -> bool:
    count, total = connection.execute(WAITING_TOTAL).one()
    if count < SOURCES and (total or 0) < LEAST:
        return False
    stretches, free = list[tuple[int, int, int]](), SEGMENT
    for source, position, size in connection.execute(WAITING).all():
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
