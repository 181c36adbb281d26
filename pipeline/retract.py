"""Quarantine: what a faulty engine version has said is kept, but is no answer any more."""

from pipeline.errors import VersionError
from pipeline.games import find_engine
from pipeline.runs import queue_run
from pipeline.store.database import Store
from pipeline.store.engines import retract_engine
from pipeline.store.runs import Run, list_runs
from pipeline.store.sources import find_source


def retract(store: Store, engine: str, version: str, why: str) -> list[Run]:
    """Retract every verdict of an engine (full name) version, those to come included; the runs concerned. What is
    retracted already stays as it is.

    Raises
    ------
    NotFoundError
        If the store has no runs of it.
    """
    retract_engine(store, engine, version, why)
    return [run for run in list_runs(store) if (run.engine, run.version) == (engine, version)]


def requeue(store: Store, retracted: Run) -> Run:
    """Plan a run in the place of a retracted one, by the version of its engine that is installed.

    Raises
    ------
    VersionError
        If that is the retracted version.
    """
    _, engine = find_engine(retracted.engine)
    if engine.version == retracted.version:
        raise VersionError(
            f"version {engine.version} of {retracted.engine} is still the installed one; install another, "
            "and say the same again"
        )
    source = find_source(store, str(retracted.source))
    number = queue_run(store, source, retracted.engine, retracted.limit, f"in place of run {retracted.id}")
    [planned] = list_runs(store, [number])
    return planned
