"""What methods of a store return besides single runs: lists of runs, what was read and solved, what is withdrawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Self

from dealmill.audits import Audit
from dealmill.pipeline.errors import InputError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import counted
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.run_planning import queue_replacement
from dealmill.pipeline.store.runs.finding import runs_over
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.storages.arrow import Tabular, table_of_runs
from dealmill.runs import Run

if TYPE_CHECKING:
    import pyarrow


class RunList(list[Run], Tabular):
    """A list of runs, which can be controlled together, and is also a table: data frames have a row for each.

    `pause` and `cancel` leave finished runs as they are, unless the list is of one run.
    """

    @classmethod
    def of(cls, database: Database, statuses: Sequence[RunStatus]) -> Self:
        """Return runs with their newest audits, which are read together."""
        audits = latest_audits(database, [status.id for status in statuses])
        runs = cls(Run(database, status) for status in statuses)
        for run in runs:
            audit = audits.get(run.id)
            run.latest_audit = None if audit is None else Audit(database, audit)
        return runs

    def pause(self) -> None:
        """Pause the runs; see `Run.pause`."""
        for run in self._stoppable:
            run.pause()

    def cancel(self) -> None:
        """Cancel the runs; see `Run.cancel`."""
        for run in self._stoppable:
            run.cancel()

    def resume(self) -> None:
        """Continue the runs after `pause` or `cancel`; see `Run.resume`."""
        for run in self._stoppable:
            run.resume()

    def tag(self, *words: str) -> None:
        """Add tags to the runs; see `Run.tag`."""
        for run in self:
            run.tag(*words)

    def untag(self, *words: str) -> None:
        """Remove tags from the runs."""
        for run in self:
            run.untag(*words)

    def annotate(self, note: str) -> None:
        """Set the note about the runs; see `Run.annotate`."""
        for run in self:
            run.annotate(note)

    @property
    def _stoppable(self) -> list[Run]:
        return [run for run in self if len(self) == 1 or not run.progress.finished]

    def to_arrow(self) -> "pyarrow.Table":
        """Return the progress of the runs, as it was read last, as an Arrow table with a row for each run.

        Raises
        ------
        UsageError
            If the extra ``parquet`` is not installed.
        """
        return table_of_runs(run.progress for run in self)


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The sources that were read, and the errors of files that could not be opened or fully read."""

    sources: list[Source]
    errors: list[InputError]


@dataclass(frozen=True, slots=True)
class Summary:
    """The results of an engine in some runs over some sources.

    `layouts` counts the valid layouts, as everywhere. `duplicates` is None if they were not counted, as in compact
    runs. `mean` is the mean of the values, None if no verdict is scored; `rate` is in layouts per second, while the
    runs were worked on, one or several at a time.
    """

    engine: str
    layouts: int
    duplicates: int | None
    rejected: int
    counts: dict[Verdict, int]
    mean: float | None
    rate: float | None
    runs: list[int]


def summarise(runs: Sequence[RunStatus], sources: Sequence[Source]) -> list[Summary]:
    """Return a summary for each engine, in the order of its first run."""
    engines = dict.fromkeys(run.engine for run in runs)
    return [_summary(engine, [run for run in runs if run.engine == engine], sources) for engine in engines]


def _summary(engine: str, runs: Sequence[RunStatus], sources: Sequence[Source]) -> Summary:
    over = {run.source: run.items for run in runs}
    read = [source for source in sources if source.id in over]
    scored = sum(run.counts.get(Verdict.SCORED, 0) for run in runs)
    seconds = _covered_seconds((run.seen.timestamp(), run.recent_seconds) for run in runs if run.seen)
    return Summary(
        engine=engine,
        layouts=sum(over.values()),
        duplicates=sum(source.duplicates for source in read) if all(source.complete for source in read) else None,
        rejected=sum(source.rejected for source in read),
        counts={verdict: sum(run.counts.get(verdict, 0) for run in runs) for verdict in Verdict},
        mean=sum(run.value_sum for run in runs) / scored if scored else None,
        rate=sum(run.recent for run in runs) / seconds if seconds else None,
        runs=[run.id for run in runs],
    )


def _covered_seconds(spans: Iterable[tuple[float, float]]) -> float:
    """Return the time that is covered by spans, each given by its end and its length in seconds."""
    covered, reached = 0.0, -inf
    for start, end in sorted((end - length, end) for end, length in spans):
        covered += max(end - max(start, reached), 0.0)
        reached = max(end, reached)
    return covered


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of `Store.run_all`: runs, sources, a summary per engine, and input errors."""

    runs: list[Run]
    sources: list[Source]
    summaries: list[Summary]
    errors: list[InputError]


class Retraction:
    """A retraction of an engine version.

    Attributes
    ----------
    runs : list of RunStatus
        The retracted runs, oldest first.
    why : str or None
        The recorded reason. If the version had been retracted before, this is the first reason. None if there are no
        runs.
    """

    def __init__(self, database: Database, runs: list[RunStatus]) -> None:
        self._database = database
        self.runs = runs
        self.why = next((run.retracted for run in runs), None)

    def requeue(self) -> list[tuple[RunStatus, Run]]:
        """Plan a new run by the installed engine version for each retracted run; return pairs of old and new.

        Raises
        ------
        VersionError
            If the retracted version is still installed.
        """
        return [
            (retracted, Run(self._database, queue_replacement(self._database, retracted))) for retracted in self.runs
        ]


class Deletion:
    """Runs or sources that can be deleted. As text, it says what will be lost; `lines` says it of each.

    Attributes
    ----------
    subjects : Sequence of RunStatus or Source
        What will be deleted, in this order.
    """

    def __init__(self, database: Database, subjects: Sequence[RunStatus | Source]) -> None:
        from dealmill.pipeline.store.deletion import check_deletable  # loads NumPy

        for subject in subjects:
            check_deletable(database, subject, subjects)
        self._database = database
        self.subjects = subjects

    def __str__(self) -> str:
        if len(self.subjects) == 1:
            return self.lines[0]
        runs = [subject for subject in self.subjects if isinstance(subject, RunStatus)]
        sources = [subject for subject in self.subjects if isinstance(subject, Source)]
        if runs:
            return f"{len(runs):,} runs, with {counted(sum(run.solved for run in runs), 'verdict')} and all audits"
        layouts = counted(sum(source.accepted for source in sources), "layout")
        rejects = counted(sum(source.rejected for source in sources), "reject")
        return f"{len(sources):,} sources, with {layouts} and {rejects}"

    @property
    def lines(self) -> list[str]:
        """What will be lost of each run or source."""
        return list(map(self._described, self.subjects))

    @staticmethod
    def _described(subject: RunStatus | Source) -> str:
        if isinstance(subject, Source):
            layouts, rejects = counted(subject.accepted, "layout"), counted(subject.rejected, "reject")
            return f"source {subject.id}: {subject.name} ({subject.game}), with {layouts} and {rejects}"
        verdicts = counted(subject.solved, "verdict")
        run = f"run {subject.id}: {subject.engine} {subject.version} on {subject.source_name}"
        return f"{run}, with {verdicts} and all audits"

    def __repr__(self) -> str:
        return f"<Deletion of {self}>"

    @property
    def unused_sources(self) -> list[int]:
        """The numbers of the sources of deleted runs over which there is no other run."""
        sources = sorted({subject.source for subject in self.subjects if not isinstance(subject, Source)})
        return [source for source in sources if not runs_over(self._database, source)]

    def carry_out(self) -> bool:
        """Delete them, and give back the space. Return False if others use the database meanwhile, so that the space is
        used for new rows instead.

        Raises
        ------
        StoreError
            If something depends on one by now; those before it are deleted.
        NotFoundError
            If one was deleted before.
        """
        from dealmill.pipeline.store.deletion import delete_subject, give_back_space

        for subject in self.subjects:
            delete_subject(self._database, subject)
        return give_back_space(self._database)
