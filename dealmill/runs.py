"""Runs and what is done with them: query, audit, rerun, diff, export and pack."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from fractions import Fraction
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from dealmill.audits import Audit
from dealmill.pipeline.arguments import DifferenceKind, check_integer, takes
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.descriptions import Reject
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.progress.events import Progress, Rerunning
from dealmill.pipeline.progress.notebook import in_notebook
from dealmill.pipeline.results.conditions import FilterArguments
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.audits.contradictions import Contradiction, contradictions
from dealmill.pipeline.store.audits.seals import entry_in
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Control
from dealmill.pipeline.store.distributions.higher_limit import HigherLimit, higher_limit
from dealmill.pipeline.store.distributions.histograms import Histogram, histogram_of, histogram_of_numbers
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.run_planning import queue_rerun, queue_retry
from dealmill.pipeline.store.planning.states import describe
from dealmill.pipeline.store.queries.failures import Failure, failures_of
from dealmill.pipeline.store.queries.results import FIRST_ITEM, Query, find_result, query_of, unless_retracted
from dealmill.pipeline.store.runs.controls import control, set_note, set_priority, tag, untag
from dealmill.pipeline.store.runs.finding import find_run, related_runs
from dealmill.pipeline.store.runs.planned import expectation_of
from dealmill.pipeline.store.runs.status import RunStatus, check_jobs, check_not_halted
from dealmill.pipeline.store.runs.workers import machines_of
from dealmill.pipeline.store.sources.source import find_source, rejects_of
from dealmill.pipeline.store.storages.arrow import Tabular
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.survey.interval import Interval, Point, Winnability, convergence_of, of_grouped_mean

if TYPE_CHECKING:
    import pyarrow

    from dealmill.pipeline.outputs.pack import Pack
    from dealmill.pipeline.store.diffs.diff import Diff


class Run(Tabular):
    """A run in a store: one engine with its node limit over one source.

    The plan of the run never changes. Its progress and its newest audit are read once, and again by `status`.

    Attributes
    ----------
    id : int
        The number of the run, from 1.
    game, engine, version : str
        The game, engine and engine version: ``memory``, ``memory/two-pass``, ``1``.
    source : str
        The name of the file or of the range of deals.
    max_nodes : int or None
        The node limit; None if there is none.
    storage : Storage
        How the verdicts are stored: ``Storage.ROWS`` or ``Storage.COMPACT`` (see `Store.run`).
    repeats : int or None
        The number of the run that this one is a rerun of; None for other runs.
    tags, note, priority
        What was set by `tag`, by `annotate` and by `prioritise`.
    progress : RunStatus
        The progress that was read last.
    """

    def __init__(self, database: Database, status: RunStatus) -> None:
        self._database = database
        self.progress = status
        self.id = status.id
        self.game = status.game
        self.engine = status.engine
        self.version = status.version
        self.source = status.source_name
        self.max_nodes = status.max_nodes
        self.storage = status.storage
        self.repeats = status.repeats

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.engine} {self.version} on {self.source}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and (self._database, self.id) == (other._database, other.id)

    def __hash__(self) -> int:
        return hash((self._database, self.id))

    def status(self) -> RunStatus:
        """Read the progress of the run again, summed over its jobs, and return it."""
        self.progress = find_run(self._database, self.id)
        self.__dict__.pop("latest_audit", None)  # to be read again
        return self.progress

    @property
    def tags(self) -> list[str]:
        """The tags of the run, in alphabetical order."""
        return list(self.progress.tags)

    @property
    def note(self) -> str | None:
        """The note about the run; None if there is none."""
        return self.progress.note

    @property
    def priority(self) -> int:
        """The priority of the run: 0, unless it was changed."""
        return self.progress.priority

    def pause(self) -> RunStatus:
        """Let no worker begin another job of the run until it is resumed, and return its progress.

        Jobs that workers hold are still finished. Everything solved stays. A paused run is not finished, and has no
        fingerprint.

        Raises
        ------
        StoreError
            If it is finished.
        """
        return self._control(Control.PAUSED)

    def cancel(self) -> RunStatus:
        """Pause the run for good: `Store.watch` and ``work --drain`` no longer mention it. `resume` undoes this.

        Raises
        ------
        StoreError
            If it is finished.
        """
        return self._control(Control.CANCELLED)

    def resume(self) -> RunStatus:
        """Let workers continue the run after `pause` or `cancel`, and return its progress."""
        return self._control(Control.ACTIVE)

    def prioritise(self, priority: int) -> None:
        """Let workers do the jobs of the run before those of all runs with a lower priority, −1,000 to 1,000.

        Raises
        ------
        UsageError
            If it is out of range.
        """
        set_priority(self._database, self.id, priority)
        self.status()

    def tag(self, *words: str) -> None:
        """Add tags to the run. `Store.status` finds runs by them.

        Raises
        ------
        UsageError
            If one is not a word.
        """
        tag(self._database, self.id, words)
        self.status()

    def untag(self, *words: str) -> None:
        """Remove tags from the run."""
        untag(self._database, self.id, words)
        self.status()

    def annotate(self, note: str) -> None:
        """Set the note about the run, or remove it if `note` is empty.

        Raises
        ------
        UsageError
            If it is not one line of at most 1,000 characters.
        """
        set_note(self._database, self.id, note)
        self.status()

    def _control(self, decision: Control) -> RunStatus:
        control(self._database, self.status(), decision)
        return self.status()

    @property
    def state(self) -> str:
        """The state of the run in words, such as ``solving, 41 %, 3 min left``; see `RunStatus.state`."""
        return describe(self.progress)

    @property
    def machines(self) -> list[str]:
        """The names of the machines that have solved jobs of the run; `RunStatus.cpu_seconds` is what that cost."""
        return machines_of(self._database, self.id)

    @property
    def related(self) -> list[int]:
        """The numbers of the other runs of the same engine, in any version, over the same layouts, such as reruns;
        oldest first."""
        return related_runs(self._database, self.progress)

    @property
    def source_checksum(self) -> str | None:
        """The SHA-256 of the source in hexadecimal digits: of a file of lines, that of its text; None for numbered
        deals."""
        return find_source(self._database, self.progress.source).text_sha256

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint, 64 hexadecimal digits; None if the run is not finished, or `retry` has something to do.

        Two runs have the same fingerprint if and only if all their layouts, verdicts, values and evidence are the same.
        """
        status = self.progress if self.progress.finished else self.status()
        return fingerprint_of(self._database, self.id, status.items) if status.finished else None

    @takes(FilterArguments)
    def results(
        self,
        *,
        after: int = 0,
        before: int | None = None,
        order: Order | str = Order.POSITION,
        descending: bool = False,
        limit: int | None = None,
        retracted: bool = False,
        **conditions: Unpack[FilterArguments],
    ) -> Query:
        """Return the results of the run, by default in order of position. They are read in pages.

        For the page before a position, pass it as `before` with ``descending=True`` and a `limit`: this returns the
        nearest results before it, last position first.

        Parameters
        ----------
        verdict
            Only this verdict, or these verdicts.
        value, nodes, layout_length, evidence_length
            Only this number, or a range ``(low, high)``, both inclusive; None for an open end. Lengths are in
            characters. A result without a value or without evidence matches no range of these.
        audit
            Only results with this outcome in their newest audit: ``"valid"`` (not for compact runs), ``"invalid"`` or
            ``"no-evidence"``.
        after, before
            Only results after or before this position.
        order
            ``"position"``, ``"nodes"``, ``"value"``, ``"layout-length"`` or ``"evidence-length"``. Results without a
            value or without evidence come last, and equal results are in order of position. Every order except
            ``"position"`` needs a `limit`, which bounds the memory, and cannot be combined with `after` and `before`.
        descending
            Return the greatest first.
        limit
            At most this many results, the first in this order; None for all.
        retracted
            Return results even if the engine version was retracted. In `Store.query`, this means only such results.

        Raises
        ------
        RetractedError
            If the engine version was retracted.
        UsageError
            If there is no such verdict, outcome or order, a number is out of range, or the order needs a limit.
        DamagedError
            While the results are read, if one of them cannot be. To go on after it, pass its position as `after`.
        """
        status = unless_retracted(self.status(), retracted=retracted)
        filter_ = Filter.of(**conditions)
        start = (self.id, after) if after else FIRST_ITEM
        end = None if before is None else (self.id, before)
        return query_of(self._database, [status], filter_, start, limit, before=end, order=order, descending=descending)

    def result(self, position: int, *, retracted: bool = False) -> Result:
        """Return the result at a position, counted from 1.

        Raises
        ------
        NotFoundError
            If there is no result, or none yet.
        RetractedError
            If the engine version was retracted.
        """
        return find_result(self._database, unless_retracted(self.status(), retracted=retracted), position)

    def failures(self) -> list[Failure]:
        """Return the reasons for which layouts failed, the most frequent first."""
        return failures_of(self._database, self.id)

    def histogram(self, measure: str) -> Histogram | None:
        """Return the distribution of a measure over the verdicts of the run so far.

        Those of values (``"value"``) and node counts (``"nodes"``) are recorded. Others, of ``"layout-length"``,
        ``"evidence-length"`` or a number in the evidence of the engine, are computed from all results, which a compact
        run solves again.

        None if no verdict has such a number, or none is recorded: a compact run of an earlier revision of the database
        than 0011 has no distributions.

        Raises
        ------
        UsageError
            If there is no such measure.
        DamagedError
            If the recorded distributions, or the results, are damaged.
        """
        check_jobs(self.progress)
        if measure in ("value", "nodes"):
            return histogram_of(self._database, self.id, measure)
        from dealmill.pipeline.outputs.pack import measure_of  # loads pydantic

        graded = measure_of(self.progress.referee_engine, measure)
        numbers = (graded.of(field) for page in self.results().pages() for field in page.columns[graded.field])
        return histogram_of_numbers(measure, [number for number in numbers if number is not None])

    @property
    def winnability(self) -> Winnability | None:
        """The 95 % confidence interval of the share of winnable layouts, if those in `progress` are a random sample.

        Layouts that are undecided or failed, and those whose verdicts the newest audit found invalid, widen it: it
        covers both that none of them can be won, and that all can. Claims without evidence are trusted; the interval
        says how many there are. None if no layout has been found winnable or unwinnable.

        Raises
        ------
        DamagedError
            If the recorded counts are damaged.
        """
        counts = self.progress.counts
        if not counts.keys() & {Verdict.WINNABLE, Verdict.UNWINNABLE}:
            return None
        refused = self.latest_audit.status.invalid if self.latest_audit else 0
        return Winnability.of(counts, self.progress.unproved, refused)

    @property
    def higher_limit(self) -> HigherLimit | None:
        """What a node limit ten times as high would decide of the undecided layouts, and about what it would cost,
        estimated from the node counts and costs on record. If too few searches came near to the limit to tell, the
        limit of runs that name none, if that is higher.

        None if neither is known: the run is not finished or has no undecided layouts, some of its searches gave up
        before the limit, or its verdicts were imported.

        Raises
        ------
        DamagedError
            If the recorded counts or distributions are damaged.
        """
        return higher_limit(self._database, self.progress)

    @property
    def mean_interval(self) -> Interval | None:
        """The 95 % confidence interval of the mean value, if the layouts in `progress` are a random sample; None if
        there are no values. All values of a bar of the histogram count as its middle, so it is exact where bars have
        one value each.

        Raises
        ------
        DamagedError
            If the recorded distributions are damaged.
        """
        mean, distribution = self.progress.mean, self.histogram("value")
        return None if mean is None or distribution is None else of_grouped_mean(mean, distribution.bars)

    @property
    def expectation(self) -> Fraction | None:
        """The exact share of winnable deals, or the exact mean value, of which the run is a sample; None if it is not
        over random deals, or this is not known."""
        return expectation_of(self.progress)

    def convergence(self) -> list[Point]:
        """Return the winnability after more and more layouts, counted from the first; empty if they have values, or the
        newest audit found some verdicts invalid.

        Raises
        ------
        DamagedError
            If the recorded counts are damaged.
        """
        refused = self.latest_audit is not None and self.latest_audit.status.invalid > 0
        return [] if refused else convergence_of(self._database, self.id)

    @cached_property
    def latest_audit(self) -> "Audit | None":
        """The newest audit of the run, which may be unfinished; None if it has none."""
        status = latest_audits(self._database, [self.id]).get(self.id)
        return None if status is None else Audit(self._database, status)

    def rejects(self) -> Iterator[Reject]:
        """Iterate over the rejects of the source, each with all reasons."""
        return rejects_of(self._database, self.progress.source)

    def contradictions(self, limit: int = 1_000) -> list[Contradiction]:
        """Return up to `limit` lines of an import whose layout occurs in an earlier line with another verdict or value.

        Both verdicts are stored; an audit tells which one the evidence proves.
        """
        return contradictions(self._database, self.progress, limit)

    def audit(
        self, *, sample: int | None = None, seed: int = 1, seal: str | None = None, progress: Progress = in_notebook
    ) -> "Audit":
        """Check every stored verdict with the referee, and the invariants of the record, with local workers.

        Parameters
        ----------
        sample
            Check only this many verdicts, spread evenly, and not the rest of the record; None for all.
        seed
            The seed of the sample, 0 to 2⁶³ − 1.
        seal
            The seal of an earlier audit (`Audit.seal`), to detect changes since then.

        Raises
        ------
        UsageError
            If the sample is empty or larger than the run; if `seal` is not a seal, or is passed with a sample.
        StoreError
            If the source of the run has not been fully read.
        VersionError
            If the engine of the run is not installed; or it is compact, and another version of the engine or of the
            deals is installed.
        """
        from dealmill.workers.working import finish_audit  # loads Celery

        size = None if sample is None else check_integer("sample", sample, 1)
        if seal is not None:
            entry_in(seal)
        if seal is not None and size is not None:
            raise UsageError("a seal covers the whole record: compare it without a sample")
        audit_id = queue_audit(self._database, self.status(), size, check_integer("seed", seed))
        audit = Audit(self._database, finish_audit(self._database, audit_id, progress), seal)
        self.latest_audit = audit
        return audit

    def rerun(self, *, any_version: bool = False, progress: Progress = in_notebook) -> "Diff":
        """Solve all layouts again as a new run, and return the diff of this run and the new one.

        Raises
        ------
        StoreError
            If the run is not finished, or the new one is paused or cancelled.
        VersionError
            If the engine is not installed, or another version of it and `any_version` is false.
        RetractedError
            If the installed version was retracted.
        """
        from dealmill.pipeline.store.diffs.diff import diff
        from dealmill.workers.working import solve_runs  # loads Celery

        run_id = queue_rerun(self._database, self.status(), any_version=any_version)
        progress(Rerunning(run_id, self.id))
        [new] = solve_runs(self._database, [run_id], progress)
        check_not_halted(new)
        return diff(self._database, self.status(), new)

    def retry(self, *, progress: Progress = in_notebook) -> int:
        """Try again the layouts that failed because of the machine, and return their number.

        Their verdict is ``failed``, with evidence that begins with "retryable:". While a run has such verdicts, it has
        no fingerprint.

        Raises
        ------
        StoreError
            If the run is not finished.
        VersionError
            If another version of the engine is installed.
        RetractedError
            If the engine version was retracted.
        """
        from dealmill.workers.working import solve_runs  # loads Celery

        count = queue_retry(self._database, self.status())
        if count:
            [self.progress] = solve_runs(self._database, [self.id], progress)
            check_not_halted(self.progress)
        return count

    def diff(self, other: "Run", *, ignore: Iterable[DifferenceKind | str] | str = (), by_deal: bool = False) -> "Diff":
        """Return the diff of this run and another run of the same game, without differences of the kinds in `ignore`.

        If `by_deal` is true, the other run may be of a related game, such as another patience: then layouts are the
        same if all that follows the name of the game is, and only verdicts are compared.

        Raises
        ------
        UsageError
            If the runs cannot be compared: they belong to different games or stores, or one is compact and the other is
            over different deals; or there is no such kind.
        """
        from dealmill.pipeline.store.diffs.diff import diff  # slow to import, as are the modules that only it needs

        if other._database.url != self._database.url:
            raise UsageError("the two runs are in different stores; compare their fingerprints")
        return diff(self._database, self.status(), other.status(), ignore, by_deal=by_deal)

    def diffs(self, *, ignore: Iterable[DifferenceKind | str] | str = ()) -> "Iterator[Diff]":
        """Yield the diffs of this run and each other run in the store whose engine answers the same question, oldest
        first, without differences of the kinds in `ignore`.

        Layouts that only one of two runs has are left out. So are retracted runs, and compact runs over other deals
        or of a version that is not installed.

        Raises
        ------
        UsageError
            If there is no such kind.
        """
        from dealmill.pipeline.store.diffs.diff import diffs

        return diffs(self._database, self.status(), ignore)

    def export(
        self,
        path: str | PathLike[str],
        *,
        verdict: Verdict | str | Iterable[Verdict | str] = (),
        retracted: bool = False,
        force: bool = False,
        with_checker: bool = False,
        excel: bool = False,
        playback: bool = False,
        skip_damaged: bool = False,
        unfinished: bool = False,
        progress: Progress = in_notebook,
    ) -> int:
        """Write the results to a ``.parquet``, ``.csv`` or ``.jsonl`` file, and return their number.

        If the run is not finished, the results so far are written only if `unfinished` is true and there are some. They
        then have one more column, ``unfinished``, which says why the run is not finished.

        If `with_checker` is true, also write a program beside it, ``FILE.check.py``, that checks a ``.csv`` or
        ``.jsonl`` file with nothing but Python.

        If `excel` is true, a text in a ``.csv`` file that a spreadsheet may take for a formula has an apostrophe before
        it: one that begins with ``=``, ``+``, ``-``, ``@``, a tab, a line break or an apostrophe. A program gets the
        original back by removing the first apostrophe of each cell that begins with one.

        If `playback` is true, each object of a ``.jsonl`` file also has `Result.playback` as the value of ``playback``.

        The file appears only when it is complete. An existing file is overwritten only if `force` is true. If the path
        is a symbolic link, its target is overwritten and the link stays.

        If `skip_damaged` is true, results that cannot be read are left out, and a `DamagedWarning` at the end says how
        many.

        Raises
        ------
        UsageError
            If the path has another suffix, there is no checker for it, or both `with_checker` and `excel` or `playback`
            are true.
        DamagedError
            If a result cannot be read, or jobs of the run are lost, and `skip_damaged` is false.
        OutputError
            If a file cannot be written, or is not a regular file.
        RetractedError
            If the engine version was retracted.
        UnfinishedError
            If the run is not finished, and `unfinished` is false; or if it has no such results yet.
        """
        from dealmill.pipeline.outputs.checker.writing import export_with_checker
        from dealmill.pipeline.outputs.export import export

        status = unless_retracted(self.status(), retracted=retracted)
        status.check_exportable(unfinished=unfinished, skip_damaged=skip_damaged)
        verdicts = Filter.of(verdict).verdict
        if with_checker and excel:
            raise UsageError("a checker reads the original text, not that for a spreadsheet: choose one of both")
        if with_checker and playback:
            raise UsageError("a checker reads the columns of an export and nothing else: choose it or the playback")
        write = export_with_checker if with_checker else partial(export, excel=excel, playback=playback)
        return write(
            self._database, status, Path(path), verdicts, force=force, skip_damaged=skip_damaged, progress=progress
        )

    def pack(
        self,
        path: str | PathLike[str],
        *,
        by: str | None = None,
        graded_by: "Run | None" = None,
        verdict: Verdict | str | Iterable[Verdict | str] = (),
        grades: int = 5,
        each: int = 200,
        seed: int = 1,
        descending: bool = False,
        calendar: tuple[date, date] | None = None,
        by_weekday: Sequence[int] | None = None,
        without: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        force: bool = False,
        with_checker: bool = False,
        progress: Progress = in_notebook,
    ) -> "Pack":
        """Write a pack to a ``.json`` or ``.csv`` file, and return it: layouts in grades of difficulty, with solutions.

        Parameters
        ----------
        by
            The measure of difficulty: ``"chance"``, ``"nodes"``, ``"value"``, ``"evidence-length"`` or
            ``"layout-length"``; by default the chance that a careful player wins or, in games without one, the nodes.
        graded_by
            The run whose results are measured, over the same source; by default this run. For the chance, it is the
            newest run of the careful player.
        verdict
            Only layouts with this verdict of this run, or one of these; by default those that are winnable or scored.
        grades, each
            The number of grades, and the number of layouts to draw from each. By the chance, these are the first of the
            five fixed grades of the game. By another number, each grade has the same share of the layouts of the run;
            those with the same number are in the same grade.
        seed
            Draw by this seed, 0 to 2⁶³ − 1. The same run and arguments give the same file on every machine.
        descending
            Let grade 1 have the highest numbers.
        calendar, by_weekday
            The first and the last day of a pack with a layout for each day, instead of `each` in each grade, and the
            grades from Monday to Sunday. Without grades by weekday, these are 1, 1, 2, 2, 3, 3, 4 by the chance, and
            there is one grade by another number.
        without
            Leave out the layouts of an earlier pack, or of several: the paths of ``.json`` files.
        force, with_checker
            As for `export`.

        Raises
        ------
        UsageError
            If a grade has too few layouts, or there is no such measure; if a run has another source; if the path has
            another suffix.
        StoreError
            If a run is not finished.
        OutputError
            If a file cannot be written.
        RetractedError
            If the engine version was retracted.
        """
        from dealmill.pipeline.outputs.pack_choice import choice_of, default_measure, grading_run, write_pack

        status = unless_retracted(self.status(), retracted=False)
        grading = unless_retracted(graded_by.status(), retracted=False) if graded_by else None
        choice = choice_of(
            by or default_measure(status, grading),
            verdict=verdict,
            grades=grades,
            each=each,
            seed=seed,
            descending=descending,
            calendar=calendar,
            by_weekday=by_weekday,
            without=without,
        )
        if choice.fixed and grading is None:
            grading = grading_run(self._database, status)
        return write_pack(
            self._database,
            status,
            Path(path),
            choice,
            grading,
            force=force,
            with_checker=with_checker,
            progress=progress,
        )

    def to_arrow(
        self,
        *,
        verdict: Verdict | str | Iterable[Verdict | str] = (),
        retracted: bool = False,
        unfinished: bool = False,
    ) -> "pyarrow.Table":
        """Return the results as an Arrow table with the columns and metadata of an exported Parquet file; those of an
        unfinished run only if `unfinished` is true.

        For some of the results, use `results`, which has `to_arrow`, `to_pandas` and `to_polars`, too.

        Raises
        ------
        RetractedError
            If the engine version was retracted.
        UnfinishedError
            If the run is not finished, and `unfinished` is false.
        UsageError
            If the extra ``parquet`` is not installed.
        """
        from dealmill.pipeline.outputs.export import to_arrow

        status = unless_retracted(self.status(), retracted=retracted).check_exportable(unfinished=unfinished)
        return to_arrow(self._database, status, Filter.of(verdict).verdict)
