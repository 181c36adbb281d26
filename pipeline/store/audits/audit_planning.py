"""Planning of audits, of runs that can be audited."""

from sqlalchemy import Connection, bindparam, insert, select, update

from dealmill.pipeline.errors import DamagedError, NotFoundError, StoreError, UsageError, VersionError
from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.store.audits.audit import AUDITING
from dealmill.pipeline.store.audits.findings import audit_seal
from dealmill.pipeline.store.audits.run_record import plan_faults, source_faults
from dealmill.pipeline.store.audits.work import spans, stretches
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock, greatest_below_end
from dealmill.pipeline.store.database.tables import LEASED, PENDING, audit_jobs, audits
from dealmill.pipeline.store.database.tables import actions as actions_table
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.leases import insert_jobs
from dealmill.pipeline.store.runs.planned import lock_run
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.choice import storage_of

UNFINISHED = select(audit_jobs.c.audit_id).where(
    audit_jobs.c.state.in_((PENDING, LEASED)), *(audit_jobs.c[name] == 0 for name in AUDITING.totals)
)
"""The audits with jobs that have no findings yet."""
BEGUN = (
    select(audits.c.id)
    .where(
        audits.c.run_id == bindparam("run_id"),
        audits.c.population == bindparam("population"),
        audits.c.size == bindparam("size"),
        audits.c.seed == bindparam("seed"),
        audits.c.id.in_(UNFINISHED),
    )
    .limit(1)
)
INSERT_AUDIT = insert(audits).values(created=clock(), seal=b"").returning(audits.c.id)
SEALED = update(audits).where(audits.c.id == bindparam("audit")).values(seal=bindparam("computed"))
GREATEST_NUMBERS = [
    greatest_below_end(column) for column in (audits.c.id, actions_table.c.audit_id, audit_jobs.c.audit_id)
]


def queue_audit(database: Database, run: RunStatus, sample: int | None, seed: int) -> int:
    """Plan an audit of all verdicts of a run, or of a sample, and return its number.

    Raises
    ------
    UsageError
        If the sample is larger than the run.
    StoreError
        If the source of the run has not been read to its end.
    VersionError
        If the engine of the run, and so its referee, is not installed; or the run is compact, and other versions of its
        engine or generator are installed.
    DealmillError
        If the referee cannot be imported.
    DamagedError
        If one of these is so because the plan or the source of the run was changed from outside.
    """
    if sample is not None and sample > run.items:
        raise UsageError(f"run {run.id} has {run.items:,} items, too few for a sample of {sample:,}")
    try:
        _check_auditable(run)
    except (NotFoundError, StoreError, VersionError) as error:
        for reason in (*plan_faults(database, run), *source_faults(database, run)):
            raise DamagedError(f"{reason}; restore it, or the store, from a backup") from error
        raise
    return _planned(database, run, sample, seed)


def _planned(database: Database, run: RunStatus, sample: int | None, seed: int) -> int:
    """Plan an audit with its jobs and return its number. If there is an unfinished audit of the same verdicts, return
    the number of that one.

    `sample` is the number of verdicts to judge, None for all.

    Raises
    ------
    NotFoundError
        If the run was deleted.
    """
    with database.writing() as connection:
        engine = lock_run(connection, run.id)
        population = min(run.items, storage_of(run).last_recorded_position(connection, run))
        size = population if sample is None else min(sample, population)
        plan = {"run_id": run.id, "population": population, "size": size, "seed": seed}
        begun: int | None = connection.execute(BEGUN, plan).scalar()
        if begun is not None:
            return begun
        number = {"id": _next_number(connection)} if database.embedded else {}
        audit: int = connection.execute(INSERT_AUDIT, {**number, **plan}).scalar_one()
        connection.execute(SEALED, {"audit": audit, "computed": audit_seal(connection, audit)})
        insert_jobs(connection, AUDITING, audit, list(spans(stretches(connection, run, population, size, seed))))
        what = "all verdicts" if size == population else f"a sample of {size:,} of {population:,}, seed {seed}"
        log.record(connection, "audit", engine, run=run.id, audit=audit, why=what)
    return audit


def _next_number(connection: Connection) -> int:
    """Return a number that no audit has had. SQLite would reuse the number of a deleted audit, whose findings may still
    be stored."""
    return 1 + max(connection.execute(greatest).scalar() or 0 for greatest in GREATEST_NUMBERS)


def _check_auditable(run: RunStatus) -> None:
    if not run.complete:
        raise StoreError(f"{run.source_name} has not been read to its end: finish reading it, then audit run {run.id}")
    game, _ = engine_of_run(run.id, run.referee_engine)
    _ = game.check  # imported here too, so that the command ends at once with the reason if that fails
    storage_of(run).check_readable(run)
