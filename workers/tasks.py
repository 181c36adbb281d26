"""The one task: claim a job, solve it with no transaction open, write its verdicts if it is still ours."""

import logging
import os
import socket

from pipeline.runs import installed_engines
from pipeline.settings import settings
from pipeline.solve import broken_down, load, solve
from pipeline.store.jobs import claim, engine_of, finish, release
from pipeline.store.opening import open_store
from workers.app import app

logger = logging.getLogger(__name__)

ATTEMPTS = 5
"""After so many claims, whatever keeps a job from being solved is not passing, and its layouts have failed."""


@app.task(name="dealmill.solve")  # type: ignore[untyped-decorator]
def solve_job(number: int) -> None:
    """Solve one job. Doing it twice, late or not at all is harmless; see `pipeline.store.jobs`."""
    store = open_store(settings().database_url.get_secret_value())
    engine = engine_of(store, number)
    if engine is None or engine not in installed_engines():
        logger.error("job %d is for %s, which is not installed here; it is left to other workers", number, engine)
        return
    _load_before_the_lease_begins(engine[0])
    job = claim(store, number, f"{socket.gethostname()}:{os.getpid()}", settings().lease_seconds)
    if job is None:
        return
    try:
        batch = solve(job.engine, job.layouts, job.limit)
    except Exception as error:
        if job.attempt < ATTEMPTS:
            release(store, job)
            raise
        batch = broken_down(error, len(job.layouts))
    if not finish(store, job, batch):
        logger.warning("job %d was given to another worker meanwhile; its verdicts here are dropped", job.id)


def _load_before_the_lease_begins(engine: str) -> None:
    """Compiling may take longer than a lease; an error here comes again while solving, and counts there."""
    try:
        load(engine)
    except Exception:
        logger.warning("%s cannot be loaded", engine, exc_info=True)
