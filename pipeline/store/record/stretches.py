"""The record of a run as an audit reads it: each row beside those it must agree with, and nothing presumed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select

from dealmill.pipeline.fingerprint import BLOCK, block_digest, block_of, block_range
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import blocks, items, jobs, verdicts
from dealmill.pipeline.store.queue.leases import DONE
from dealmill.pipeline.store.record.blocks import read_block
from dealmill.pipeline.store.runs.status import PlannedRun


@dataclass(frozen=True, slots=True)
class Record:
    """One item with its layout and its verdict; `verdict` is None where there is none."""

    position: int
    layout: str
    digest: bytes
    verdict: int | None
    value: int | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job of the run: its range, and its totals beside those of its rows, if it is done."""

    first: int
    stop: int
    done: bool
    totals: dict[str, int]
    counted: dict[str, int]


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A block of items: the digest on record (None if there is none), and that of its rows."""

    first: int
    stop: int
    recorded: bytes | None
    found: bytes


@dataclass(frozen=True, slots=True)
class Stretch:
    """All that is on record of the items `first` to before `stop`; jobs also where they only overlap, blocks where
    they begin in it. `strays` are positions of verdicts without an item, and of items outside the source's count."""

    first: int
    stop: int
    records: list[Record]
    jobs: list[JobRecord]
    blocks: list[BlockRecord]
    strays: list[int]


def read_stretch(store: Database, run: PlannedRun, count: int, first: int, stop: int) -> Stretch:
    """Read a stretch of a run over `count` items."""
    with store.reading() as connection:
        around = _jobs_over(connection, run.id, first, stop)
        complete = _blocks_from(connection, run, count, first, stop)
        return Stretch(
            first,
            stop,
            _records(connection, _joined(run).where(items.c.position >= first, items.c.position < stop)),
            around,
            complete,
            _strays(connection, run, count, first, stop),
        )


def read_records(store: Database, run: PlannedRun, positions: Sequence[int]) -> list[Record]:
    """The items at these positions."""
    with store.reading() as connection:
        return _records(connection, _joined(run).where(items.c.position.in_(positions)))


def _joined(run: PlannedRun) -> Select[*tuple[Any, ...]]:
    query: Select[*tuple[Any, ...]] = (
        select(
            items.c.position,
            items.c.layout,
            items.c.digest,
            verdicts.c.verdict,
            verdicts.c.value,
            verdicts.c.evidence,
        )
        .select_from(
            items.outerjoin(verdicts, and_(verdicts.c.run_id == run.id, verdicts.c.position == items.c.position))
        )
        .where(items.c.source_id == run.source)
        .order_by(items.c.position)
    )
    return query


def _records(connection: Connection, query: Select[*tuple[Any, ...]]) -> list[Record]:
    return [Record(*row) for row in connection.execute(query)]


def _jobs_over(connection: Connection, run: int, first: int, stop: int) -> list[JobRecord]:
    rows = connection.execute(
        select(jobs).where(jobs.c.run_id == run, jobs.c.first < stop, jobs.c.stop > first).order_by(jobs.c.first)
    ).all()
    return [
        JobRecord(
            row.first,
            row.stop,
            row.state == DONE,
            {name: getattr(row, name) for name in (*(verdict.word for verdict in Verdict), "value_sum", "nodes")},
            _count(connection, run, row.first, row.stop) if row.state == DONE and row.first >= first else {},
        )
        for row in rows
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


def _blocks_from(connection: Connection, run: PlannedRun, count: int, first: int, stop: int) -> list[BlockRecord]:
    """The blocks that begin in a stretch and whose jobs are all done."""
    numbers = [number for number in range(block_of(first), block_of(stop - 1) + 1) if number * BLOCK + 1 >= first]
    rows = connection.execute(
        select(blocks.c.number, blocks.c.digest).where(blocks.c.run_id == run.id, blocks.c.number.in_(numbers))
    )
    recorded = dict(rows.all())
    found = []
    for number in numbers:
        start, end = block_range(number, count)
        left = select(jobs.c.id).where(
            jobs.c.run_id == run.id, jobs.c.first < end, jobs.c.stop > start, jobs.c.state != DONE
        )
        if number in recorded or connection.execute(left.limit(1)).first() is None:
            digest = block_digest(start, *read_block(connection, run.id, start, end))
            found.append(BlockRecord(start, end, recorded.get(number), digest))
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
        found |= set(connection.execute(outside).scalars())
    return sorted(found)
