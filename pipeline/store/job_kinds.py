"""The kinds of jobs, by their name in messages. What starts, renews, counts and does jobs goes through all of them."""

from collections.abc import Collection, Mapping
from typing import Any

from dealmill.pipeline.store.audits.audit_jobs import AuditJobs
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.job_kind import JobKind
from dealmill.pipeline.store.runs.leases import UnworkableJobs
from dealmill.pipeline.store.storages.solving_jobs import SolvingJobs

SOLVING_JOBS, AUDIT_JOBS = SolvingJobs(), AuditJobs()
KINDS: dict[str, JobKind[Any, Any]] = {"solve": SOLVING_JOBS, "audit": AUDIT_JOBS}

ParentsByKind = Mapping[str, Collection[int]]
"""The runs to solve and the audits to do, by the kind of job."""


def count_unfinished_jobs(database: Database, installation: Installation) -> int:
    """Return the number of pending and leased jobs that an installation can do."""
    engines = installation.engines(database)
    return sum(leases.unfinished(database, kind.jobs, engines) for kind in KINDS.values())


def runs_with_unfinished_jobs(database: Database) -> set[int]:
    """Return the runs with pending or leased jobs, also of their audits, that this installation can do."""
    engines = Installation().engines(database)
    return set().union(*(leases.unfinished_runs(database, kind.jobs, engines) for kind in KINDS.values()))


def unworkable_jobs(database: Database, installation: Installation) -> list[UnworkableJobs]:
    """Return the pending jobs that an installation cannot do; see `leases.unworkable`."""
    engines = installation.engines(database)
    return [jobs for kind in KINDS.values() for jobs in leases.unworkable(database, kind.jobs, engines)]
