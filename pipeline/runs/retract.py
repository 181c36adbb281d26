"""Retraction of faulty engine versions: their verdicts stay recorded, but are no longer shown as results."""

from dealmill.pipeline.deals import check_generator
from dealmill.pipeline.errors import UsageError, VersionError
from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.queue.solving import grow
from dealmill.pipeline.store.runs.engines import retract_engine, unretract_engine
from dealmill.pipeline.store.runs.plan import chunk_of, plan_run
from dealmill.pipeline.store.runs.status import RunStatus, find_run, list_runs
from dealmill.pipeline.store.sources.stored import find_source


def retract(store: Database, engine: str, version: str, why: str) -> list[RunStatus]:
    """Retract all verdicts of a version of an engine (its full name), including future ones; return its runs.

    A version that is already retracted keeps its reason.

    Raises
    ------
    UsageError
        If `why` is empty.
    NotFoundError
        If the store has no runs of it.
    """
    _check_reason(why, "the reason is empty: say what is wrong with the engine")
    retract_engine(store, engine, version, why)
    return _runs_of(store, engine, version)


def unretract(store: Database, engine: str, version: str, why: str) -> list[RunStatus]:
    """Undo the retraction of an engine (full name) version, and return its runs, whose verdicts are shown again.

    Raises
    ------
    UsageError
        If `why` is empty, or the version is not retracted.
    NotFoundError
        If the store has no runs of it.
    """
    _check_reason(why, "the reason is empty: say why the retraction is undone")
    unretract_engine(store, engine, version, why)
    return _runs_of(store, engine, version)


def _check_reason(why: str, request: str) -> None:
    if not why or not why.strip():
        raise UsageError(request)


def _runs_of(store: Database, engine: str, version: str) -> list[RunStatus]:
    return [run for run in list_runs(store) if (run.engine, run.version) == (engine, version)]


def requeue(store: Database, retracted: RunStatus) -> RunStatus:
    """Plan a run that replaces a retracted one, with the installed version of its engine.

    A run that replaces a survey has the same number of deals.

    Raises
    ------
    VersionError
        If the retracted version is still installed, or no version is, or the run is packed and another version of its
        generator is installed.
    """
    _, engine = engine_of_run(retracted.id, retracted.engine)
    if engine.version == retracted.version:
        raise VersionError(
            f"version {engine.version} of {retracted.engine} is still installed; install another version, then repeat "
            "the command"
        )
    source, storage = find_source(store, retracted.source), retracted.storage
    if storage is Storage.PACKED:
        check_generator(source.name, source.game, source.generator)
    why = f"in place of run {retracted.id}"
    number = plan_run(store, source, retracted.engine, engine.version, retracted.max_nodes, storage=storage, why=why)
    if source.endless:
        grow(store, number, retracted.items, chunk_of(retracted.items, storage))
    return find_run(store, number)
