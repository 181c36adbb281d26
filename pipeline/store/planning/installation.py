"""The engines that are installed here, and why a run cannot be worked on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from sqlalchemy import Connection, select

from dealmill.pipeline.errors import DealmillError, StoreError, VersionError
from dealmill.pipeline.games import EngineKey, RecordedEngine, find_engine, games, games_of
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import RulesText
from dealmill.pipeline.games.installed import BrokenGame, games_named
from dealmill.pipeline.programs.declared import check_starts
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import engines, rules
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.runs.workable import unlisted_runs
from dealmill.pipeline.store.storages.choice import storage_of


def installed_engines() -> frozenset[tuple[str, str]]:
    """Return the full name and version of every installed engine."""
    return _engines(games().values())


def _engines(of: Iterable[Game]) -> frozenset[tuple[str, str]]:
    return frozenset((game.full_name(engine), engine.version) for game in of for engine in game.engines)


RECORDED = select(
    engines.c.name, engines.c.version, engines.c.checked_as, rules.c.digest, rules.c.family, rules.c.text
).select_from(engines.outerjoin(rules, engines.c.version.like("%-" + rules.c.digest)))
"""The engines on record. The versions of those of games with rules on record end with the digest of the rules."""


def workable_engines(connection: Connection) -> frozenset[tuple[str, str]]:
    """Return the full name and version of every engine on record whose runs this installation can do: those that are
    installed, those whose rules apply to imported verdicts, and those of games whose rules are on record, whatever
    their files have now."""
    recorded = connection.execute(RECORDED).all()
    names = {row.name for row in recorded} | {row.checked_as for row in recorded if row.checked_as}
    installed = _engines(games_of(names))
    return frozenset(engine for engine in installed if engine[0] in names) | {
        (row.name, row.version) for row in recorded if row.digest and _loads(row.name, row.version, *row[3:])
    }


def lacking_engines(database: Database) -> set[tuple[str, str]]:
    """Return the full name and version of every engine on record whose runs this installation cannot do."""
    with database.reading() as connection:
        recorded = {(row.name, row.version) for row in connection.execute(RECORDED)}
        return recorded - workable_engines(connection)


def _loads(name: str, version: str, *rules: str) -> bool:
    try:
        return find_engine(RecordedEngine(name, RulesText(*rules)))[1].version == version
    except DealmillError:  # `Installation.mismatch` says why
        return False


def check_listable(connection: Connection) -> None:
    """Check that the deals of all compact runs can be solved again with this installation, and so be listed.

    Raises
    ------
    StoreError
        If not.
    """
    unlisted = connection.execute(unlisted_runs(workable_engines(connection))).all()
    if unlisted:
        listed = ", ".join(f"run {run} by {engine} version {version}" for run, engine, version in unlisted)
        raise StoreError(
            "nothing was changed: after this upgrade, deals of compact runs are listed by solving them again, but the "
            f"versions that solved these are not installed here: {listed}; export these runs with the Dealmill that "
            "has the versions, or keep only their figures with: dealmill db upgrade --yes"
        )


@dataclass(frozen=True, slots=True)
class Installation:
    """The engines that this process can use: all workable ones except those that are `unloadable`, with the reasons by
    full name."""

    unloadable: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def loading(cls, runs: Iterable[PlannedRun]) -> Self:
        """Load the engines of these runs, which workers could not load, and start those that are programs. Return the
        installation without those that this process cannot load or start either."""
        unloadable = {}
        for run in runs:
            try:
                storage_of(run).prepare(run)
                check_starts(find_engine(run.solved_by)[1])
            except DealmillError as error:
                unloadable[run.engine] = f"it cannot be loaded: {error}"
            except Exception as error:  # noqa: BLE001 -- a package from outside may raise anything
                unloadable[run.engine] = f"it cannot be loaded: {type(error).__name__}: {error}"
        return cls(unloadable)

    def engines(self, database: Database) -> frozenset[tuple[str, str]]:
        """Return the full name and version of every engine that can be used."""
        with database.reading() as connection:
            workable = workable_engines(connection)
        return frozenset((name, version) for name, version in workable if name not in self.unloadable)

    def mismatch(self, engine: EngineKey, version: str) -> str | None:
        """Return why this version of an engine cannot be used; None if it can."""
        if str(engine) in self.unloadable:
            return self.unloadable[str(engine)]
        if isinstance(engine, RecordedEngine):
            try:
                installed = find_engine(engine)[1].version
            except DealmillError as error:
                return str(error)
        elif (known := dict(_engines(games_of([engine]))).get(engine)) is None:
            unusable = [game for game in games_named(engine.partition("/")[0]) if isinstance(game, BrokenGame)]
            return str(unusable[0]) if unusable else "it is not installed here"
        else:
            installed = known
        return None if installed == version else f"version {installed} is installed here"

    def check(self, run: RunStatus) -> None:
        """Check that this installation can work on an unfinished run.

        Raises
        ------
        VersionError
            If another version of its engine is installed, for example since the files of a program were changed, or
            the engine cannot be loaded.
        """
        if not run.finished and (mismatch := self.mismatch(run.solved_by, run.version)):
            raise VersionError(
                f"run {run.id} stopped: it needs version {run.version} of {run.engine}, but {mismatch}; what was "
                "solved is stored; install that version, or repair it, and repeat the command to go on, or start a new "
                "run"
            )
