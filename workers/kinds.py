"""The kinds of jobs. Each is a module that claims, does, finishes and counts jobs."""

from collections.abc import Mapping
from typing import Any, Protocol

from dealmill.pipeline.store import audit_jobs as auditing
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.leases import JobTable
from dealmill.pipeline.store.record import jobs as solving
from dealmill.pipeline.store.runs import PlannedRun


class Kind(Protocol):
    """The interface of a kind of job. Its jobs are rows of `TABLE`; a claimed job has a `lease` and a `run`."""

    TABLE: JobTable

    def prepare(self, run: PlannedRun) -> None:
        """Load and compile everything needed for jobs of a run, before the lease starts."""

    def claim(self, store: Database, job: int, worker: str, seconds: float) -> Any:
        """Claim a job for `seconds`, and read what is needed to do it; return None if it is done or leased to another
        worker."""

    def do(self, store: Database, job: Any) -> Any:
        """Do a job and return its results."""

    def give_up(self, store: Database, job: Any, trouble: str) -> Any:
        """Return the results of a job that has failed permanently because of `trouble`."""

    def finish(self, store: Database, job: Any, found: Any) -> bool:
        """Write the results and mark the job done. Return False, and write nothing, if another attempt holds the
        job."""

    def count(self, found: Any) -> Mapping[str, int]:
        """Return the number of verdicts or judgements by word, for the metrics."""


KINDS: dict[str, Kind] = {"solve": solving, "audit": auditing}
"""All kinds of jobs, by their name in messages."""
