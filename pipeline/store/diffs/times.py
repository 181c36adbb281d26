"""The processor time of the jobs of two runs over the same layouts."""

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection, select

from dealmill.pipeline.results.time_ratio import TimeRatio, time_ratio_of
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, jobs
from dealmill.pipeline.store.diffs.difference import layouts_are_stored
from dealmill.pipeline.store.runs.job_totals import bounded
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.runs.times import TEN_YEARS


def job_time_ratio(database: Database, left: RunStatus, right: RunStatus) -> TimeRatio | None:
    """Compare the processor time that two runs took for the same jobs; None if their positions do not have the same
    layouts, or no job of both is on record with its time.

    Jobs may be split in one run and not in the other: then those between two positions at which jobs begin in both runs
    count as one.
    """
    if left.source != right.source and layouts_are_stored(left, right):
        return None
    with database.reading() as connection:
        left_costs, right_costs = (_costs(connection, run.id) for run in (left, right))
    return time_ratio_of(_pairs(left_costs, right_costs))


Costs = Mapping[int, tuple[int, float]]
"""The first position of each job, with the position after its last one and its processor seconds."""


def _costs(connection: Connection, run: int) -> Costs:
    first, stop, cost = bounded(jobs.c.first), bounded(jobs.c.stop), jobs.c.cpu_seconds
    query = select(first, stop, cost).where(jobs.c.run_id == run, jobs.c.state == DONE)
    rows = connection.execute(query.where(stop > first, cost.between(0, TEN_YEARS)))
    return {first: (stop, seconds) for first, stop, seconds in rows}


def _pairs(left: Costs, right: Costs) -> Iterator[tuple[float, float]]:
    """Yield the seconds of both runs between positions at which jobs of both begin and end, as near as possible."""
    for first in left.keys() & right.keys():
        (left_stop, left_seconds), (right_stop, right_seconds) = left[first], right[first]
        while left_stop != right_stop:
            costs, reached = (left, left_stop) if left_stop < right_stop else (right, right_stop)
            if reached not in costs:
                break
            stop, seconds = costs[reached]
            if costs is left:
                left_stop, left_seconds = stop, left_seconds + seconds
            else:
                right_stop, right_seconds = stop, right_seconds + seconds
        else:
            yield left_seconds, right_seconds
