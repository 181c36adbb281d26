"""Planning of runs, reruns, retries, and runs that replace retracted ones.

A function `queue_…` checks what is asked for, and `insert_…` writes it in one transaction.
"""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, exists, func, insert, select, update

from dealmill.pipeline.errors import RetractedError, UsageError, VersionError
from dealmill.pipeline.evidence.digests import block_of
from dealmill.pipeline.games import engine_of_run, find_engine, find_game, games
from dealmill.pipeline.games.machine import check_limit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, Storage, blocks, engines, jobs, runs, verdicts
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.controls import Labels
from dealmill.pipeline.store.runs.engines import enter_engine
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING, cut_jobs, grow
from dealmill.pipeline.store.runs.leases import insert_jobs
from dealmill.pipeline.store.runs.planned import NOT_DELETED, lock_run, run_seal
from dealmill.pipeline.store.runs.status import RunStatus, check_finished, check_not_imported
from dealmill.pipeline.store.runs.workers import releases_with
from dealmill.pipeline.store.sources.source import Source, find_source, game_of, lock_source
from dealmill.pipeline.store.storages.choice import storage_for, storage_of
from dealmill.pipeline.store.storages.item_blocks import retryable

# One command may plan a hundred thousand runs, and building these statements would take longer than executing them.
SAME_PLAN = [runs.c[name] == bindparam(name) for name in ("source_id", "engine_id", "node_limit", "storage")]
FIRST_RUN = select(runs.c.id).where(*SAME_PLAN, NOT_DELETED).order_by(runs.c.repetition).limit(1)
SAME_RUNS = select(func.count()).select_from(runs).where(*SAME_PLAN)
INSERT_RUN = insert(runs).values(created=clock(), seal=b"").returning(runs.c.id)
"""Its seal follows, because it covers the number of the run."""
SEALED = update(runs).where(runs.c.id == bindparam("number")).values(seal=bindparam("computed"))


def insert_run(
    database: Database,
    source: Source,
    engine: str,
    version: str,
    max_nodes: int | None,
    *,
    storage: Storage = Storage.ROWS,
    chunk: int | None = None,
    why: str | None = None,
    checked_as: str | None = None,
) -> int:
    """Return the number of the run of an engine over a source. If there is none, plan it and cut it into jobs. While a
    source is still being ingested, more jobs are added as its items are stored. `why` goes to the action log. For
    `checked_as` see `PlannedRun`.

    Raises
    ------
    NotFoundError
        If the source was deleted after it had been read.
    """
    with database.writing() as connection:
        entered = enter_engine(connection, engine, version, checked_as)
        plan = _same_plan(source.id, entered.id, max_nodes, storage)
        known: int | None = connection.execute(FIRST_RUN, plan).scalar()
        if known is not None:
            return known
        run_id = _plan(connection, plan, None)
        items, complete = storage_for(storage).count_items(connection, source)
        cut_jobs(connection, run_id, items, complete, chunk or storage_for(storage).items_per_job(items))
        log.record(connection, log.RUN, entered.id, run=run_id, why=why)
    return run_id


def is_planned(
    database: Database, source: Source, engine: str, version: str, max_nodes: int | None, *, storage: Storage
) -> bool:
    """Return whether the store has this run."""
    known = select(engines.c.id).where(engines.c.name == engine, engines.c.version == version)
    with database.reading() as connection:
        plan = _same_plan(source.id, connection.execute(known).scalar() or 0, max_nodes, storage)
        return connection.execute(FIRST_RUN, plan).scalar() is not None


def insert_rerun(database: Database, run: RunStatus, version: str, chunk: int | None = None) -> int:
    """Plan a rerun of a run with the given version of its engine, and return its number. If there is an unfinished
    rerun, return the number of that one.

    Raises
    ------
    NotFoundError
        If the run was deleted.
    """
    with database.writing() as connection:
        entered = enter_engine(connection, run.engine, version)
        lock_source(connection, run.source)
        lock_run(connection, run.id)
        unfinished = exists().where(jobs.c.run_id == runs.c.id, jobs.c.state != DONE)
        plan = _same_plan(run.source, entered.id, run.max_nodes, run.storage)
        rerun = select(runs.c.id).where(*SAME_PLAN, runs.c.repeats == run.id, unfinished).limit(1)
        begun: int | None = connection.execute(rerun, plan).scalar()
        if begun is not None:
            return begun
        run_id = _plan(connection, plan, run.id)
        cut_jobs(connection, run_id, run.items, True, chunk or storage_of(run).items_per_job(run.items))
        log.record(connection, log.RERUN, entered.id, run=run_id, why=f"repeats run {run.id}")
    return run_id


def _same_plan(source: int, engine: int, max_nodes: int | None, storage: Storage) -> dict[str, object]:
    """Return the parameters of `SAME_PLAN`."""
    return {"source_id": source, "engine_id": engine, "node_limit": max_nodes, "storage": storage}


def _plan(connection: Connection, plan: Mapping[str, object], repeats: int | None) -> int:
    repetition = connection.execute(SAME_RUNS, plan).scalar_one()
    run: int = connection.execute(INSERT_RUN, {**plan, "repetition": repetition, "repeats": repeats}).scalar_one()
    connection.execute(SEALED, {"number": run, "computed": run_seal(connection, run)})
    return run


NO_END = "{} has no end: name the last deal, or survey it with: dealmill survey"


def engines_for(source: str, game: str, names: Sequence[str]) -> list[str]:
    """Return the full names of the engines among `names` that belong to the game of a source, given by its name; the
    default engine of the game if none is given.

    The name of an engine of this game may be given without the name of the game.

    Raises
    ------
    UsageError
        If none of them belongs to the game.
    """
    if not names:
        return [game]
    engines = [find_engine(engine, None if engine in games() else find_game(game)) for engine in names]
    fitting = [owner.full_name(engine) for owner, engine in engines if owner.name == game]
    if not fitting:
        raise UsageError(f"{', '.join(names)} cannot solve {source}, which has layouts of {game}")
    return fitting


def queue_runs(
    database: Database, sources: Iterable[Source], engines: Sequence[str], max_nodes: int | None, labels: Labels
) -> list[int]:
    """Plan a run over each source by each of these engines that belongs to its game, or by its default one; label the
    runs and return their numbers. See `queue_run`."""
    run_ids = [
        queue_run(database, source, engine, max_nodes)
        for source in sources
        for engine in engines_for(source.name, source.game, engines)
    ]
    for run_id in run_ids:
        labels.put_on(database, run_id)
    return run_ids


def queue_run(database: Database, source: Source, engine_name: str, max_nodes: int | None) -> int:
    """Plan a run by an engine of the game of a source, and return its number; if the same run was planned before, that
    of the earlier one.

    Raises
    ------
    UsageError
        If the source has no end, or the limit does not fit into the memory of this machine.
    """
    if source.endless:
        raise UsageError(NO_END.format(source.name))
    game = game_of(database, source)
    _, engine = find_engine(engine_name, game)
    check_limit(engine, max_nodes)
    limit = engine.max_nodes if max_nodes is None else max_nodes
    return insert_run(database, source, game.full_name(engine), engine.version, limit)


def queue_replacement(database: Database, retracted: RunStatus) -> RunStatus:
    """Plan a run that replaces a retracted one, with the installed version of its engine.

    A run that replaces a survey has the same number of deals.

    Raises
    ------
    VersionError
        If the retracted version is still installed, or no version is, or the run is compact and another version of its
        generator is installed.
    """
    check_not_imported(retracted)
    _, engine = engine_of_run(retracted.id, retracted.solved_by)
    if engine.version == retracted.version:
        raise VersionError(
            f"version {engine.version} of {retracted.engine} is still installed; install another version, then repeat "
            "the command"
        )
    source, storage = find_source(database, retracted.source), retracted.storage
    storage_of(retracted).check_deals(retracted)
    why = f"in place of run {retracted.id}"
    run_id = insert_run(
        database, source, retracted.engine, engine.version, retracted.max_nodes, storage=storage, why=why
    )
    if source.endless:
        grow(database, run_id, retracted.items, storage_for(storage).items_per_job(retracted.items))
    return find_run(database, run_id)


def queue_rerun(database: Database, run: RunStatus, *, any_version: bool) -> int:
    """Plan a rerun, with the same engine, source and limit, and return its number.

    If an earlier rerun was interrupted, its number is returned.

    Raises
    ------
    VersionError
        If its engine is not installed, or another version of it (unless `any_version` is set), or the run is compact
        and another version of its generator is installed; or the rules file of its game has other rules now.
    """
    check_finished(run)
    check_not_imported(run)
    game, engine = engine_of_run(run.id, run.engine if run.rules else run.solved_by)
    if run.rules and game.rules_text and game.rules_text.digest != run.rules.digest:
        if game.name != run.game:
            raise VersionError(
                f"run {run.id} is by rules {run.rules.digest} of {run.game}, whose file is not here, and the name "
                f"means {game.name}: name the folder of the file in DEALMILL_RULES"
            )
        raise VersionError(
            f"run {run.id} is by rules {run.rules.digest} of {run.game}, but its file has rules "
            f"{game.rules_text.digest} now: restore the file, or plan a new run by the new rules"
        )
    if engine.version != run.version and not any_version:
        releases = " or ".join(releases_with(database, run.engine, run.version))
        raise VersionError(
            f"run {run.id} is by version {run.version} of {run.engine}, but version {engine.version} is installed: "
            f"install the Dealmill that has it{releases and f' ({releases})'}, or use --any-version to compare it with "
            f"version {engine.version}"
        )
    storage_of(run).check_deals(run)
    return insert_rerun(database, run, engine.version)


def requeue_failed(database: Database, run: int) -> int:
    """Delete the verdicts of all jobs of a run that have some to be tried again, and make the jobs pending. Return the
    number of layouts that had failed.

    Raises
    ------
    NotFoundError
        If the run was deleted.
    """
    with database.writing() as connection:
        engine = lock_run(connection, run)
        failed = connection.execute(select(func.count()).select_from(verdicts).where(*retryable(run))).scalar_one()
        within = (verdicts.c.position >= jobs.c.first, verdicts.c.position < jobs.c.stop)
        concerned = connection.execute(
            select(jobs.c.id, jobs.c.first, jobs.c.stop)
            .where(jobs.c.run_id == run, jobs.c.state == DONE, exists().where(*retryable(run), *within))
            .order_by(jobs.c.first)
        ).all()
        for job_id, first, stop in concerned:
            position, block = verdicts.c.position, blocks.c.number
            connection.execute(delete(verdicts).where(verdicts.c.run_id == run, position >= first, position < stop))
            connection.execute(
                delete(blocks).where(blocks.c.run_id == run, block >= block_of(first), block <= block_of(stop - 1))
            )
            connection.execute(delete(jobs).where(jobs.c.id == job_id))
        insert_jobs(connection, SOLVING, run, [(first, stop) for _, first, stop in concerned])
        if failed:
            log.record(connection, "retry", engine, run=run, why=f"{failed} failed")
    return failed


def queue_retry(database: Database, run: RunStatus) -> int:
    """Queue the jobs of a run again that have such layouts, and return the number of these layouts.

    Raises
    ------
    RetractedError
        If its engine version was retracted.
    VersionError
        If another version of its engine is installed, or of the generator of a compact run.
    """
    check_finished(run)
    check_not_imported(run)
    storage_of(run).check_deals(run)
    if run.retracted is not None:
        raise RetractedError(f"run {run.id} cannot be tried again: it was retracted ({run.retracted})")
    if mismatch := Installation().mismatch(run.solved_by, run.version):
        raise VersionError(
            f"run {run.id} is by version {run.version} of {run.engine}, but {mismatch}: install that version, or "
            "start a new run"
        )
    return requeue_failed(database, run.id)
