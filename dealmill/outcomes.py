"""What methods of a store return, where that is more than one thing."""

from dataclasses import dataclass

from dealmill.pipeline.errors import InputError
from dealmill.pipeline.results.summary import Summary
from dealmill.pipeline.runs.retract import requeue
from dealmill.pipeline.store.audits.planned import AuditStatus
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.stored import Source
from dealmill.runs import Run


@dataclass(frozen=True, slots=True)
class Overview:
    """How far a run is, its newest audit, and its fingerprint once it is finished."""

    run: RunStatus
    audit: AuditStatus | None
    fingerprint: str | None


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The sources that were read, and the errors that kept files from being opened or read to their end."""

    sources: list[Source]
    errors: list[InputError]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What `Store.run_all` did: runs with the status of each, sources, a summary per engine, and errors of reading."""

    runs: list[Run]
    statuses: list[RunStatus]
    sources: list[Source]
    summaries: list[Summary]
    errors: list[InputError]


class Retraction:
    """The runs of an engine version whose verdicts are retracted.

    Attributes
    ----------
    runs : list of RunStatus
        The runs concerned, oldest first.
    why : str or None
        The recorded reason: that of the first retraction, if the version had been retracted before. None if there are
        no runs.
    """

    def __init__(self, database: Database, runs: list[RunStatus]) -> None:
        self._database = database
        self.runs = runs
        self.why = next((run.retracted for run in runs), None)

    def requeue(self) -> list[tuple[RunStatus, Run]]:
        """Plan a run by the installed version of the engine in the place of each; return the pairs of old and new.

        Raises
        ------
        VersionError
            If the retracted version is still the installed one.
        """
        return [(retracted, Run(self._database, requeue(self._database, retracted))) for retracted in self.runs]
