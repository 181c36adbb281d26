"""The status of runs: what they are, how far they have come, and whether they can go on; how runs are found and read.

`planned.py` has their plans, `job_sums.py` the statements that count their jobs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from shlex import join
from typing import Any, Self

from dealmill.pipeline.errors import (
    DamagedError,
    RetractedError,
    StoreError,
    UnfinishedError,
    UsageError,
)
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.record import RunRow
from dealmill.pipeline.store.database.tables import Control
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.times import TEN_YEARS, elapsed_seconds

SILENT_READER = timedelta(seconds=60)
"""The time without a new entry after which a reader is taken to have stopped: several times that of a batch."""
WITHOUT_WORKER = timedelta(seconds=10)
"""The time without a lease after which a run is said to wait for workers: longer than the pause after a failure."""

ALL_VERDICTS = tuple(Verdict)
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
        return {verdict: total for verdict in ALL_VERDICTS if (total := totals[verdict.word])}

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
