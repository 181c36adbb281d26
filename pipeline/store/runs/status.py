"""The status of runs: what they are, how far they have come, and whether they can go on; how runs are found and read.

`planned.py` has their plans, `job_sums.py` the statements that count their jobs.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from shlex import join
from typing import Any, Self, overload

from sqlalchemy import BigInteger, ColumnElement, func, literal, or_, select

from dealmill.pipeline.arguments import row_number
from dealmill.pipeline.errors import (
    DamagedError,
    NotFoundError,
    RetractedError,
    StoreError,
    UnfinishedError,
    UsageError,
)
from dealmill.pipeline.games.deals import is_endless
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.record import RunRow
from dealmill.pipeline.store.database.connections import Database, instant
from dealmill.pipeline.store.database.functions import NUMBERS, one_of
from dealmill.pipeline.store.database.row_checks import readable, shown_value
from dealmill.pipeline.store.database.tables import Control, engines, runs, sources
from dealmill.pipeline.store.runs.job_sums import counted_runs, doubtful_runs
from dealmill.pipeline.store.runs.jobs import TOTALS
from dealmill.pipeline.store.runs.planned import JOINED, NOT_DELETED, PlannedRun, item_count, planned_fields
from dealmill.pipeline.store.runs.times import TEN_YEARS, elapsed_seconds, recent_seconds

SILENT_READER = timedelta(seconds=60)
"""The time without a new entry after which a reader is taken to have stopped: several times that of a batch."""
WITHOUT_WORKER = timedelta(seconds=10)
"""The time without a lease after which a run is said to wait for workers: longer than the pause after a failure."""

VERDICTS = tuple(Verdict)
"""All verdicts. A list of runs looks at them several times per run, and iterating over an enumeration is slow."""


@dataclass(frozen=True, slots=True)
class RunStatus(PlannedRun):
    """A run and its progress, counted by its jobs.

    `items` is the number of items: while its source is not `complete`, those ingested so far; over an endless deal
    range, those requested so far. `covered` is the number of items in jobs. `pending`, `leased` and `done` count `jobs`
    by state; `retried` counts those that are not done after at least one failed attempt, and `stuck` those that
    commands no longer wait for (see `dealmill.pipeline.store.runs.leases.stuck`). `solved` is the number of items that
    have a verdict: those of the jobs that are done. `totals` are the sums over the jobs, by name; they are valid if all
    jobs are `sound`, that is, their totals add up. `recent` is the number of items of the jobs that were finished in
    the last minute in which there were any, and `recent_seconds` the time that these took. `rejected` is the number of
    rejects of its source. `held` counts the leases that have not expired. Times are by the clock of the database: when
    its first job was claimed (`started`), when its newest one was claimed or finished (`seen`), when entries of its
    source were last stored (`read`), and `now`. `reading_seconds` is how long its source was read for it before it
    started. `cpu_seconds` are the processor seconds that its engine took; None if no job is done, or if what one of
    them cost is not on record.
    """

    items: int
    covered: int
    complete: bool
    jobs: int
    pending: int
    leased: int
    done: int
    retried: int
    stuck: int
    solved: int
    sound: int
    totals: Mapping[str, int]
    recent: int
    recent_seconds: float
    rejected: int
    held: int
    reading_seconds: float
    started: datetime | None
    seen: datetime | None
    read: datetime | None
    now: datetime
    cpu_seconds: float | None

    def check_totals(self) -> Self:
        """Check that the totals of the jobs can be added up, and return this run.

        Raises
        ------
        DamagedError
            If they cannot. So do the properties that are sums of them.
        """
        if self.sound < self.jobs:
            raise DamagedError(
                f"the verdicts of run {self.id} cannot be counted: the totals of {self.jobs - self.sound:,} of its "
                f"{self.jobs:,} jobs do not add up; find all faults with: dealmill audit {self.id}"
            )
        return self

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of items for every verdict that occurs."""
        totals = self.check_totals().totals
        return {verdict: total for verdict in VERDICTS if (total := totals[verdict.word])}

    @property
    def unproved(self) -> int:
        """The number of verdicts that are claims without evidence."""
        return self.check_totals().totals["unproved"]

    @property
    def value_sum(self) -> int:
        """The sum of the values of the scored layouts."""
        return self.check_totals().totals["value_sum"]

    @property
    def nodes(self) -> int:
        """The nodes of all searches."""
        return self.check_totals().totals["nodes"]

    @property
    def finished(self) -> bool:
        """Whether every item has a verdict, its source is complete, and it is neither paused nor cancelled."""
        return self.complete and self.done == self.jobs and self.covered == self.items and not self.halted

    @property
    def why_unfinished(self) -> str | None:
        """Why it is not finished, in words; None if it is."""
        if self.finished:
            return None
        if self.damaged:
            return "its jobs are lost or damaged"
        if not self.complete:
            return "its source has not been read to its end"
        if self.solved < self.items:
            return f"{self.items - self.solved:,} of {self.items:,} layouts pending"
        return f"it is {self.control.word}"

    def check_exportable(self, *, unfinished: bool, skip_damaged: bool = False) -> Self:
        """Check that its results may be written to a file, and return this run: if it is finished, if `unfinished` asks
        for unfinished runs, or `skip_damaged` for damaged ones.

        Every file with results of a run is written by this rule, and says why if the run was not finished.

        Raises
        ------
        DamagedError
            If jobs are lost or damaged, so that it is not known whether it is finished.
        UnfinishedError
            If it is not finished.
        """
        if (why := self.why_unfinished) and not (unfinished or (skip_damaged and self.damaged)):
            check_jobs(self)
            raise UnfinishedError(
                f"run {self.id} is not finished ({why}); finish it first, or write what it has with --unfinished "
                "(unfinished=True in Python)"
            )
        return self

    @property
    def halted(self) -> bool:
        """Whether it is paused or cancelled."""
        return self.control is not Control.ACTIVE

    @property
    def damaged(self) -> bool:
        """Whether its jobs do not match its items, because some are missing or there are too many, or they have no
        valid state or totals."""
        if self.sound < self.jobs or self.pending + self.leased + self.done < self.jobs:
            return True
        return self.covered > self.items or (self.complete and self.covered < self.items)

    @property
    def state(self) -> str:
        """One of ``retracted``, ``finished``, ``damaged``, ``paused``, ``cancelled``, ``reading`` (its source is being
        read), ``stopped`` (its source was not fully read), ``stuck`` (a job was given up), ``waiting`` (for workers)
        and ``solving``."""
        if self.retracted is not None:
            return "retracted"
        if self.finished:
            return "finished"
        if self.damaged:
            return "damaged"
        if self.halted:
            return self.control.word
        if not self.complete:
            return "reading" if self.read is not None and self.now < self.read + SILENT_READER else "stopped"
        waiting = not self.held and (self.seen is None or self.now > self.seen + WITHOUT_WORKER)
        return "stuck" if self.stuck and not self.held else "waiting" if waiting else "solving"

    @property
    def seconds(self) -> float | None:
        """The time from its start (see `dealmill.pipeline.store.runs.times`) to the end of its last job, or to now if
        it goes on; None if no job was started."""
        if self.started is None or self.seen is None:
            return None
        end = self.now if self.state in {"reading", "solving"} else self.seen
        return elapsed_seconds(self.reading_seconds, self.started.timestamp(), end.timestamp())

    @property
    def mean(self) -> float | None:
        """The mean value of the scored layouts; None if there are none."""
        scored = self.check_totals().totals[Verdict.SCORED.word]
        return self.value_sum / scored if scored else None

    @property
    def rate(self) -> float | None:
        """Verdicts per second by the jobs of the last minute in which there were any, or of all the time of a shorter
        run, reading included; None if there were none, or if they were imported, since the time that their solver took
        is not known."""
        return self.recent / self.recent_seconds if self.recent_seconds > 0 and self.checked_as is None else None

    @property
    def command(self) -> str | None:
        """The command that repeats it; None if its verdicts were imported."""
        if self.checked_as is not None:
            return None
        return repeating_command(self.game, self.engine, self.max_nodes, self.source_name, self.deals, self.items)

    @property
    def row(self) -> RunRow:
        """The run as a row; see `dealmill.pipeline.results.record`."""
        return {
            "run": self.id,
            "game": self.game,
            "engine": self.engine,
            "version": self.version,
            "source": self.source_name,
            "max_nodes": self.max_nodes,
            "storage": self.storage.word,
            "checked_as": self.checked_as,
            "repeats": self.repeats,
            "priority": self.priority,
            "layouts": self.items,
            "rejected": self.rejected,
            "solved": self.solved,
            "counts": {verdict.word: count for verdict, count in self.counts.items()},
            "unproved": self.unproved,
            "mean": self.mean,
            "nodes": self.nodes,
            "rate": self.rate,
            "ends": self.ends,
            "state": self.state,
            "retracted": self.retracted,
            "started": self.started,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "tags": list(self.tags),
            "note": self.note,
        }

    @property
    def valid_row(self) -> RunRow:
        """The row of the run, without what its verdicts say if they were retracted."""
        return self.row if self.retracted is None else {**self.row, "counts": {}, "unproved": 0, "mean": None}

    @property
    def ends(self) -> datetime | None:
        """The expected end at this rate; None if no job is running, or it would take more than ten years."""
        left = (self.items - self.solved) / self.rate if self.leased and self.rate else TEN_YEARS
        return self.now + timedelta(seconds=left) if left < TEN_YEARS else None


DELETED = select(func.min(runs.c.id)).where(one_of(runs.c.id, NUMBERS), runs.c.control == Control.DELETED)


def repeating_command(
    game: str, engine: str, max_nodes: int | None, source: str, deals: Mapping[str, Any] | None, items: int
) -> str:
    """Return the command that solves the layouts of a source again with an engine."""
    limit = [] if max_nodes is None else ["--max-nodes", str(max_nodes)]
    options = ["--engine", engine, *limit]
    if deals is None:
        return join(["dealmill", "run", source, "--game", game, *options])
    if "column" in deals:
        parameters = "".join(f":{name}={value}" for name, value in deals["parameters"].items())
        numbers = ["--deals", f"deal:{game}:seed={deals['seed']}{parameters}", "--number-column", str(deals["column"])]
        return join(["dealmill", "run", source, *numbers, *options])
    if deals["last"] is not None:
        return join(["dealmill", "run", source, *options])
    given = [word for name, value in deals["parameters"].items() for word in ("--param", f"{name}={value}")]
    return join(["dealmill", "survey", game, *options, "--seed", str(deals["seed"]), *given, "--count", str(items)])


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


def check_not_retracted(run: RunStatus) -> None:
    """Refuse to wait for an unfinished run of a retracted engine, since workers do not continue it.

    Raises
    ------
    RetractedError
    """
    if run.retracted is not None and not run.finished:
        raise RetractedError(
            f"run {run.id} cannot continue: version {run.version} of {run.engine} was retracted ({run.retracted})"
        )


def check_not_halted(run: RunStatus) -> None:
    """Refuse to wait for a run that users have stopped.

    Raises
    ------
    StoreError
        If it is paused or cancelled.
    """
    if run.halted:
        raise StoreError(f"run {run.id} is {run.control.word}; continue it with: dealmill resume {run.id}")


def check_not_imported(run: RunStatus) -> None:
    """Refuse to solve layouts of a run whose engine exists only on record.

    Raises
    ------
    UsageError
    """
    if run.checked_as is not None:
        raise UsageError(
            f"run {run.id} cannot be solved again: its verdicts were imported, and {run.engine} exists only on record"
        )


def check_jobs(run: RunStatus) -> None:
    """Check that the jobs of a run match its items.

    Raises
    ------
    DamagedError
        If they do not.
    """
    if run.damaged:
        raise DamagedError(f"jobs of run {run.id} are lost or damaged; find them with: dealmill audit {run.id}")


def check_finished(run: RunStatus) -> None:
    """Check that every item of a run has a verdict.

    Raises
    ------
    RetractedError, DamagedError, StoreError, UnfinishedError
        If it has not, by the reason.
    """
    if run.finished:
        return
    check_not_retracted(run)
    check_not_halted(run)
    check_jobs(run)
    if not run.complete:
        raise UnfinishedError(
            f"run {run.id} is not finished, since {run.source_name} has not been read to its end; correct it, or "
            "repeat the command that read it"
        )
    raise UnfinishedError(f"run {run.id} is not finished; finish it with: dealmill work --drain, or name another run")
