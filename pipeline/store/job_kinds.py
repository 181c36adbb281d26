"""The kinds of jobs, by their name in messages. What starts, renews, counts and does jobs goes through all of them."""

from typing import Any

from dealmill.pipeline.store.audits.audit_jobs import AuditJobs
from dealmill.pipeline.store.runs.job_kind import JobKind
from dealmill.pipeline.store.storages.solving_jobs import SolvingJobs

SOLVING_JOBS, AUDIT_JOBS = SolvingJobs(), AuditJobs()
KINDS: dict[str, JobKind[Any, Any]] = {"solve": SOLVING_JOBS, "audit": AUDIT_JOBS}
