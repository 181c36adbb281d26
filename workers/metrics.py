"""Prometheus metrics of workers, if a port is set on which to serve them. Each process writes its counters to files in
a folder of the farm. The parent process adds them up on request, so the counts of dead processes are included."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from dealmill.pipeline.system.settings import settings

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


def serve() -> None:
    """Serve the sums over all worker processes, in their parent."""
    port = settings().metrics_port
    if port is None:
        return
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    try:
        start_http_server(port, settings().metrics_host, registry)
    except OSError as error:
        logger.error("metrics are not available: port %d of %s: %s", port, settings().metrics_host, error.strerror)
