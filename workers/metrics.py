"""Metrics of workers, if a port is set on which to serve them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from dealmill.pipeline.settings import settings


def count(engine: str, kind: str, outcome: str, verdicts: Mapping[str, int]) -> None:
    """Count a job with this outcome, and its verdicts by word."""
    if counters := _counters():
        counters.count(engine, kind, outcome, verdicts)


@contextmanager
def timed(engine: str, kind: str) -> Iterator[None]:
    """Time how long it takes to do a job."""
    if counters := _counters():
        with counters.SECONDS.labels(engine, kind).time():
            yield
    else:
        yield


def serve() -> None:
    """Serve the metrics of all worker processes, in their parent."""
    if counters := _counters():
        counters.serve()


def _counters() -> ModuleType | None:
    if settings().metrics_port is None:
        return None
    from dealmill.workers import prometheus  # the extra `metrics`

    return prometheus
