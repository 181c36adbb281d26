"""Find the items with a given layout, by the index and among the items that are not indexed yet.

The index only proposes items; each is read and compared. Each block that is read is compared with its digest, and the
number of entries with the number of items, so that a damaged or incomplete index is noticed.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, literal, select

from dealmill.pipeline.errors import DamagedError, DamagedWarning
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import (
    index_blocks,
    index_segments,
    index_stretches,
    items,
    sources,
    unindexed,
)
from dealmill.pipeline.store.sources.digests import layout_digest
from dealmill.pipeline.store.sources.index.entries import HEAD, block_digest, numbers_in

BLOCK = (
    index_segments.c.id,
    index_segments.c.bits,
    index_blocks.c.number,
    index_blocks.c.entries,
    index_blocks.c.digest,
)
BLOCK_SHAPE = Shape(*BLOCK)
ITEM_SHAPE = Shape(items.c.line, items.c.layout)


class Place(NamedTuple):
    """An item of a source."""

    source: int
    position: int
    line: int


def unindexed_items(store: Database) -> int:
    """Return the number of items of complete sources that are not indexed."""
    with store.reading() as connection:
        return _unindexed(connection, sources.c.complete)


def unstored_ranges(store: Database, games: Sequence[str]) -> int:
    """Return the number of ranges of deals of these games without items, which are those of packed runs only."""
    query = select(func.count()).where(
        sources.c.generator.is_not(None), sources.c.accepted == 0, sources.c.game.in_(games)
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
    for row in connection.execute(select(*BLOCK).select_from(index_segments.outerjoin(index_blocks, wanted))):
        if BLOCK_SHAPE.trouble(row) or block_digest(row.id, row.bits, row.number, row.entries) != row.digest:
            raise _damaged(f"a block of segment {row.id} is missing or was changed")
        yield from numbers_in(row.entries, head)


def _unindexed_with(connection: Connection, digest: bytes) -> Iterator[tuple[int, int]]:
    """Yield the items with a digest that are not indexed. One query per source: for a join, SQLite would read all items
    of the store."""
    left = select(unindexed.c.source_id, unindexed.c.position).join(sources)
    for source, first in connection.execute(left.where(sources.c.accepted >= unindexed.c.position)).all():
        query = select(items.c.position).where(
            items.c.source_id == source, items.c.position >= first, items.c.digest == digest
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
