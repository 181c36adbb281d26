"""The stored parts of compact runs: verdicts as bitmaps (the table `packs`), digests of blocks, and the errors of
failed layouts.

One byte holds the number k of distinct verdicts, followed by one byte for each of them, in ascending order. Then follow
⌈log₂ k⌉ bitmaps. Bitmap b holds bit b of the index of each verdict in that list: one bit per deal, the first deal in
the lowest bit of the first byte. So if all deals are winnable or unwinnable, each takes one bit, and if
all have the same verdict, they take none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, bindparam, select

from dealmill.pipeline.evidence.digests import BLOCK, block_of
from dealmill.pipeline.games.batch import Codes, Numbers
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import blocks, packs, verdicts
from dealmill.pipeline.store.runs.jobs import MAX_ITEMS_PER_JOB
from dealmill.pipeline.store.storages.item_blocks import unsolved


def encode(verdicts: Codes) -> bytes:
    """Encode verdicts."""
    kinds = [code for code in map(int, Verdict) if (verdicts == code).any()]
    maps = []
    for bit in range(_bits(len(kinds))):
        masks = [verdicts == kind for index, kind in enumerate(kinds) if index >> bit & 1]
        maps.append(np.packbits(np.logical_or.reduce(masks), bitorder="little").tobytes())
    return bytes([len(kinds), *kinds]) + b"".join(maps)


def decode(encoded: bytes, count: int, first: int = 0, stop: int | None = None) -> Codes | None:
    """Decode the verdicts `[first, stop)` of `count`, by default all; return None if `encoded` is not a valid encoding
    of that many, or `count` is 0."""
    kinds = np.frombuffer(encoded[1 : 1 + encoded[0]], dtype=np.int8) if encoded else np.zeros(0, dtype=np.int8)
    size = (count + 7) // 8
    if len(encoded) != 1 + len(kinds) + size * _bits(len(kinds)) or not len(kinds) or not count:
        return None
    stop = count if stop is None else stop
    maps = np.frombuffer(encoded[1 + len(kinds) :], dtype=np.uint8).reshape(-1, size)[:, first // 8 : (stop + 7) // 8]
    bits = np.unpackbits(maps, axis=1, bitorder="little")[:, first % 8 : first % 8 + stop - first]
    indexes = np.zeros(stop - first, dtype=np.uint8)
    for bit, each in enumerate(bits):
        indexes += each << bit
    return None if indexes.max() >= len(kinds) or not set(kinds.tolist()) <= set(Verdict) else kinds[indexes]


def _bits(kinds: int) -> int:
    return max(kinds - 1, 0).bit_length()


NEXT = (
    select(*packs.c)
    .where(packs.c.run_id == bindparam("run"), packs.c.stop > bindparam("beyond"), packs.c.first > bindparam("behind"))
    .order_by(packs.c.first)
    .limit(1)
)
PREVIOUS = (
    select(*packs.c)
    .where(packs.c.run_id == bindparam("run"), packs.c.first < bindparam("before"))
    .order_by(packs.c.first.desc())
    .limit(1)
)
DIGEST = select(blocks.c.digest).where(blocks.c.run_id == bindparam("run"), blocks.c.number == bindparam("number"))
ERRORS = select(verdicts.c.position, verdicts.c.evidence).where(
    verdicts.c.run_id == bindparam("run"),
    verdicts.c.position >= bindparam("first"),
    verdicts.c.position < bindparam("stop"),
    verdicts.c.evidence.is_not(None),
)
MOMENTS = np.dtype("<i8")
BITMAP = RowCheck(*packs.c)
ERROR = RowCheck(verdicts.c.position, verdicts.c.evidence)


@dataclass(frozen=True)
class VerdictBitmap:
    """The verdicts of a job on the items `[first, stop)`, as they are stored.

    `moments` (blocks × 2, see `dealmill.pipeline.store.storages.compact_solving.SolvedBlocks`) is all zeros if it is
    damaged.
    """

    first: int
    stop: int
    encoded: bytes
    moments: Numbers

    @cached_property
    def verdicts(self) -> Codes | None:
        """All verdicts; None if they are damaged."""
        return self.part(self.first, self.stop)

    def part(self, first: int, stop: int) -> Codes | None:
        """Return the verdicts on the items `[first, stop)`; None if they are damaged or not all in this bitmap."""
        if not self.first <= first < stop <= self.stop:
            return None
        return decode(self.encoded, self.stop - self.first, first - self.first, stop - self.first)


def next_bitmap(database: Database, run: int, after: int) -> VerdictBitmap | None:
    """Return the first bitmap of a run that has an item after position `after`; None if there is none. Bitmaps are no
    longer than the longest job, so the search reads only a few rows."""
    with database.reading() as connection:
        return _next_bitmap(connection, run, after)


def _next_bitmap(connection: Connection, run: int, after: int) -> VerdictBitmap | None:
    """Return the same as `next_bitmap`. Rows that are not valid are skipped."""
    behind = after - MAX_ITEMS_PER_JOB
    while row := connection.execute(NEXT, {"run": run, "beyond": after + 1, "behind": behind}).one_or_none():
        if bitmap := _read_bitmap(row):
            return bitmap
        behind = row.first
    return None


def previous_bitmap(database: Database, run: int, before: int) -> VerdictBitmap | None:
    """Return the last bitmap of a run that has an item before position `before`; None if there is none."""
    with database.reading() as connection:
        while row := connection.execute(PREVIOUS, {"run": run, "before": before}).one_or_none():
            if bitmap := _read_bitmap(row):
                return bitmap
            before = row.first
    return None


def _read_bitmap(row: Row[*tuple[Any, ...]]) -> VerdictBitmap | None:
    """Return the bitmap in a row; None if it is not a valid one."""
    if BITMAP.error(row) or not 0 < row.first < row.stop <= row.first + MAX_ITEMS_PER_JOB:
        return None
    return VerdictBitmap(row.first, row.stop, row.verdicts, _moments(row.moments, row.stop - row.first))


def _moments(stored: bytes, items: int) -> Numbers:
    size = (-(-items // BLOCK), 2)
    if len(stored) != size[0] * size[1] * MOMENTS.itemsize:
        return np.zeros(size, dtype=np.int64)
    return np.frombuffer(stored, dtype=MOMENTS).astype(np.int64).reshape(size)


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """The stored parts of a block: its verdicts, its digest, and the errors of failed layouts by position.

    `unsolved` says that some of its jobs are not done. Otherwise, `verdicts` or `digest` is None if it is missing.
    """

    unsolved: bool
    verdicts: Codes | None
    digest: bytes | None
    errors: Mapping[int, str]


def stored_block(database: Database, run: int, first: int, stop: int) -> StoredBlock:
    """Return the stored parts of the block of the items `[first, stop)`."""
    with database.reading() as connection:
        record = _next_bitmap(connection, run, first - 1)
        return StoredBlock(
            unsolved(connection, run, first, stop),
            None if record is None else record.part(first, stop),
            connection.execute(DIGEST, {"run": run, "number": block_of(first)}).scalar_one_or_none(),
            errors_of(connection, run, first, stop),
        )


def errors_of(connection: Connection, run: int, first: int, stop: int) -> dict[int, str]:
    """Return the errors of failed layouts among the items `[first, stop)`, by position."""
    rows = connection.execute(ERRORS, {"run": run, "first": first, "stop": stop})
    return {row.position: row.evidence for row in rows if ERROR.error(row) is None}
