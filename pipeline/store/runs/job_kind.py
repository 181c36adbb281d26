"""A kind of jobs: a worker claims a job, does it with no transaction open, and finishes it in one transaction."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlalchemy import Connection

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.leases import Installed, JobTable, Lease
from dealmill.pipeline.store.runs.planned import PlannedRun


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job: the items ``[lease.first, lease.stop)`` of a run."""

    lease: Lease
    run: PlannedRun


JobT = TypeVar("JobT", bound=Job)
ResultsT = TypeVar("ResultsT")


class JobKind(ABC, Generic[JobT, ResultsT]):
    """A kind of job. Its jobs are rows of the table of `jobs`."""

    jobs: JobTable

    def choose(self, _connection: Connection, job_id: int, _installed: Installed) -> int:
        """Return the id of the job to do when a message names a job."""
        return job_id

    @abstractmethod
    def prepare(self, run: PlannedRun) -> None:
        """Load and compile everything needed for jobs of a run, before the lease starts."""

    @abstractmethod
    def claim(self, database: Database, job_id: int, worker: str, seconds: float) -> JobT | None:
        """Claim a job for `seconds`; return None if it is done or leased to another worker.

        The run is read in the same transaction: SQLite reuses the ids of deleted rows, so a run that was read
        earlier for this id may be that of another job.

        Raises
        ------
        DamagedError
            If the run cannot be read. The job is not claimed then.
        """

    @abstractmethod
    def do(self, database: Database, job: JobT) -> ResultsT:
        """Do a job and return its results."""

    @abstractmethod
    def give_up(self, database: Database, job: JobT, error: str) -> ResultsT:
        """Return the results of a job that has failed permanently because of `error`."""

    @abstractmethod
    def finish(self, database: Database, job: JobT, results: ResultsT) -> bool:
        """Write the results and mark the job done. Return False, and write nothing, if another attempt holds the
        job."""

    @abstractmethod
    def count(self, results: ResultsT) -> Mapping[str, int]:
        """Return the number of verdicts or judgements by word, for the metrics."""
