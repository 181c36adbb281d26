"""Rows of verdicts as an audit reads them: each beside those it must agree with, and nothing presumed."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from dealmill.pipeline.fingerprint import block_digest, block_range
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, items, verdicts
from dealmill.pipeline.store.queue.solving import TOTALS, done_among, jobs_over
from dealmill.pipeline.store.record.blocks import blocks_from, read_block, stray_blocks
from dealmill.pipeline.store.record.contract import BlockRecord, Item, JobRecord, Stretch
from dealmill.pipeline.store.runs.planned import PlannedRun


def stretch(store: Database, run: PlannedRun, count: int, positions: range) -> Stretch:
    """What is on record of a stretch of a run over `count` items."""
    first, stop = positions.start, positions.stop
    with store.reading() as connection:
        return Stretch(
            positions,
            _items(connection, run, positions, items.c.position.between(first, stop - 1)),
            _jobs(connection, run.id, first, stop),
            _blocks(connection, run, count, first, stop),
            _strays(connection, run, count, first, stop),
        )


def sample(store: Database, run: PlannedRun, _count: int, positions: Sequence[int]) -> Stretch:
    """What is on record of single items."""
    with store.reading() as connection:
        return Stretch(positions, _items(connection, run, positions, items.c.position.in_(positions)), None, [], [])


def _items(connection: Connection, run: PlannedRun, positions: Sequence[int], there: ColumnElement[bool]) -> list[Item]:
    said = and_(verdicts.c.run_id == run.id, verdicts.c.position == items.c.position)
    query = (
        select(
            items.c.position,
            items.c.layout,
            items.c.digest,
            verdicts.c.verdict,
            verdicts.c.value,
            verdicts.c.evidence,
        )
        .select_from(items.outerjoin(verdicts, said))
        .where(items.c.source_id == run.source, there)
        .order_by(items.c.position)
    )
    done = done_among(connection, run.id, positions)
    return [
        Item(position, layout, digest, position in done, *said)
        for position, layout, digest, *said in connection.execute(query)
    ]


def _jobs(connection: Connection, run: int, first: int, stop: int) -> list[JobRecord]:
    return [
        JobRecord(
            row.first,
            row.stop,
            {name: getattr(row, name) for name in TOTALS},
            _count(connection, run, row.first, row.stop) if row.state == DONE and row.first >= first else {},
        )
        for row in jobs_over(connection, run, first, stop)
    ]


def _count(connection: Connection, run: int, first: int, stop: int) -> dict[str, int]:
    """What a job's totals would be if its rows were counted."""
    rows = connection.execute(
        select(
            verdicts.c.verdict,
            func.count().label("number"),
            func.coalesce(func.sum(verdicts.c.value), 0).label("values"),
            func.sum(verdicts.c.nodes).label("nodes"),
        )
        .where(verdicts.c.run_id == run, verdicts.c.position >= first, verdicts.c.position < stop)
        .group_by(verdicts.c.verdict)
    ).all()
    numbers = {row.verdict: row.number for row in rows}
    return {
        **{verdict.word: numbers.get(int(verdict), 0) for verdict in Verdict},
        "value_sum": int(sum(row.values for row in rows)),
        "nodes": int(sum(row.nodes for row in rows)),
    }


def _blocks(connection: Connection, run: PlannedRun, count: int, first: int, stop: int) -> list[BlockRecord]:
    """The blocks that begin in a stretch and whose jobs are all done."""
    found = []
    for number, recorded, done in blocks_from(connection, run.id, count, first, stop):
        if done or recorded is not None:
            start, end = block_range(number, count)
            found.append(
                BlockRecord(start, end, recorded, block_digest(start, *read_block(connection, run.id, start, end)))
            )
    return found


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
    found = set(connection.execute(alone).scalars())
    if first == 1:
        found |= {*connection.execute(outside).scalars(), *stray_blocks(connection, run.id, count)}
    return sorted(found)
