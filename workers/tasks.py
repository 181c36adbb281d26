"""The tasks, one for each kind of job: claim a job, do it with no transaction open, write what came out if the job is
still ours."""

import logging
import os
from collections.abc import Callable
from functools import cache

from pipeline.audit import abandoned, audit_part
from pipeline.games.batch import listed
from pipeline.runs import installed_engines
from pipeline.settings import settings
from pipeline.solve import broken_down, load, solve
from pipeline.store import audits, jobs, leases, surveys
from pipeline.store.audits import AUDITING
from pipeline.store.database import Store
from pipeline.store.jobs import SOLVING
from pipeline.store.leases import Kind
from pipeline.store.opening import open_store
from pipeline.store.surveys import SURVEYING
from pipeline.store.workers import worker_name
from pipeline.survey.solving import ready, survey_part
from workers.app import app

logger = logging.getLogger(__name__)

ATTEMPTS = 5
"""After so many claims, whatever keeps a job from being done is not passing: its layouts have failed."""


def configured_store() -> Store:
    """The store that the settings name."""
    return open_store(settings().database_url.get_secret_value())


@app.task(name="dealmill.solve", Request="workers.watch:Solving")  # type: ignore[untyped-decorator]
def solve_job(number: int) -> None:
    """Solve a job of a run. Doing it twice, late or not at all is harmless; see `pipeline.store.leases`."""
    store = configured_store()
    engine = jobs.engine_of(store, number)
    if engine is None or not _workable(store, SOLVING, number, engine):
        return
    _load_before_the_lease_begins(load, engine[0])
    job = jobs.claim(store, number, worker_name(os.getpid()), settings().lease_seconds)
    if job is None:
        return
    if job.lease.attempt > ATTEMPTS:
        batch = listed(broken_down(f"tried {ATTEMPTS} times: {job.lease.trouble}", len(job.layouts)))
    else:
        try:
            batch = solve(job.engine, job.layouts, job.limit)
        except Exception as error:
            leases.release(store, SOLVING, job.lease, f"{type(error).__name__}: {error}")
            raise
    if not jobs.finish(store, job, batch):
        logger.warning("job %d is another worker's by now; its verdicts here are dropped", number)


@app.task(name="dealmill.survey", Request="workers.watch:Surveying")  # type: ignore[untyped-decorator]
def survey_job(number: int) -> None:
    """Do a job of a survey."""
    store = configured_store()
    engine = jobs.engine_of(store, number)
    if engine is None or not _workable(store, SURVEYING, number, engine):
        return
    _load_before_the_lease_begins(ready, engine[0])
    job = surveys.claim(store, number, worker_name(os.getpid()), settings().lease_seconds)
    if job is None:
        return
    if job.lease.attempt > ATTEMPTS:
        trouble = f"tried {ATTEMPTS} times: {job.lease.trouble}"
        found = survey_part(job, dict.fromkeys(range(job.lease.first, job.lease.stop), trouble))
    else:
        try:
            found = survey_part(job, {})
        except Exception as error:
            leases.release(store, SURVEYING, job.lease, f"{type(error).__name__}: {error}")
            raise
    if not surveys.finish(store, job, found):
        logger.warning("job %d is another worker's by now; what it found here is dropped", number)


def _workable(store: Store, kind: Kind, number: int, engine: tuple[str, str]) -> bool:
    """Whether this installation can do a job. Messages are sent by whoever runs workers, so a farm of several versions
    gets some that are for others; those jobs stay as they are."""
    if leases.workable(store, kind, number, installed_engines()):
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


def _load_before_the_lease_begins(load: Callable[[str], object], engine: str) -> None:
    """Compiling may take longer than a lease; an error here comes again while solving, and counts there."""
    try:
        load(engine)
    except Exception:
        logger.warning("%s cannot be loaded", engine, exc_info=True)


@app.task(name="dealmill.audit", Request="workers.watch:Auditing")  # type: ignore[untyped-decorator]
def audit_job(number: int) -> None:
    """Do a job of an audit."""
    store = configured_store()
    engine = audits.engine_of(store, number)
    if engine is None or not _workable(store, AUDITING, number, engine):
        return
    job = audits.claim(store, number, worker_name(os.getpid()), settings().lease_seconds)
    if job is None:
        return
    if job.lease.attempt > ATTEMPTS:
        findings = abandoned(job)
    else:
        try:
            findings = audit_part(store, job)
        except Exception as error:
            leases.release(store, AUDITING, job.lease, f"{type(error).__name__}: {error}")
            raise
    if not audits.finish(store, job, *findings):
        logger.warning("job %d is another worker's by now; its judgements here are dropped", number)
