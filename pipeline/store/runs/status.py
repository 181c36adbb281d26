"""Runs: planned once, cut into jobs, and counted by their jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, exists, func, insert, literal, select

from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store import actions
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.tables import NodeLimit, engines, jobs, runs, sources
from dealmill.pipeline.store.queue.jobs import CHUNK, SURVEY_CHUNK, cut_jobs
from dealmill.pipeline.store.queue.leases import DONE, LEASED, PENDING
from dealmill.pipeline.store.runs.engines import enter_engine
from dealmill.pipeline.store.sources import Source


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """What was planned: one engine with its node limit over one source.

    A `survey` has no rows of items and verdicts (see `dealmill.pipeline.store.record.surveys`). `generator` is that of
    numbered deals. `repeats` is the run that it repeats; `retracted` says why its verdicts are no answers any more.
    """

    id: int
    source: int
    source_name: str
    game: str
    engine: str
    version: str
    max_nodes: int | None
    repeats: int | None
    retracted: str | None
    survey: bool
    generator: str | None


@dataclass(frozen=True, slots=True)
class RunStatus(PlannedRun):
    """A run and how far it is, counted by its jobs. `counts` has a number for every verdict that occurs.

    While its source is not `complete`, `items` are those that were read in so far; those of a survey are the deals it
    has come to ask for so far. `retried` are jobs that are not done, though somebody tried.
    """

    items: int
    complete: bool
    jobs: int
    pending: int
    leased: int
    done: int
    retried: int
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
        """Whether every item has a verdict, and there are no more to come."""
        return self.complete and self.done == self.jobs

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
MOST_PARAMETERS = 10_000
"""In one query; databases take a few times as many."""


def plan_run(
    store: Database,
    source: Source,
    engine: str,
    version: str,
    max_nodes: int | None,
    chunk: int = CHUNK,
    why: str | None = None,
) -> int:
    """The number of the run of this engine over this source, planned with its jobs if it is new. While the source is
    still being read, jobs follow as its items do. `why` is for the log of actions.

    Raises
    ------
    RetractedError
        If the engine version was retracted.
    """
    with store.writing() as connection:
        entered = enter_engine(connection, engine, version)
        known: int | None = connection.execute(
            select(runs.c.id).where(*_alike(source.id, entered.id, max_nodes)).order_by(runs.c.repetition).limit(1)
        ).scalar()
        if known is not None:
            return known
        number = _plan(connection, source.id, entered.id, max_nodes, None, why)
        cut_jobs(connection, number, *_readable(connection, source.id), chunk)
    return number


def plan_repetition(store: Database, run: RunStatus, version: str, chunk: int = CHUNK) -> int:
    """The number of a new run that repeats another one with this version of its engine; of an earlier repetition, if
    that is not finished.

    Raises
    ------
    RetractedError
        If the engine version was retracted.
    """
    with store.writing() as connection:
        entered = enter_engine(connection, run.engine, version)
        alike = _alike(run.source, entered.id, run.max_nodes)
        begun: int | None = connection.execute(
            select(runs.c.id)
            .where(*alike, runs.c.repeats == run.id, exists().where(jobs.c.run_id == runs.c.id, jobs.c.state != DONE))
            .limit(1)
        ).scalar()
        if begun is not None:
            return begun
        number = _plan(connection, run.source, entered.id, run.max_nodes, run.id, f"repeats run {run.id}")
        cut_jobs(connection, number, run.items, True, SURVEY_CHUNK if run.survey else chunk)
    return number


def _alike(source: int, engine: int, max_nodes: int | None) -> tuple[ColumnElement[bool], ...]:
    return runs.c.source_id == source, runs.c.engine_id == engine, runs.c.node_limit == literal(max_nodes, NodeLimit)


def _plan(
    connection: Connection,
    source: int,
    engine: int,
    max_nodes: int | None,
    repeats: int | None,
    why: str | None,
) -> int:
    repetition = connection.execute(
        select(func.count()).select_from(runs).where(*_alike(source, engine, max_nodes))
    ).scalar_one()
    run: int = connection.execute(
        insert(runs)
        .values(
            source_id=source,
            engine_id=engine,
            node_limit=max_nodes,
            repetition=repetition,
            repeats=repeats,
            created=clock(),
        )
        .returning(runs.c.id)
    ).scalar_one()
    actions.record(connection, "run" if repeats is None else "rerun", engine, run=run, why=why)
    return run


def _readable(connection: Connection, source: int) -> tuple[int, bool]:
    """How many items a source has, and whether there are no more to come; its reader waits for this transaction."""
    row = connection.execute(
        select(sources.c.accepted, sources.c.complete).where(sources.c.id == source).with_for_update(read=True)
    ).one()
    return row.accepted, row.complete


def list_runs(store: Database, only: Sequence[int] | None = None) -> list[RunStatus]:
    """All runs, or those numbers, oldest first, counted by their jobs."""
    query = _counted()
    parts = [query]
    if only is not None:
        numbers = sorted(set(only))
        parts = [
            query.where(runs.c.id.in_(numbers[start : start + MOST_PARAMETERS]))
            for start in range(0, len(numbers), MOST_PARAMETERS)
        ]
    with store.reading() as connection:
        return [_run(row) for part in parts for row in connection.execute(part)]


def find_run(store: Database, key: str) -> RunStatus:
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


def planned_run(connection: Connection, number: int) -> PlannedRun:
    """What was planned as the run of that number, which exists."""
    return PlannedRun(*connection.execute(select(*_planned()).select_from(_JOINED).where(runs.c.id == number)).one())


_JOINED = runs.join(sources).join(engines)


def _planned() -> tuple[ColumnElement[Any], ...]:
    """The fields of a `PlannedRun`."""
    return (
        runs.c.id,
        sources.c.id.label("source"),
        sources.c.name.label("source_name"),
        sources.c.game,
        engines.c.name.label("engine"),
        engines.c.version,
        runs.c.node_limit.label("max_nodes"),
        runs.c.repeats,
        engines.c.retracted_why.label("retracted"),
        sources.c.endless.label("survey"),
        sources.c.generator,
    )


def _counted() -> Select[*tuple[Any, ...]]:
    def how_many(state: int) -> ColumnElement[int]:
        return func.coalesce(func.sum(case((jobs.c.state == state, 1), else_=0)), 0)

    latest = select(jobs.c.run_id, func.max(jobs.c.finished).label("at")).group_by(jobs.c.run_id).subquery()
    recent = jobs.c.finished > latest.c.at - MINUTE
    query: Select[*tuple[Any, ...]] = (
        select(
            *_planned(),
            case((sources.c.endless, func.coalesce(func.max(jobs.c.stop) - 1, 0)), else_=sources.c.accepted).label(
                "items"
            ),
            sources.c.complete,
            func.count(jobs.c.id).label("jobs"),
            how_many(PENDING).label("pending"),
            how_many(LEASED).label("leased"),
            how_many(DONE).label("done"),
            func.count(case((jobs.c.state != DONE, jobs.c.trouble))).label("retried"),
            *(func.coalesce(func.sum(jobs.c[verdict.word]), 0).label(verdict.word) for verdict in Verdict),
            func.coalesce(func.sum(jobs.c.value_sum), 0).label("value_sum"),
            func.coalesce(func.sum(jobs.c.nodes), 0).label("nodes_sum"),
            func.coalesce(func.sum(case((recent, jobs.c.stop - jobs.c.first), else_=0)), 0).label("recent"),
            (func.max(jobs.c.finished) - func.min(case((recent, jobs.c.started)))).label("recent_seconds"),
            func.min(jobs.c.started).label("started"),
            clock().label("now"),
        )
        .select_from(_JOINED.outerjoin(jobs).outerjoin(latest, latest.c.run_id == runs.c.id))
        .group_by(runs.c.id, sources.c.id, engines.c.id)
        .order_by(runs.c.id)
    )
    return query


def _run(row: Row[*tuple[Any, ...]]) -> RunStatus:
    counted = row._mapping
    counts = {verdict: int(counted[verdict.word]) for verdict in Verdict}
    return RunStatus(
        id=counted["id"],
        source=counted["source"],
        source_name=counted["source_name"],
        game=counted["game"],
        engine=counted["engine"],
        version=counted["version"],
        max_nodes=counted["max_nodes"],
        repeats=counted["repeats"],
        retracted=counted["retracted"],
        survey=counted["survey"],
        generator=counted["generator"],
        items=counted["items"],
        complete=counted["complete"],
        jobs=int(counted["jobs"]),
        pending=int(counted["pending"]),
        leased=int(counted["leased"]),
        done=int(counted["done"]),
        retried=int(counted["retried"]),
        counts={verdict: number for verdict, number in counts.items() if number},
        value_sum=int(counted["value_sum"]),
        nodes=int(counted["nodes_sum"]),
        recent=int(counted["recent"]),
        recent_seconds=max(counted["recent_seconds"] or 0.0, 0.0),  # less if the clock was set back meanwhile
        started=counted["started"],
        now=counted["now"],
    )
