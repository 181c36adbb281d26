"""The parent of the worker processes, and the setup of its children."""

import gc
import os
import sys
import warnings

import billiard
from celery.platforms import SecurityWarning
from celery.signals import worker_process_init, worker_ready

from dealmill.pipeline.programs.bounds import die_with_parent
from dealmill.pipeline.system.settings import settings

# Imported here, because Celery's `include` would search the working directory first.
from dealmill.workers import metrics, renewal, tasks
from dealmill.workers.app import app
from dealmill.workers.logs import connect_logs
from dealmill.workers.siblings import share_slots
from dealmill.workers.transport import patch_redis_transport


def prepare() -> None:
    """Set up this process as a worker. This affects the whole process, so library functions must not call it."""
    patch_redis_transport()
    # These variables would override the settings of the app, but are meant for other apps.
    for name in [name for name in os.environ if name.startswith("CELERY_")]:
        del os.environ[name]
    # Celery warns about running as root because of pickled messages; ours are JSON only.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    app.conf.broker_url = settings().broker_url
    connect_logs()
    worker_process_init.connect(_begin)
    worker_ready.connect(_serve_metrics)


def _begin(**_signal: object) -> None:
    """Set up a child process."""
    die_with_parent()
    renewal.begin()
    gc.freeze()  # exclude loaded modules from garbage collection, which takes a sixth of an audit otherwise


def _serve_metrics(**_signal: object) -> None:
    metrics.serve(tasks.configured_database(), renewal.FORKING)


def main(processes: int, queue: str, *, engines: bool) -> int:
    """Run the worker, which reads a queue, until it is told to stop, and return its exit code."""
    try:
        billiard.Lock()
    except OSError as error:
        sys.stderr.write(
            f"worker processes need semaphores, which cannot be created ({error.strerror}); mount a writable file "
            "system at /dev/shm\n"
        )
        return 1
    prepare()
    if engines:
        from dealmill.pipeline.games.kernels import load_runtime

        load_runtime()
    gc.freeze()  # child processes share the memory of loaded modules if the garbage collector does not touch it
    worker = app.Worker(
        queues=[queue],
        pool="prefork",
        concurrency=processes,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    share_slots(processes)
    renewal.Renewal(tasks.configured_database(), processes).start()
    worker.start()
    return int(worker.exitcode or 0)
