"""The Celery task: claim a job, do it with no transaction open, and write the results if this attempt still holds the
job. While the database is not available, the task waits. If a worker process dies, its parent ends its lease at once.
"""

import logging
import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar

from celery.exceptions import WorkerLostError
from celery.worker.request import Request

from dealmill.pipeline.errors import DamagedError, DealmillError, ProgramError, ReplacedError, StoreError
from dealmill.pipeline.games import EngineKey
from dealmill.pipeline.games.caches import UncompiledError, nothing_compiled
from dealmill.pipeline.store.database.connections import Database, patiently
from dealmill.pipeline.store.database.revisions import check_revision
from dealmill.pipeline.store.database.tables import Control
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.job_kinds import KINDS
from dealmill.pipeline.store.planning.installation import Installation, workable_engines
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.incidents import DEATH, RETRY, record_incident
from dealmill.pipeline.store.runs.job_kind import JobKind
from dealmill.pipeline.store.runs.leases import Lease
from dealmill.pipeline.store.runs.planned import PlannedRun, run_of_job
from dealmill.pipeline.store.runs.workers import worker_name
from dealmill.pipeline.system.settings import settings
from dealmill.workers import metrics
from dealmill.workers.app import TASK, app
from dealmill.workers.logs import IN_HAND
from dealmill.workers.renewal import in_hand
from dealmill.workers.siblings import busy_with

logger = logging.getLogger(__name__)

GREATEST_ID = 2**31 - 1
"""The greatest id of a job that its column can hold."""

T = TypeVar("T")


def configured_database() -> Database:
    """Return the store that the settings name, at any revision."""
    return Database(database_url(settings().database_url))


@app.task(name=TASK, Request=f"{__name__}:WatchedRequest")  # type: ignore[untyped-decorator]
def do_job(*message: object, named_only: object = False, **_more: object) -> None:
    """Do the job with the kind and id in a message, if this installation can do it; or a more urgent one,
    unless the message wants `named_only`. A message may be delivered late, twice or never without harm; see
    `dealmill.pipeline.store.runs.leases`."""
    IN_HAND.clear()
    name, job_id = message if len(message) == 2 else (None, None)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None or not isinstance(job_id, int) or not 0 < job_id <= GREATEST_ID:
        logger.warning("dropped a message that does not name a job")
        return
    IN_HAND["job"] = job_id
    try:
        with busy_with(list(KINDS.values()).index(kind), job_id) as first:
            if first:
                _claim_and_do(kind, job_id, any_run=not named_only)
    except StoreError as error:  # the command that runs the farm gets the same error, and exits
        _log_store_error(str(error))


def _claim_and_do(kind: JobKind[Any, Any], job_id: int, *, any_run: bool) -> None:
    """Do a job, or, of `any_run`, one of a run with a higher priority, whose messages may be far behind in the queue.
    The job itself is sent again then. If another worker takes the other job first, choose again."""
    database, chosen, job = configured_database(), 0, None
    while job is None and chosen != job_id:
        chosen, run = _waiting(partial(_chosen, database, kind, job_id, any_run=any_run))
        if isinstance(run, DamagedError):
            _refuse_damaged(database, kind, chosen, run)
            return
        if run is None or not _prepared(database, kind, chosen, run.engine, partial(kind.prepare, run)):
            return
        job = _waiting(partial(kind.claim, database, chosen, worker_name(os.getpid()), settings().lease_seconds))
    if job is None:
        return
    try:
        with in_hand(job.lease), nothing_compiled():
            _do(database, kind, job)
    except UncompiledError:
        _compile(database, kind, job)


def _chosen(
    database: Database, kind: JobKind[Any, Any], job_id: int, *, any_run: bool
) -> tuple[int, PlannedRun | DamagedError | None]:
    """Return the job to do when a message names a job, and its run or why that cannot be read; None if this
    installation cannot do the job, users have stopped its run, or there is no such job.

    Every command with workers sends messages, so in a farm with several versions, some messages name jobs for other
    installations. Those jobs are not touched.
    """
    with database.reading() as connection:
        check_revision(connection)
        workable = workable_engines(connection)
        job_id = kind.choose(connection, job_id, workable) if any_run else job_id
        try:
            run = run_of_job(connection, kind.jobs, job_id)
        except DamagedError as error:
            return job_id, error
        if run is None or leases.workable(connection, kind.jobs, job_id, workable):
            return job_id, run
    if run.control is Control.ACTIVE:
        _log_unworkable(run.solved_by, run.version)
    return job_id, None


def _do(database: Database, kind: JobKind[Any, Any], job: Any) -> None:
    job_id, engine, noun = job.lease.id, job.run.engine, kind.jobs.noun
    IN_HAND[noun] = job.lease.parent
    # An engine that does not start says nothing about the layouts: they wait until somebody has fixed it.
    over = job.lease.attempt > leases.ATTEMPTS and not job.lease.unstarted
    last_error = f"gave up after {leases.ATTEMPTS} attempts: {job.lease.error}"
    do = partial(kind.give_up, database, job, last_error) if over else partial(kind.do, database, job)
    try:
        with metrics.timed(engine, noun):
            outcome = _waiting(do)
        finished = _waiting(partial(kind.finish, database, job, outcome))
    except (ReplacedError, UncompiledError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        known = isinstance(error, DealmillError)
        unstarted = isinstance(error, ProgramError)
        hopeless = isinstance(error, ProgramError) and error.hopeless
        if not hopeless:  # else the command that waits for the job says so
            logger.error("job %d failed, attempt %d: %s", job_id, job.lease.attempt, reason, exc_info=not known)
        release = partial(leases.release, database, kind.jobs, job.lease, reason)
        _waiting(partial(release, unstarted=unstarted, hopeless=hopeless))
        _waiting(partial(record_incident, database, RETRY, f"{noun} {job.lease.parent}: {reason}"))
        metrics.count(engine, noun, "retried", {})
        return
    if finished:
        metrics.count(engine, noun, "failed" if over else "done", kind.count(outcome))
    else:
        logger.warning("job %d was taken over by another worker; discarded its results", job_id)


def _refuse_damaged(database: Database, kind: JobKind[Any, Any], job_id: int, error: DamagedError) -> None:
    """Release a job whose run cannot be read, with the reason, so that commands that wait for it can report it."""

    def claim() -> Lease | None:
        with database.writing() as connection:
            return leases.claim(connection, kind.jobs, job_id, worker_name(os.getpid()), settings().lease_seconds)

    if lease := _waiting(claim):
        logger.error("job %d cannot be done: %s", job_id, error)
        _waiting(partial(leases.release, database, kind.jobs, lease, str(error)))


def _waiting(step: Callable[[], T]) -> T:
    return patiently(step, logger.warning)


@cache
def _log_unworkable(engine: EngineKey, version: str) -> None:
    """Log that jobs are left to other workers, once per process."""
    reason = Installation().mismatch(engine, version) or "it was retracted, or its deals need another generator"
    logger.error("jobs of %s %s are left to other workers: %s", engine, version, reason)


@cache
def _log_store_error(why: str) -> None:
    """Log an error of the store, once per process: it would occur for every message."""
    logger.error("jobs cannot be done: %s", why)


def _prepared(
    database: Database, kind: JobKind[Any, Any], job_id: int, engine: str, step: Callable[[], object]
) -> bool:
    """Load and compile an engine by a step, while no lease runs: it may take longer than all else. Return False if that
    fails: it is an error of the installation, not of the layouts, so the job waits."""
    try:
        step()
    except Exception as error:  # noqa: BLE001 -- a package from outside may raise anything
        reason = f"{type(error).__name__}: {error}"
        _log_unloadable(engine, reason, traced=not isinstance(error, DealmillError))
        _waiting(partial(leases.refuse, database, kind.jobs, job_id, reason))
        return False
    return True


def _compile(database: Database, kind: JobKind[Any, Any], job: Any) -> None:
    """Give a job back whose layouts need kernels that are not compiled, and do it without a lease, which compiles them.
    The results are not needed: this worker or another one claims the job again."""
    _waiting(partial(leases.give_back, database, kind.jobs, worker_name(os.getpid())))
    _prepared(database, kind, job.lease.id, job.run.engine, partial(_waiting, partial(kind.do, database, job)))


@cache
def _log_unloadable(engine: str, reason: str, *, traced: bool) -> None:
    """Log that an engine cannot be loaded, once per process and reason."""
    logger.error("%s cannot be loaded, so its jobs wait: %s", engine, reason, exc_info=traced)


class WatchedRequest(Request):  # type: ignore[misc]
    """A request that ends the lease of its job if the worker process dies."""

    def on_failure(self, exc_info: object, send_failed_event: bool = True, return_ok: bool = False) -> object:
        """Handle the failure of a task. Called in the parent of the worker processes."""
        error = exc_info.exception  # type: ignore[attr-defined]
        lost = getattr(error, "exc", error)
        if isinstance(lost, WorkerLostError):
            _end_leases(worker_name(self.worker_pid), str(lost).partition(" Job:")[0])  # the job is another each time
            return_ok = True  # no traceback
        return super().on_failure(exc_info, send_failed_event, return_ok)


def _end_leases(worker: str, error: str) -> None:
    try:
        database = configured_database()
        for kind in KINDS.values():
            for lease in leases.expire(database, kind.jobs, worker, error):
                items = f"items {lease.first:,} to {lease.stop - 1:,}"
                lost = f"job {lease.id} of {kind.jobs.noun} {lease.parent}, {items}, is tried again"
                logger.error("%s: %s: %s", worker.partition(" ")[0], error.rstrip("."), lost)
                record_incident(database, DEATH, f"{kind.jobs.noun} {lease.parent}, {items}: {error}")
    except DealmillError as away:
        logger.warning("the job of %s cannot be retried before its lease expires: %s", worker, away)
