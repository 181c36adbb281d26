"""Planning runs: which engine goes over which source."""

from collections.abc import Sequence

from dealmill.pipeline.deals import check_generator
from dealmill.pipeline.errors import RetractedError, UsageError
from dealmill.pipeline.games import find_engine, find_game, games
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.runs.plan import plan_run
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.stored import Source

NO_END = "{} has no end: name the last deal, or survey it with: dealmill survey"


def installed_engines() -> frozenset[tuple[str, str]]:
    """Full name and version of every engine of this installation."""
    return frozenset((game.full_name(engine), engine.version) for game in games().values() for engine in game.engines)


def other_version_here(engine: str, version: str) -> str | None:
    """Which version of an engine is installed in place of this one; None if it is this one."""
    installed = dict(installed_engines()).get(engine)
    if installed is None:
        return "there is none here"
    return None if installed == version else f"here is version {installed}"


def engines_for(game: str, wanted: Sequence[str]) -> list[str]:
    """The full names of those of the `wanted` engines that are of a game; its default engine if none is wanted. The
    name of an engine that is not of another game may come without that of the game.

    Raises
    ------
    NotFoundError
        If there is no such engine.
    UsageError
        If none of them is one of the game.
    """
    if not wanted:
        return [game]
    found = [find_engine(engine, None if engine in games() else find_game(game)) for engine in wanted]
    fitting = [owner.full_name(engine) for owner, engine in found if owner.name == game]
    if not fitting:
        raise UsageError(f"none of these is an engine of {game}: {', '.join(wanted)}")
    return fitting


def refuse_retracted(run: RunStatus) -> None:
    """Nobody works on a run whose engine was retracted, so nobody need wait for it.

    Raises
    ------
    RetractedError
    """
    if run.retracted is not None and not run.finished:
        raise RetractedError(
            f"run {run.id} goes no further: version {run.version} of {run.engine} was retracted ({run.retracted})"
        )


def queue_run(
    store: Database,
    source: Source,
    engine_name: str,
    max_nodes: int | None,
    storage: Storage = Storage.ROWS,
    why: str | None = None,
) -> int:
    """Plan a run; its number, which is that of an earlier one if it was planned before. `why` is for the log of
    actions.

    Raises
    ------
    NotFoundError
        If there is no such engine.
    UsageError
        If the engine is one of another game, or the source cannot be stored so.
    VersionError
        If the run is to be packed, and deals are dealt otherwise here.
    RetractedError
        If the engine's version was retracted.
    """
    if source.endless:
        raise UsageError(NO_END.format(source.name))
    if storage is Storage.PACKED and source.deals is None:
        raise UsageError(f"{source.name} cannot be stored packed: only numbered deals can be dealt again")
    if storage is Storage.PACKED:
        check_generator(source.name, source.game, source.generator)
    game, engine = find_engine(engine_name, find_game(source.game))
    if game.name != source.game:
        raise UsageError(f"{engine_name} is no engine for {source.name}, which holds layouts of {source.game}")
    return plan_run(store, source, game.full_name(engine), engine.version, max_nodes, storage=storage, why=why)
