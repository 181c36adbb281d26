"""The kinds of jobs, each of them one object: how a job is claimed, done, finished and counted.

Who only sends messages needs no engines, so what takes long to load is imported where it is used.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store import audits
from dealmill.pipeline.store.audits import AUDITING, AuditJob
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queue.leases import JobTable, Lease
from dealmill.pipeline.store.queue.solving import SOLVING
from dealmill.pipeline.store.record import jobs, record_of
from dealmill.pipeline.store.record.contract import Found
from dealmill.pipeline.store.record.jobs import Job
from dealmill.pipeline.store.runs.planned import PlannedRun

if TYPE_CHECKING:
    from dealmill.pipeline.audit.jobs import Findings


class Claimed(Protocol):
    """A claimed job of any kind."""

    @property
    def lease(self) -> Lease:
        """What makes it ours."""


J = TypeVar("J", bound=Claimed)
R = TypeVar("R")


class Kind(ABC, Generic[J, R]):
    """A kind of job. `name` stands for it in messages, and `table` holds its jobs."""

    name: str
    table: JobTable

    @abstractmethod
    def prepare(self, run: PlannedRun) -> None:
        """Load and compile whatever a job about a run needs, before its lease begins."""

    @abstractmethod
    def claim(self, store: Database, number: int, worker: str, seconds: float) -> J | None:
        """Claim a job for so many seconds, with all that is needed to do it; None if it is done or someone else's."""

    @abstractmethod
    def do(self, store: Database, job: J) -> R:
        """Do a job."""

    @abstractmethod
    def give_up(self, store: Database, job: J, trouble: str) -> R:
        """What is to be recorded of a job that has failed for good because of `trouble`."""

    @abstractmethod
    def finish(self, store: Database, job: J, outcome: R) -> bool:
        """Write the outcome and mark the job done; False, and nothing written, if it is no longer this attempt's."""

    @abstractmethod
    def count(self, outcome: R) -> Mapping[str, int]:
        """Verdicts or judgements by word, for the metrics."""


class Solving(Kind[Job, Found]):
    """Jobs of runs."""

    name = "solve"
    table = SOLVING

    def prepare(self, run: PlannedRun) -> None:
        """See `Kind`, as for the other methods."""
        record_of(run).prepare(run)

    def claim(self, store: Database, number: int, worker: str, seconds: float) -> Job | None:
        return jobs.claim(store, number, worker, seconds)

    def do(self, store: Database, job: Job) -> Found:
        return jobs.solve(store, job)

    def give_up(self, store: Database, job: Job, trouble: str) -> Found:
        return jobs.give_up(store, job, trouble)

    def finish(self, store: Database, job: Job, outcome: Found) -> bool:
        return jobs.finish(store, job, outcome)

    def count(self, outcome: Found) -> Mapping[str, int]:
        return {verdict.word: outcome.totals[verdict.word] for verdict in Verdict}


class Auditing(Kind[AuditJob, "Findings"]):
    """Jobs of audits."""

    name = "audit"
    table = AUDITING

    def prepare(self, run: PlannedRun) -> None:
        """See `Kind`, as for the other methods."""

    def claim(self, store: Database, number: int, worker: str, seconds: float) -> AuditJob | None:
        return audits.claim(store, number, worker, seconds)

    def do(self, store: Database, job: AuditJob) -> "Findings":
        from dealmill.pipeline.audit.jobs import audit_part

        return audit_part(store, job)

    def give_up(self, store: Database, job: AuditJob, trouble: str) -> "Findings":
        from dealmill.pipeline.audit.jobs import abandoned

        return abandoned(job)

    def finish(self, store: Database, job: AuditJob, outcome: "Findings") -> bool:
        return audits.finish(store, job, *outcome)

    def count(self, outcome: "Findings") -> Mapping[str, int]:
        return Counter(judgement.outcome.name.lower() for _, judgement in outcome[0])


KINDS: dict[str, Kind[Any, Any]] = {kind.name: kind for kind in (Solving(), Auditing())}
"""Every kind by its name: the only place where they are listed."""
