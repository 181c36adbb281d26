"""Digests of blocks of verdicts, from which the fingerprint of a run is computed (see
`dealmill.pipeline.evidence.digests`). They are written in the transaction that writes the last verdict of a block."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, exists, func, insert, or_, select

from dealmill.pipeline.evidence.digests import BLOCK, block_digest, block_of, block_range, fingerprint
from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.results.record import ANSWER
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import NUMBER_LIST, one_of
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import DONE, blocks, engines, items, jobs, runs, sources, verdicts

SUMS = (*(verdict.word for verdict in Verdict), "value_sum", "square_sum")
"""The columns of the sums of a block, which are NULL in runs stored as rows."""
DIGEST = (blocks.c.number, blocks.c.digest)
CHECK = RowCheck(*DIGEST)
LOCKED_SOURCE = (
    select(sources.c.accepted, sources.c.complete)
    .select_from(runs.join(sources))
    .where(runs.c.id == bindparam("run"))
    .with_for_update(of=runs, key_share=True)
)
UNSOLVED = select(
    exists().where(
        jobs.c.run_id == bindparam("run"),
        jobs.c.first < bindparam("end"),
        jobs.c.stop > bindparam("start"),
        jobs.c.state != DONE,
    )
)
ANSWERED = (
    select(items.c.layout, *(verdicts.c[name] for name in ANSWER))
    .select_from(
        runs.join(items, items.c.source_id == runs.c.source_id).join(
            verdicts, (verdicts.c.run_id == runs.c.id) & (verdicts.c.position == items.c.position)
        )
    )
    .where(
        runs.c.id == bindparam("run"),
        items.c.position >= bindparam("start"),
        items.c.position < bindparam("end"),
    )
    .order_by(items.c.position)
)
INSERT_BLOCKS = insert(blocks)
RECORDED = select(*DIGEST, *(blocks.c[name] for name in SUMS)).where(
    blocks.c.run_id == bindparam("run"), blocks.c.number.in_(bindparam("numbers", expanding=True))
)
REACHED = select(func.coalesce(func.max(jobs.c.stop) - 1, 0)).where(jobs.c.run_id == bindparam("run"))
STRAYS = select(blocks.c.number).where(
    blocks.c.run_id == bindparam("run"), or_(blocks.c.number < 0, blocks.c.number > bindparam("last"))
)
DIGESTS = (
    select(blocks.c.run_id, *DIGEST)
    .where(one_of(blocks.c.run_id, NUMBER_LIST))
    .order_by(blocks.c.run_id, blocks.c.number)
)
MAY_BE_RETRIED = (verdicts.c.verdict == int(Verdict.FAILED), verdicts.c.evidence.contains(RETRYABLE))
FAILED = verdicts.alias("failed")
TO_RETRY = (  # joined with itself, since SQLite would read the rows of all verdicts otherwise, not only of failed ones
    select(FAILED.c.run_id)
    .distinct()
    .join(verdicts, and_(verdicts.c.run_id == FAILED.c.run_id, verdicts.c.position == FAILED.c.position))
    .join(runs, runs.c.id == FAILED.c.run_id)
    .join(engines, and_(engines.c.id == runs.c.engine_id, engines.c.checked_as.is_(None)))
    .where(one_of(FAILED.c.run_id, NUMBER_LIST), FAILED.c.verdict == int(Verdict.FAILED), *MAY_BE_RETRIED)
)
"""The runs with verdicts to be tried again. What an engine that exists only on record failed on stays as it is."""
DIGESTS_PER_FETCH = 10_000
FARTHEST = 2**63 // BLOCK - 1
"""The greatest block number whose positions fit into a 64-bit column."""


def record_blocks(connection: Connection, run: int, first: int, stop: int, digests: Mapping[int, bytes]) -> None:
    """Record the blocks that the verdicts on `[first, stop)` complete, in the transaction that writes them. `digests`
    has those of the blocks within that range, by number; blocks shared with other jobs are computed from the
    rows."""
    rows = [(run, number, digest) for number, digest in digests.items()]
    insert_rows(connection, blocks, ("run_id", "number", "digest"), rows)
    for number in range(block_of(first), block_of(stop - 1) + 1):
        if number not in digests:
            _record_other_block(connection, run, number)


def _record_other_block(connection: Connection, run: int, number: int) -> None:
    """Record a block that several jobs share, or the shorter last block, if all of its verdicts are stored now.

    The jobs of a run take a lock on its row one after the other, so that the last one sees the rows of all others. Jobs
    that consist of whole blocks do not wait for this lock.
    """
    count, complete = connection.execute(LOCKED_SOURCE, {"run": run}).one()
    start, end = block_range(number, count)
    if (complete or end - start == BLOCK) and not unsolved(connection, run, start, end):
        layouts, *contents = read_block(connection, run, start, end)
        if len(layouts) == end - start:  # otherwise the rest belongs to no job yet
            digest = block_digest(start, layouts, *contents)
            connection.execute(INSERT_BLOCKS, {"run_id": run, "number": number, "digest": digest})


def read_block(connection: Connection, run: int, start: int, end: int) -> list[list[Any]]:
    """Return the stored layouts, verdicts, values and evidence of the items `[start, end)`."""
    rows = connection.execute(ANSWERED, {"run": run, "start": start, "end": end}).all()
    return [[row[index] for row in rows] for index in range(len(ANSWERED.selected_columns))]


def blocks_from(
    connection: Connection, run: int, count: int, first: int, stop: int
) -> list[tuple[int, bytes | None, dict[str, object], bool]]:
    """Return the blocks that start at the positions `[first, stop)`, in order: number, recorded digest (None if there
    is none) and sums, and whether all of its jobs are done. `count` is the number of items of the run."""
    numbers = [number for number in range(block_of(first), block_of(stop - 1) + 1) if number * BLOCK + 1 >= first]
    rows = connection.execute(RECORDED, {"run": run, "numbers": numbers})
    recorded = {number: (digest, sums) for number, digest, *sums in rows}
    done = not unsolved(connection, run, first, max(stop, block_range(block_of(stop - 1), count)[1]))
    return [
        (
            number,
            digest,
            dict(zip(SUMS, sums, strict=False)),
            done or not unsolved(connection, run, *block_range(number, count)),
        )
        for number in numbers
        for digest, sums in [recorded.get(number, (None, []))]
    ]


def unsolved(connection: Connection, run: int, start: int, end: int) -> bool:
    """Return whether any job that overlaps the positions `[start, end)` is not done."""
    return connection.execute(UNSOLVED, {"run": run, "start": start, "end": end}).scalar_one()


def stray_blocks(connection: Connection, run: int, count: int) -> list[int]:
    """Return the start positions of blocks that have a digest, but lie outside the run and all of its jobs; 0 for a
    number that is not one."""
    last = block_of(max(connection.execute(REACHED, {"run": run}).scalar_one(), count))
    strays = connection.execute(STRAYS, {"run": run, "last": last}).scalars()
    return [max(min(number, FARTHEST), -FARTHEST) * BLOCK + 1 if isinstance(number, int) else 0 for number in strays]


def fingerprint_of(database: Database, run: int, count: int) -> str | None:
    """Return the fingerprint of a run of `count` items; None if it has none, see `fingerprints_of`."""
    return fingerprints_of(database, {run: count}).get(run)


def fingerprints_of(database: Database, counts: Mapping[int, int]) -> dict[int, str]:
    """Return the fingerprints of runs, by run, given their numbers of items. A run has none if it is not finished, a
    digest is missing, or verdicts are to be tried again.

    The digests are hashed as they are read: a run of 10¹¹ items has 3 GB of them.
    """
    fingerprints: dict[int, str | None] = {run: fingerprint(()) for run, count in counts.items() if not count}
    these = {"numbers": list(counts)}
    with database.reading() as connection:
        to_retry = {*connection.execute(TO_RETRY, these).scalars()}
        rows = connection.execution_options(yield_per=DIGESTS_PER_FETCH).execute(DIGESTS, these)
        for run, of_run in groupby(rows, attrgetter("run_id")):
            fingerprints[run] = None if run in to_retry else _fingerprint(of_run, counts[run])
    return {run: text for run, text in fingerprints.items() if text is not None}


def _fingerprint(blocks_of_run: Iterable[Any], count: int) -> str | None:
    """Return the fingerprint with the digests in these rows; None if one is missing or damaged."""
    sound = 0

    def digests() -> Iterator[bytes]:
        nonlocal sound
        for row in blocks_of_run:
            if row.number != sound or CHECK.error((row.number, row.digest)):
                sound = -1
                return
            sound += 1
            yield row.digest

    text = fingerprint(digests())
    return text if sound == block_of(count) + 1 else None


def retryable(run: int) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that a verdict of a run is a failure that the machine may have caused."""
    return verdicts.c.run_id == run, *MAY_BE_RETRIED
