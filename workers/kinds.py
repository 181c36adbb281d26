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
from dealmill.pipeline.store.queue import jobs
from dealmill.pipeline.store.queue.jobs import SOLVING, Job
from dealmill.pipeline.store.queue.leases import JobTable, Lease
from dealmill.pipeline.store.record import surveys
from dealmill.pipeline.store.record.surveys import SURVEYING, SurveyJob

if TYPE_CHECKING:
    from dealmill.pipeline.audit.jobs import Findings
    from dealmill.pipeline.games.batch import Solved
    from dealmill.pipeline.store.record.surveys import Found


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
    def engine_of(self, store: Database, number: int) -> tuple[str, str] | None:
        """Full name and version of the engine that a job is about; None if there is no such job (any more)."""

    def prepare(self, engine: str) -> None:
        """Load and compile whatever a job needs, before its lease begins."""

    @abstractmethod
    def claim(self, store: Database, number: int, worker: str, seconds: float) -> J | None:
        """Claim a job for so many seconds, with all that is needed to do it; None if it is done or someone else's."""

    @abstractmethod
    def do(self, store: Database, job: J, trouble: str | None) -> R:
        """Do a job; or, if it has failed for good because of `trouble`, return what is to be recorded of it."""

    @abstractmethod
    def finish(self, store: Database, job: J, outcome: R) -> bool:
        """Write the outcome and mark the job done; False, and nothing written, if it is no longer this attempt's."""

    @abstractmethod
    def count(self, outcome: R) -> Mapping[str, int]:
        """Verdicts or judgements by word, for the metrics."""


class Solving(Kind[Job, "Solved"]):
    """Jobs of runs."""

    name = "solve"
    table = SOLVING

    def engine_of(self, store: Database, number: int) -> tuple[str, str] | None:
        """See `Kind`, as for the other methods."""
        return jobs.engine_of(store, number)

    def prepare(self, engine: str) -> None:
        from dealmill.pipeline.solve import load

        load(engine)

    def claim(self, store: Database, number: int, worker: str, seconds: float) -> Job | None:
        return jobs.claim(store, number, worker, seconds)

    def do(self, store: Database, job: Job, trouble: str | None) -> "Solved":
        from dealmill.pipeline.solve import broken_down, solve_texts

        return (
            broken_down(trouble, len(job.layouts)) if trouble else solve_texts(job.engine, job.layouts, job.max_nodes)
        )

    def finish(self, store: Database, job: Job, outcome: "Solved") -> bool:
        return jobs.finish(store, job, outcome)

    def count(self, outcome: "Solved") -> Mapping[str, int]:
        return {verdict.word: int((outcome.verdicts == int(verdict)).sum()) for verdict in Verdict}


class Surveying(Kind[SurveyJob, "Found"]):
    """Jobs of surveys."""

    name = "survey"
    table = SURVEYING

    def engine_of(self, store: Database, number: int) -> tuple[str, str] | None:
        """See `Kind`, as for the other methods."""
        return jobs.engine_of(store, number)

    def prepare(self, engine: str) -> None:
        from dealmill.pipeline.survey.solving import ready

        ready(engine)

    def claim(self, store: Database, number: int, worker: str, seconds: float) -> SurveyJob | None:
        return surveys.claim(store, number, worker, seconds)

    def do(self, store: Database, job: SurveyJob, trouble: str | None) -> "Found":
        from dealmill.pipeline.survey.solving import survey_part

        deals = range(job.lease.first, job.lease.stop)
        return survey_part(job, dict.fromkeys(deals, trouble) if trouble else {})

    def finish(self, store: Database, job: SurveyJob, outcome: "Found") -> bool:
        return surveys.finish(store, job, outcome)

    def count(self, outcome: "Found") -> Mapping[str, int]:
        totals = outcome.totals
        return {verdict.word: totals[verdict.word] for verdict in Verdict}


class Auditing(Kind[AuditJob, "Findings"]):
    """Jobs of audits."""

    name = "audit"
    table = AUDITING

    def engine_of(self, store: Database, number: int) -> tuple[str, str] | None:
        """See `Kind`, as for the other methods."""
        return audits.engine_of(store, number)

    def claim(self, store: Database, number: int, worker: str, seconds: float) -> AuditJob | None:
        return audits.claim(store, number, worker, seconds)

    def do(self, store: Database, job: AuditJob, trouble: str | None) -> "Findings":
        from dealmill.pipeline.audit.jobs import abandoned, audit_part

        return abandoned(job) if trouble else audit_part(store, job)

    def finish(self, store: Database, job: AuditJob, outcome: "Findings") -> bool:
        return audits.finish(store, job, *outcome)

    def count(self, outcome: "Findings") -> Mapping[str, int]:
        return Counter(judgement.outcome.name.lower() for _, judgement in outcome[0])


KINDS: dict[str, Kind[Any, Any]] = {kind.name: kind for kind in (Solving(), Surveying(), Auditing())}
"""Every kind by its name: the only place where they are listed."""
