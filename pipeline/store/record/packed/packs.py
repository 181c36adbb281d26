"""Reading the stored parts of packed runs: packs of verdicts, digests of blocks, and the errors of failed layouts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, bindparam, select

from dealmill.pipeline.digests import BLOCK, block_of
from dealmill.pipeline.games.batch import Codes, Numbers
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.jobs import LONGEST
from dealmill.pipeline.store.record.blocks import unsolved
from dealmill.pipeline.store.record.packed.bitmap import unpack
from dealmill.pipeline.store.tables import Shape, blocks, packs, verdicts

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
PACK = Shape(*packs.c)
ERROR = Shape(verdicts.c.position, verdicts.c.evidence)


@dataclass(frozen=True)
class Pack:
    """The pack of the items `[first, stop)`, with its verdicts as they are stored.

    `moments` (blocks × 2, see `dealmill.pipeline.store.record.packed.solving.SolvedPack`) is all zeros if it is
    damaged.
    """

    first: int
    stop: int
    packed: bytes
    moments: Numbers

    @cached_property
    def verdicts(self) -> Codes | None:
        """All verdicts; None if they are damaged."""
        return self.part(self.first, self.stop)

    def part(self, first: int, stop: int) -> Codes | None:
        """Return the verdicts on the items `[first, stop)`; None if they are damaged or not all in this pack."""
        if not self.first <= first < stop <= self.stop:
            return None
        return unpack(self.packed, self.stop - self.first, first - self.first, stop - self.first)


def next_pack(store: Database, run: int, after: int) -> Pack | None:
    """Return the first pack of a run that has an item after position `after`; None if there is none. Packs are no
    longer than the longest job, so the search reads only a few rows."""
    with store.reading() as connection:
        return _next_pack(connection, run, after)


def _next_pack(connection: Connection, run: int, after: int) -> Pack | None:
    """Return the same as `next_pack`. Rows that are not valid packs are skipped."""
    behind = after - LONGEST
    while row := connection.execute(NEXT, {"run": run, "beyond": after + 1, "behind": behind}).one_or_none():
        if pack := _read_pack(row):
            return pack
        behind = row.first
    return None


def previous_pack(store: Database, run: int, before: int) -> Pack | None:
    """Return the last pack of a run that has an item before position `before`; None if there is none."""
    with store.reading() as connection:
        while row := connection.execute(PREVIOUS, {"run": run, "before": before}).one_or_none():
            if pack := _read_pack(row):
                return pack
            before = row.first
    return None


def _read_pack(row: Row[*tuple[Any, ...]]) -> Pack | None:
    """Return the pack in a row; None if it is not a valid one."""
    if PACK.trouble(row) or not 0 < row.first < row.stop <= row.first + LONGEST:
        return None
    return Pack(row.first, row.stop, row.verdicts, _moments(row.moments, row.stop - row.first))


def _moments(stored: bytes, items: int) -> Numbers:
    size = (-(-items // BLOCK), 2)
    if len(stored) != size[0] * size[1] * MOMENTS.itemsize:
        return np.zeros(size, dtype=np.int64)
    return np.frombuffer(stored, dtype=MOMENTS).astype(np.int64).reshape(size)


@dataclass(frozen=True, slots=True)
class Kept:
    """The stored parts of a block: its verdicts, its digest, and the errors of failed layouts by position.

    `to_come` says that some of its jobs are not done. Otherwise, `verdicts` or `digest` is None if it is missing.
    """

    to_come: bool
    verdicts: Codes | None
    digest: bytes | None
    errors: Mapping[int, str]


def kept_of(store: Database, run: int, first: int, stop: int) -> Kept:
    """Return the stored parts of the block of the items `[first, stop)`."""
    with store.reading() as connection:
        found = _next_pack(connection, run, first - 1)
        return Kept(
            unsolved(connection, run, first, stop),
            None if found is None else found.part(first, stop),
            connection.execute(DIGEST, {"run": run, "number": block_of(first)}).scalar_one_or_none(),
            errors_of(connection, run, first, stop),
        )


def errors_of(connection: Connection, run: int, first: int, stop: int) -> dict[int, str]:
    """Return the errors of failed layouts among the items `[first, stop)`, by position."""
    rows = connection.execute(ERRORS, {"run": run, "first": first, "stop": stop})
    return {row.position: row.evidence for row in rows if ERROR.trouble(row) is None}
