"""Slow jobs: a worker sleeps in each, so that faults find leased jobs, and other tests have the processors; or before
each, so that there are times without a lease."""

import os
import time
from collections.abc import Callable
from typing import Any

JOB_SECONDS = "MARK_JOB_SECONDS"
"""The environment variable with the seconds that a forked worker sleeps in each job of a run."""
REST_SECONDS = "MARK_REST_SECONDS"
"""The environment variable with the seconds that a forked worker sleeps before it claims a job of a run."""


def slow_jobs_if_wanted() -> None:
    """Sleep in each job of this process and its children, or before it, if `JOB_SECONDS` or `REST_SECONDS` is set."""
    from dealmill.pipeline.store.job_kinds import SOLVING_JOBS

    for step, variable in ((SOLVING_JOBS.prepare, REST_SECONDS), (SOLVING_JOBS.do, JOB_SECONDS)):
        if seconds := float(os.environ.get(variable, "0")):
            setattr(SOLVING_JOBS, step.__name__, _slowly(step, seconds))


def _slowly(step: Callable[..., Any], seconds: float) -> Callable[..., Any]:
    def slowly(*given: Any) -> Any:
        time.sleep(seconds)
        return step(*given)

    return slowly
