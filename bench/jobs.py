"""Benchmark of small jobs: what claiming, reading, writing and finishing a job costs when its layouts cost nothing."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from unittest.mock import patch

import psycopg

from bench.measure import ROUNDS, in_turn, rounded, table
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import to_batch, to_texts
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.workers import tasks
from tests.doing import a_source, dealer
from tests.servers import Postgres, running_postgres

ENGINE = "memory/two-pass"
JOBS, CHUNK = 1_000, 2
CLAIM = "UPDATE jobs SET state = 2, attempt = 1, worker = 'a', started = 1 WHERE id = {0} AND state = 1 AND attempt = 0"
READ = "SELECT layout FROM items WHERE source_id = 1 AND position BETWEEN {0} AND {0} ORDER BY position"
WRITE = "INSERT INTO verdicts (run_id, position, verdict, value, nodes, evidence) VALUES (1, {0}, {0}, {0}, {0}, {0})"
FINISH = "UPDATE jobs SET state = 3, finished = 2 WHERE id = {0} AND state = 2 AND attempt = 1"


def small_jobs() -> str:
    """Return a table with a row per database: the time of a job by a worker and by a script."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, running_postgres() as postgres:
        for name, urls in (("SQLite", _files(folder)), ("PostgreSQL", _databases(postgres))):
            stores = [_planned(next(urls)) for _ in range(2 * ROUNDS)]
            ours, theirs, ratio = in_turn(partial(_by_worker, stores), partial(_by_script, stores))
            rows.append([name, rounded(ours / JOBS * 1e3), rounded(theirs / JOBS * 1e3), f"{ratio:.1f} ×"])
    return table(["database", "worker, ms per job", "script, ms per job", "time, worker / script"], rows)


def _files(folder: str) -> Iterator[str]:
    return (f"sqlite:///{folder}/{number}.db" for number in count())


def _databases(postgres: Postgres) -> Iterator[str]:
    return (postgres.new_database() for _ in count())


def _planned(url: str) -> Database:
    database = Database(database_url(url))
    revisions.upgrade(database)
    source = a_source(database, ENGINE, dealer("memory")(1, 1, JOBS * CHUNK))
    insert_run(database, source, ENGINE, find_engine(ENGINE)[1].version, None, chunk=CHUNK)
    return database


def _by_worker(stores: list[Database]) -> None:
    store = stores.pop()
    with patch.object(tasks, "configured_database", lambda: store):
        for number in range(1, JOBS + 1):
            tasks.do_job("solve", number)


def _by_script(stores: list[Database]) -> None:
    store = stores.pop()
    if store.embedded:
        connection = sqlite3.connect(store.path, isolation_level=None)
        connection.execute("PRAGMA synchronous=NORMAL")
        _by_driver(connection.execute, "?")
    else:
        with psycopg.connect(store.url.render_as_string().replace("+psycopg", ""), autocommit=True) as server:
            _by_driver(lambda statement, *values: server.execute(statement.encode(), *values), "%s")


def _by_driver(execute: Callable[..., "sqlite3.Cursor | psycopg.Cursor"], placeholder: str) -> None:
    claim, read, write, finish = (statement.format(placeholder) for statement in (CLAIM, READ, WRITE, FINISH))
    solve = load(ENGINE)
    for number in range(1, JOBS + 1):
        first, last = (number - 1) * CHUNK + 1, number * CHUNK
        execute(claim, (number,))
        solved = to_batch(solve(to_texts([text for (text,) in execute(read, (first, last))])))
        execute("BEGIN")
        said = zip(solved.verdicts, solved.values, solved.nodes, solved.evidence, strict=True)
        for position, (verdict, *rest) in enumerate(said, start=first):
            execute(write, (position, int(verdict), *rest))
        execute(finish, (number,))
        execute("COMMIT")
