"""The plan of a run: one engine with its node limit over one source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    select,
)

from dealmill.pipeline.arguments import MAX_ITEMS
from dealmill.pipeline.errors import DamagedError, NotFoundError
from dealmill.pipeline.evidence.digests import seal
from dealmill.pipeline.games import EngineKey, RecordedEngine, find_engine, game_by
from dealmill.pipeline.games.deals import DealRange, are_random, check_generator, is_endless
from dealmill.pipeline.games.descriptions import RulesText
from dealmill.pipeline.store.database.row_checks import RowCheck, shown_value
from dealmill.pipeline.store.database.tables import Control, Storage, engines, rules, runs, sources
from dealmill.pipeline.store.runs.leases import JobTable


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """The plan of a run: one engine with its node limit over one source.

    `generator` and `deals` describe numbered deals (see `dealmill.pipeline.games.deals.DealRange.numbers`),
    and are None for a file. `max_nodes` is None without a limit. `repeats` is the run that it is a rerun of, or None.
    `retracted` is the reason for the retraction of its engine version, or None. `control`, `priority`, `tags` and
    `note` are what users have decided about it (see `controls`). If its verdicts were imported for an engine that
    exists only on record, the referee checks them as those of the installed engine `checked_as`. `rules` are those that
    its game had when the source was read, if they are on record; they solve and judge its layouts.
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
    control: Control
    priority: int
    tags: Sequence[str]
    note: str | None
    checked_as: str | None
    rules: RulesText | None

    @property
    def solved_by(self) -> EngineKey:
        """The engine that solves its layouts."""
        return RecordedEngine(self.engine, self.rules)

    @property
    def referee_engine(self) -> EngineKey:
        """The engine as which the referee checks its verdicts."""
        return RecordedEngine(self.checked_as or self.engine, self.rules)

    @property
    def endless(self) -> bool:
        """Whether it is over a range of deals without an end, as surveys are."""
        return is_endless(self.deals)

    @property
    def is_random(self) -> bool:
        """Whether its layouts are a random sample of all deals."""
        return are_random(self.deals)

    @property
    def line_name(self) -> str:
        """What the line of a result is: a line of a file, or the number of a deal."""
        return "line" if self.deals is None else "deal"


JOINED = runs.outerjoin(sources).outerjoin(engines).outerjoin(rules, sources.c.rules == rules.c.digest)
"""Runs with their source, its rules, and their engine. Outer joins keep runs of which some of these are missing;
`planned_fields` reports them."""
NOT_DELETED = runs.c.control != Control.DELETED
"""The condition that a run was not deleted."""
FIELDS: tuple[ColumnElement[Any], ...] = (
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
    runs.c.control,
    runs.c.priority,
    runs.c.tags,
    runs.c.note,
    engines.c.checked_as,
)
"""The fields of a `PlannedRun`, except its rules."""
NAMES = tuple(field.name for field in fields(PlannedRun))[:-1]
RULES = (sources.c.rules.label("rules_digest"), rules.c.family.label("rules_family"), rules.c.text.label("rules_text"))
PLANNED = (*FIELDS, *RULES)
"""The columns of a `PlannedRun`."""


CHECK = RowCheck(*(getattr(column, "element", column) for column in FIELDS))
RULES_CHECK = RowCheck(*(column.element for column in RULES))


SEALED_PLAN = (
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
    engines.c.checked_as,
)
"""The columns that the seal of a run covers; the last one only if it is not NULL."""
PLAN_OF_RUN = select(*SEALED_PLAN).select_from(JOINED).where(runs.c.id == bindparam("run"))


LOCKED = select(runs.c.engine_id).where(runs.c.id == bindparam("run"), NOT_DELETED).with_for_update()


def lock_run(connection: Connection, run: int) -> int:
    """Lock the row of a run in the transaction that writes something about it, so that it is not deleted meanwhile.
    Return the number of its engine version. A transaction that locks the row of its source, too, does that first.

    Raises
    ------
    NotFoundError
        If it was deleted.
    """
    engine: int | None = connection.execute(LOCKED, {"run": run}).scalar()
    if engine is None:
        raise NotFoundError(f"run {run} was deleted")
    return engine


def run_seal(connection: Connection, run: int) -> bytes:
    """Compute the seal of a run from its plan."""
    *plan, checked_as = connection.execute(PLAN_OF_RUN, {"run": run}).one()
    return seal("run", *plan, *([] if checked_as is None else [checked_as]))


def planned_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `PlannedRun` from a row of its columns.

    Raises
    ------
    DamagedError
        If the row is damaged.
    """
    values = {name: row[name] for name in NAMES}
    rules_values = [row[column.name] for column in RULES] if row["rules_digest"] is not None else []
    if error := CHECK.error(list(values.values())) or (rules_values and RULES_CHECK.error(rules_values)):
        raise DamagedError(f"run {row['id']} cannot be read: {error}; restore the database from a backup")
    codes = {"storage": Storage(row["storage"]), "control": Control(row["control"])}
    recorded = RulesText(*rules_values) if rules_values else None
    return {**values, **codes, "tags": (row["tags"] or "").split(), "rules": recorded}


def item_count(what: str, items: object) -> int:
    """Validate a recorded number of items.

    Raises
    ------
    DamagedError
        If it is not an integer from 0 to `MAX_ITEMS`.
    """
    if not isinstance(items, int) or not 0 <= items <= MAX_ITEMS:
        raise DamagedError(
            f"{what} cannot be read: its number of items is {shown_value(items)}, not a number from 0 to "
            f"{MAX_ITEMS:,}; restore the database from a backup"
        )
    return items


def run_of_job(connection: Connection, jobs: JobTable, job_id: int) -> PlannedRun | None:
    """Return the run that a job is about; None if the job does not exist (any more)."""
    row = connection.execute(_run_of_job(jobs), {"job_id": job_id}).one_or_none()
    return None if row is None else PlannedRun(**planned_fields(row._asdict()))


@cache
def _run_of_job(jobs: JobTable) -> Select[*tuple[Any, ...]]:
    joined = jobs.with_parents.join(JOINED, jobs.run == runs.c.id)
    return select(*PLANNED).select_from(joined).where(jobs.table.c.id == bindparam("job_id"))


def deals_of(run: PlannedRun) -> DealRange:
    """Return the deals of a run over numbered deals, to deal them again.

    Raises
    ------
    DamagedError
        If the recorded range is damaged.
    VersionError
        If another version of the generator is installed.
    """
    game = game_by(run.game, run.rules)
    try:
        deals = None if run.deals is None else DealRange.of(game, run.deals)
    except DamagedError:
        deals = None
    if deals is None or deals.name != run.source_name:
        raise DamagedError(
            f"run {run.id} cannot be read: the recorded deals {run.deals} are not those of {run.source_name}; restore "
            "the database from a backup"
        )
    check_generator(run.source_name, game, run.generator)
    return deals


def expectation_of(run: PlannedRun) -> Fraction | None:
    """Return the exact share of winnable deals, or mean value, of which a run is a sample; None if it is not known."""
    if run.deals is None or not run.is_random:
        return None
    try:
        game, engine = find_engine(run.referee_engine)
    except NotFoundError:
        return None
    return game.expectation(engine.referee_name, run.deals["parameters"])
