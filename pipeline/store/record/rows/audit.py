"""Rows of verdicts as an audit reads them: each beside those it must agree with, and nothing presumed."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from dealmill.pipeline.fingerprint import block_digest, block_range
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import DONE, items, verdicts
from dealmill.pipeline.store.record.blocks import blocks_from, read_block, stray_blocks
from dealmill.pipeline.store.record.checking import JobRow, done_among, job_record, sound_jobs, stray_jobs
from dealmill.pipeline.store.record.contract import BlockRecord, Fault, Item, JobRecord, Stretch
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.sources.blocks import ITEM_LISTING, source_blocks_from

ITEM = (items.c.position, items.c.layout, items.c.digest)
SAID = (verdicts.c.verdict, verdicts.c.value, verdicts.c.evidence)
ITEM_SHAPE, VERDICT_SHAPE = Shape(*ITEM), Shape(*SAID, verdicts.c.nodes)
FETCHED = 1_000


def stretch(store: Database, run: PlannedRun, count: int, positions: range) -> Stretch:
    """What is on record of a stretch of a run over `count` items."""
    first, stop = positions.start, positions.stop
    with store.reading() as connection:
        jobs, damaged = sound_jobs(connection, run.id, positions)
        found, faults = _items(connection, run, done_among(jobs, positions), items.c.position.between(first, stop - 1))
        outside = stray_jobs(connection, run, count) if first == 1 else []
        return Stretch(
            positions,
            found,
            [_job(connection, run.id, job, first) for job in jobs],
            _blocks(connection, run, count, first, stop),
            _strays(connection, run, count, first, stop),
            [
                BlockRecord(*block)
                for block in source_blocks_from(connection, ITEM_LISTING, run.source, count, first, stop)
            ],
            [*outside, *damaged, *faults],
        )


def sample(store: Database, run: PlannedRun, _count: int, positions: Sequence[int]) -> Stretch:
    """What is on record of single items."""
    with store.reading() as connection:
        jobs, damaged = sound_jobs(connection, run.id, positions)
        there = items.c.position.in_(positions)
        found, faults = _items(connection, run, done_among(jobs, positions), there)
        return Stretch(positions, found, None, [], [], damaged=[*damaged, *faults])


def _items(
    connection: Connection, run: PlannedRun, done: set[int], there: ColumnElement[bool]
) -> tuple[list[Item], list[Fault]]:
    """Items with their verdicts, and faults where a row holds what is never written; nothing else is said of those."""
    said = and_(verdicts.c.run_id == run.id, verdicts.c.position == items.c.position)
    query = (
        select(*ITEM, *SAID, verdicts.c.nodes, verdicts.c.position.label("answered"))
        .select_from(items.outerjoin(verdicts, said))
        .where(items.c.source_id == run.source, there)
        .order_by(items.c.position)
    )
    found, damaged = [], []
    for position, layout, digest, verdict, value, evidence, nodes, answered in connection.execute(query):
        trouble = ITEM_SHAPE.trouble((position, layout, digest))
        if answered is not None:
            trouble = trouble or VERDICT_SHAPE.trouble((verdict, value, evidence, nodes))
        if trouble:
            damaged.append(Fault(int(position), int(position), trouble))
            found.append(Item(int(position), "", None, False, None, None, None))
        else:
            found.append(Item(position, layout, digest, position in done, verdict, value, evidence))
    return found, damaged


def _job(connection: Connection, run: int, job: JobRow, first: int) -> JobRecord:
    if job.first < first:
        return job_record(job, {})
    return job_record(job, _count(connection, run, job.first, job.stop if job.state == DONE else job.first))


def _count(connection: Connection, run: int, first: int, stop: int) -> dict[str, object]:
    """What a job's totals would be if its rows were counted."""
    rows = select(verdicts.c.verdict, verdicts.c.value, verdicts.c.nodes).where(
        verdicts.c.run_id == run, verdicts.c.position >= first, verdicts.c.position < stop
    )
    said: Counter[object] = Counter()
    value_sum = nodes_sum = 0
    for verdict, value, nodes in connection.execution_options(yield_per=FETCHED).execute(rows):
        said[verdict] += 1
        value_sum += value if isinstance(value, int) else 0
        nodes_sum += nodes if isinstance(nodes, int) else 0
    return {**{verdict.word: said[int(verdict)] for verdict in Verdict}, "value_sum": value_sum, "nodes": nodes_sum}


def _blocks(connection: Connection, run: PlannedRun, count: int, first: int, stop: int) -> list[BlockRecord]:
    """The blocks that begin in a stretch and whose jobs are all done."""
    return [
        BlockRecord(start, end, recorded, block_digest(start, *read_block(connection, run.id, start, end)))
        for number, recorded, done in blocks_from(connection, run.id, count, first, stop)
        if done or recorded is not None
        for start, end in [block_range(number, count)]
    ]


def _strays(connection: Connection, run: PlannedRun, count: int, first: int, stop: int) -> list[int]:
    """Rows where there should be none, in a stretch; the first stretch looks outside all others too."""
    place = and_(verdicts.c.position >= first, verdicts.c.position < stop)
    if first == 1:
        place = or_(place, verdicts.c.position < 1, verdicts.c.position > count)
    same = and_(items.c.source_id == run.source, items.c.position == verdicts.c.position)
    alone = (
        select(verdicts.c.position)
        .select_from(verdicts.outerjoin(items, same))
        .where(verdicts.c.run_id == run.id, place, items.c.position.is_(None))
    )
    outside = select(items.c.position).where(
        items.c.source_id == run.source, or_(items.c.position < 1, items.c.position > count)
    )
    found = _places(connection.execute(alone).scalars())
    if first == 1:
        found |= _places(connection.execute(outside).scalars()) | {*stray_blocks(connection, run.id, count)}
    return sorted(found)


def _places(found: Iterable[object]) -> set[int]:
    """Positions as they are, and 0 for what is none."""
    return {position if isinstance(position, int) else 0 for position in found}
