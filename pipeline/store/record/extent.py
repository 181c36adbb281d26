"""The number of items of a run, counted from its rows: a changed count must not make an audit check 2⁶² items."""

from sqlalchemy import ColumnElement, Connection, func, select

from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.store.database.tables import DONE, Storage, blocks, items, jobs, packs
from dealmill.pipeline.store.queue.solving import LONGEST
from dealmill.pipeline.store.runs.planned import PlannedRun

END = 2**62
"""Greater than every number that Dealmill writes. In SQLite, it also sorts before every text stored in place of a
number."""


def items_there(connection: Connection, run: PlannedRun) -> int:
    """Return the last position of any row of a run: of its items and jobs, or for a packed run, of its packs, blocks
    and unfinished jobs."""
    if run.storage is Storage.ROWS:
        return max(
            greatest(connection, items.c.position, items.c.source_id == run.source),
            greatest(connection, jobs.c.stop, jobs.c.run_id == run.id) - 1,
        )
    numbered = (blocks.c.run_id == run.id, blocks.c.number < END // BLOCK)
    to_come = (jobs.c.run_id == run.id, jobs.c.state != DONE, jobs.c.stop <= jobs.c.first + LONGEST)
    return max(
        greatest(connection, packs.c.stop, packs.c.run_id == run.id) - 1,
        (greatest(connection, blocks.c.number, *numbered, none=-1) + 1) * BLOCK,
        greatest(connection, jobs.c.stop, *to_come) - 1,
        0,
    )


def greatest(connection: Connection, column: ColumnElement[int], *of: ColumnElement[bool], none: int = 0) -> int:
    """Return the greatest number below `END` in a column of the rows that match `of`; `none` if there is none."""
    found = connection.execute(select(func.max(column)).where(*of, column < END)).scalar()
    return none if found is None else int(found)
