"""Benchmark of `dealmill db copy`: whole copies of a store, compared with inserting the same rows, which are in memory,
by the same method of each database: one COPY per table, or one INSERT with many rows of values."""

import tempfile
from collections.abc import Callable
from functools import partial
from itertools import count

from sqlalchemy import Table

from bench.measure import in_turn, rounded, table
from dealmill import db, open
from dealmill.pipeline.store.database.bulk import Row, insert_rows, read_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import metadata
from dealmill.pipeline.store.database.urls import database_url
from tests.doing import do_runs
from tests.servers import folder_in_memory, running_postgres

GAMES = ("card-pairing", "memory")
Kinds = dict[str, tuple[str, Callable[[], str]]]
"""The URL of a store on each database, and a function that returns the URL of a new database."""


def copies(layouts: int = 200_000) -> str:
    """Return a table with a row per direction: rows per second of a copy and of bare inserts, and their ratio."""
    with tempfile.TemporaryDirectory() as folder, running_postgres(within=folder_in_memory()) as server:
        sqlite = f"sqlite:///{folder}/dealmill.db"
        with open(sqlite) as store:
            for game in GAMES:
                store.queue(f"deal:{game}:seed=1:1-{layouts // len(GAMES)}")
            do_runs(store._database)
        postgresql = server.new_database()
        db.copy(postgresql, sqlite)
        kinds: Kinds = {"PostgreSQL": (postgresql, server.new_database), "SQLite": (sqlite, partial(_new_file, folder))}
        rows = [_direction(kinds, *names) for names in (("SQLite", "PostgreSQL"), ("PostgreSQL", "SQLite"))]
    heads = ["rows", "`db copy`, rows/s", "bare inserts, rows/s", "copy / bare"]
    return table(["from, to", *heads], rows)


NUMBERS = count(1)


def _new_file(folder: str) -> str:
    return f"sqlite:///{folder}/copy{next(NUMBERS)}.db"


def _direction(kinds: Kinds, source: str, target: str) -> list[str]:
    (url, _), (_, new) = kinds[source], kinds[target]
    with Database(database_url(url)).reading() as connection:
        rows = [(each, list(read_rows(connection, each))) for each in metadata.sorted_tables]
    total = sum(len(of_table) for _, of_table in rows)
    ours, theirs, ratio = in_turn(lambda: db.copy(new(), url), lambda: _insert(new(), rows))
    return [f"{source}, {target}", f"{total:,}", rounded(total / ours), rounded(total / theirs), f"{1 / ratio:.2f} ×"]


def _insert(url: str, rows: list[tuple[Table, list[Row]]]) -> None:
    db.upgrade(url)
    with Database(database_url(url)).writing() as connection:
        for each, of_table in rows:
            insert_rows(connection, each, each.columns.keys(), of_table)
