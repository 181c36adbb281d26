"""The time that runs took from their start to their end: while their source was read for them, and from the claim of
their first job to the end of their last one.

The time between the two does not count: the workers compile, or do jobs of other runs. All time after the first claim
does, also pauses, and time in which there were no workers.

Both times are in the row of the run, because the jobs that were claimed first may be split or merged later.
"""

from collections.abc import Callable
from time import monotonic

from sqlalchemy import Connection, bindparam, update

from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import STORES_LAYOUTS, runs

NOT_STARTED = runs.c.started.is_(None)
MARK_STARTED = update(runs).where(runs.c.id == bindparam("run"), NOT_STARTED).values(started=clock())
READ_FOR_RUNS = (
    update(runs)
    .where(runs.c.source_id == bindparam("source"), STORES_LAYOUTS, NOT_STARTED)
    .values(reading_seconds=bindparam("seconds"))
)

Write = Callable[[Connection], object]
"""Writes something in a transaction."""

TEN_YEARS = 3e8
"""In seconds. No run takes that long: a greater time on record is not counted."""
MINUTE = 60.0
"""The seconds at the end of a run to which its speed refers."""


def mark_started(connection: Connection, run: int) -> None:
    """Record that the first job of a run is claimed now, unless one was claimed before."""
    connection.execute(MARK_STARTED, {"run": run})


def with_reading_time(source: int, begun: float, write: Write) -> Write:
    """Return a function that records how long a source has been read since `begun`, an instant of the monotonic clock,
    for its runs whose first job was not claimed yet, and then calls `write`."""

    def write_both(connection: Connection) -> None:
        connection.execute(READ_FOR_RUNS, {"source": source, "seconds": monotonic() - begun})
        write(connection)

    return write_both


def elapsed_seconds(reading: float, started: float, end: float) -> float:
    """Return the time of a run until `end`: not negative if the clock was set back."""
    return reading + max(end - started, 0.0)


def recent_seconds(reading: float, started: float | None, recent: float | None, end: float | None) -> float:
    """Return the time in which the layouts of the last minute were solved, up to the `end` of the last job: all the
    time of a run that took at most a minute, otherwise the time since the first claim of a job that ended in the last
    minute (`recent`). A pause or another clock before that does not count then."""
    if end is None:
        return 0.0
    if started is not None and 0 <= end - started <= MINUTE:
        return elapsed_seconds(reading, started, end)
    return 0.0 if recent is None else max(end - recent, 0.0)
