"""The store: sources, runs and results in a database, and the methods that create and use them."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import islice
from os import PathLike, fsdecode
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from dealmill.outcomes import BatchResult, Deletion, Ingestion, Retraction, RunList, summarise
from dealmill.pipeline.arguments import MAX_INTEGER, MAX_ITEMS, check_integer, node_limit, takes
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import engine_of
from dealmill.pipeline.games.deals import DealRange, is_deal_range, parse_deal
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.ingest.options import (
    RunArguments,
    RunOptions,
    SourceArguments,
    SourceOptions,
    VerdictArguments,
    VerdictOptions,
)
from dealmill.pipeline.progress.events import Progress
from dealmill.pipeline.progress.notebook import in_notebook
from dealmill.pipeline.results.conditions import FilterArguments
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.database.urls import shown
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.missing_engines import MissingEngine, missing_engines
from dealmill.pipeline.store.planning.run_planning import queue_runs
from dealmill.pipeline.store.queries.results import (
    FIRST_ITEM,
    Item,
    Query,
    find_result,
    matching_runs,
    parse_item,
    query_of,
    unless_retracted,
)
from dealmill.pipeline.store.runs.controls import labelled
from dealmill.pipeline.store.runs.engines import retract, runs_of_engine, unretract
from dealmill.pipeline.store.runs.finding import find_run, list_run_ids, list_runs, run_ids_between
from dealmill.pipeline.store.runs.incidents import Incident, list_incidents
from dealmill.pipeline.store.runs.log import Action, list_actions
from dealmill.pipeline.store.runs.selection import selected_runs
from dealmill.pipeline.store.runs.status import RunStatus, check_not_halted
from dealmill.pipeline.store.runs.workers import Worker, list_workers
from dealmill.pipeline.store.sources.source import (
    RejectReason,
    Source,
    count_reasons,
    find_source,
    list_sources,
    rejects_of,
)
from dealmill.pipeline.store.storages.item_blocks import fingerprints_of
from dealmill.pipeline.system.settings import settings
from dealmill.runs import Run
from dealmill.surveys import Survey

if TYPE_CHECKING:
    from dealmill.pipeline.ingest.sources import SourceSpec
    from dealmill.pipeline.outputs.pack import Pack
    from dealmill.pipeline.outputs.pack_choice import PackArguments
    from dealmill.pipeline.store.queries.find import Match

WATCH_SECONDS = 1.0
"""Seconds between two updates of `Store.watch`."""


def open(url: str | None = None, *, read_only: bool = False, statement_seconds: float | None = None) -> "Store":
    """Open a store.

    Parameters
    ----------
    url
        ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``; None means ``DEALMILL_DATABASE_URL``, by default
        ``sqlite:///dealmill.db``. For PostgreSQL, create the tables with `dealmill.db.upgrade`.
    read_only
        Open the database without permission to write; ``?mode=ro`` in the URL of a file does the same.
    statement_seconds
        End every statement of the database that takes longer, with a `SlowQuery` error; None for no limit.

    This creates nothing. A missing or empty SQLite file becomes a store when the first source is stored, by
    `Store.run`, `Store.ingest`, `Store.queue` or `Store.survey`. Until then, other methods raise a `StoreError`.

    Raises
    ------
    StoreUnavailable
        If the database does not answer.
    StoreError
        If the database has no tables, has another version, or belongs to another program.
    DamagedError
        If its revision is damaged.
    """
    chosen = settings().database_url if url is None else url
    return Store(open_store(chosen, writable=not read_only, statement_seconds=statement_seconds))


class Store:
    """A database of sources, runs and results, opened by `dealmill.open`.

    A ``with`` statement closes its connections at the end. Long-running methods accept `progress`, a function that is
    called with the events of `dealmill.progress`; by default, they show a line in notebooks. After an interruption, the
    same call resumes where it stopped.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def __repr__(self) -> str:
        return f"<Store {self}>"

    def __str__(self) -> str:
        """Return the URL of the database, without a password."""
        return shown(self._database.url)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the database. The store and the runs it returned can no longer be used."""
        self._database.close()

    @takes(RunOptions)
    def run(
        self,
        source: "SourceSpec",
        *,
        engine: str | None = None,
        progress: Progress = in_notebook,
        **options: Unpack[RunArguments],
    ) -> Run:
        """Read a source, solve its layouts with local workers, and return the finished run.

        Layouts that were solved before are not solved again.

        Parameters
        ----------
        source
            A file; numbered deals such as ``"deal:klondike:seed=0:1,15,19-25"``, or what `dealmill.deals` returns; or a
            saved query such as ``"query:3:verdict=undecided"``, or what `Run.results` returns. The layouts of a query
            are those of the results of one finished run.
        game
            The game of a file whose name does not contain it.
        engine
            An engine of the game; None means its default one.
        max_nodes
            Leave a layout undecided if its search would take more than this many nodes, 1 to 2⁶² − 1; None means the
            limit of the engine, if it has one.
        anyway
            Read a file even if none of its first twenty entries is a layout of the game.
        layout_column
            Read the layouts from the column of this name; the source is a ``.csv``, ``.tsv``, ``.jsonl``, ``.json`` or
            ``.parquet`` file, all but the last also with ``.gz``.
        deals, number_column
            For a file with numbers of deals instead of layouts: the deals, such as ``"deal:klondike:seed=0"`` or what
            `dealmill.deals` returns, and the name of the column of their numbers; None means ``number``. A file that is
            no table has one number in each line. The `Result.line` of a layout is the number of its deal.
        priority, tags, note
            Set them for the run before it is solved; see `Run.prioritise`, `Run.tag` and `Run.annotate`.

        Raises
        ------
        InputError
            If the file seems to be of another game, and nothing of it is stored. If it cannot be fully read, or no
            result matches a query; the layouts before the error are solved and stored.
        NotFoundError, UsageError
            If there is no such game or engine, the engine belongs to another game, or an argument is out of range.
        RetractedError
            If the installed version of the engine was retracted, or the queried run.
        StoreError
            If the run is paused or cancelled; if the queried run is not finished, or part of it cannot be read.
        BrokerError, WorkerError
            If the broker or the workers cannot be started.
        """
        engines = () if engine is None else (engine,)
        batch = self.run_all([source], engines=engines, progress=progress, **options)
        if batch.errors:
            raise batch.errors[0]
        [run] = batch.runs
        check_not_halted(run.progress)
        return run

    @takes(RunOptions)
    def run_all(
        self,
        sources: "SourceSpec | Iterable[SourceSpec]",
        *,
        engines: str | Iterable[str] = (),
        progress: Progress = in_notebook,
        **options: Unpack[RunArguments],
    ) -> BatchResult:
        """Read several sources and solve each with the given engines of its game, or with the default engine.

        All sources are opened and all runs planned first, so that an error in an argument ends the call before anything
        is read. Then the workers start, and this process reads the sources one after the other. Whatever it has stored
        becomes jobs at once, so the first layouts are solved while the others are read.

        A path that cannot be read does not stop the others; see `BatchResult.errors`. This does not wait for runs that
        are paused or cancelled. See `run` for the other parameters and errors.
        """
        from dealmill.pipeline.ingest.sources import open_readings
        from dealmill.workers.working import solve_runs  # loads Celery

        plan, names = RunOptions(**options), [engines] if isinstance(engines, str) else list(engines)
        with open_readings(self._database, sources, plan, progress, names) as readings:
            opened = [reading.source for reading in readings.opened]
            run_ids = queue_runs(self._database, opened, names, plan.max_nodes, plan.labels)
            statuses = solve_runs(self._database, run_ids, progress, readings.opened) if run_ids else []
        runs = RunList.of(self._database, statuses)
        return BatchResult(runs, readings.sources, summarise(statuses, readings.sources), readings.errors)

    @takes(SourceOptions)
    def ingest(
        self, *sources: "SourceSpec", progress: Progress = in_notebook, **options: Unpack[SourceArguments]
    ) -> Ingestion:
        """Read sources into the store and validate their layouts; duplicates are stored and counted.

        A path that cannot be read does not stop the others; see `Ingestion.errors`. See `run` for the parameters.

        Raises
        ------
        InputError, NotFoundError, UsageError
            If the game of a file is unknown.
        """
        from dealmill.pipeline.ingest.sources import read_sources

        readings = read_sources(self._database, sources, SourceOptions(**options), progress)
        return Ingestion(readings.sources, readings.errors)

    @takes(VerdictOptions)
    def import_verdicts(
        self,
        file: str | PathLike[str],
        *,
        engine: str,
        version: str,
        max_nodes: int | None = None,
        progress: Progress = in_notebook,
        **options: Unpack[VerdictArguments],
    ) -> Run:
        """Store verdicts of any solver as a run, and return it. Nothing is solved.

        Parameters
        ----------
        file
            A ``.jsonl``, ``.json``, ``.csv``, ``.tsv`` or ``.parquet`` file, all but the last also with ``.gz``; ``-``
            for JSON on standard input. It has a layout and a verdict in each row and, optionally, other columns of
            `Run.export`, such as evidence; ``result`` may stand for ``verdict``. A row that cannot be used becomes a
            reject; see `Run.rejects`. Different verdicts for one layout are all stored; see `Run.contradictions`.
        engine, version
            The engine that the run is recorded for: ``GAME/NAME``, or a name alone. If no engine of this name is
            installed, it exists only on record: the run can be audited, queried, compared and exported, but not solved
            again, and its verdicts need no evidence.
        game
            The game, if neither `engine`, `deals` nor the name of the file contains it.
        checked_as
            The engine of the game as which the referee checks the evidence of an engine that exists only on record;
            None means the default one.
        max_nodes
            The node limit that the solver had. It is recorded; the node counts of the rows are not compared with it,
            because each solver counts in its own way.
        layout_column
            The name of the column of layouts; None means ``layout``.
        deals, number_column
            For a file with numbers of deals instead of layouts: the deals, such as ``deal:camelot:seed=1`` or what
            `dealmill.deals` returns, and the name of the column of their numbers; None means ``number``.
        verdict_column
            The name of the column of verdicts; None means ``verdict`` or ``result``.
        verdict
            The verdict of all rows, for a list that has no column of verdicts.
        words
            Other words for verdicts, such as ``{"solved": "winnable"}``.
        columns
            For a text without a header, whatever its name ends in: the names of its first columns, also as one text
            with commas. Lines that begin with ``#`` are left out, and columns without a name are ignored.
        absent, of
            For a file with numbers of deals that leaves some out: the verdict on these, and the range of numbers that
            the file is about, such as ``"1-3000"``; None means that of `deals`. These results come last; their line
            is 0.
        notation
            The program in whose notation solutions are, such as ``freecell-solver``; they are stored as evidence. They
            may also be in a column ``solution`` or ``moves``.

        Raises
        ------
        InputError
            If the file cannot be fully read; the verdicts before the error are stored. If all its rows, or its first
            ones, are no verdicts on layouts of the game, and nothing of it is stored.
        NotFoundError, UsageError
            If there is no such game or engine, a name, the version or the suffix cannot be used, the arguments cannot
            be combined, or the version is on record with another `checked_as`.
        RetractedError
            If the version was retracted.
        StoreError
            If the run was deleted, but not its source.
        """
        from dealmill.pipeline.ingest.verdict_files import import_table, open_verdicts  # loads NumPy

        name, limit = fsdecode(file), node_limit(max_nodes)
        with ExitStack() as copies:
            table = open_verdicts(name, engine, version, copies, VerdictOptions(**options))
            return Run(self._database, import_table(self._database, table, limit, progress))

    def import_archive(self, file: str | PathLike[str], *, progress: Progress = in_notebook) -> list[Run]:
        """Store the runs of an archive, see `dealmill.archive`, and return them. Nothing is solved. The same archive is
        stored only once. Runs whose deals are not stored in it are left out.

        Raises
        ------
        InputError
            If the file cannot be read, is not an archive, was changed, or has no results; or if the results of a run
            do not have the fingerprint that it says, and then the run is stored.
        NotFoundError
            If the game or the engine of a run is not installed.
        UsageError
            If the version of an engine cannot be recorded.
        RetractedError
            If the engine version of a run was retracted.
        """
        from dealmill.pipeline.archive.importing import import_archive  # loads NumPy

        return [Run(self._database, status) for status in import_archive(self._database, fsdecode(file), progress)]

    @takes(RunOptions)
    def queue(
        self,
        source: "SourceSpec | int",
        *,
        engine: str | None = None,
        progress: Progress = in_notebook,
        **options: Unpack[RunArguments],
    ) -> Run:
        """Queue a run over a source for workers, and return it immediately.

        `source` is the number or the name of a source in the store, or what `run` accepts: a file, a range of deals or
        a query, which is first read into the store. Of a file that was read before under the same name, the game is
        known. See `run` for the other parameters.

        Raises
        ------
        InputError
            If a file seems to be of another game or cannot be fully read.
        NotFoundError, UsageError
            If there is no such source or engine, the engine belongs to another game, or the source is open-ended.
        StoreError
            If the source has not been fully read.
        """
        from dealmill.pipeline.ingest.sources import source_to_queue

        plan, engines = RunOptions(**options), [] if engine is None else [engine]
        stored = source_to_queue(self._database, source, plan, progress, engines)
        [run_id] = queue_runs(self._database, [stored], engines, plan.max_nodes, plan.labels)
        return self.find_run(run_id)

    def work(self, *, drain: bool = False, progress: Progress = in_notebook) -> None:
        """Process queued jobs with local workers until interrupted, or until no jobs are left if `drain` is true. Jobs
        of runs with the highest priority come first; those of paused and cancelled runs stay.

        Raises
        ------
        BrokerError, WorkerError
            If the broker or the workers cannot be started.
        VersionError
            If jobs are left at the end that need versions of engines or deals that are not installed.
        """
        from dealmill.workers.working import work  # loads Celery

        work(self._database, progress, drain=drain)

    def find_run(self, run: int | str = "last") -> Run:
        """Return a run by its number, or the newest run for ``"last"``.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        return Run(self._database, find_run(self._database, run))

    def select(
        self,
        *runs: int | str,
        tags: str | Iterable[str] = (),
        game: str | None = None,
        engine: str | None = None,
        reruns: bool = False,
    ) -> RunList:
        """Return several runs, oldest first, for example to `pause` them all; see `RunList`.

        Parameters
        ----------
        runs
            Numbers, ranges of numbers such as ``"3-7"`` (of which some may not exist), ``"last"`` and ``"all"``,
            separately or with commas between them. Without any, all runs that the other parameters select.
        tags, game, engine
            Of these, only the runs with all these tags, of this game, and by this engine (its full name).
        reruns
            Also the reruns of these runs, and their reruns.

        Raises
        ------
        UsageError
            If nothing selects runs, or a text is not a number or a range.
        NotFoundError
            If there is no such run, or none is selected.
        """
        return self.status(selected_runs(self._database, runs, tags=tags, game=game, engine=engine, reruns=reruns))

    def deletion(
        self,
        *subjects: int | str,
        tags: str | Iterable[str] = (),
        game: str | None = None,
        engine: str | None = None,
        reruns: bool = False,
    ) -> Deletion:
        """Return what is needed to delete runs, selected as by `select`, or a source (``"source:3"`` or
        ``"source:NAME"``). Nothing is deleted yet; see `Deletion.carry_out`.

        The numbers are not used again, and the action log keeps the entries about runs.

        Raises
        ------
        NotFoundError
            If there is no such run or source.
        UsageError
            If runs and sources are named together.
        StoreError
            If something depends on one of them, such as a rerun that is not selected, an unfinished audit or, for a
            source, a run.
        """
        names = [str(subject).partition(":") for subject in subjects]
        if sources := [key for kind, _, key in names if kind == "source"]:
            if len(sources) < len(names) or tags or game or engine:
                raise UsageError("delete runs and sources by separate commands")
            return Deletion(self._database, [find_source(self._database, key) for key in sources])
        runs = self.select(*subjects, tags=tags, game=game, engine=engine, reruns=reruns)
        return Deletion(self._database, [run.progress for run in reversed(runs)])  # reruns before what they repeat

    def find_source(self, source: int | str) -> Source:
        """Return a source by its number, or the newest source of that name.

        Raises
        ------
        NotFoundError
            If there is no such source.
        """
        return find_source(self._database, source)

    def sources(self) -> list[Source]:
        """Return all sources, oldest first."""
        return list_sources(self._database)

    def runs(self) -> RunList:
        """Return all runs, oldest first."""
        return RunList(Run(self._database, status) for status in list_runs(self._database))

    def run_ids(
        self,
        *,
        after: int = 0,
        before: int = MAX_INTEGER,
        text: str = "",
        limit: int | None = None,
        descending: bool = False,
    ) -> list[int]:
        """Return the ids of the runs after and before these ids: the first `limit` of them, or all; oldest
        first, or newest first if `descending`. Of all these runs, only those with every word of the `text` in their
        engine, source, tags or note."""
        return run_ids_between(self._database, after, before, limit, text=text, descending=descending)

    def status(
        self,
        run: int | str | Collection[int] | None = None,
        *,
        tags: str | Iterable[str] = (),
        note: str | None = None,
    ) -> RunList:
        """Return all runs, oldest first, or one run, or those with the given numbers, with their newest audits.

        Of all runs, return only those with all these `tags`, and with this text in their `note`.

        Raises
        ------
        NotFoundError
            If one run is named, and there is no such run.
        """
        if run is None:
            run_ids = list_run_ids(self._database, *labelled(tags, note))
            statuses = list_runs(self._database, run_ids, with_totals=True)
        elif isinstance(run, Collection) and not isinstance(run, str):
            statuses = list_runs(self._database, run, with_totals=True)
        else:
            statuses = [find_run(self._database, run)]
        return RunList.of(self._database, statuses)

    def fingerprints(self, runs: Iterable[Run]) -> dict[int, str]:
        """Return the fingerprints of runs by their numbers, read together; see `Run.fingerprint`. Runs without one are
        left out."""
        finished = (run.progress for run in runs if run.progress.finished)
        return fingerprints_of(self._database, {status.id: status.items for status in finished})

    def watch(self, run: int | str | Collection[int] | None = None) -> Iterator[RunList]:
        """Yield `status` once a second until all runs are finished, retracted, paused or cancelled."""
        while True:
            runs = self.status(run)
            yield runs
            if all(run.progress.state in {"finished", "retracted", "paused", "cancelled"} for run in runs):
                return
            time.sleep(WATCH_SECONDS)

    def workers(self) -> list[Worker]:
        """Return the worker processes that report to the store, hold a job, or claimed or finished one in the last
        hour."""
        return list_workers(self._database)

    def missing_engines(self) -> list[MissingEngine]:
        """Return the versions of engines that pending jobs need, but workers lack."""
        return missing_engines(self._database)

    @takes(FilterArguments)
    def query(
        self,
        *,
        run: Run | int | str | None = None,
        game: str | None = None,
        engine: str | None = None,
        source: int | str | None = None,
        after: Item = FIRST_ITEM,
        before: Item | None = None,
        order: Order | str = Order.POSITION,
        descending: bool = False,
        limit: int | None = None,
        retracted: bool = False,
        **conditions: Unpack[FilterArguments],
    ) -> Query:
        """Return the results of one run, or of all runs of a game, an engine or a source.

        The order is that of runs and positions, or one order over all runs. `after` and `before` are items, ``"3:17"``
        or ``(3, 17)``. The progress of a `Run` of this store is not read again. If `retracted` is true, only retracted
        results are returned. See `Run.results` for the other parameters.

        Raises
        ------
        NotFoundError
            If there is no such run, game, engine or source.
        RetractedError
            If `run` was retracted.
        UsageError
            If there is no such verdict, outcome or order, a number is out of range, or the order needs a limit.
        """
        source_key = None if source is None else str(source)
        status, run_id = None, None
        if run is not None:
            status = run.progress if isinstance(run, Run) else find_run(self._database, run)
            run_id = unless_retracted(status, retracted=retracted).id
        runs: Sequence[RunStatus] = matching_runs(
            self._database, game, engine, source_key, run=run_id, retracted=retracted
        )
        if status is not None and runs:
            runs = [status]  # without reading it again
        filter_ = Filter.of(**conditions)
        return query_of(self._database, runs, filter_, after, limit, before=before, order=order, descending=descending)

    def find(
        self,
        layout: str | Layout | Result | PathLike[str],
        *,
        game: str | None = None,
        progress: Progress = in_notebook,
    ) -> "list[Match]":
        """Return where a layout is stored, and the results of the runs over it, in order of source, position and run.

        Parameters
        ----------
        layout
            One line of text, as in a file; a numbered deal such as ``"deal:camelot:seed=1:17"``; a `Layout` or a
            `Result`; or the path of a file with a single layout.
        game
            Search only this game; by default, all games that have such a layout.

        Only stored layouts are found, not the numbered deals of compact runs and surveys.

        Raises
        ------
        BadLayout
            If this is not exactly one layout.
        InputError
            If the file cannot be read.
        NotFoundError
            If there is no such game.
        """
        from dealmill.pipeline.ingest.files import first_lines
        from dealmill.pipeline.store.queries.find import find_layout, lines_of_layout  # loads NumPy

        if isinstance(layout, str) and is_deal_range(layout):
            deal = parse_deal(layout)
            [layout], game = deal, deal.game.name
        lines = first_lines(fsdecode(layout)) if isinstance(layout, PathLike) else lines_of_layout(layout)
        return find_layout(self._database, lines, game, progress)

    def rejects(
        self, *, run: int | str | None = None, source: int | str | None = None, limit: int | None = None
    ) -> Iterator[tuple[Source, Reject]]:
        """Iterate over the rejects of a source, or of the source of a run, each with all reasons.

        Raises
        ------
        UsageError
            If neither a run nor a source is given, or both are.
        NotFoundError
            If there is no such run or source.
        """
        count = None if limit is None else check_integer("limit", limit)
        origin = self._source_of(run, source)
        return ((origin, reject) for reject in islice(rejects_of(self._database, origin.id), count))

    def reject_reasons(
        self, *, run: int | str | None = None, source: int | str | None = None
    ) -> tuple[Source, list[RejectReason]]:
        """Return a source, or the source of a run, and the reasons of its rejects with counts, most frequent first.

        Raises
        ------
        UsageError, NotFoundError
            See `rejects`.
        """
        origin = self._source_of(run, source)
        return origin, count_reasons(rejects_of(self._database, origin.id))

    def result(self, item: str, *, retracted: bool = False) -> Result:
        """Return the result of an item ``RUN:POSITION``, as in the first column of a query.

        Raises
        ------
        UsageError, NotFoundError
            If the item is malformed, or there is no result, or none yet.
        RetractedError
            If the engine version was retracted.
        """
        run_id, position = parse_item(item)
        run = unless_retracted(find_run(self._database, run_id), retracted=retracted)
        return find_result(self._database, run, position)

    def survey(
        self,
        game: str,
        *,
        engine: str | None = None,
        half_width: str | float = "0.1%",
        count: int | None = None,
        seed: int = 1,
        parameters: Mapping[str, int] | None = None,
        max_nodes: int | None = None,
        progress: Progress = in_notebook,
    ) -> Survey:
        """Estimate the share of winnable deals of a game, or their mean value, with local workers.

        Parameters
        ----------
        engine
            An engine of the game; None means its default one.
        half_width
            Half the width of the 95 % confidence interval to reach: a share such as 0.001 or ``"0.1%"``; for mean
            values a number, or a percentage of the mean.
        count
            Solve this many deals instead, 1 to 10¹¹, rounded up to whole thousands, whatever the width of the interval.
        seed
            The seed of the deals, 0 to 2⁶⁴ − 1.
        parameters
            The parameters of the deals, for example ``{"ranks": 13, "stacks": 13}``.
        max_nodes
            Leave a deal undecided if its search would take more than this many nodes; None means the limit of the
            engine, if it has one.

        Raises
        ------
        NotFoundError, UsageError
            If there is no such game or engine, or an argument is out of range.
        RetractedError
            If the engine version was retracted.
        StoreError
            If no number of deals can make the interval narrow enough because too many are undecided.
        DifferenceError
            If the record of the survey is damaged.
        """
        from dealmill.pipeline.survey.growth import Width, open_survey
        from dealmill.workers.working import grow_survey

        limit = node_limit(max_nodes)
        definition, used = engine_of(game, engine)
        goal = (
            Width.parse(half_width, scored=used.scores)
            if count is None
            else check_integer("count", count, 1, MAX_ITEMS)
        )
        deals = DealRange(definition, seed, 1, MAX_INTEGER, parameters or {})
        planned = open_survey(self._database, deals, definition.full_name(used), limit)
        return Survey(self._database, *grow_survey(self._database, planned.id, goal, progress))

    def pack(
        self,
        game: "DealRange | str",
        path: str | PathLike[str],
        *,
        force: bool = False,
        with_checker: bool = False,
        progress: Progress = in_notebook,
        **arguments: "Unpack[PackArguments]",
    ) -> "Pack":
        """Deal, solve and play as many deals of a game as a pack needs, write it, and return it.

        The deals are graded by the chance that a careful player wins. The first hundred show how many are needed, which
        is reported before these are solved; an interrupted call continues where it stopped. The runs stay in the store.

        Parameters
        ----------
        game
            The game, of whose seed 1 the deals are; or other deals, such as ``"deal:klondike:seed=7"`` or what
            `dealmill.deals` returns for all deals of a seed.
        force, with_checker
            As for `Run.export`.
        **arguments
            What the pack has, as for `Run.pack`: ``grades``, ``each``, ``seed``, ``calendar``, ``by_weekday``,
            ``without``.

        Raises
        ------
        NotFoundError, UsageError
            If there is no such game, or it has no careful player; if an argument is out of range, or none of a thousand
            deals has one of the grades.
        OutputError
            If a file cannot be written.
        """
        from dealmill.packs import pack_of_game  # loads NumPy

        return pack_of_game(
            self,
            game,
            Path(path),
            force=force,
            with_checker=with_checker,
            progress=progress,
            arguments=arguments,
        )

    def runs_of(self, engine: str, version: str) -> RunList:
        """Return the runs of a version of an engine (its full name) or a family, oldest first."""
        return RunList(Run(self._database, status) for status in runs_of_engine(self._database, engine, version))

    def retract(self, engine: str, version: str, why: str) -> Retraction:
        """Retract all verdicts of an engine version, including future ones. `engine` may be a family such as
        ``patience``, and `version` that of its engines without the digest of rules: this retracts all its games.

        Nothing is deleted, but the verdicts are returned only on request, and the version gets no new runs. If the
        version was retracted before, the first reason is kept; see `Retraction.why`.

        Raises
        ------
        NotFoundError
            If the store has no runs of this engine version.
        UsageError
            If `why` is empty.
        """
        return Retraction(self._database, retract(self._database, engine, version, why))

    def unretract(self, engine: str, version: str, why: str) -> list[Run]:
        """Undo the retraction of an engine version, and return the runs that it had retracted.

        The action log keeps the retraction and its reason. Runs that were planned as replacements stay.

        Raises
        ------
        NotFoundError
            If the store has no runs of it.
        UsageError
            If `why` is empty, or the version is not retracted.
        """
        return [Run(self._database, status) for status in unretract(self._database, engine, version, why)]

    def log(
        self, run: int | None = None, *, skip: int = 0, limit: int | None = None, descending: bool = False
    ) -> list[Action]:
        """Return the action log, oldest first, or newest first if `descending`: who did what to the store, when and
        why. Leave out the first `skip` entries, and those after the next `limit`.

        With `run`, return only its entries for this run and for retractions of its engine version.
        """
        return list_actions(self._database, run, skip=skip, limit=limit, descending=descending)

    def incidents(self, since: datetime | None = None) -> list[Incident]:
        """Return the outages, deaths of workers and retries of jobs of the last month, or `since` some time, in the
        order in which they began."""
        return list_incidents(self._database, since)

    def _source_of(self, run: int | str | None, source: int | str | None) -> Source:
        if source is None and run is None:
            rejecting = ", ".join(str(each.id) for each in self.sources() if each.rejected) or "none"
            raise UsageError(f"name a run or a source whose rejects you mean; sources with rejects: {rejecting}")
        if source is not None and run is not None:
            raise UsageError("name a run or a source whose rejects you mean, but not both")
        return self.find_source(find_run(self._database, str(run)).source if source is None else source)
