"""How the rows of a store grow on PostgreSQL, what it costs to be rid of them, and what partitions would change."""

import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from time import perf_counter

from sqlalchemy import text

from bench.measure import rounded, table
from bench.scale_servers import cpu_seconds, new_store, outside
from dealmill.pipeline.store.database.connections import Database
from tests.servers import Postgres, clean_environment, dealmill_command

GAME, LAYOUTS, RUNS = "card-pairing", 1_000_000, 4
SIZES = """
SELECT c.relname, pg_table_size(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'i') AND pg_table_size(c.oid) > :least ORDER BY 1
"""
MORE_RUNS = """
INSERT INTO verdicts (run_id, position, verdict, value, nodes, evidence)
SELECT run, position, verdict, value, nodes, evidence FROM verdicts, generate_series(2, 4) run WHERE run_id = 1
ORDER BY run, position
"""
"""The verdicts of the first run are also those of three more."""
DELETE = "DELETE FROM verdicts WHERE run_id = 2"
AGAIN = MORE_RUNS.replace("(2, 4)", "(2, 2)")


def growth(server: Postgres) -> str:
    """A table of bytes a layout, and one of what happens to the rows of a run."""
    store, every = new_store(server), RUNS * LAYOUTS
    solved = _step(server, store, "`dealmill run`", lambda: _run(store), LAYOUTS)
    sizes = _sizes(store)
    insert, delete, again = (partial(_inside, store, statement) for statement in (MORE_RUNS, DELETE, AGAIN))
    steps = [
        solved,
        _step(server, store, "insert the verdicts of more runs", insert, every - LAYOUTS),
        _step(server, store, "freeze all", lambda: outside(store, "VACUUM (FREEZE) verdicts"), every),
        _step(server, store, "vacuum, with nothing to do", lambda: outside(store, "VACUUM verdicts"), every),
        _step(server, store, "delete the verdicts of a run", delete, LAYOUTS),
        _step(server, store, "vacuum after that", lambda: outside(store, "VACUUM verdicts"), LAYOUTS),
        _step(server, store, "insert as many again", again, LAYOUTS),
    ]
    store.close()
    grown = table(["PostgreSQL, bytes a layout", GAME], [[part, f"{size / LAYOUTS:.1f}"] for part, size in sizes])
    headings = ["of each row", "µs", "PostgreSQL, CPU µs", "WAL, bytes", "verdicts afterwards, MB"]
    return "\n\n".join((grown, table(headings, steps)))


def _step(server: Postgres, database: Database, what: str, work: Callable[[], object], rows: int) -> list[str]:
    start, used, written = perf_counter(), cpu_seconds(server.process.pid), _written(database)
    work()
    elapsed, cpu = perf_counter() - start, cpu_seconds(server.process.pid) - used
    wal = _written(database) - written
    size = _one(database, "SELECT pg_total_relation_size('verdicts')") / 1e6
    return [what, *(rounded(seconds / rows * 1e6) for seconds in (elapsed, cpu)), f"{wal / rows:.0f}", f"{size:.0f}"]


def _run(database: Database) -> None:
    settings = {"DEALMILL_DATABASE_URL": database.url.render_as_string(hide_password=False), "DEALMILL_WORKERS": "2"}
    command = dealmill_command(["run", f"deal:{GAME}:seed=1:1-{LAYOUTS}"])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command, cwd=folder, env=clean_environment(settings), check=True, capture_output=True)


def _sizes(database: Database) -> list[tuple[str, int]]:
    with database.reading() as connection:
        tables = connection.execute(text(SIZES), {"least": LAYOUTS}).all()
        whole = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
    return [("the whole database", whole), *((f"`{name}`", size) for name, size in tables)]


def _inside(database: Database, statement: str) -> None:
    with database.writing() as connection:
        connection.execute(text(statement))


def _one(database: Database, query: str) -> int:
    with database.reading() as connection:
        return int(connection.execute(text(query)).scalar_one())


def _written(database: Database) -> int:
    return _one(database, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")
