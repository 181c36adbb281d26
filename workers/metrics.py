"""Prometheus metrics of workers, if a port is set on which to serve them. Each process writes its counters to files in
a folder of the farm. The parent process adds them up on request, so the counts of dead processes are included. It also
reads the backlog of the store then, and tries the broker."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.backlog import Backlog, backlog
from dealmill.pipeline.system.settings import settings
from dealmill.workers.reconciler import check_broker

if TYPE_CHECKING:
    from prometheus_client import Metric

logger = logging.getLogger(__name__)


class Counters:
    """The metrics of a process. They need the extra ``metrics``."""

    def __init__(self) -> None:
        from prometheus_client import Counter, Histogram

        self.jobs = Counter(
            "dealmill_jobs",
            "Jobs that were done, released for a retry, or failed permanently",
            ["engine", "kind", "outcome"],
        )
        self.verdicts = Counter("dealmill_verdicts", "Verdicts and audit outcomes", ["engine", "verdict"])
        self.seconds = Histogram(
            "dealmill_job_seconds",
            "Duration of a job, without the time to write its results",
            ["engine", "kind"],
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100),
        )


_counters = cache(Counters)


def count(engine: str, kind: str, outcome: str, verdicts: Mapping[str, int]) -> None:
    """Count a job with its outcome, and its verdicts by word."""
    if settings().metrics_port is None:
        return
    _counters().jobs.labels(engine, kind, outcome).inc()
    for word, number in verdicts.items():
        if number:
            _counters().verdicts.labels(engine, word).inc(number)


@contextmanager
def timed(engine: str, kind: str) -> Iterator[None]:
    """Time how long it takes to do a job."""
    if settings().metrics_port is None:
        yield
        return
    with _counters().seconds.labels(engine, kind).time():
        yield


class StoreCollector:
    """The metrics of a store, which are read when they are asked for. No child is forked while `forking` is held, and
    the database used."""

    def __init__(self, database: Database, broker_url: str, forking: Lock) -> None:
        self._database = database
        self._broker_url = broker_url
        self._forking = forking

    def describe(self) -> "list[Metric]":
        """Return nothing, so that nothing is read when the collector is registered."""
        return []

    def collect(self) -> "Iterator[Metric]":
        """Yield the metrics; without a database, only that it is not available."""
        from prometheus_client.core import GaugeMetricFamily

        jobs: list[Backlog] | None = None
        with self._forking, suppress(DealmillError):
            jobs = backlog(self._database)
        yield GaugeMetricFamily("dealmill_database_up", "Whether the database can be read", float(jobs is not None))
        broker = 0.0
        with suppress(DealmillError):
            check_broker(self._broker_url)
            broker = 1.0
        yield GaugeMetricFamily("dealmill_broker_up", "Whether the broker responds", broker)
        for name, meaning, value in GAUGES:
            gauge = GaugeMetricFamily(name, meaning, labels=["game", "kind"])
            for each in jobs or ():
                number = value(each)
                if number is not None:
                    gauge.add_metric([each.game, each.kind], number)
            yield gauge


GAUGES: tuple[tuple[str, str, Callable[[Backlog], float | None]], ...] = (
    ("dealmill_jobs_pending", "Jobs that wait for a worker", lambda jobs: jobs.pending),
    ("dealmill_jobs_running", "Jobs that workers hold", lambda jobs: jobs.running),
    (
        "dealmill_oldest_pending_seconds",
        "Time since the oldest run with a pending job was planned",
        lambda it: it.oldest,
    ),
    ("dealmill_last_result_seconds", "Time since a job was finished, at most an hour", lambda it: it.last_result),
)
"""The metrics of the backlog of a game: name, meaning and value."""


def serve(database: Database, forking: Lock) -> None:
    """Serve the sums over all worker processes, and the metrics of the store, in their parent."""
    port = settings().metrics_port
    if port is None:
        return
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(StoreCollector(database, settings().broker_url or "", forking))
    try:
        start_http_server(port, settings().metrics_host, registry)
    except OSError as error:
        logger.error("metrics are not available: port %d of %s: %s", port, settings().metrics_host, error.strerror)
