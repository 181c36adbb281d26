"""The values and node counts of verdicts, for histograms."""

from sqlalchemy import select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import verdicts

COLUMNS = {"value": verdicts.c.value, "nodes": verdicts.c.nodes}


def first_numbers(store: Database, run: int, column: str, most: int) -> list[int]:
    """Return the numbers in ``"value"`` or ``"nodes"`` of the verdicts on the first `most` items of a run; verdicts
    without a value, and damaged ones, are left out."""
    number = COLUMNS[column]
    query = select(number).where(verdicts.c.run_id == run, verdicts.c.position.between(1, most), number.is_not(None))
    with store.reading() as connection:
        return [found for found in connection.execute(query).scalars() if isinstance(found, int)]
