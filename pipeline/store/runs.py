"""Runs: planned once, cut into jobs, and counted by their jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, insert, select

from pipeline.errors import NotFoundError
from pipeline.games.contract import Verdict
from pipeline.store.bulk import insert_rows
from pipeline.store.database import Store, clock
from pipeline.store.jobs import DONE, LEASED, PENDING
from pipeline.store.sources import Source
from pipeline.store.tables import engines, jobs, runs, sources


@dataclass(frozen=True, slots=True)
class Run:
    """A run and how far it is. `counts` has a number for every verdict that occurs."""

    id: int
    source: int
    source_name: str
    game: str
    engine: str
    version: str
    limit: int
    items: int
    jobs: int
    pending: int
    leased: int
    done: int
    counts: dict[Verdict, int]
    value_sum: int
    nodes: int
    recent: int
    recent_seconds: float
    started: float | None
    now: float

    @property
    def solved(self) -> int:
        """How many items have a verdict."""
        return sum(self.counts.values())

    @property
    def finished(self) -> bool:
        """Whether every item has a verdict."""
        return self.done == self.jobs

    @property
    def mean(self) -> float | None:
        """The mean value of the scored layouts."""
        scored = self.counts.get(Verdict.SCORED, 0)
        return self.value_sum / scored if scored else None

    @property
    def rate(self) -> float | None:
        """Verdicts per second, in the last minute in which there were any."""
        return self.recent / self.recent_seconds if self.recent_seconds > 0 else None


MINUTE = 60.0


def plan_run(store: Store, source: Source, engine: str, version: str, limit: int, chunk: int) -> int:
    """The number of the run of this engine over this source, planned with all its jobs if it is new."""
    with store.writing() as connection:
        engine_id = _engine_id(connection, engine, version)
        same = (
            runs.c.source_id == source.id,
            runs.c.engine_id == engine_id,
            runs.c.node_limit == limit,
        )
        known: int | None = connection.execute(select(runs.c.id).where(*same)).scalar()
        if known is not None:
            return known
        connection.execute(
            insert(runs).values(source_id=source.id, engine_id=engine_id, node_limit=limit, created=clock())
        )
        run: int = connection.execute(select(runs.c.id).where(*same)).scalar_one()
        insert_rows(
            connection,
            jobs,
            (
                "run_id",
                "first",
                "stop",
                "state",
                "attempt",
                *(verdict.word for verdict in Verdict),
                "value_sum",
                "nodes",
            ),
            [
                (run, first, min(first + chunk, source.accepted + 1), PENDING, 0, *(0 for _ in Verdict), 0, 0)
                for first in range(1, source.accepted + 1, chunk)
            ],
        )
    return run


def _engine_id(connection: Connection, engine: str, version: str) -> int:
    wanted = select(engines.c.id).where(engines.c.name == engine, engines.c.version == version)
    known: int | None = connection.execute(wanted).scalar()
    if known is None:
        connection.execute(insert(engines).values(name=engine, version=version))
        known = connection.execute(wanted).scalar_one()
    return known


def list_runs(store: Store, only: Sequence[int] | None = None) -> list[Run]:
    """All runs, or those numbers, oldest first, counted by their jobs."""
    query = _counted()
    if only is not None:
        query = query.where(runs.c.id.in_(only))
    with store.reading() as connection:
        return [_run(row) for row in connection.execute(query)]


def find_run(store: Store, key: str) -> Run:
    """The run of that number; ``last`` is the newest one.

    Raises
    ------
    NotFoundError
    """
    if key == "last":
        with store.reading() as connection:
            number = connection.execute(select(func.max(runs.c.id))).scalar()
    else:
        number = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else None
    found = list_runs(store, [number]) if number is not None else []
    if not found:
        raise NotFoundError(f"the store has no run {key!r}; dealmill status lists them")
    return found[0]


def _counted() -> Select[*tuple[Any, ...]]:
    def how_many(state: int) -> ColumnElement[int]:
        return func.coalesce(func.sum(case((jobs.c.state == state, 1), else_=0)), 0)

    latest = select(jobs.c.run_id, func.max(jobs.c.finished).label("at")).group_by(jobs.c.run_id).subquery()
    recent = jobs.c.finished > latest.c.at - MINUTE
    query: Select[*tuple[Any, ...]] = (
        select(
            runs.c.id,
            sources.c.id.label("source"),
            sources.c.name.label("source_name"),
            sources.c.game,
            engines.c.name.label("engine"),
            engines.c.version,
            runs.c.node_limit,
            sources.c.accepted.label("items"),
            func.count(jobs.c.id).label("jobs"),
            how_many(PENDING).label("pending"),
            how_many(LEASED).label("leased"),
            how_many(DONE).label("done"),
            *(func.coalesce(func.sum(jobs.c[verdict.word]), 0).label(verdict.word) for verdict in Verdict),
            func.coalesce(func.sum(jobs.c.value_sum), 0).label("value_sum"),
            func.coalesce(func.sum(jobs.c.nodes), 0).label("nodes_sum"),
            func.coalesce(func.sum(case((recent, jobs.c.stop - jobs.c.first), else_=0)), 0).label("recent"),
            (func.max(jobs.c.finished) - func.min(case((recent, jobs.c.started)))).label("recent_seconds"),
            func.min(jobs.c.started).label("started"),
            clock().label("now"),
        )
        .select_from(runs.join(sources).join(engines).outerjoin(jobs).outerjoin(latest, latest.c.run_id == runs.c.id))
        .group_by(runs.c.id, sources.c.id, engines.c.id)
        .order_by(runs.c.id)
    )
    return query


def _run(row: Row[*tuple[Any, ...]]) -> Run:
    counted = row._mapping
    counts = {verdict: int(counted[verdict.word]) for verdict in Verdict}
    return Run(
        id=counted["id"],
        source=counted["source"],
        source_name=counted["source_name"],
        game=counted["game"],
        engine=counted["engine"],
        version=counted["version"],
        limit=counted["node_limit"],
        items=counted["items"],
        jobs=int(counted["jobs"]),
        pending=int(counted["pending"]),
        leased=int(counted["leased"]),
        done=int(counted["done"]),
        counts={verdict: number for verdict, number in counts.items() if number},
        value_sum=int(counted["value_sum"]),
        nodes=int(counted["nodes_sum"]),
        recent=int(counted["recent"]),
        recent_seconds=counted["recent_seconds"] or 0.0,
        started=counted["started"],
        now=counted["now"],
    )
