"""Validated reading of a run's jobs for audits, shared by all storages."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, exists, false, or_, select

from dealmill.pipeline.store.jobs import SPREAD, TOTALS, jobs_over
from dealmill.pipeline.store.record.contract import Fault, JobRecord
from dealmill.pipeline.store.record.extent import END
from dealmill.pipeline.store.runs import PlannedRun
from dealmill.pipeline.store.tables import DONE, Shape, jobs, packs

JobRow = Row[*tuple[Any, ...]]

COUNTED = (jobs.c.first, jobs.c.stop, jobs.c.state, *(jobs.c[name] for name in (*TOTALS, *SPREAD)))
SHAPE = Shape(*COUNTED)
UNFINISHED: Mapping[str, object] = {**dict.fromkeys(TOTALS, 0), **dict.fromkeys(SPREAD)}
"""The totals and distributions of a job that is not done."""


def sound_jobs(connection: Connection, run: int, positions: Sequence[int]) -> tuple[list[JobRow], list[Fault]]:
    """Return the valid jobs that overlap a stretch, in order, and a fault for each damaged one."""
    if not positions:
        return [], []
    sound, damaged = [], []
    for row in jobs_over(connection, run, positions[0], positions[-1] + 1):
        if trouble := SHAPE.trouble([getattr(row, column.name) for column in COUNTED]):
            damaged.append(Fault(positions[0], positions[-1], trouble))
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
    return JobRecord(row.first, row.stop, row.state, {name: getattr(row, name) for name in (*TOTALS, *SPREAD)}, counted)


def stray_jobs(connection: Connection, run: PlannedRun, count: int) -> list[Fault]:
    """Return a fault for each job outside the `count` items of a run. A run over an endless deal range may have grown
    since."""
    endless = run.deals is not None and run.deals.get("last") is None
    rows = connection.execute(_strays(endless), {"run": run.id, "last": count, "end": count + 1}).all()
    return [
        Fault(1, max(count, 1), f"a job is outside this run: its items are [{row.first}, {row.stop})") for row in rows
    ]


@cache
def _strays(endless: bool) -> Select[int, int]:
    pack = exists().where(
        packs.c.run_id == bindparam("run"), packs.c.first == jobs.c.first, packs.c.stop == jobs.c.stop
    )
    after = jobs.c.first > bindparam("last")
    grown = and_(after, jobs.c.stop < END, or_(jobs.c.state != DONE, pack)) if endless else false()
    outside = or_(jobs.c.first < 1, after, jobs.c.stop > bindparam("end"))
    strange = or_(jobs.c.stop <= jobs.c.first, and_(outside, ~grown))
    return select(jobs.c.first, jobs.c.stop).where(jobs.c.run_id == bindparam("run"), strange)
