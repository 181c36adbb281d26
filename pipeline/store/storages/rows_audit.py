"""What audits read of runs stored as rows."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, Table, bindparam, func, or_, select

from dealmill.pipeline.evidence.digests import BLOCK, block_digest, block_of, block_range
from dealmill.pipeline.games.descriptions import is_claim
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.record import ANSWER
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault, RowCheck
from dealmill.pipeline.store.database.tables import DONE, items, source_blocks, sources, verdicts
from dealmill.pipeline.store.database.tables import jobs as job_rows
from dealmill.pipeline.store.distributions.histograms import distribution_columns
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.sources.source_digests import ITEM, items_digest
from dealmill.pipeline.store.storages.audit_scans import (
    UNFINISHED,
    AuditScan,
    BlockRecord,
    ItemRecord,
    JobRecord,
    JobRow,
    done_among,
    job_record,
    sound_jobs,
    stray_jobs,
)
from dealmill.pipeline.store.storages.item_blocks import SUMS, blocks_from, stray_blocks

ITEM_CHECK = RowCheck(items.c.position, items.c.digest, items.c.layout)
VERDICT_COLUMNS = [column for column in verdicts.c if not column.primary_key]
"""What the row of a verdict says of its item."""
VERDICT_CHECK, verdict_values = RowCheck(*VERDICT_COLUMNS), attrgetter(*(column.name for column in VERDICT_COLUMNS))
SOURCE_BLOCKS = select(source_blocks.c.number, source_blocks.c.digest).where(
    source_blocks.c.source_id == bindparam("source"),
    source_blocks.c.number.in_(bindparam("numbers", expanding=True)),
)
READ_OR_CUT = {
    items: select(sources.c.accepted).where(sources.c.id == bindparam("owner")).scalar_subquery(),
    verdicts: select(func.coalesce(func.max(job_rows.c.stop) - 1, 0))
    .where(job_rows.c.run_id == bindparam("owner"))
    .scalar_subquery(),
}
"""The last item of a source that was read, and the last one of a run that belongs to a job."""
ROWS_PER_FETCH = 1_000
TableRow = Row[*tuple[Any, ...]]
position_of = attrgetter("position")


def scan(database: Database, run: PlannedRun, count: int, positions: range) -> AuditScan:
    """Read the record of a stretch of a run of `count` items. Rows after the stretch are read too, up to the end of the
    last block that starts in it."""
    first, stop = positions.start, positions.stop
    end = max(stop, block_range(block_of(stop - 1), count)[1])
    with database.reading() as connection:
        jobs, damaged = sound_jobs(connection, run.id, positions)
        listed = _rows(connection, _between(items), {"owner": run.source, "first": first, "end": end})
        answered = _rows(connection, _between(verdicts), {"owner": run.id, "first": first, "end": end})
        answers = {row.position: row for row in answered}
        read, faults = _items(_part(listed, first, stop), answers, done_among(jobs, positions))
        strays = {*map(position_of, _part(answered, first, stop))} - {*map(position_of, listed)}
        outside = list[Fault]()
        if first == 1:
            outside = stray_jobs(connection, run, count)
            strays |= _outside(connection, run, count)
        return AuditScan(
            positions,
            read,
            [_job(connection, run.id, job, first, end, answered) for job in jobs],
            _blocks(connection, run, count, first, stop, listed, answers),
            sorted(position if isinstance(position, int) else 0 for position in strays),
            _source_blocks(connection, run, count, first, stop, listed),
            [*outside, *damaged, *faults],
        )


def sample(database: Database, run: PlannedRun, _count: int, positions: Sequence[int]) -> AuditScan:
    """Read the record of single items."""
    with database.reading() as connection:
        jobs, damaged = sound_jobs(connection, run.id, positions)
        listed = _rows(connection, _among(items), {"owner": run.source, "positions": positions})
        answered = _rows(connection, _among(verdicts), {"owner": run.id, "positions": positions})
        read, faults = _items(listed, {row.position: row for row in answered}, done_among(jobs, positions))
        return AuditScan(positions, read, None, [], [], damaged=[*damaged, *faults])


def recorded_evidence(
    connection: Connection, run: PlannedRun, positions: Sequence[int]
) -> Iterator[tuple[int, object, object]]:
    """See `VerdictStorage`."""
    for start in range(0, len(positions), ROWS_PER_FETCH):
        part = positions[start : start + ROWS_PER_FETCH]
        for row in _rows(connection, _among(verdicts), {"owner": run.id, "positions": part}):
            if row.evidence is not None:
                yield row.position, row.verdict, row.evidence


def _rows(connection: Connection, query: Select[*tuple[Any, ...]], where: Mapping[str, object]) -> Sequence[TableRow]:
    return connection.execute(query, where).all()


@cache
def _between(table: Table) -> Select[*tuple[Any, ...]]:
    """The rows of a source or a run in a stretch, in order of position."""
    position = table.c.position
    inside = (position >= bindparam("first"), position < bindparam("end"))
    return select(table).where(_owner(table) == bindparam("owner"), *inside).order_by(position)


@cache
def _among(table: Table) -> Select[*tuple[Any, ...]]:
    """The rows of a source or a run at single positions, in order of position."""
    at_positions = table.c.position.in_(bindparam("positions", expanding=True))
    return select(table).where(_owner(table) == bindparam("owner"), at_positions).order_by(table.c.position)


def _owner(table: Table) -> Column[int]:
    """Return the column of the source or the run that the rows of a table belong to."""
    return next(iter(table.c))


def _part(rows: Sequence[TableRow], first: int, stop: int) -> Sequence[TableRow]:
    """Return the rows at the positions `[first, stop)`."""
    return rows[bisect_left(rows, first, key=position_of) : bisect_left(rows, stop, key=position_of)]


def _items(
    listed: Iterable[TableRow], answers: Mapping[int, TableRow], done: set[int]
) -> tuple[list[ItemRecord], list[Fault]]:
    """Return items with their verdicts, and a fault for each row with invalid values. Items with such a row have no
    other data, so that no further fault is reported for them."""
    read, damaged = [], []
    for row in listed:
        position, digest, layout = row.position, row.digest, row.layout
        answer = answers.get(position)
        error = ITEM_CHECK.error((position, digest, layout))
        if answer is not None:
            error = error or VERDICT_CHECK.error(verdict_values(answer))
        if error:
            damaged.append(Fault(int(position), int(position), error))
            read.append(ItemRecord(int(position), "", None, False, None, None, None))
        elif answer is None:
            read.append(ItemRecord(position, layout, digest, position in done, None, None, None))
        else:
            done_here = position in done
            read.append(ItemRecord(position, layout, digest, done_here, answer.verdict, answer.value, answer.evidence))
    return read, damaged


def _job(
    connection: Connection, run: int, job: JobRow, first: int, end: int, answered: Sequence[TableRow]
) -> JobRecord:
    """Return a job, with the totals counted from its verdicts if it starts in the stretch. `answered` has the verdicts
    on `[first, end)`."""
    if job.first < first:
        return job_record(job, {})
    if job.state != DONE:
        return job_record(job, UNFINISHED)
    stop = job.stop
    return job_record(job, _count(chain(_part(answered, job.first, stop), _rows_after(connection, run, end, stop))))


def _rows_after(connection: Connection, run: int, end: int, stop: int) -> Iterator[TableRow]:
    """Yield the rows of the verdicts on the items `[end, stop)`."""
    if end < stop:
        query = select(verdicts).where(verdicts.c.run_id == run, verdicts.c.position >= end, verdicts.c.position < stop)
        yield from connection.execute(query, execution_options={"yield_per": ROWS_PER_FETCH})


def _count(rows: Iterable[TableRow]) -> dict[str, object]:
    """Compute the totals of a job from its rows."""
    occurring: Counter[object] = Counter()
    unproved, values, nodes = 0, array("q"), array("q")
    for row in rows:
        occurring[row.verdict] += 1
        unproved += is_claim(row.verdict, row.evidence)
        if isinstance(row.value, int):
            values.append(row.value)
        if isinstance(row.nodes, int):
            nodes.append(row.nodes)
    import numpy as np  # slow to import, and needed only here

    return {
        **{verdict.word: occurring[int(verdict)] for verdict in Verdict},
        "unproved": unproved,
        "value_sum": sum(values),
        "nodes": sum(nodes),
        **distribution_columns(*(np.array(numbers, dtype=np.int64) for numbers in (values, nodes))),
    }


def _blocks(
    connection: Connection,
    run: PlannedRun,
    count: int,
    first: int,
    stop: int,
    listed: Sequence[TableRow],
    answers: Mapping[int, TableRow],
) -> list[BlockRecord]:
    """Return the blocks that start in a stretch and have a recorded digest, or whose jobs are all done."""
    records = []
    for number, recorded, sums, done in blocks_from(connection, run.id, count, first, stop):
        if done or recorded is not None:
            start, end = block_range(number, count)
            pairs = [(row, answers[row.position]) for row in _part(listed, start, end) if row.position in answers]
            contents = [[getattr(answer, name) for _, answer in pairs] for name in ANSWER]
            digest = block_digest(start, [item.layout for item, _ in pairs], *contents)
            records.append(BlockRecord(start, end, recorded, digest, sums, dict.fromkeys(SUMS)))
    return records


def _source_blocks(
    connection: Connection, run: PlannedRun, count: int, first: int, stop: int, listed: Sequence[TableRow]
) -> list[BlockRecord]:
    """Return the blocks of the source that start in a stretch."""
    numbers = range(block_of(first + BLOCK - 1), block_of(stop - 1) + 1)
    where = {"source": run.source, "numbers": list(numbers)}
    recorded: dict[int, Any] = dict(connection.execute(SOURCE_BLOCKS, where).all())
    blocks = []
    for number in numbers:
        start, end = block_range(number, count)
        rows = _part(listed, start, end)
        digest = items_digest([[getattr(row, column.name) for row in rows] for column in ITEM])
        blocks.append(BlockRecord(start, end, recorded.get(number), digest))
    return blocks


def _outside(connection: Connection, run: PlannedRun, count: int) -> set[object]:
    """Return the positions of rows outside the items of a run, and the start positions of blocks outside of it."""
    positions: set[object] = {*stray_blocks(connection, run.id, count)}
    for table, owner in ((items, run.source), (verdicts, run.id)):
        beyond = _beyond(table, run.endless)
        positions.update(connection.execute(beyond, {"owner": owner, "last": count}).scalars())
    return positions


@cache
def _beyond(table: Table, endless: bool) -> Select[int]:
    """The positions of the rows of a source or a run outside of its items. A range of deals without an end may have
    been read further, and a run over it may have grown."""
    position, last = table.c.position, READ_OR_CUT[table] if endless else bindparam("last")
    return select(position).where(_owner(table) == bindparam("owner"), or_(position < 1, position > last))
