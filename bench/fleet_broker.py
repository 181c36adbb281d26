"""What messages cost: real Celery workers and a Valkey server, at work, and waiting for it."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from redis import Redis

from bench.fleet import plan_jobs
from bench.measure import table
from bench.scale_servers import cpu_seconds, new_store
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import check_tables
from dealmill.pipeline.store.job_kinds import count_unfinished_jobs
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.workers.broker import LocalBroker
from dealmill.workers.children import start, stop
from dealmill.workers.reconciler import Queue, queue_of, reconcile
from tests.servers import Postgres

JOBS, PROCESSES = 4_000, 2
HOSTS, IDLE_SECONDS, TICKS = 4, 20, 200


def messages(server: Postgres) -> str:
    """A row for a job that real workers do, one for a host that waits for jobs, and one for a look at the queue, as
    every command at work takes one a second: processor time of everybody who takes part."""
    store = new_store(server)
    with tempfile.TemporaryDirectory() as folder, LocalBroker(Path(folder)) as broker:
        valkey = Redis(unix_socket_path=str(Path(folder) / "broker.sock"))
        rows = [
            _a_job(server, store, broker.url, valkey),
            _a_host(server, store, broker.url, valkey),
            _a_look(server, store, broker.url, valkey),
        ]
    store.close()
    return table(["", "Valkey, commands", "Valkey, CPU ms", "PostgreSQL, CPU ms", "our processes, CPU ms"], rows)


def _a_job(server: Postgres, database: Database, url: str, valkey: Redis) -> list[str]:
    run = plan_jobs(database, JOBS)
    with _host(database, url) as worker, Queue(url, queue_of(database)) as queue:
        time.sleep(3)

        def work() -> None:
            while find_run(database, run).done < JOBS:
                reconcile(database, queue, Installation())
                time.sleep(0.5)

        return _spent("a job", work, JOBS, server, valkey, [worker])


def _a_host(server: Postgres, database: Database, url: str, valkey: Redis) -> list[str]:
    with ExitStack() as hosts:
        workers = [hosts.enter_context(_host(database, url)) for _ in range(HOSTS)]
        time.sleep(5)
        return _spent(
            "a second of a host that waits",
            lambda: time.sleep(IDLE_SECONDS),
            HOSTS * IDLE_SECONDS,
            server,
            valkey,
            workers,
        )


def _a_look(server: Postgres, database: Database, url: str, valkey: Redis) -> list[str]:
    def look() -> None:
        for _ in range(TICKS):
            check_tables(database)
            reconcile(database, queue, Installation())
            count_unfinished_jobs(database, Installation())

    with Queue(url, queue_of(database)) as queue:
        look()
        return _spent("a look at the queue", look, TICKS, server, valkey, [])


def _spent(
    what: str, work: Callable[[], object], times: int, server: Postgres, valkey: Redis, workers: list[int]
) -> list[str]:
    before = _now(server, valkey, workers)
    work()
    commands, *seconds = (
        (end - start) / times for start, end in zip(before, _now(server, valkey, workers), strict=True)
    )
    return [what, f"{commands:.1f}", *(f"{each * 1e3:.2f}" for each in seconds)]


def _now(server: Postgres, valkey: Redis, workers: list[int]) -> tuple[float, float, float, float]:
    """Commands that Valkey has done, and processor seconds: its own, PostgreSQL's, and those of workers and of us."""
    told = valkey.info()
    return (
        float(told["total_commands_processed"]),
        float(told["used_cpu_user"]) + float(told["used_cpu_sys"]),
        cpu_seconds(server.process.pid),
        time.process_time() + sum(map(cpu_seconds, workers)),
    )


@contextmanager
def _host(database: Database, url: str) -> Iterator[int]:
    """The Celery worker of a host with its processes, started as `dealmill work` does; the number of its process."""
    worker = start(
        (sys.executable, "-m", "dealmill.workers", str(PROCESSES), queue_of(database), "engines"),
        environment={
            "DEALMILL_DATABASE_URL": database.url.render_as_string(hide_password=False),
            "DEALMILL_BROKER_URL": url,
        },
    )
    try:
        yield worker.pid
    finally:
        stop(worker)
