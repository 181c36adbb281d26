"""The metrics of workers. Each process counts into files that the farm has a folder for; their parent adds
them up when it is asked, so that a process that died still counts."""

import logging
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from dealmill.pipeline.settings import settings

logger = logging.getLogger(__name__)

JOBS = Counter(
    "dealmill_jobs", "Jobs that were done, given back to be retried, or failed for good", ["engine", "kind", "outcome"]
)
VERDICTS = Counter("dealmill_verdicts", "Verdicts, or outcomes of audits", ["engine", "verdict"])
SECONDS = Histogram(
    "dealmill_job_seconds",
    "How long a job took to do, without what is written",
    ["engine", "kind"],
    buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100),
)


def count(engine: str, kind: str, outcome: str, verdicts: Mapping[str, int]) -> None:
    """Count a job that has come to its outcome, with its verdicts by word."""
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
        logger.error("there are no metrics: port %d of %s: %s", port, settings().metrics_host, error.strerror)
