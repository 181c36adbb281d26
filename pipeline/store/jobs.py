"""Jobs: claimed by one worker at a time, finished once, and freed when their worker is gone.

The fence: every claim counts `attempt` up, and verdicts are written only in the transaction that marks the job done
for the very attempt that claimed it. A worker that wakes up after its lease has run out finds a higher attempt (or a
job that is done) and writes nothing. So whatever is killed, sent twice or lost, each item gets exactly one verdict.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_, update

from pipeline.games.contract import Batch, Verdict
from pipeline.store.bulk import insert_rows
from pipeline.store.database import Store, clock
from pipeline.store.tables import engines, items, jobs, layouts, runs, verdicts

PENDING, LEASED, DONE = 1, 2, 3

Installed = Collection[tuple[str, str]]
"""Full name and version of the engines that workers here can run."""


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job: which attempt it is, and all that is needed to solve it."""

    id: int
    attempt: int
    run: int
    first: int
    engine: str
    limit: int
    layouts: list[str]


def engine_of(store: Store, job: int) -> tuple[str, str] | None:
    """Full name and version of the engine a job is for; None if there is no such job."""
    with store.reading() as connection:
        query = (
            select(engines.c.name, engines.c.version).select_from(jobs.join(runs).join(engines)).where(jobs.c.id == job)
        )
        row = connection.execute(query).one_or_none()
    return None if row is None else (row.name, row.version)


def claim(store: Store, job: int, worker: str, lease: float) -> Job | None:
    """Take a job for `lease` seconds; None if it is done or someone else's."""
    free = or_(jobs.c.state == PENDING, and_(jobs.c.state == LEASED, jobs.c.leased_until < clock()))
    with store.writing() as connection:
        claimed = connection.execute(
            update(jobs)
            .where(jobs.c.id == job, free)
            .values(
                state=LEASED,
                attempt=jobs.c.attempt + 1,
                worker=worker,
                started=clock(),
                leased_until=clock() + lease,
            )
            .returning(jobs.c.attempt, jobs.c.run_id, jobs.c.first, jobs.c.stop)
        ).one_or_none()
    if claimed is None:
        return None
    attempt, run, first, stop = claimed
    with store.reading() as connection:
        source, limit, engine = connection.execute(
            select(runs.c.source_id, runs.c.node_limit, engines.c.name)
            .select_from(runs.join(engines))
            .where(runs.c.id == run)
        ).one()
        texts = connection.execute(
            select(layouts.c.text)
            .join(items, items.c.layout_id == layouts.c.id)
            .where(items.c.source_id == source, items.c.position >= first, items.c.position < stop)
            .order_by(items.c.position)
        )
        return Job(job, attempt, run, first, engine, limit, list(texts.scalars()))


def finish(store: Store, job: Job, batch: Batch) -> bool:
    """Write a job's verdicts and mark it done; False, and nothing written, if it is no longer this attempt's."""
    with store.writing() as connection:
        mine = connection.execute(
            update(jobs)
            .where(jobs.c.id == job.id, jobs.c.state == LEASED, jobs.c.attempt == job.attempt)
            .values(
                state=DONE,
                finished=clock(),
                leased_until=None,
                value_sum=sum(value for value in batch.values if value is not None),
                nodes=sum(batch.nodes),
                **{verdict.word: batch.verdicts.count(verdict) for verdict in Verdict},
            )
        )
        if mine.rowcount != 1:
            return False
        insert_rows(
            connection,
            verdicts,
            ("run_id", "position", "verdict", "value", "nodes", "evidence"),
            [
                (job.run, position, int(verdict), value, nodes, evidence)
                for position, (verdict, value, nodes, evidence) in enumerate(
                    zip(batch.verdicts, batch.values, batch.nodes, batch.evidence, strict=True), start=job.first
                )
            ],
        )
    return True


def release(store: Store, job: Job) -> None:
    """Give a job back unsolved, so that nobody waits for its lease to run out."""
    with store.writing() as connection:
        connection.execute(
            update(jobs)
            .where(jobs.c.id == job.id, jobs.c.state == LEASED, jobs.c.attempt == job.attempt)
            .values(state=PENDING, leased_until=None)
        )


def free_expired(store: Store) -> int:
    """Make jobs pending whose lease has run out; how many there were."""
    expired = and_(jobs.c.state == LEASED, jobs.c.leased_until < clock())
    with store.reading() as connection:
        if not connection.execute(select(func.count()).select_from(jobs).where(expired)).scalar_one():
            return 0
    with store.writing() as connection:
        return connection.execute(update(jobs).where(expired).values(state=PENDING, leased_until=None)).rowcount


def pending(store: Store, installed: Installed, most: int) -> list[int]:
    """The first pending jobs for engines that are `installed`, oldest first."""
    query = select(jobs.c.id).where(jobs.c.state == PENDING, _runnable(installed)).order_by(jobs.c.id).limit(most)
    with store.reading() as connection:
        return list(connection.execute(query).scalars())


def unfinished(store: Store, installed: Installed) -> int:
    """How many jobs for engines that are `installed` are pending or leased."""
    query = select(func.count()).select_from(jobs).where(jobs.c.state.in_((PENDING, LEASED)), _runnable(installed))
    with store.reading() as connection:
        return connection.execute(query).scalar_one()


def _runnable(installed: Installed) -> ColumnElement[bool]:
    """Whether a job is of a run with such an engine; runs and engines are few, so they are looked up first."""
    known = tuple_(engines.c.name, engines.c.version).in_(sorted(installed))
    return jobs.c.run_id.in_(select(runs.c.id).join(engines).where(known))
