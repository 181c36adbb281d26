"""The tasks, one for each kind of job: claim a job, do it with no transaction open, write what came out if the job is
still ours. While the database is away, a task waits for it."""

import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Protocol, TypeVar

from structlog.contextvars import bind_contextvars, clear_contextvars

from dealmill.pipeline.audit import Findings, abandoned, audit_part
from dealmill.pipeline.games.batch import Solved
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.runs import installed_engines
from dealmill.pipeline.settings import settings
from dealmill.pipeline.solve import broken_down, load, solve_texts
from dealmill.pipeline.store import audits, jobs, leases, surveys
from dealmill.pipeline.store.audits import AUDITING, AuditJob
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.jobs import SOLVING, Job
from dealmill.pipeline.store.leases import Kind, Lease
from dealmill.pipeline.store.opening import open_store
from dealmill.pipeline.store.patience import patiently
from dealmill.pipeline.store.surveys import SURVEYING, Found, SurveyJob
from dealmill.pipeline.store.workers import worker_name
from dealmill.pipeline.survey.solving import ready, survey_part
from dealmill.workers import metrics
from dealmill.workers.app import app

logger = logging.getLogger(__name__)

ATTEMPTS = 5
"""After so many claims, whatever keeps a job from being done is not passing: its layouts have failed."""


GREATEST_NUMBER = 2**31 - 1
"""That the column of numbers of jobs holds."""


class Claimed(Protocol):
    """A job of any kind."""

    @property
    def lease(self) -> Lease:
        """What makes it ours."""


J = TypeVar("J", bound=Claimed)
R = TypeVar("R")
T = TypeVar("T")


def configured_store() -> Database:
    """The store that the settings name."""
    return open_store(settings().database_url.get_secret_value())


@app.task(name="dealmill.solve", Request="dealmill.workers.watch:Solving")  # type: ignore[untyped-decorator]
def solve_job(number: int) -> None:
    """Solve a job of a run. Doing it twice, late or not at all is harmless; see `dealmill.pipeline.store.leases`."""
    _do(
        number,
        SOLVING,
        engine_of=jobs.engine_of,
        prepare=load,
        claim=jobs.claim,
        results=_solved,
        finish=jobs.finish,
        counted=_verdicts,
    )


def _solved(_store: Database, job: Job, trouble: str | None) -> Solved:
    return broken_down(trouble, len(job.layouts)) if trouble else solve_texts(job.engine, job.layouts, job.max_nodes)


def _verdicts(solved: Solved) -> dict[str, int]:
    return {verdict.word: int((solved.verdicts == int(verdict)).sum()) for verdict in Verdict}


@app.task(name="dealmill.survey", Request="dealmill.workers.watch:Surveying")  # type: ignore[untyped-decorator]
def survey_job(number: int) -> None:
    """Do a job of a survey."""
    _do(
        number,
        SURVEYING,
        engine_of=jobs.engine_of,
        prepare=ready,
        claim=surveys.claim,
        results=_surveyed,
        finish=surveys.finish,
        counted=_survey_verdicts,
    )


def _surveyed(_store: Database, job: SurveyJob, trouble: str | None) -> Found:
    return survey_part(job, dict.fromkeys(range(job.lease.first, job.lease.stop), trouble) if trouble else {})


def _survey_verdicts(found: Found) -> dict[str, int]:
    return {verdict.word: found.totals[verdict.word] for verdict in Verdict}


@app.task(name="dealmill.audit", Request="dealmill.workers.watch:Auditing")  # type: ignore[untyped-decorator]
def audit_job(number: int) -> None:
    """Do a job of an audit."""
    _do(
        number,
        AUDITING,
        engine_of=audits.engine_of,
        prepare=lambda _engine: None,
        claim=audits.claim,
        results=_audited,
        finish=_audit_finished,
        counted=_outcomes,
    )


def _audited(store: Database, job: AuditJob, trouble: str | None) -> Findings:
    return abandoned(job) if trouble else audit_part(store, job)


def _audit_finished(store: Database, job: AuditJob, findings: Findings) -> bool:
    return audits.finish(store, job, *findings)


def _outcomes(findings: Findings) -> Counter[str]:
    return Counter(judgement.outcome.name.lower() for _, judgement in findings[0])


def _do(
    number: int,
    kind: Kind,
    *,
    engine_of: Callable[[Database, int], tuple[str, str] | None],
    prepare: Callable[[str], object],
    claim: Callable[[Database, int, str, float], J | None],
    results: Callable[[Database, J, str | None], R],
    finish: Callable[[Database, J, R], bool],
    counted: Callable[[R], Mapping[str, int]],
) -> None:
    """Do a job, if it is one for us. `results` does it, or says what is to be said of one that has failed for good."""
    clear_contextvars()
    if not isinstance(number, int) or not 0 < number <= GREATEST_NUMBER:
        logger.warning("a message names no job, and is dropped")
        return
    bind_contextvars(job=number)
    store = _waiting(configured_store)
    engine = _waiting(partial(engine_of, store, number))
    if engine is None or not _workable(store, kind, number, engine):
        return
    _prepare_before_the_lease_begins(prepare, engine[0])
    job = _waiting(partial(claim, store, number, worker_name(os.getpid()), settings().lease_seconds))
    if job is None:
        return
    what = kind.owner.name.removesuffix("_id")
    bind_contextvars(**{what: job.lease.owner})
    trouble = f"tried {ATTEMPTS} times: {job.lease.trouble}" if job.lease.attempt > ATTEMPTS else None
    try:
        with metrics.SECONDS.labels(engine[0], what).time():
            found = _waiting(partial(results, store, job, trouble))
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        logger.exception("job %d could not be done, attempt %d: %s", number, job.lease.attempt, told)
        _waiting(partial(leases.release, store, kind, job.lease, told))
        metrics.count(engine[0], what, "retried", {})
        return
    if _waiting(partial(finish, store, job, found)):
        metrics.count(engine[0], what, "failed" if trouble else "done", counted(found))
    else:
        logger.warning("job %d is another worker's by now; what it found here is dropped", number)


def _waiting(step: Callable[[], T]) -> T:
    return patiently(step, logger.warning)


def _workable(store: Database, kind: Kind, number: int, engine: tuple[str, str]) -> bool:
    """Whether this installation can do a job. Messages are sent by whoever runs workers, so a farm of several versions
    gets some that are for others; those jobs stay as they are."""
    if _waiting(partial(leases.workable, store, kind, number, installed_engines())):
        return True
    _refuse(*engine)
    return False


@cache
def _refuse(engine: str, version: str) -> None:
    """Say so, once in each process."""
    installed = dict(installed_engines()).get(engine)
    if installed is None:
        here = "there is none here"
    elif installed != version:
        here = f"here is version {installed}"
    else:
        here = "it was retracted, or here are other deals"
    logger.error("jobs of %s %s are left to other workers: %s", engine, version, here)


def _prepare_before_the_lease_begins(prepare: Callable[[str], object], engine: str) -> None:
    """Compiling may take longer than a lease; an error here comes again while solving, and counts there."""
    try:
        prepare(engine)
    except Exception:
        logger.warning("%s cannot be loaded", engine, exc_info=True)
