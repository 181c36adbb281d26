"""Failures that the machine may have caused: a run that has some has no fingerprint, and can be tried again."""

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select

from dealmill.pipeline.fingerprint import block_of
from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.store import actions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, blocks, jobs, runs, verdicts
from dealmill.pipeline.store.queue.leases import cut
from dealmill.pipeline.store.queue.solving import SOLVING


def has_retryable(connection: Connection, run: int) -> bool:
    """Return whether a run has verdicts that can be tried again."""
    return connection.execute(select(exists().where(*_retryable(run)))).scalar_one()


def reopen(store: Database, run: int) -> int:
    """Delete the verdicts of all jobs of a run that have some to be tried again, and make the jobs pending. Return the
    number of layouts that had failed."""
    with store.writing() as connection:
        engine = connection.execute(select(runs.c.engine_id).where(runs.c.id == run).with_for_update()).scalar_one()
        failed = connection.execute(select(func.count()).select_from(verdicts).where(*_retryable(run))).scalar_one()
        within = (verdicts.c.position >= jobs.c.first, verdicts.c.position < jobs.c.stop)
        concerned = connection.execute(
            select(jobs.c.id, jobs.c.first, jobs.c.stop)
            .where(jobs.c.run_id == run, jobs.c.state == DONE, exists().where(*_retryable(run), *within))
            .order_by(jobs.c.first)
        ).all()
        for number, first, stop in concerned:
            position, block = verdicts.c.position, blocks.c.number
            connection.execute(delete(verdicts).where(verdicts.c.run_id == run, position >= first, position < stop))
            connection.execute(
                delete(blocks).where(blocks.c.run_id == run, block >= block_of(first), block <= block_of(stop - 1))
            )
            connection.execute(delete(jobs).where(jobs.c.id == number))
        cut(connection, SOLVING, run, [(first, stop) for _, first, stop in concerned])
        if failed:
            actions.record(connection, "retry", engine, run=run, why=f"{failed} failed")
    return failed


def _retryable(run: int) -> tuple[ColumnElement[bool], ...]:
    failed = verdicts.c.verdict == int(Verdict.FAILED)
    return verdicts.c.run_id == run, failed, verdicts.c.evidence.contains(RETRYABLE)
