"""The parent of the worker processes, and the setup of each of them."""

import gc
import os
import warnings

from celery.platforms import SecurityWarning
from celery.signals import worker_process_init, worker_ready

# Imported here and not by Celery's `include`, which would look for everything in the working directory first.
from dealmill.workers import metrics, tasks  # noqa: F401
from dealmill.workers.app import app
from dealmill.workers.local.processes import die_with_parent
from dealmill.workers.logs import connect_logs
from dealmill.workers.messages import patch_redis_transport


def prepare() -> None:
    """Set up this process as a worker. All of it concerns the whole process, so no library call may do it."""
    patch_redis_transport()
    # Celery lets these go before the settings of the app, and they are meant for another one.
    for name in [name for name in os.environ if name.startswith("CELERY_")]:
        del os.environ[name]
    # It warns of root because of pickled messages; ours are JSON only.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    connect_logs()
    worker_process_init.connect(_begin)
    worker_ready.connect(_serve_metrics)


def _begin(**_signal: object) -> None:
    """Set up one of the processes that work."""
    die_with_parent()
    gc.freeze()  # what is loaded stays: going through it again and again takes a sixth of an audit


def _serve_metrics(**_signal: object) -> None:
    metrics.serve()


def main(processes: int, *, engines: bool) -> int:
    """Work until told to stop; returns the exit code."""
    prepare()
    if engines:
        from dealmill.pipeline.games.kernel import load_compiler

        load_compiler()
    gc.freeze()  # what is loaded stays, and is shared with the processes as long as nobody looks at it
    worker = app.Worker(
        pool="prefork",
        concurrency=processes,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)
