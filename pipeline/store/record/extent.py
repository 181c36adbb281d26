"""How many items a run has, by what is really there: an altered count must not make an audit look at 2⁶² items."""

from sqlalchemy import ColumnElement, Connection, func, select

from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.store.database.tables import DONE, Storage, blocks, items, jobs, packs
from dealmill.pipeline.store.queue.solving import LONGEST
from dealmill.pipeline.store.runs.planned import PlannedRun

END = 2**62
"""Above all numbers that Dealmill writes and, in SQLite, below every text in the place of one."""


def items_there(connection: Connection, run: PlannedRun) -> int:
    """The last position that a row of a run reaches: an item or a job; of a packed run a pack, a block, or a job that
    is not done."""
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
    """The greatest number in a column of these rows; `none` if there is none."""
    found = connection.execute(select(func.max(column)).where(*of, column < END)).scalar()
    return none if found is None else int(found)
