"""Digests of the items and the rejects of a source, in blocks of a thousand. They reveal changes that cannot be
detected from other tables, such as a changed line number or a changed text of a reject."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Column, Connection, Select, Table, and_, bindparam, exists, not_, or_, select

from dealmill.pipeline.digests import BLOCK, block_of, block_range, columns_digest, digests, numbers, texts
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
        order = self.table.c.keys()
        places = [order.index(column.name) for column, _ in self.digested]
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

DIGEST = select(source_blocks.c.digest).where(
    source_blocks.c.source_id == bindparam("source"),
    source_blocks.c.kind == bindparam("kind"),
    source_blocks.c.number == bindparam("number"),
)
STRAYS = select(
    exists().where(
        source_blocks.c.source_id == bindparam("source"),
        not_(
            or_(
                and_(source_blocks.c.kind == ITEMS, source_blocks.c.number.between(0, bindparam("last_item"))),
                and_(source_blocks.c.kind == REJECTS, source_blocks.c.number.between(0, bindparam("last_reject"))),
            )
        ),
    )
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
    where = {"source": source, "first": first, "stop": stop}
    return listing.columns(connection.execute(_rows(listing), where).all())


@cache
def _rows(listing: Listing) -> Select[*tuple[Any, ...]]:
    table, place = listing.table, listing.place
    return (
        select(table)
        .where(table.c.source_id == bindparam("source"), place >= bindparam("first"), place < bindparam("stop"))
        .order_by(place)
    )


def source_blocks_from(
    connection: Connection, listing: Listing, source: int, count: int, first: int, stop: int
) -> Iterator[tuple[int, int, bytes | None, bytes]]:
    """Yield the blocks of a source with `count` rows that start in `[first, stop)`: the half-open range of their
    positions (start and end), the recorded digest (None if there is none), and the digest computed from the rows."""
    for number in range(block_of(first + BLOCK - 1), block_of(stop - 1) + 1):
        start, end = block_range(number, count)
        found = listing.digest(_columns(connection, listing, source, start, end))
        block = {"source": source, "kind": listing.kind, "number": number}
        yield start, end, connection.execute(DIGEST, block).scalar_one_or_none(), found


def stray_source_blocks(connection: Connection, source: int, accepted: int, rejected: int) -> bool:
    """Return whether there are digests of blocks beyond the items and the rejects of a source."""
    where = {"source": source, "last_item": block_of(accepted), "last_reject": block_of(rejected)}
    return connection.execute(STRAYS, where).scalar_one()
