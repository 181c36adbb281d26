"""Prometheus metrics of workers. Each process writes its counters to files in a folder of the farm. The parent process
adds them up on request, so the counts of dead processes are included."""

import logging
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from dealmill.pipeline.settings import settings

logger = logging.getLogger(__name__)

JOBS = Counter(
    "dealmill_jobs", "Jobs that were done, released for a retry, or failed permanently", ["engine", "kind", "outcome"]
)
VERDICTS = Counter("dealmill_verdicts", "Verdicts and audit outcomes", ["engine", "verdict"])
SECONDS = Histogram(
    "dealmill_job_seconds",
    "Duration of a job, without the time to write its results",
    ["engine", "kind"],
    buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100),
)


def count(engine: str, kind: str, outcome: str, verdicts: Mapping[str, int]) -> None:
    """Count a job with its outcome, and its verdicts by word."""
    JOBS.labels(engine, kind, outcome).inc()
    for word, number in verdicts.items():
        if number:
            VERDICTS.labels(engine, word).inc(number)


def serve() -> None:
    """Serve the sums over all processes on the port of the settings."""
    port = settings().metrics_port
    assert port is not None  # noqa: S101 -- else nothing is counted
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    try:
        start_http_server(port, settings().metrics_host, registry)
    except OSError as error:
        logger.error("metrics are not available: port %d of %s: %s", port, settings().metrics_host, error.strerror)
