"""The number of items of a run, counted from its rows: a changed count must not make an audit check 2⁶² items."""

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select

from dealmill.pipeline.digests import BLOCK
from dealmill.pipeline.store.jobs import LONGEST
from dealmill.pipeline.store.runs import PlannedRun
from dealmill.pipeline.store.tables import DONE, Storage, blocks, items, jobs, packs

END = 2**62
"""Greater than every number that Dealmill writes. In SQLite, it also sorts before every text stored in place of a
number."""


def _greatest(column: ColumnElement[int], *of: ColumnElement[bool]) -> Select[int]:
    """Return a query for the greatest number below `END` in a column of the rows that match `of`."""
    return select(func.max(column)).where(*of, column < END)


ITEM = _greatest(items.c.position, items.c.source_id == bindparam("source"))
JOB = _greatest(jobs.c.stop, jobs.c.run_id == bindparam("run"))
PACK = _greatest(packs.c.stop, packs.c.run_id == bindparam("run"))
BLOCKED = _greatest(blocks.c.number, blocks.c.run_id == bindparam("run"), blocks.c.number < END // BLOCK)
TO_COME = _greatest(
    jobs.c.stop, jobs.c.run_id == bindparam("run"), jobs.c.state != DONE, jobs.c.stop <= jobs.c.first + LONGEST
)


def items_there(connection: Connection, run: PlannedRun) -> int:
    """Return the last position of any row of a run: of its items and jobs, or for a packed run, of its packs, blocks
    and unfinished jobs."""

    def greatest(query: Select[int], none: int = 0) -> int:
        found = connection.execute(query, {"source": run.source, "run": run.id}).scalar()
        return none if found is None else int(found)

    if run.storage is Storage.ROWS:
        return max(greatest(ITEM), greatest(JOB) - 1)
    return max(greatest(PACK) - 1, (greatest(BLOCKED, none=-1) + 1) * BLOCK, greatest(TO_COME) - 1, 0)
