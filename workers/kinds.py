"""The kinds of jobs, each of them a module: how a job is claimed, done, finished and counted."""

from collections.abc import Mapping
from typing import Any, Protocol

from dealmill.pipeline.audit import jobs as auditing
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queue.leases import JobTable
from dealmill.pipeline.store.record import jobs as solving
from dealmill.pipeline.store.runs.planned import PlannedRun


class Kind(Protocol):
    """A kind of job, whose jobs are in `TABLE`. A claimed job has a `lease` and a `run`."""

    TABLE: JobTable

    def prepare(self, run: PlannedRun) -> None:
        """Load and compile whatever a job about a run needs, before its lease begins."""

    def claim(self, store: Database, job: int, worker: str, seconds: float) -> Any:
        """Claim a job for so many seconds, with all that is needed to do it; None if it is done or someone else's."""

    def do(self, store: Database, job: Any) -> Any:
        """Do a job, and return what is to be recorded of it."""

    def give_up(self, store: Database, job: Any, trouble: str) -> Any:
        """Return what is to be recorded of a job that has failed for good because of `trouble`."""

    def finish(self, store: Database, job: Any, found: Any) -> bool:
        """Record it and mark the job done; False, and nothing written, if it is no longer this attempt's."""

    def count(self, found: Any) -> Mapping[str, int]:
        """Verdicts or judgements by word, for the metrics."""


KINDS: dict[str, Kind] = {"solve": solving, "audit": auditing}
"""Every kind by the name that stands for it in messages: the only place where they are listed."""
