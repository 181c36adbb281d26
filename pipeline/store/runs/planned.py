"""Plans of runs."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, bindparam, select

from dealmill.pipeline.arguments import MOST_PACKED
from dealmill.pipeline.errors import DamagedError
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import Storage, engines, runs, sources
from dealmill.pipeline.store.queue.leases import JobTable


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """The plan of a run: one engine with its node limit over one source.

    `generator` and `deals` describe a range of numbered deals (see `dealmill.pipeline.deals.DealRange.numbers`), and
    are None for a file. `max_nodes` is None without a limit. `repeats` is the run that it is a rerun of, or None.
    `retracted` is the reason for the retraction of its engine version, or None.
    """

    id: int
    source: int
    source_name: str
    game: str
    generator: str | None
    deals: Mapping[str, Any] | None
    engine: str
    version: str
    max_nodes: int | None
    storage: Storage
    repeats: int | None
    retracted: str | None


JOINED = runs.outerjoin(sources).outerjoin(engines)
"""Runs with their source and engine. Outer joins keep runs whose source or engine is missing; `planned_fields` reports
them."""
PLANNED: tuple[ColumnElement[Any], ...] = (
    runs.c.id,
    sources.c.id.label("source"),
    sources.c.name.label("source_name"),
    sources.c.game,
    sources.c.generator,
    sources.c.deals,
    engines.c.name.label("engine"),
    engines.c.version,
    runs.c.node_limit.label("max_nodes"),
    runs.c.storage,
    runs.c.repeats,
    engines.c.retracted_why.label("retracted"),
)
"""The fields of a `PlannedRun`."""


SHAPE = Shape(
    runs.c.id,
    sources.c.id,
    sources.c.name,
    sources.c.game,
    sources.c.generator,
    sources.c.deals,
    engines.c.name,
    engines.c.version,
    runs.c.node_limit,
    runs.c.storage,
    runs.c.repeats,
    engines.c.retracted_why,
)


def planned_fields(row: RowMapping) -> dict[str, Any]:
    """Return the fields of a `PlannedRun` from a row of its columns.

    Raises
    ------
    DamagedError
        If the row is damaged.
    """
    found = {field.name: row[field.name] for field in fields(PlannedRun)}
    if trouble := SHAPE.trouble(list(found.values())):
        raise DamagedError(f"run {row['id']} cannot be read: {trouble}; restore the database from a backup")
    return {**found, "storage": Storage(row["storage"])}


def item_count(what: str, items: object) -> int:
    """Validate a recorded number of items.

    Raises
    ------
    DamagedError
        If it is not an integer from 0 to `MOST_PACKED`.
    """
    if not isinstance(items, int) or not 0 <= items <= MOST_PACKED:
        raise DamagedError(
            f"{what} cannot be read: its number of items is {items!r}, not a number from 0 to {MOST_PACKED:,}; restore "
            "the database from a backup"
        )
    return items


def run_of_job(connection: Connection, jobs: JobTable, number: int) -> PlannedRun | None:
    """Return the run that a job is about; None if the job does not exist (any more).

    Raises
    ------
    DamagedError
        If the run cannot be read.
    """
    row = connection.execute(_run_of_job(jobs), {"number": number}).one_or_none()
    return None if row is None else PlannedRun(**planned_fields(row._mapping))


@cache
def _run_of_job(jobs: JobTable) -> Select[*tuple[Any, ...]]:
    joined = jobs.joined.join(JOINED, jobs.run == runs.c.id)
    return select(*PLANNED).select_from(joined).where(jobs.table.c.id == bindparam("number"))
