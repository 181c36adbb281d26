"""The record of compact runs: their blocks, each with a digest, the number of each verdict, and the sums of the values
and of their squares; and the errors of failed layouts."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import blocks, verdicts
from dealmill.pipeline.store.storages.item_blocks import SUMS

BLOCK_COLUMNS = ("number", "digest", *SUMS)
RECORDED = tuple(blocks.c[name] for name in BLOCK_COLUMNS)
BETWEEN = select(*RECORDED).where(
    blocks.c.run_id == bindparam("run"), blocks.c.number.between(bindparam("first"), bindparam("last"))
)
LEAST_PER_FETCH, MAX_PER_FETCH = 10, 10_000
"""Bounds on the rows of a query: readers often need only the first ones, but estimates need all."""
FORWARDS = BETWEEN.order_by(blocks.c.number).limit(bindparam("limit"))
BACKWARDS = BETWEEN.order_by(blocks.c.number.desc()).limit(bindparam("limit"))
ERRORS = select(verdicts.c.position, verdicts.c.evidence).where(
    verdicts.c.run_id == bindparam("run"),
    verdicts.c.position >= bindparam("first"),
    verdicts.c.position < bindparam("stop"),
    verdicts.c.evidence.is_not(None),
)
CHECK = RowCheck(*RECORDED)
ERROR = RowCheck(verdicts.c.position, verdicts.c.evidence)


class SummedBlock(NamedTuple):
    """A block of a compact run. `sums` are in the order of `SUMS`."""

    number: int
    digest: bytes
    sums: tuple[int, ...]

    def has_any_of(self, verdicts: tuple[Verdict, ...]) -> bool:
        """Return whether some deals have one of these verdicts; without any, whether there are deals."""
        return any(self.sums[index] for index, verdict in enumerate(Verdict) if not verdicts or verdict in verdicts)


def summed_blocks(
    database: Database, run: int, first: int, last: int, *, backwards: bool = False
) -> Iterator[SummedBlock]:
    """Yield the blocks of a run with the numbers `first` to `last`, in order. Rows that are not valid are left out."""
    query, limit = BACKWARDS if backwards else FORWARDS, LEAST_PER_FETCH
    while first <= last:
        with database.reading() as connection:
            rows = connection.execute(query, {"run": run, "first": first, "last": last, "limit": limit}).all()
        for number, digest, *sums in rows:
            if None not in sums and CHECK.error((number, digest, *sums)) is None:
                yield SummedBlock(number, digest, tuple(sums))
        if len(rows) < limit:
            return
        limit = min(limit * 10, MAX_PER_FETCH)
        first, last = (first, rows[-1].number - 1) if backwards else (rows[-1].number + 1, last)


def errors_of(connection: Connection, run: int, first: int, stop: int) -> dict[int, str]:
    """Return the errors of failed layouts among the items `[first, stop)`, by position."""
    rows = connection.execute(ERRORS, {"run": run, "first": first, "stop": stop})
    return {row.position: row.evidence for row in rows if ERROR.error(row) is None}
