"""Parts of blocks in compact runs. If an engine takes seconds for a few deals, several jobs share a block.

The digest of a block needs the evidence of all its items, which a compact run does not store. So the results of a part
are kept in the row of its job until the block is complete. Then its jobs are merged into one, and the record is the
same as if one job had done the block.
"""

import json

from sqlalchemy import Connection, bindparam, delete, func, select, update

from dealmill.pipeline.games.batch import Batch, Solved, concatenate_solved, to_batch, to_solved
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.tables import DONE, jobs, runs
from dealmill.pipeline.store.runs.jobs import jobs_over

LOCKED_RUN = select(runs.c.id).where(runs.c.id == bindparam("run")).with_for_update(key_share=True)
INSIDE = (jobs.c.run_id == bindparam("run"), jobs.c.first >= bindparam("start"), jobs.c.first < bindparam("end"))


def encode(solved: Solved) -> str:
    """Encode results as JSON: a list for each column of `Batch`."""
    return json.dumps([*to_batch(solved).columns.values()])


def decode(part: str) -> Solved:
    """Decode results; the inverse of `encode`.

    Raises
    ------
    ValueError, TypeError
        If these are not results.
    """
    verdicts, *others = json.loads(part)
    return to_solved(Batch([Verdict(code) for code in verdicts], *others))


def write_part(connection: Connection, run: int, first: int, solved: Solved) -> None:
    """Write the results of the job at the position `first` into its row."""
    connection.execute(update(jobs).where(jobs.c.run_id == run, jobs.c.first == first).values(part=encode(solved)))


def solved_block(connection: Connection, run: int, first: int, stop: int) -> Solved | None:
    """Return the results of the block `[first, stop)` from its parts; None if some are not done, or are missing because
    the record is damaged.

    The jobs of a run take a lock on its row one after the other, so that the last one sees the parts of all others.
    """
    connection.execute(LOCKED_RUN, {"run": run})
    rows = jobs_over(connection, run, first, stop)
    ends = [first, *(row.stop for row in rows)]
    if ends != [*(row.first for row in rows), stop] or any(row.state != DONE or row.part is None for row in rows):
        return None
    return concatenate_solved([decode(row.part) for row in rows])


def merge_jobs(connection: Connection, run: int, first: int, stop: int, totals: dict[str, object]) -> None:
    """Merge the jobs of the block `[first, stop)` into one with these totals."""
    block = {"run": run, "start": first, "end": stop}
    sums = select(func.min(jobs.c.started), func.max(jobs.c.finished), func.sum(jobs.c.cpu_seconds)).where(*INSIDE)
    started, finished, cost = connection.execute(sums, block).one()
    connection.execute(delete(jobs).where(*INSIDE, jobs.c.first != first), block)
    merged = {"stop": stop, "started": started, "finished": finished, "cpu_seconds": cost, "part": None}
    connection.execute(update(jobs).where(jobs.c.run_id == run, jobs.c.first == first).values(**merged, **totals))
