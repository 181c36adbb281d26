"""The one task: claim a job, solve it with no transaction open, write its verdicts if it is still ours."""

import logging
import os
import socket

from pipeline.runs import installed_engines
from pipeline.settings import settings
from pipeline.solve import load, solve
from pipeline.store.database import open_store
from pipeline.store.jobs import claim, engine_of, finish, release
from workers.app import app

logger = logging.getLogger(__name__)


@app.task(name="dealmill.solve")  # type: ignore[untyped-decorator]
def solve_job(number: int) -> None:
    """Solve one job. Doing it twice, late or not at all is harmless; see `pipeline.store.jobs`."""
    store = open_store(settings().database_url.get_secret_value())
    engine = engine_of(store, number)
    if engine not in installed_engines():
        logger.error("job %d is for %s, which is not installed here; it is left to other workers", number, engine)
        return
    load(engine[0])  # before the lease begins to run: compiling may take longer than the lease
    job = claim(store, number, f"{socket.gethostname()}:{os.getpid()}", settings().lease_seconds)
    if job is None:
        return
    try:
        batch = solve(job.engine, job.layouts, job.limit)
    except BaseException:
        release(store, job)
        raise
    if not finish(store, job, batch):
        logger.warning("job %d was given to another worker meanwhile; its verdicts here are dropped", job.id)
