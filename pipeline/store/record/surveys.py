"""Surveys: runs over numbered deals without end. Neither their deals nor their verdicts are rows.

A deal is dealt again whenever it is asked for, and its verdict is a bit or two in the pack of the job that solved it;
the evidence is not kept, but is in the digest of its block, so that what is solved again is known to be the same. Jobs
are whole blocks. Only the texts of failures are rows, for nothing would give them again.
"""

from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.games.batch import Codes, Numbers
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import blocks, engines, jobs, packs, runs, sources, verdicts
from dealmill.pipeline.store.queue import leases
from dealmill.pipeline.store.queue.jobs import TOTALS, cut_jobs
from dealmill.pipeline.store.queue.leases import DONE, JobTable, Lease
from dealmill.pipeline.store.queue.workable import EVERY_SURVEY, surveys_of
from dealmill.pipeline.store.record.bitmap import pack

SURVEYING = JobTable(
    table=jobs,
    owner=jobs.c.run_id,
    totals=TOTALS,
    every_owner=EVERY_SURVEY,
    owners=surveys_of,
    grain=BLOCK,
)


LAST = 20
MOMENTS = np.dtype("<i8")


@dataclass(frozen=True, slots=True)
class SurveyJob:
    """A claimed job: deals ``lease.first`` to before ``lease.stop`` of a range without end."""

    lease: Lease
    engine: str
    max_nodes: int | None
    deals: str


@dataclass(frozen=True, slots=True)
class Found:
    """What is found of the deals from `first` on: a verdict each; for each block the sums of the values and of their
    squares (a row of `moments`), and a digest; the texts of failures. `least` and `greatest` are values."""

    first: int
    verdicts: Codes
    moments: Numbers
    least: int | None
    greatest: int | None
    nodes: int
    digests: dict[int, bytes]
    failures: dict[int, str]

    @property
    def stop(self) -> int:
        """The deal behind the last one."""
        return self.first + len(self.verdicts)

    @property
    def totals(self) -> dict[str, int]:
        """What is counted on the job."""
        counted = {verdict.word: int(np.count_nonzero(self.verdicts == int(verdict))) for verdict in Verdict}
        return {**counted, "value_sum": int(self.moments[:, 0].sum()), "nodes": self.nodes}


def grow(store: Database, run: int, items: int, chunk: int) -> None:
    """Cut jobs, so that a survey has as many deals, if it has fewer: a multiple of the size of a block."""
    with store.writing() as connection:
        connection.execute(select(runs.c.id).where(runs.c.id == run).with_for_update())
        cut_jobs(connection, run, items, True, chunk)


def pace(store: Database, run: int) -> float | None:
    """How many deals a second a worker did in the quickest of the last jobs; None if none is done."""
    last = (
        select(jobs.c.stop - jobs.c.first, jobs.c.finished - jobs.c.started)
        .where(jobs.c.run_id == run, jobs.c.state == DONE)
        .order_by(jobs.c.first.desc())
        .limit(LAST)
    )
    with store.reading() as connection:
        return max((deals / max(seconds, 1e-3) for deals, seconds in connection.execute(last)), default=None)


def claim(store: Database, job: int, worker: str, seconds: float) -> SurveyJob | None:
    """Take a job for so many seconds; None if it is done or someone else's."""
    lease = leases.claim(store, SURVEYING, job, worker, seconds)
    if lease is None:
        return None
    with store.reading() as connection:
        row = connection.execute(
            select(engines.c.name, runs.c.node_limit, sources.c.name.label("deals"))
            .select_from(runs.join(engines).join(sources))
            .where(runs.c.id == lease.owner)
        ).one()
    return SurveyJob(lease, row.name, row.node_limit, row.deals)


def finish(store: Database, job: SurveyJob, found: Found) -> bool:
    """Write what a job found and mark it done; False, and nothing written, if it is no longer this attempt's."""
    run = job.lease.owner
    row = {
        "run_id": run,
        "first": found.first,
        "stop": found.stop,
        "least": found.least,
        "greatest": found.greatest,
        "verdicts": pack(found.verdicts),
        "moments": found.moments.astype(MOMENTS).tobytes(),
    }
    failed = [(run, position, int(Verdict.FAILED), 0, text) for position, text in found.failures.items()]
    with store.writing() as connection:
        if not leases.finish(connection, SURVEYING, job.lease, found.totals):
            return False
        connection.execute(packs.insert().values(row))
        insert_rows(connection, blocks, ("run_id", "number", "digest"), [(run, *one) for one in found.digests.items()])
        insert_rows(connection, verdicts, ("run_id", "position", "verdict", "nodes", "evidence"), failed)
    return True
