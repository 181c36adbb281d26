"""The jobs of runs: what a worker needs to solve one, and its verdicts written in the transaction that ends it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from dealmill.pipeline.fingerprint import whole_blocks
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import engines, items, jobs, runs, verdicts
from dealmill.pipeline.store.queue import leases
from dealmill.pipeline.store.queue.leases import JobTable, Lease
from dealmill.pipeline.store.queue.workable import EVERY_RUN_OVER_ITEMS, runs_of
from dealmill.pipeline.store.record.blocks import record_blocks

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Solved, Texts


TOTALS = (*(verdict.word for verdict in Verdict), "value_sum", "nodes")
SOLVING = JobTable(
    table=jobs,
    owner=jobs.c.run_id,
    totals=TOTALS,
    every_owner=EVERY_RUN_OVER_ITEMS,
    owners=runs_of,
)


CHUNK = 5_000
"""Layouts in a job: some tens of milliseconds for a microsecond engine, few enough to be lost without regret."""

SURVEY_CHUNK = 100_000
"""Deals in a job of a survey while nobody knows how long they take: a tenth of a second to some seconds."""

LONGEST_SURVEY_JOB = 2_000_000
"""Deals in a job of a survey, at most: one to two seconds of work for the fastest engines."""


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job with all that is needed to solve it."""

    lease: Lease
    run: int
    engine: str
    max_nodes: int | None
    layouts: "Texts"


def cut_jobs(connection: Connection, run: int, count: int, complete: bool, chunk: int = CHUNK) -> None:
    """Cut the items of a run that belong to no job yet into jobs. `count` is how many items its source has. While that
    is not `complete`, only whole chunks are cut; these must consist of whole blocks, see
    `dealmill.pipeline.store.record.blocks`."""
    end = count if complete else count - count % chunk
    covered = connection.execute(select(func.coalesce(func.max(jobs.c.stop), 1)).where(jobs.c.run_id == run))
    starts = range(covered.scalar_one(), end + 1, chunk)
    leases.cut(connection, SOLVING, run, [(first, min(first + chunk, end + 1)) for first in starts])


def engine_of(store: Database, job: int) -> tuple[str, str] | None:
    """Full name and version of the engine a job is for; None if there is no such job (any more)."""
    with store.reading() as connection:
        query = (
            select(engines.c.name, engines.c.version).select_from(jobs.join(runs).join(engines)).where(jobs.c.id == job)
        )
        row = connection.execute(query).one_or_none()
    return None if row is None else (row.name, row.version)


def claim(store: Database, job: int, worker: str, seconds: float) -> Job | None:
    """Take a job for so many seconds; None if it is done or someone else's."""
    from dealmill.pipeline.games.batch import pack

    lease = leases.claim(store, SOLVING, job, worker, seconds)
    if lease is None:
        return None
    with store.reading() as connection:
        source, max_nodes, engine = connection.execute(
            select(runs.c.source_id, runs.c.node_limit, engines.c.name)
            .select_from(runs.join(engines))
            .where(runs.c.id == lease.owner)
        ).one()
        texts = connection.execute(
            select(items.c.layout)
            .where(items.c.source_id == source, items.c.position >= lease.first, items.c.position < lease.stop)
            .order_by(items.c.position)
        )
        return Job(lease, lease.owner, engine, max_nodes, pack([text for (text,) in texts.all()]))


def finish(store: Database, job: Job, solved: "Solved") -> bool:
    """Write a job's verdicts and mark it done; False, and nothing written, if it is no longer this attempt's."""
    from dealmill.pipeline.games.batch import listed

    first, stop = job.lease.first, job.lease.stop
    codes, batch = solved.verdicts.tolist(), listed(solved)
    totals = {verdict.word: codes.count(int(verdict)) for verdict in Verdict}
    totals["value_sum"] = sum(value for value in batch.values if value is not None)
    totals["nodes"] = sum(batch.nodes)
    said = zip(range(first, stop), codes, batch.values, batch.nodes, batch.evidence, strict=True)
    rows = [(job.run, *row) for row in said]
    whole = whole_blocks(first, job.layouts, solved)
    with store.writing() as connection:
        if not leases.finish(connection, SOLVING, job.lease, totals):
            return False
        insert_rows(connection, verdicts, ("run_id", "position", "verdict", "value", "nodes", "evidence"), rows)
        record_blocks(connection, job.run, first, stop, whole)
    return True
