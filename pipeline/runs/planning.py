"""Planning of new runs of engines over sources."""

from collections.abc import Iterable, Sequence

from dealmill.pipeline.deals import check_generator
from dealmill.pipeline.errors import DealmillError, RetractedError, UsageError, VersionError
from dealmill.pipeline.games import find_engine, find_game, games
from dealmill.pipeline.games.contract import Engine
from dealmill.pipeline.games.loading import BrokenGame, games_named
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record import record_of
from dealmill.pipeline.store.runs.plan import plan_run
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.stored import Source

NO_END = "{} has no end: name the last deal, or survey it with: dealmill survey"

_UNLOADABLE: dict[str, str] = {}
"""Why engines do not count as installed, by full name; see `leave_out_unloadable`."""


def installed_engines() -> frozenset[tuple[str, str]]:
    """Return the full name and version of every installed engine."""
    named = ((game.full_name(engine), engine.version) for game in games().values() for engine in game.engines)
    return frozenset((name, version) for name, version in named if name not in _UNLOADABLE)


def leave_out_unloadable(runs: Iterable[PlannedRun]) -> None:
    """Load the engines of these runs, which workers could not load. Those that cannot be loaded by this process either
    do not count as installed until the next call."""
    _UNLOADABLE.clear()
    for run in runs:
        try:
            record_of(run).prepare(run)
        except DealmillError as error:
            _UNLOADABLE[run.engine] = f"it cannot be loaded: {error}"
        except Exception as error:  # noqa: BLE001 -- a package from outside may raise anything
            _UNLOADABLE[run.engine] = f"it cannot be loaded: {type(error).__name__}: {error}"


def version_mismatch(engine: str, version: str) -> str | None:
    """Return a message about the installed version of an engine, or None if it is this version."""
    if engine in _UNLOADABLE:
        return _UNLOADABLE[engine]
    installed = dict(installed_engines()).get(engine)
    if installed is None:
        unusable = [game for game in games_named(engine.partition("/")[0]) if isinstance(game, BrokenGame)]
        return str(unusable[0]) if unusable else "it is not installed here"
    return None if installed == version else f"version {installed} is installed here"


def engines_for(game: str, wanted: Sequence[str]) -> list[str]:
    """Return the full names of the `wanted` engines that belong to a game, or its default engine if `wanted` is empty.

    The name of an engine of this game may be given without the name of the game.

    Raises
    ------
    NotFoundError
        If there is no such engine.
    UsageError
        If none of them belongs to the game.
    """
    if not wanted:
        return [game]
    found = [find_engine(engine, None if engine in games() else find_game(game)) for engine in wanted]
    fitting = [owner.full_name(engine) for owner, engine in found if owner.name == game]
    if not fitting:
        raise UsageError(f"none of these is an engine of {game}: {', '.join(wanted)}")
    return fitting


def check_not_retracted(run: RunStatus) -> None:
    """Refuse to wait for an unfinished run of a retracted engine, since workers do not continue it.

    Raises
    ------
    RetractedError
    """
    if run.retracted is not None and not run.finished:
        raise RetractedError(
            f"run {run.id} cannot continue: version {run.version} of {run.engine} was retracted ({run.retracted})"
        )


def check_installed(run: RunStatus) -> None:
    """Check that this installation can work on an unfinished run.

    Raises
    ------
    VersionError
        If another version of its engine is installed, for example since the files of a program were changed, or the
        engine cannot be loaded.
    """
    if not run.finished and (here := version_mismatch(run.engine, run.version)):
        raise VersionError(
            f"run {run.id} stopped: it needs version {run.version} of {run.engine}, but {here}; what was solved is "
            "stored; install that version, or repair it, and repeat the command to go on, or start a new run"
        )


def check_packable(engine: Engine) -> None:
    """Check that runs of an engine can be packed.

    Raises
    ------
    UsageError
        If it is a program: the verdicts of packed runs are computed again whenever they are read.
    """
    if engine.program:
        raise UsageError(f"{engine.name} is a program, and programs cannot do packed runs or surveys")


def queue_run(
    store: Database,
    source: Source,
    engine_name: str,
    max_nodes: int | None,
    storage: Storage = Storage.ROWS,
    why: str | None = None,
) -> int:
    """Plan a run and return its number; if the same run was planned before, return the number of that run.

    `why` is recorded in the action log.

    Raises
    ------
    NotFoundError
        If there is no such engine.
    UsageError
        If the engine belongs to another game, or the source cannot be stored in this way.
    VersionError
        If the run is to be packed, and another version of the generator is installed.
    RetractedError
        If the installed version of the engine was retracted.
    """
    if source.endless:
        raise UsageError(NO_END.format(source.name))
    if storage is Storage.PACKED and source.deals is None:
        raise UsageError(f"{source.name} cannot be stored packed: only numbered deals can be dealt again")
    if storage is Storage.PACKED:
        check_generator(source.name, source.game, source.generator)
    game, engine = find_engine(engine_name, find_game(source.game))
    if storage is Storage.PACKED:
        check_packable(engine)
    if game.name != source.game:
        raise UsageError(f"{engine_name} cannot solve {source.name}, which has layouts of {source.game}")
    return plan_run(store, source, game.full_name(engine), engine.version, max_nodes, storage=storage, why=why)
