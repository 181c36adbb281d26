"""What an audit reads of the record of a run: stretches of its items, with the jobs and blocks over them."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, bindparam, exists, false, or_, select

from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.store.database.functions import BEYOND_NUMBERS
from dealmill.pipeline.store.database.row_checks import Fault, RowCheck
from dealmill.pipeline.store.database.tables import DONE, blocks, jobs, verdicts
from dealmill.pipeline.store.runs.job_totals import SPREAD, TOTALS
from dealmill.pipeline.store.runs.jobs import jobs_over
from dealmill.pipeline.store.runs.planned import PlannedRun

PART_SECONDS = 2.0
"""The time after which a job of an audit leaves the rest of its items to new jobs: it has more work than was expected.
"""


class ItemRecord(NamedTuple):
    """An item as read by an audit, before any check.

    `digest` is the recorded digest of the layout, None for a compact run. `due` says whether its job is done, so that
    it must have a verdict. `verdict` is the recorded one, None if there is none. A compact run records no verdicts: its
    `verdict`, `value` and `evidence` come from solving the item again.
    """

    position: int
    layout: str
    digest: bytes | None
    due: bool
    verdict: int | None
    value: int | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as read by an audit: its range `[first, stop)`, its state, and its recorded `totals`.

    If the job starts in the stretch, `counted` has the totals computed from its verdicts, zero while it is not done;
    otherwise it is empty.
    """

    first: int
    stop: int
    state: int
    totals: Mapping[str, object]
    counted: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A block of a source, or a block of a run whose jobs are done: its range `[first, stop)`, the `recorded` digest
    (None if there is none), and the digest `computed` again; in the same way, the `sums` in its row, and those
    `counted` again."""

    first: int
    stop: int
    recorded: bytes | None
    computed: bytes
    sums: Mapping[str, object] = field(default_factory=dict)
    counted: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditScan:
    """The record of the items at the sorted `positions`, as read by an audit.

    `jobs` overlap the stretch, and `blocks` start in it. For a sample, `jobs` is None, and `blocks` are those that had
    to be solved again. `strays` are the positions of rows that belong to no item, or to no finished job; those outside
    the run are reported in its first stretch. If layouts are stored as rows, `source_blocks` are the blocks of the
    source that start in the stretch. `damaged` has a fault for each row with invalid values.
    """

    positions: Sequence[int]
    items: list[ItemRecord]
    jobs: list[JobRecord] | None
    blocks: list[BlockRecord]
    strays: list[int]
    source_blocks: list[BlockRecord] = field(default_factory=list)
    damaged: list[Fault] = field(default_factory=list)


JobRow = Row[*tuple[Any, ...]]

COUNTED = (jobs.c.first, jobs.c.stop, jobs.c.state, *(jobs.c[name] for name in (*TOTALS, *SPREAD)))

CHECK = RowCheck(*COUNTED)

UNFINISHED: Mapping[str, object] = {**dict.fromkeys(TOTALS, 0), **dict.fromkeys(SPREAD)}
"""The totals and distributions of a job that is not done."""


def sound_jobs(connection: Connection, run: int, positions: Sequence[int]) -> tuple[list[JobRow], list[Fault]]:
    """Return the valid jobs that overlap a stretch, in order, and a fault for each damaged one."""
    if not positions:
        return [], []
    sound, damaged = [], []
    for row in jobs_over(connection, run, positions[0], positions[-1] + 1):
        if error := CHECK.error([getattr(row, column.name) for column in COUNTED]):
            damaged.append(Fault(positions[0], positions[-1], error))
        else:
            sound.append(row)
    return sound, damaged


def done_among(rows: Sequence[JobRow], positions: Sequence[int]) -> set[int]:
    """Return the positions whose job is done. `positions` must be sorted."""
    done: set[int] = set()
    for row in rows:
        if row.state == DONE:
            done.update(positions[bisect_left(positions, row.first) : bisect_left(positions, row.stop)])
    return done


def job_record(row: JobRow, counted: Mapping[str, object]) -> JobRecord:
    """Return a job with its recorded totals, and the totals `counted` from its verdicts."""
    recorded = {name: getattr(row, name) for name in (*TOTALS, *SPREAD, "part")}
    return JobRecord(row.first, row.stop, row.state, recorded, {"part": None, **counted} if counted else counted)


def stray_jobs(connection: Connection, run: PlannedRun, count: int) -> list[Fault]:
    """Return a fault for each job outside the `count` items of a run. A run over an endless deal range may have grown
    since."""
    query = _strays(run.endless, run.storage.stores_layouts)
    rows = connection.execute(query, {"run": run.id, "last": count, "end": count + 1}).all()
    return [
        Fault(1, max(count, 1), f"a job is outside this run: its items are [{row.first}, {row.stop})") for row in rows
    ]


@cache
def _strays(endless: bool, stores_layouts: bool) -> Select[int, int]:
    block = exists().where(blocks.c.run_id == bindparam("run"), blocks.c.number == (jobs.c.first - 1) // BLOCK)
    row = exists().where(verdicts.c.run_id == bindparam("run"), verdicts.c.position == jobs.c.first)
    solved = row if stores_layouts else block
    after = jobs.c.first > bindparam("last")
    grown = and_(after, jobs.c.stop < BEYOND_NUMBERS, or_(jobs.c.state != DONE, solved)) if endless else false()
    outside = or_(jobs.c.first < 1, after, jobs.c.stop > bindparam("end"))
    strange = or_(jobs.c.stop <= jobs.c.first, and_(outside, ~grown))
    return select(jobs.c.first, jobs.c.stop).where(jobs.c.run_id == bindparam("run"), strange)
