"""Runs, and what can be done with one: query, audit, repeat, compare, export."""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from dealmill.pipeline.arguments import whole
from dealmill.pipeline.audit.jobs import queue_audit
from dealmill.pipeline.audit.sealing import entry_in, seal_of, still_sealed
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.contract import Reject
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.progress import Progress, Repeating, silent
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.results.diff import Diff, compare
from dealmill.pipeline.results.query import Ends, Query, answers_of, find_result, query_of, wanted_results
from dealmill.pipeline.runs.rerun import queue_rerun
from dealmill.pipeline.store.audits.findings import Finding, findings_of
from dealmill.pipeline.store.audits.planned import AuditStatus
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.blocks import fingerprint_of
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.sources.stored import rejects_of

if TYPE_CHECKING:
    import pyarrow


class Run:
    """One engine with its node limit over one source, in a store.

    The attributes are what was planned and do not change; `status` says how far the run is.

    Attributes
    ----------
    id : int
        The number of the run, from 1.
    game, engine, version : str
        Whose verdicts it has: ``memory``, ``memory/two-pass``, ``1``.
    source : str
        The name of the file or of the range of deals.
    max_nodes : int or None
        The node limit; None if there is none.
    storage : Storage
        How its verdicts are stored: ``Storage.ROWS``, or ``Storage.PACKED`` (see `Store.run`).
    repeats : int or None
        The run that it repeats.
    """

    def __init__(self, store: Database, status: RunStatus) -> None:
        self._store = store
        self.id = status.id
        self.game = status.game
        self.engine = status.engine
        self.version = status.version
        self.source = status.source_name
        self.max_nodes = status.max_nodes
        self.storage = status.storage
        self.repeats = status.repeats
        self._source = status.source

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.engine} {self.version} on {self.source}>"

    def status(self) -> RunStatus:
        """Return how far the run is now, counted by its jobs."""
        return find_run(self._store, self.id)

    @property
    def fingerprint(self) -> str | None:
        """64 hexadecimal digits, equal for two runs iff all layouts, verdicts, values and evidence are; None if the run
        is not finished."""
        status = self.status()
        return fingerprint_of(self._store, self.id, status.items) if status.finished else None

    def results(
        self,
        *,
        verdict: Verdict | str | Iterable[Verdict | str] = (),
        value: Ends | int | None = None,
        nodes: Ends | int | None = None,
        audit: Outcome | str | None = None,
        after: int = 0,
        limit: int | None = None,
        retracted: bool = False,
    ) -> Query:
        """Return the results of the run in the order of their positions; they are read page by page.

        Parameters
        ----------
        verdict
            Only this verdict, or these.
        value, nodes
            Only this number, or those from ``low`` to ``high`` of ``(low, high)``, both included; None for an open end.
        audit
            Only results of which the newest audit says this: ``"valid"`` (not of packed runs), ``"invalid"`` or
            ``"no-evidence"``.
        after
            Only results behind this position.
        limit
            At most this many.
        retracted
            Show them even if the engine version was retracted.

        Raises
        ------
        RetractedError
            If the engine version was retracted.
        UsageError
            If there is no such verdict or outcome, or a number is out of range.
        """
        status = answers_of(self.status(), retracted=retracted)
        wanted = wanted_results(verdict, value, nodes, audit)
        return query_of(self._store, [status], wanted, (self.id, after), limit)

    def result(self, position: int, *, retracted: bool = False) -> Result:
        """Return the result at a position, counted from 1.

        Raises
        ------
        NotFoundError
            If there is none, or none yet.
        RetractedError
            If the engine version was retracted.
        """
        return find_result(self._store, answers_of(self.status(), retracted=retracted), position)

    def rejects(self) -> Iterator[Reject]:
        """Iterate over what was rejected of the source, with every reason."""
        return rejects_of(self._store, self._source)

    def audit(
        self, *, sample: int | None = None, seed: int = 1, seal: str | None = None, progress: Progress = silent
    ) -> "Audit":
        """Check every stored verdict with the referee and the record against itself; local workers do it.

        Parameters
        ----------
        sample
            Check only this many verdicts, spread evenly, and not the rest of the record.
        seed
            Which sample, 0 to 2⁶³ − 1.
        seal
            The seal of an earlier audit (`Audit.seal`), to see that nobody has changed what it covers.

        Raises
        ------
        UsageError
            If the sample is empty or larger than the run; if `seal` is not a seal, or is passed with a sample.
        NotFoundError
            If the engine of the run is not installed.
        StoreError
            If the source of the run has not been read to its end.
        VersionError
            If the run is packed, and another version of the engine or of the deals is installed.
        """
        from dealmill.workers.local.working import finish_audit  # loads Celery

        size = None if sample is None else whole("sample", sample, 1)
        if seal is not None:
            entry_in(seal)
        if seal is not None and size is not None:
            raise UsageError("a seal covers the whole record: compare it without a sample")
        number = queue_audit(self._store, self.status(), size, whole("seed", seed))
        return Audit(self._store, finish_audit(self._store, number, progress), seal)

    def rerun(self, *, any_version: bool = False, progress: Progress = silent) -> Diff:
        """Solve all layouts once more, as a run of its own, and return its differences from this one.

        Raises
        ------
        StoreError
            If the run is not finished.
        VersionError
            If another version of the engine is installed, unless `any_version` will do.
        RetractedError
            If the installed version was retracted.
        """
        from dealmill.workers.local.working import solve_runs  # loads Celery

        number = queue_rerun(self._store, self.status(), any_version=any_version)
        progress(Repeating(number, self.id))
        [repetition] = solve_runs(self._store, [number], progress)
        return compare(self._store, self.status(), repetition)

    def diff(self, other: "Run") -> Diff:
        """Return the differences of this run from another one of the same game.

        Raises
        ------
        UsageError
            If there is nothing to compare: they are of different games, or in different stores; or one is packed, and
            the other is over other deals.
        """
        if other._store.url != self._store.url:
            raise UsageError("the two runs are in different stores; compare their fingerprints")
        return compare(self._store, self.status(), other.status())

    def export(
        self,
        path: str | PathLike[str],
        *,
        verdict: Verdict | str | Iterable[Verdict | str] = (),
        retracted: bool = False,
        force: bool = False,
        progress: Progress = silent,
    ) -> int:
        """Write the results to a ``.parquet``, ``.csv`` or ``.jsonl`` file, and return how many.

        The file appears only when it is complete; one that exists is overwritten only if `force` is true. If the path
        is a symbolic link, the file that it points to is overwritten, and the link stays.

        Raises
        ------
        UsageError
            If the suffix is none of those.
        OutputError
            If the file cannot be written, or is not a regular file.
        RetractedError
            If the engine version was retracted.
        """
        from dealmill.pipeline.results.export import export

        status = answers_of(self.status(), retracted=retracted)
        verdicts = wanted_results(verdict).verdicts
        return export(self._store, status, Path(path), verdicts, force=force, progress=progress)

    def to_arrow(
        self, *, verdict: Verdict | str | Iterable[Verdict | str] = (), retracted: bool = False
    ) -> "pyarrow.Table":
        """Return the results as an Arrow table, with the columns and the metadata of an exported Parquet file.

        Raises
        ------
        RetractedError
            If the engine version was retracted.
        """
        from dealmill.pipeline.results.export import to_arrow

        status = answers_of(self.status(), retracted=retracted)
        return to_arrow(self._store, status, wanted_results(verdict).verdicts)


class Audit:
    """What an audit has found.

    Attributes
    ----------
    status : AuditStatus
        The verdicts by outcome and the faults of the record, counted.
    sealed : bool or None
        Whether the record is the one with the seal that was passed; None if none was.
    """

    def __init__(self, store: Database, status: AuditStatus, seal: str | None = None) -> None:
        self._store = store
        self.status = status
        self.sealed = None if seal is None else still_sealed(store, status.run, seal)

    def __repr__(self) -> str:
        return f"<Audit {self.status.id} of run {self.status.run}: {'valid' if self.valid else 'NOT VALID'}>"

    @property
    def valid(self) -> bool:
        """Whether no verdict is invalid, the record has no faults, and it is the one with the seal that was passed."""
        return self.status.clean and self.sealed is not False

    @property
    def seal(self) -> str | None:
        """A number, a dash and 64 hexadecimal digits that cover the plan of the run, its source and results, and the
        log of actions up to this audit; to be kept elsewhere. None if the audit found something, was one of a sample,
        or the run is not finished."""
        return seal_of(self._store, self.status)

    def findings(self) -> Iterator[Finding]:
        """Iterate over the faults of the record and the invalid verdicts; there are none if the audit is valid."""
        return findings_of(self._store, self.status)
