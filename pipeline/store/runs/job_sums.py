"""The statements that count the jobs of runs, and what is in them, for `status.py`."""

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Float, Select, and_, case, cast, func, select, type_coerce
from sqlalchemy.types import NullType

from dealmill.pipeline.store.database.functions import NUMBER_LIST, clock, one_of
from dealmill.pipeline.store.database.tables import (
    DONE,
    LEASED,
    PENDING,
    SEEN,
    STORES_LAYOUTS,
    Control,
    jobs,
    runs,
    sources,
)
from dealmill.pipeline.store.runs.job_totals import ADDS_UP, MAX_ADDEND, TOTALS, bounded, sizes
from dealmill.pipeline.store.runs.leases import MAX_CLAIMS
from dealmill.pipeline.store.runs.planned import JOINED, NOT_DELETED, PLANNED
from dealmill.pipeline.store.runs.times import MINUTE, TEN_YEARS


@cache  # building it takes longer than executing it
def counted_runs() -> Select[*tuple[Any, ...]]:
    """Select the plans and progress of the runs bound to `NUMBER_LIST`.

    First their jobs are summed, since PostgreSQL would sort all jobs if they were joined with the texts of their run.
    """
    counted, reading = _sums().subquery(), runs.c.reading_seconds
    sums = ("covered", "jobs", "pending", "leased", "done", "retried", "stuck", "solved", "sound", *TOTALS, "recent")
    query: Select[*tuple[Any, ...]] = (
        select(
            *PLANNED,
            sources.c.accepted,
            cast(func.coalesce(counted.c.stop - 1, 0), BigInteger).label("reached"),
            type_coerce(sources.c.complete, NullType()).label("complete"),  # a Boolean takes any text for true
            *(func.coalesce(counted.c[name], 0).label(name) for name in sums),
            func.coalesce(counted.c.held, 0).label("held"),
            counted.c.finished,
            counted.c.recent_since,
            cast(case((reading.between(0, TEN_YEARS), reading), else_=0), Float).label("reading_seconds"),
            cast(runs.c.started, Float).label("started"),
            counted.c.seen,
            bounded(sources.c.rejected).label("rejected"),
            cast(func.coalesce(sources.c.advanced, sources.c.created), Float).label("read"),
            clock().label("now"),
            counted.c.cpu_seconds,
        )
        .select_from(JOINED.outerjoin(counted, counted.c.run_id == runs.c.id))
        .where(one_of(runs.c.id, NUMBER_LIST), NOT_DELETED)
        .order_by(runs.c.id)
    )
    return query


def _sums() -> Select[*tuple[Any, ...]]:
    """A row for each of these runs that has jobs, with the sums over them."""

    def how_many(state: int) -> ColumnElement[int]:
        return func.sum(case((jobs.c.state == state, 1), else_=0))

    size = sizes(jobs)
    these = one_of(jobs.c.run_id, NUMBER_LIST)
    latest = (
        select(jobs.c.run_id, func.max(jobs.c.finished).label("at")).where(these).group_by(jobs.c.run_id).subquery()
    )
    recent = jobs.c.finished > latest.c.at - MINUTE
    cost = case((and_(jobs.c.state == DONE, jobs.c.cpu_seconds.between(0, TEN_YEARS)), jobs.c.cpu_seconds))
    query: Select[*tuple[Any, ...]] = (
        select(
            jobs.c.run_id,
            func.max(jobs.c.stop).label("stop"),
            func.sum(size).label("covered"),
            func.count().label("jobs"),
            how_many(PENDING).label("pending"),
            how_many(LEASED).label("leased"),
            how_many(DONE).label("done"),
            func.count(case((jobs.c.state != DONE, jobs.c.trouble))).label("retried"),
            func.count(case(((jobs.c.state == PENDING) & (jobs.c.attempt > MAX_CLAIMS), 1))).label("stuck"),
            func.sum(case((jobs.c.state == DONE, size), else_=0)).label("solved"),
            func.count(case((ADDS_UP, 1))).label("sound"),
            *(
                func.sum(case((jobs.c[name].between(-MAX_ADDEND, MAX_ADDEND), jobs.c[name]))).label(name)
                for name in TOTALS
            ),
            func.sum(case((recent, size), else_=0)).label("recent"),
            cast(func.min(case((recent, jobs.c.started))), Float).label("recent_since"),
            cast(latest.c.at, Float).label("finished"),
            cast(func.max(SEEN), Float).label("seen"),
            func.sum(case((and_(jobs.c.state == LEASED, jobs.c.leased_until > clock()), 1), else_=0)).label("held"),
            case((func.count(cost) == how_many(DONE), cast(func.sum(cost), Float))).label("cpu_seconds"),
        )
        .select_from(jobs.join(latest, latest.c.run_id == jobs.c.run_id))
        .where(these)
        .group_by(jobs.c.run_id, latest.c.at)
    )
    return query


@cache
def doubtful_runs() -> Select[int]:
    """Select the runs of which a sum over their jobs does not show that they are finished; this includes all whose
    layouts are not stored."""
    counted = (
        select(
            jobs.c.run_id,
            func.sum(sizes(jobs)).label("covered"),
            func.sum(case((jobs.c.state == DONE, 0), else_=1)).label("left"),
        )
        .group_by(jobs.c.run_id)
        .subquery()
    )
    covered = func.coalesce(counted.c.covered, 0) == sources.c.accepted
    active = runs.c.control == Control.ACTIVE
    done = func.coalesce(counted.c.left, 0) == 0
    finished = and_(STORES_LAYOUTS, active, sources.c.complete, covered, done)
    joined = runs.outerjoin(sources).outerjoin(counted, counted.c.run_id == runs.c.id)
    return select(runs.c.id).select_from(joined).where(finished.is_not(True))
