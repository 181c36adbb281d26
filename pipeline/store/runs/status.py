"""The progress of runs, counted by their jobs."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Float,
    Row,
    RowMapping,
    Select,
    and_,
    bindparam,
    case,
    cast,
    func,
    or_,
    select,
)

from dealmill.pipeline.arguments import row_number
from dealmill.pipeline.errors import DamagedError, DamagedWarning, NotFoundError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.tables import DONE, LEASED, PENDING, Storage, engines, jobs, runs, sources
from dealmill.pipeline.store.queue.solving import TOTALS
from dealmill.pipeline.store.queue.sums import MOST, bounded, sizes
from dealmill.pipeline.store.runs.planned import JOINED, PLANNED, PlannedRun, item_count, planned_fields


@dataclass(frozen=True, slots=True)
class RunStatus(PlannedRun):
    """A run and its progress, counted by its jobs.

    `items` is the number of items: while its source is not `complete`, those ingested so far; over an endless deal
    range, those requested so far. `covered` is the number of items in jobs. `pending`, `leased` and `done` count `jobs`
    by state; `retried` counts those that are not done after at least one failed attempt. `counts` has the number of
    items for every verdict that occurs. `recent` is the number of items finished in the last minute in which there were
    any, and `recent_seconds` the time they took. `started` and `now` are in seconds since 1970, by the clock of the
    database.
    """

    items: int
    covered: int
    complete: bool
    jobs: int
    pending: int
    leased: int
    done: int
    retried: int
    counts: dict[Verdict, int]
    value_sum: int
    nodes: int
    recent: int
    recent_seconds: float
    started: float | None
    now: float

    @property
    def solved(self) -> int:
        """The number of items that have a verdict."""
        return sum(self.counts.values())

    @property
    def finished(self) -> bool:
        """Whether every item has a verdict and its source is complete."""
        return self.complete and self.done == self.jobs and self.covered == self.items

    @property
    def damaged(self) -> bool:
        """Whether its jobs do not match its items: some are missing, or there are too many."""
        return self.covered > self.items or (self.complete and self.covered < self.items)

    @property
    def mean(self) -> float | None:
        """The mean value of the scored layouts; None if there are none."""
        scored = self.counts.get(Verdict.SCORED, 0)
        return self.value_sum / scored if scored else None

    @property
    def rate(self) -> float | None:
        """Verdicts per second in the last minute in which there were any; None if there were none."""
        return self.recent / self.recent_seconds if self.recent_seconds > 0 else None

    @property
    def ends(self) -> float | None:
        """The expected end at this rate, in seconds since 1970; None if no job is running."""
        return self.now + (self.items - self.solved) / self.rate if self.leased and self.rate else None


MINUTE = 60.0
NUMBERS: BindParameter[Sequence[int]] = bindparam("numbers", expanding=True)
MOST_PARAMETERS = 10_000
"""The most parameters of one query, well below the limits of the databases."""


def run_numbers(store: Database) -> list[int]:
    """Return the numbers of all runs, oldest first."""
    with store.reading() as connection:
        return list(connection.execute(select(runs.c.id).order_by(runs.c.id)).scalars())


def list_runs(store: Database, only: Collection[int] | None = None) -> list[RunStatus]:
    """Return all runs, or those with the numbers `only`, oldest first. Issue a `DamagedWarning` for each one that
    cannot be read."""
    numbers = run_numbers(store) if only is None else sorted(set(only))
    try:
        return _counted_runs(store, numbers)
    except DamagedError:  # one of them cannot be read
        return [run for number in numbers for run in _readable(store, number)]


def _counted_runs(store: Database, numbers: Sequence[int]) -> list[RunStatus]:
    found: list[RunStatus] = []
    with store.reading() as connection:
        for start in range(0, len(numbers), MOST_PARAMETERS):
            these = {"numbers": list(numbers[start : start + MOST_PARAMETERS])}
            found += map(_run, connection.execute(_counted(), these))
    return found


def _readable(store: Database, number: int) -> list[RunStatus]:
    """Return a run in a list; an empty list, with a `DamagedWarning`, if it cannot be read."""
    try:
        return _counted_runs(store, [number])
    except DamagedError as error:
        warnings.warn(DamagedWarning(str(error)), stacklevel=3)
        return []


def read_runs(store: Database, numbers: Collection[int]) -> list[RunStatus]:
    """Return the runs with these numbers, oldest first.

    Raises
    ------
    DamagedError
        If one of them is missing or cannot be read.
    """
    found = _counted_runs(store, sorted(set(numbers)))
    if lost := set(numbers) - {run.id for run in found}:
        raise DamagedError(f"run {min(lost)} is missing from the store; restore the database from a backup")
    return found


def runs_over(store: Database, source: int) -> list[RunStatus]:
    """Return all runs over a source, oldest first.

    Raises
    ------
    DamagedError
        If one of them cannot be read.
    """
    with store.reading() as connection:
        numbers = connection.execute(select(runs.c.id).where(runs.c.source_id == source)).scalars().all()
    return _counted_runs(store, sorted(numbers))


def related_runs(store: Database, run: RunStatus) -> list[int]:
    """Return the numbers of the other runs of the same engine, in any version, over the same source, and of those that
    repeat this run or that it repeats; oldest first."""
    same = and_(runs.c.source_id == run.source, engines.c.name == run.engine)
    query = (
        select(runs.c.id)
        .select_from(runs.join(engines))
        .where(runs.c.id != run.id, or_(same, runs.c.repeats == run.id, runs.c.id == run.repeats))
        .order_by(runs.c.id)
    )
    with store.reading() as connection:
        return list(connection.execute(query).scalars())


def find_run(store: Database, key: int | str) -> RunStatus:
    """Return the run with the given number, which may be a string; ``last`` is the newest run.

    Raises
    ------
    NotFoundError
        If there is no such run.
    DamagedError
        If it cannot be read.
    """
    if key == "last":
        with store.reading() as connection:
            number = connection.execute(select(func.max(runs.c.id))).scalar()
    else:
        number = row_number(key)
    found = _counted_runs(store, [number]) if number is not None else []
    if not found:
        raise NotFoundError(f"the store has no run {str(key)!r}; dealmill status lists them")
    return found[0]


@cache  # building it takes longer than executing it
def _counted() -> Select[*tuple[Any, ...]]:
    """These runs, counted by their jobs: first the jobs, since PostgreSQL would sort them all if they were joined with
    the texts of their run."""
    counted = _sums().subquery()
    whole = ("covered", "jobs", "pending", "leased", "done", "retried", *TOTALS, "recent")
    query: Select[*tuple[Any, ...]] = (
        select(
            *PLANNED,
            sources.c.accepted,
            cast(func.coalesce(counted.c.stop - 1, 0), BigInteger).label("reached"),
            ((runs.c.storage == Storage.PACKED) | sources.c.complete).label("complete"),
            *(func.coalesce(counted.c[name], 0).label(name) for name in whole),
            counted.c.recent_seconds,
            counted.c.started,
            clock().label("now"),
        )
        .select_from(JOINED.outerjoin(counted, counted.c.run_id == runs.c.id))
        .where(runs.c.id.in_(NUMBERS))
        .order_by(runs.c.id)
    )
    return query


def _sums() -> Select[*tuple[Any, ...]]:
    """A row for each of these runs that has jobs, with the sums over them."""

    def how_many(state: int) -> ColumnElement[int]:
        return func.sum(case((jobs.c.state == state, 1), else_=0))

    size = sizes(jobs)
    these = jobs.c.run_id.in_(NUMBERS)
    latest = (
        select(jobs.c.run_id, func.max(jobs.c.finished).label("at")).where(these).group_by(jobs.c.run_id).subquery()
    )
    recent = jobs.c.finished > latest.c.at - MINUTE
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
            *(func.sum(bounded(jobs.c[name], -MOST)).label(name) for name in TOTALS),
            func.sum(case((recent, size), else_=0)).label("recent"),
            cast(func.max(jobs.c.finished) - func.min(case((recent, jobs.c.started))), Float).label("recent_seconds"),
            cast(func.min(jobs.c.started), Float).label("started"),
        )
        .select_from(jobs.join(latest, latest.c.run_id == jobs.c.run_id))
        .where(these)
        .group_by(jobs.c.run_id)
    )
    return query


def _run(row: Row[*tuple[Any, ...]]) -> RunStatus:
    counted = row._mapping
    planned = planned_fields(counted)
    counts = {verdict: int(counted[verdict.word]) for verdict in Verdict}
    return RunStatus(
        **planned,
        items=_items(planned, counted),
        covered=int(counted["covered"]),
        complete=counted["complete"],
        jobs=int(counted["jobs"]),
        pending=int(counted["pending"]),
        leased=int(counted["leased"]),
        done=int(counted["done"]),
        retried=int(counted["retried"]),
        counts={verdict: number for verdict, number in counts.items() if number},
        value_sum=int(counted["value_sum"]),
        nodes=int(counted["nodes"]),
        recent=int(counted["recent"]),
        recent_seconds=max(counted["recent_seconds"] or 0.0, 0.0),  # negative if the clock was set back meanwhile
        started=counted["started"],
        now=counted["now"],
    )


def _items(planned: Mapping[str, Any], counted: RowMapping) -> int:
    """Return the number of items of a run.

    Raises
    ------
    DamagedError
        If the recorded number is not valid.
    """
    deals = planned["deals"] or {}
    first, last = deals.get("first"), deals.get("last")
    if planned["storage"] is Storage.ROWS:
        items = counted["accepted"]
    elif isinstance(first, int) and isinstance(last, int):
        items = last - first + 1
    else:
        items = counted["reached"]
    return item_count(f"run {planned['id']}", items)
