"""Return values of the methods of a store."""

from dataclasses import dataclass, field
from functools import cached_property

from dealmill.pipeline.errors import InputError
from dealmill.pipeline.store.audits import AuditStatus
from dealmill.pipeline.store.blocks import fingerprint_of
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.plans import requeue
from dealmill.pipeline.store.runs import RunStatus, Summary
from dealmill.pipeline.store.sources import Source
from dealmill.runs import Run


@dataclass(frozen=True)
class RunOverview:
    """The progress of a run, its newest audit, and its fingerprint; None if it is not audited or not finished.

    The fingerprint is computed from the digests of all blocks when it is first needed.
    """

    run: RunStatus
    audit: AuditStatus | None
    store: Database = field(repr=False, compare=False)

    @cached_property
    def fingerprint(self) -> str | None:
        """See above."""
        return fingerprint_of(self.store, self.run.id, self.run.items) if self.run.finished else None

    @property
    def state(self) -> str:
        """One of ``retracted``, ``finished``, ``damaged``, ``reading`` (the source is not complete), ``waiting`` (for
        workers) and ``solving``."""
        run = self.run
        states = {
            "retracted": run.retracted is not None,
            "finished": run.finished,
            "damaged": run.damaged,
            "reading": not run.complete,
            "waiting": run.started is None,
        }
        return next((state for state, holds in states.items() if holds), "solving")


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The sources that were read, and the errors of files that could not be opened or fully read."""

    sources: list[Source]
    errors: list[InputError]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of `Store.run_all`: runs and their statuses, sources, a summary per engine, and input errors."""

    runs: list[Run]
    statuses: list[RunStatus]
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
        return [(retracted, Run(self._database, requeue(self._database, retracted))) for retracted in self.runs]
