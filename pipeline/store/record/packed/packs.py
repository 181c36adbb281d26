"""What is kept of packed runs: packs of verdicts, digests of blocks, and the errors of what failed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, func, select

from dealmill.pipeline.errors import DamagedError
from dealmill.pipeline.fingerprint import BLOCK, block_of
from dealmill.pipeline.games.batch import Codes, Numbers
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import blocks, packs, verdicts
from dealmill.pipeline.store.queue.solving import LONGEST
from dealmill.pipeline.store.record.blocks import unsolved
from dealmill.pipeline.store.record.contract import ALL
from dealmill.pipeline.store.record.packed.bitmap import unpack

MOMENTS = np.dtype("<i8")
PACK = Shape(*packs.c)
ERROR = Shape(verdicts.c.position, verdicts.c.evidence)


@dataclass(frozen=True, slots=True)
class Pack:
    """What is kept of the items `first` to before `stop`. `verdicts` are None if they are damaged; `moments` (see
    `dealmill.pipeline.store.record.packed.solving.SolvedPack`) are zeros then."""

    first: int
    stop: int
    least: int | None
    greatest: int | None
    verdicts: Codes | None
    moments: Numbers

    def part(self, first: int, stop: int) -> Codes | None:
        """The verdicts on some of its items; None if they are damaged, or not all of its items."""
        if self.verdicts is None or not self.first <= first < stop <= self.stop:
            return None
        return self.verdicts[first - self.first : stop - self.first]

    def holds(self, low: int, high: int) -> bool:
        """Whether it may hold a value in this range; verdicts without values are in none but the widest."""
        if self.least is None or self.greatest is None:
            return (low, high) == ALL
        return low <= self.greatest and self.least <= high


def next_pack(store: Database, run: int, after: int) -> Pack | None:
    """The first pack of a run that has an item behind position `after`; packs are at most as long as the longest job,
    so few are looked at."""
    with store.reading() as connection:
        return _next_pack(connection, run, after)


def _next_pack(connection: Connection, run: int, after: int) -> Pack | None:
    """Rows that cannot be one are passed over."""
    behind = after - LONGEST
    query = select(*packs.c).where(packs.c.run_id == run, packs.c.stop > after + 1).order_by(packs.c.first).limit(1)
    while row := connection.execute(query.where(packs.c.first > behind)).one_or_none():
        if PACK.trouble(row) is None and 0 < row.first < row.stop <= row.first + LONGEST:
            read, moments = unpack(row.verdicts, row.stop - row.first), _moments(row.moments, row.stop - row.first)
            return Pack(row.first, row.stop, row.least, row.greatest, read, moments)
        behind = row.first
    return None


def _moments(stored: bytes, items: int) -> Numbers:
    size = (-(-items // BLOCK), 2)
    if len(stored) != size[0] * size[1] * MOMENTS.itemsize:
        return np.zeros(size, dtype=np.int64)
    return np.frombuffer(stored, dtype=MOMENTS).astype(np.int64).reshape(size)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a block: a verdict on each item, the digest, the errors of what failed; None for what is missing.
    While it is `to_come`, nothing can be missing yet."""

    to_come: bool
    verdicts: Codes | None
    digest: bytes | None
    errors: Mapping[int, str]


def kept_of(store: Database, run: int, first: int, stop: int) -> Kept:
    """What is kept of the block of the items `first` to before `stop`."""
    digest = select(blocks.c.digest).where(blocks.c.run_id == run, blocks.c.number == block_of(first))
    with store.reading() as connection:
        found = _next_pack(connection, run, first - 1)
        return Kept(
            unsolved(connection, run, first, stop),
            None if found is None else found.part(first, stop),
            connection.execute(digest).scalar_one_or_none(),
            errors_of(connection, run, first, stop),
        )


def errors_of(connection: Connection, run: int, first: int, stop: int) -> dict[int, str]:
    """The errors of what failed among these items, by position."""
    query = select(verdicts.c.position, verdicts.c.evidence).where(
        verdicts.c.run_id == run, verdicts.c.position >= first, verdicts.c.position < stop
    )
    rows = connection.execute(query.where(verdicts.c.evidence.is_not(None)))
    return {row.position: row.evidence for row in rows if ERROR.trouble(row) is None}


def extremes(store: Database, run: int) -> tuple[int | None, int | None]:
    """The least and the greatest value that a run found.

    Raises
    ------
    DamagedError
        If what is on record are no numbers.
    """
    query = select(func.min(packs.c.least), func.max(packs.c.greatest)).where(packs.c.run_id == run)
    with store.reading() as connection:
        least, greatest = connection.execute(query).one()
    if not isinstance(least, int | None) or not isinstance(greatest, int | None):
        raise DamagedError(f"values of run {run} are no numbers: dealmill audit {run} says where")
    return least, greatest
