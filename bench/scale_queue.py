"""What is asked of the queue again and again, with a million jobs in it, on both databases."""

import tempfile
from collections.abc import Callable
from statistics import median

from sqlalchemy import text, update

from bench.fleet import plan_jobs
from bench.measure import rounded, seconds, table
from bench.scale_servers import new_store, with_tables
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, jobs
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.runs.finding import list_runs
from dealmill.pipeline.store.runs.jobs import SOLVING, cut_jobs, jobs_over, pace
from dealmill.pipeline.store.runs.leases import free_expired, pending, stuck, unfinished
from dealmill.pipeline.store.runs.workers import list_workers
from dealmill.pipeline.store.storages.item_blocks import unsolved
from dealmill.workers.reconciler import WINDOW
from tests.servers import Postgres

JOBS = 1_000_000
TIMES = 5


def asked(server: Postgres) -> str:
    """A row per question: milliseconds with all jobs pending, and with half of them done."""
    with tempfile.TemporaryDirectory() as folder:
        stores = [with_tables(Database(database_url(f"sqlite:///{folder}/dealmill.db"))), new_store(server)]
        answers = [_of(store) for store in stores]
        for store in stores:
            store.close()
    rows = [[question, *(rounded(times[question]) for both in answers for times in both)] for question in answers[0][0]]
    return table([f"{JOBS:,} jobs, ms", "SQLite, pending", "half done", "PostgreSQL, pending", "half done"], rows)


def _of(database: Database) -> tuple[dict[str, float], dict[str, float]]:
    run = plan_jobs(database, JOBS)
    new = _times(database, run)
    with database.writing() as connection:
        connection.execute(
            update(jobs)
            .where(jobs.c.id % 2 == 0)
            .values(state=DONE, attempt=1, worker="host:1 0.1.0", started=clock() - 7_200, finished=clock() - 7_100)
        )
        if not database.embedded:
            connection.execute(text("ANALYZE"))
    return new, _times(database, run)


def _times(database: Database, run: int) -> dict[str, float]:
    questions = _questions(database, run)
    for ask in questions.values():
        ask()
    return {what: median(seconds(ask) for _ in range(TIMES)) * 1e3 for what, ask in questions.items()}


def _questions(database: Database, run: int) -> dict[str, Callable[[], object]]:
    engines, end = installed_engines(), JOBS * BLOCK

    def block(ask: Callable[..., object]) -> Callable[[], object]:
        def look() -> None:
            with database.reading() as connection:
                ask(connection, run, end - BLOCK + 1, end + 1)

        return look

    def cut() -> None:
        with database.writing() as connection:
            cut_jobs(connection, run, end, True)

    return {
        "how far a run is": lambda: list_runs(database, [run]),
        "how many jobs are left": lambda: unfinished(database, SOLVING, engines),
        f"{WINDOW:,} jobs to send": lambda: pending(database, SOLVING, engines, WINDOW),
        "leases that are over": lambda: free_expired(database, SOLVING),
        "jobs that fail again and again": lambda: stuck(database, SOLVING, [run]),
        "workers of the last hour": lambda: list_workers(database),
        "the pace of the last jobs": lambda: pace(database, run),
        "where the next job begins": cut,
        "jobs over the last block": block(jobs_over),
        "whether the last block is solved": block(unsolved),
    }
