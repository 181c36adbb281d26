"""Digests of the items and the rejects of a source, in blocks of a thousand. They reveal changes that cannot be
detected from other tables, such as a changed line number or a changed text of a reject."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Table, and_, exists, not_, or_, select

from dealmill.pipeline.fingerprint import BLOCK, block_of, block_range
from dealmill.pipeline.seals import columns_digest, digests, numbers, texts
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.tables import ITEMS, REJECTS, items, rejects, source_blocks


@dataclass(frozen=True, eq=False)
class Listing:
    """A table with an ordered list of rows for each source.

    `place` is the column of their positions, from 1. `digested` are the columns that the digests cover, each with the
    function that serializes it.
    """

    kind: int
    table: Table
    place: Column[int]
    digested: tuple[tuple[Column[object], Callable[[Any], bytes]], ...]

    def columns(self, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """Return the digested columns of complete rows of the table."""
        order = list(self.table.c)
        places = [order.index(column) for column, _ in self.digested]
        return [[row[place] for row in rows] for place in places]

    def digest(self, columns: Sequence[Any]) -> bytes:
        """Return the digest of rows, given their digested columns in order of position."""
        writers = (write for _, write in self.digested)
        return columns_digest(self.table.name, *(write(column) for write, column in zip(writers, columns, strict=True)))


ITEM_LISTING = Listing(
    ITEMS,
    items,
    items.c.position,
    ((items.c.position, numbers), (items.c.line, numbers), (items.c.digest, digests)),
)
REJECT_LISTING = Listing(
    REJECTS,
    rejects,
    rejects.c.number,
    ((rejects.c.number, numbers), (rejects.c.line, numbers), (rejects.c.text, texts), (rejects.c.reasons, texts)),
)


def record_source_blocks(
    connection: Connection,
    listing: Listing,
    source: int,
    before: int,
    after: int,
    columns: Sequence[Any],
    *,
    last: bool,
) -> None:
    """Record the digests of the blocks that new rows of a source complete.

    The source had `before` rows and now has `after`; `columns` holds the digested columns of the new rows. With `last`,
    the final block is recorded even if it is not full.
    """
    found = []
    for number in range(before // BLOCK, block_of(after) + 1 if last else after // BLOCK):
        first, stop = block_range(number, after)
        if first <= before:
            block = _columns(connection, listing, source, first, stop)
        else:
            block = [column[first - before - 1 : stop - before - 1] for column in columns]
        found.append((source, listing.kind, number, listing.digest(block)))
    insert_rows(connection, source_blocks, ("source_id", "kind", "number", "digest"), found)


def _columns(connection: Connection, listing: Listing, source: int, first: int, stop: int) -> list[list[object]]:
    place = listing.place
    query = select(listing.table).where(listing.table.c.source_id == source, place >= first, place < stop)
    return listing.columns(connection.execute(query.order_by(place)).all())


def source_blocks_from(
    connection: Connection, listing: Listing, source: int, count: int, first: int, stop: int
) -> Iterator[tuple[int, int, bytes | None, bytes]]:
    """Yield the blocks of a source with `count` rows that start in `[first, stop)`: the half-open range of their
    positions (start and end), the recorded digest (None if there is none), and the digest computed from the rows."""
    blocks = source_blocks.c
    for number in range(block_of(first + BLOCK - 1), block_of(stop - 1) + 1):
        start, end = block_range(number, count)
        recorded = select(blocks.digest).where(
            blocks.source_id == source, blocks.kind == listing.kind, blocks.number == number
        )
        found = listing.digest(_columns(connection, listing, source, start, end))
        yield start, end, connection.execute(recorded).scalar_one_or_none(), found


def stray_source_blocks(connection: Connection, source: int, counts: Mapping[Listing, int]) -> bool:
    """Return whether there are digests of blocks beyond the rows of a source; `counts` has the number of rows of each
    listing."""
    blocks = source_blocks.c
    known = [
        and_(blocks.kind == listing.kind, blocks.number >= 0, blocks.number <= block_of(count))
        for listing, count in counts.items()
    ]
    return connection.execute(select(exists().where(blocks.source_id == source, not_(or_(*known))))).scalar_one()
