"""Runs as they were planned."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage, engines, runs, sources
from dealmill.pipeline.store.queue.leases import JobTable


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """What was planned: one engine with its node limit over one source.

    `generator` and `deals` are those of numbered deals (see `dealmill.pipeline.deals.DealRange.numbers`). `repeats` is
    the run that it repeats; `retracted` says why its verdicts are no answers any more.
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


JOINED = runs.join(sources).join(engines)
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


def planned_fields(row: RowMapping) -> dict[str, Any]:
    """The fields of a `PlannedRun` from a row of its columns."""
    return {**{field.name: row[field.name] for field in fields(PlannedRun)}, "storage": Storage(row["storage"])}


def run_of_job(store: Database, jobs: JobTable, number: int) -> PlannedRun | None:
    """The run that a job is about; None if there is no such job (any more)."""
    query: Select[*tuple[Any, ...]] = select(*PLANNED).select_from(jobs.joined.join(JOINED, jobs.run == runs.c.id))
    with store.reading() as connection:
        row = connection.execute(query.where(jobs.table.c.id == number)).one_or_none()
    return None if row is None else PlannedRun(**planned_fields(row._mapping))
