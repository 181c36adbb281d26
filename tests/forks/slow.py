"""Slow jobs: a worker sleeps in each, so that faults find leased jobs, and other tests have the processors."""

import os
import time

JOB_SECONDS = "MARK_JOB_SECONDS"
"""The environment variable with the seconds that a forked worker sleeps in each job of a run."""


def slow_jobs_if_wanted() -> None:
    """Sleep in each job of this process and its children, if the variable `JOB_SECONDS` is set."""
    from dealmill.pipeline.store.database.connections import Database
    from dealmill.pipeline.store.record import jobs
    from dealmill.pipeline.store.record.contract import Found

    seconds, do = float(os.environ.get(JOB_SECONDS, "0")), jobs.do
    if not seconds:
        return

    def slowly(store: Database, job: jobs.Job) -> Found:
        time.sleep(seconds)
        return do(store, job)

    jobs.do = slowly
