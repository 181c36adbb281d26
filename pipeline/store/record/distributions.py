"""The distributions of values and node counts in the rows of jobs."""

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from sqlalchemy import func, select

from dealmill.pipeline.distribution import NONE, Distribution, Limits, distribution_of, doubling_bars, equal_bars
from dealmill.pipeline.errors import DamagedError, DamagedWarning
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import DONE, jobs

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Numbers

Column = Literal["value", "nodes"]
LIMITS: Mapping[Column, Limits] = {"value": equal_bars, "nodes": doubling_bars}
COLUMNS: Mapping[Column, tuple[str, str, str]] = {
    "value": ("least_value", "greatest_value", "value_counts"),
    "nodes": ("least_nodes", "greatest_nodes", "node_counts"),
}
"""The columns of a job with the least and the greatest number, and with the counts."""


def spread_of(values: "Numbers", nodes: "Numbers") -> dict[str, object]:
    """Return the columns of a job with the distributions of these values and node counts."""
    columns: dict[str, object] = {}
    numbers: tuple[tuple[Column, Numbers], ...] = (("value", values), ("nodes", nodes))
    for column, found in numbers:
        least, greatest, counts = distribution_of(found, LIMITS[column])
        written = {str(start): count for start, count in counts.items()}
        columns |= zip(COLUMNS[column], (least, greatest, written), strict=True)
    return columns


def distributions(store: Database, run: int, column: Column) -> Iterator[tuple[int, Distribution]]:
    """Yield the number of items of each finished job of a run, with the distribution of their numbers. Jobs of packed
    runs from before revision 0011 have none and are left out; so are damaged ones, with a `DamagedWarning`."""
    wanted = (jobs.c.first, jobs.c.stop, *(jobs.c[name] for name in COLUMNS[column]))
    shape = Shape(*wanted)
    with store.reading() as connection:
        rows = connection.execute(select(*wanted).where(jobs.c.run_id == run, jobs.c.state == DONE)).all()
    for row in rows:
        *_, counts = row
        if counts is None:
            continue
        found = None if shape.trouble(row) else _read(LIMITS[column], *row[2:])
        if found is None:
            message = f"the distribution of the {column} of items {row.first} to {row.stop - 1} is damaged"
            warnings.warn(DamagedWarning(f"{message}; find all faults with: dealmill audit {run}"), stacklevel=2)
        else:
            yield row.stop - row.first, found


def _read(limits: Limits, least: int | None, greatest: int | None, counts: Mapping[str, object]) -> Distribution | None:
    """Return a stored distribution; None if it is not one that Dealmill writes."""
    if least is None or greatest is None:
        return None if counts else NONE
    starts = {str(start): start for start in limits(least, greatest)[:-1]}
    found = {starts[key]: count for key, count in counts.items() if key in starts and type(count) is int}
    return Distribution(least, greatest, found) if len(found) == len(counts) else None


def extremes(store: Database, run: int) -> tuple[int | None, int | None]:
    """Return the least and the greatest value of a run; None for both if there are no values.

    Raises
    ------
    DamagedError
        If the recorded values are not numbers.
    """
    query = select(func.min(jobs.c.least_value), func.max(jobs.c.greatest_value)).where(jobs.c.run_id == run)
    with store.reading() as connection:
        least, greatest = connection.execute(query).one()
    if not isinstance(least, int | None) or not isinstance(greatest, int | None):
        raise DamagedError(f"some values of run {run} are not numbers; find them with: dealmill audit {run}")
    return least, greatest
