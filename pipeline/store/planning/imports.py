"""Imported verdicts: results of a run that are written with the layouts of its source, each batch as a job that is
done."""

from sqlalchemy import Connection, insert

from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, jobs
from dealmill.pipeline.store.runs.planned import PlannedRun, lock_run
from dealmill.pipeline.store.runs.times import mark_started
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.sources.writing import WriteMore, write_nothing
from dealmill.pipeline.store.storages.item_blocks import record_blocks
from dealmill.pipeline.store.storages.rows_solving import solved_rows


def write_imported(database: Database, run: PlannedRun, source: Source, entries: Entries | None) -> WriteMore:
    """Return the function that writes the verdicts of the next entries of a source as results of a run, in the
    transaction that stores the entries. None in place of entries stands for the end of the source.

    Raises
    ------
    NotFoundError
        When the function is called, if the run was deleted.
    """
    if entries is None:
        return lambda connection: _write_end(connection, run, source.accepted)
    if entries.solved is None or not len(entries.layouts):
        return write_nothing
    results = solved_rows(database, run, source.accepted + 1, entries.layouts, entries.solved)
    planned = {"run_id": run.id, "first": results.first, "stop": results.stop, "attempt": 1}
    totals = {**results.totals, **results.distributions}

    def write(connection: Connection) -> None:
        lock_run(connection, run.id)
        mark_started(connection, run.id)
        done = {"state": DONE, "started": clock(), "finished": clock()}
        connection.execute(insert(jobs).values(**planned, **done, **totals))
        results.write(connection)

    return write


def _write_end(connection: Connection, run: PlannedRun, items: int) -> None:
    """Record the last block, if it is shorter than others: only now is it known that it is the last one."""
    lock_run(connection, run.id)
    if items % BLOCK:
        record_blocks(connection, run.id, items, items + 1, {})
