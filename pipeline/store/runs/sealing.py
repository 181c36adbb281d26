"""The seal of a run, which covers its plan."""

from sqlalchemy import Connection, bindparam, select

from dealmill.pipeline.seals import seal
from dealmill.pipeline.store.database.tables import engines, runs, sources
from dealmill.pipeline.store.runs.planned import JOINED

PLAN = (
    runs.c.id,
    runs.c.source_id,
    sources.c.game,
    sources.c.digest,
    engines.c.name,
    engines.c.version,
    runs.c.node_limit,
    runs.c.storage,
    runs.c.repetition,
    runs.c.repeats,
)
"""The columns that the seal of a run covers."""
PLAN_OF_RUN = select(*PLAN).select_from(JOINED).where(runs.c.id == bindparam("run"))


def run_seal(connection: Connection, run: int) -> bytes:
    """Compute the seal of a run from its plan."""
    return seal("run", *connection.execute(PLAN_OF_RUN, {"run": run}).one())
