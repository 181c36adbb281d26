"""Runs with their progress, read from the store: by number, in parts, over a source."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, overload

from sqlalchemy import BigInteger, ColumnElement, func, literal, or_, select

from dealmill.pipeline.arguments import row_number
from dealmill.pipeline.errors import (
    DamagedError,
    NotFoundError,
)
from dealmill.pipeline.games.deals import is_endless
from dealmill.pipeline.store.database.connections import Database, instant
from dealmill.pipeline.store.database.functions import NUMBER_LIST, one_of
from dealmill.pipeline.store.database.row_checks import readable, shown_value
from dealmill.pipeline.store.database.tables import Control, engines, runs, sources
from dealmill.pipeline.store.runs.job_sums import counted_runs, doubtful_runs
from dealmill.pipeline.store.runs.job_totals import TOTALS
from dealmill.pipeline.store.runs.planned import JOINED, NOT_DELETED, item_count, planned_fields
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.runs.times import recent_seconds

DELETED = select(func.min(runs.c.id)).where(one_of(runs.c.id, NUMBER_LIST), runs.c.control == Control.DELETED)


def list_run_ids(
    database: Database, *which: ColumnElement[bool], limit: int | None = None, descending: bool = False
) -> list[int]:
    """Return the ids of all runs, or of those that meet conditions on their row, source and engine: at most `limit`
    of them, oldest first, or newest first if `descending`."""
    query = select(runs.c.id).select_from(JOINED if which else runs).where(NOT_DELETED, *which)
    order = runs.c.id.desc() if descending else runs.c.id
    with database.reading() as connection:
        return list(connection.execute(query.order_by(order).limit(limit)).scalars())


def run_ids_between(
    database: Database, after: int, before: int, limit: int | None, *, text: str = "", descending: bool = False
) -> list[int]:
    """Return the first `limit` ids of runs between `after` and `before` (both exclusive), oldest or newest first,
    with every word of a `text` in their engine, source, tags or note, in upper or lower case."""
    first, last = (literal(run_id, BigInteger) for run_id in (after, before))  # the column is narrower
    named = [
        func.lower(func.coalesce(column, "")) for column in (engines.c.name, sources.c.name, runs.c.tags, runs.c.note)
    ]
    words = [or_(*(name.contains(word, autoescape=True) for name in named)) for word in text.lower().split()]
    return list_run_ids(database, runs.c.id > first, runs.c.id < last, *words, limit=limit, descending=descending)


class Runs(Sequence[RunStatus]):
    """Runs with some ids, oldest first, that are read in parts while they are iterated over. Those that cannot be
    read are left out then (see `list_runs`)."""

    PART = 100

    def __init__(self, database: Database, run_ids: Sequence[int]) -> None:
        self._database = database
        self.run_ids = run_ids

    def __len__(self) -> int:
        return len(self.run_ids)

    @overload
    def __getitem__(self, index: int) -> RunStatus: ...
    @overload
    def __getitem__(self, index: slice) -> "Runs": ...
    def __getitem__(self, index: int | slice) -> "RunStatus | Runs":
        if isinstance(index, slice):
            return Runs(self._database, self.run_ids[index])
        return find_run(self._database, self.run_ids[index])

    def __iter__(self) -> Iterator[RunStatus]:
        for start in range(0, len(self), self.PART):
            yield from list_runs(self._database, self.run_ids[start : start + self.PART])

    def __reversed__(self) -> Iterator[RunStatus]:
        for stop in range(len(self), 0, -self.PART):
            yield from reversed(list_runs(self._database, self.run_ids[max(stop - self.PART, 0) : stop]))

    @property
    def unfinished(self) -> list[RunStatus]:
        """Those that have layouts without a verdict."""
        with self._database.reading() as connection:
            doubtful = {*connection.execute(doubtful_runs()).scalars()}
        candidates = list_runs(self._database, [run_id for run_id in self.run_ids if run_id in doubtful])
        return [run for run in candidates if not run.finished]

    @property
    def are_numbered(self) -> bool:
        """Whether all are over numbered deals."""
        over_files = select(runs.c.id).join(sources).where(sources.c.deals.is_(None))
        with self._database.reading() as connection:
            return {*connection.execute(over_files).scalars()}.isdisjoint(self.run_ids)


def list_runs(
    database: Database, run_ids: Collection[int] | None = None, *, with_totals: bool = False
) -> list[RunStatus]:
    """Return all runs, or those with these ids, oldest first, without those that cannot be read (see
    `readable`) or, `with_totals`, cannot be counted."""
    rows = _counted_rows(database, list_run_ids(database) if run_ids is None else sorted(set(run_ids)))
    return list(readable(rows, (lambda row: _run(row).check_totals()) if with_totals else _run))


def _counted_runs(database: Database, run_ids: Sequence[int]) -> list[RunStatus]:
    return [_run(row) for row in _counted_rows(database, run_ids)]


def _counted_rows(database: Database, run_ids: Sequence[int]) -> list[Mapping[str, Any]]:
    with database.reading() as connection:
        rows = connection.execute(counted_runs(), {"numbers": run_ids})
        names = tuple(rows.keys())
        return [dict(zip(names, row, strict=True)) for row in rows]


def read_runs(database: Database, run_ids: Collection[int]) -> list[RunStatus]:
    """Return the runs with these ids, oldest first.

    Raises
    ------
    NotFoundError
        If one of them was deleted.
    DamagedError
        If one of them is missing or cannot be read.
    """
    statuses = _counted_runs(database, sorted(set(run_ids)))
    if lost := set(run_ids) - {run.id for run in statuses}:
        check_not_deleted(database, lost)
        raise DamagedError(f"run {min(lost)} is missing from the store; restore the database from a backup")
    return statuses


def check_not_deleted(database: Database, numbers: Collection[int]) -> None:
    """Check that runs were not deleted while they were read in several transactions. A deletion is final: whatever was
    read of a run that is still there is complete.

    Raises
    ------
    NotFoundError
        If one of them was deleted.
    """
    with database.reading() as connection:
        deleted = connection.execute(DELETED, {"numbers": [*numbers]}).scalar()
    if deleted is not None:
        raise NotFoundError(f"run {deleted} was deleted")


def runs_over(database: Database, source: int) -> list[RunStatus]:
    """Return all runs over a source, oldest first."""
    with database.reading() as connection:
        numbers = connection.execute(select(runs.c.id).where(runs.c.source_id == source)).scalars().all()
    return _counted_runs(database, sorted(numbers))


def related_runs(database: Database, run: RunStatus) -> list[int]:
    """Return the numbers of the other runs of the same engine, in any version, over the same source; oldest first.
    Reruns are among them."""
    same = (runs.c.source_id == run.source, engines.c.name == run.engine, runs.c.id != run.id)
    return list_run_ids(database, *same)


def find_run(database: Database, key: int | str) -> RunStatus:
    """Return the run with the given number, which may be a string; ``last`` is the newest run.

    Raises
    ------
    NotFoundError
        If there is no such run, or it was deleted.
    """
    if key == "last":
        with database.reading() as connection:
            number = connection.execute(select(func.max(runs.c.id)).where(NOT_DELETED)).scalar()
    else:
        number = row_number(key)
    statuses = _counted_runs(database, [number]) if number is not None else []
    if not statuses:
        check_not_deleted(database, [] if number is None else [number])
        raise NotFoundError(f"the store has no run {str(key)!r}; dealmill status lists them")
    return statuses[0]


def _run(counted: Mapping[str, Any]) -> RunStatus:
    planned = planned_fields(counted)
    if counted["complete"] not in (0, 1):
        what = f"sources.complete is {shown_value(counted['complete'])}, not true or false"
        raise DamagedError(f"run {counted['id']} cannot be read: {what}; restore the database from a backup")
    return RunStatus(
        **planned,
        items=_items(planned, counted),
        covered=int(counted["covered"]),
        complete=bool(counted["complete"]) or is_endless(planned["deals"]) or not planned["storage"].stores_layouts,
        jobs=int(counted["jobs"]),
        pending=int(counted["pending"]),
        leased=int(counted["leased"]),
        done=int(counted["done"]),
        retried=int(counted["retried"]),
        stuck=int(counted["stuck"]),
        solved=int(counted["solved"]),
        sound=int(counted["sound"]),
        totals={name: int(counted[name]) for name in TOTALS},
        recent=int(counted["recent"]),
        recent_seconds=recent_seconds(
            counted["reading_seconds"], counted["started"], counted["recent_since"], counted["finished"]
        ),
        rejected=int(counted["rejected"]),
        held=int(counted["held"]),
        reading_seconds=counted["reading_seconds"],
        started=instant(counted["started"]),
        seen=instant(counted["seen"]),
        read=instant(counted["read"]),
        now=instant(counted["now"]) or datetime.now(UTC),
        cpu_seconds=counted["cpu_seconds"],
    )


def _items(planned: Mapping[str, Any], counted: Mapping[str, Any]) -> int:
    """Return the number of items of a run."""
    deals = planned["deals"] or {}
    first, last = deals.get("first"), deals.get("last")
    if planned["storage"].stores_layouts and not is_endless(planned["deals"]):
        items = counted["accepted"]
    elif isinstance(first, int) and isinstance(last, int):
        items = last - first + 1
    else:
        items = counted["reached"]
    return item_count(f"run {planned['id']}", items)
