"""What partitions of `verdicts` by run would cost and give on PostgreSQL, beside the one table that there is."""

from statistics import median
from time import perf_counter

from sqlalchemy import Connection, text

from bench.measure import rounded, table
from bench.scale_servers import cpu_seconds, new_store
from dealmill.pipeline.store.database.connections import Database
from tests.servers import Postgres

ROWS = 1_000_000
PARTITIONS = (0, 100, 1_000, 4_000)
AT_ONCE = 500
"""Partitions that are made in a transaction, which holds a lock for each."""
TIMES = 9
INSERT = """
INSERT INTO verdicts (run_id, position, verdict, nodes, evidence)
SELECT 1, position, 1, 20, repeat('x', 39) FROM generate_series(1, :rows) position
"""
PAGE = f"SELECT * FROM verdicts WHERE run_id = 1 AND position > {ROWS // 2} ORDER BY position LIMIT 100"  # noqa: S608
ALL_RUNS = "SELECT * FROM verdicts WHERE position = 17"


def partitions(server: Postgres) -> str:
    """A row for each number of partitions."""
    headings = ["insert, CPU µs a row", "a page of a run, ms", "an item in all runs, ms", "delete the run, s"]
    return table(["partitions", *headings], [_row(server, count) for count in PARTITIONS])


def _row(server: Postgres, count: int) -> list[str]:
    store = new_store(server)
    if count:
        _partition(store, count)
    used = cpu_seconds(server.process.pid)
    with store.writing() as connection:
        connection.execute(text(INSERT), {"rows": ROWS})
    used = cpu_seconds(server.process.pid) - used
    with store.writing() as connection:
        connection.execute(text("ANALYZE verdicts"))
    page, everywhere = (_milliseconds(store, query) for query in (PAGE, ALL_RUNS))
    start = perf_counter()
    with store.writing() as connection:
        connection.execute(text("DROP TABLE verdicts_1" if count else "DELETE FROM verdicts WHERE run_id = 1"))
    deleted = perf_counter() - start
    store.close()
    return [f"{count or 'none'}", f"{used / ROWS * 1e6:.2f}", page, everywhere, rounded(deleted)]


def _partition(database: Database, count: int) -> None:
    """Have an empty table of verdicts be one of partitions, one for each run."""
    with database.writing() as connection:
        for statement in (
            "ALTER TABLE verdicts RENAME TO whole",
            "CREATE TABLE verdicts (LIKE whole) PARTITION BY LIST (run_id)",
            "DROP TABLE whole",
            "ALTER TABLE verdicts ADD PRIMARY KEY (run_id, position)",
            "CREATE INDEX ON verdicts (run_id, verdict, position)",
        ):
            connection.execute(text(statement))
    for first in range(1, count + 1, AT_ONCE):
        with database.writing() as connection:
            for run in range(first, min(first + AT_ONCE, count + 1)):
                connection.execute(text(f"CREATE TABLE verdicts_{run} PARTITION OF verdicts FOR VALUES IN ({run})"))


def _milliseconds(database: Database, query: str) -> str:
    """How long a query is planned and executed: for the first time in a connection, and after that."""
    with database.reading() as connection:
        connection.execute(text("SELECT 1"))
        first, *rest = [_explained(connection, query) for _ in range(TIMES + 1)]
    return f"{rounded(first)}, then {rounded(median(rest))}"


def _explained(connection: Connection, query: str) -> float:
    [plan] = connection.execute(text(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {query}")).scalar_one()
    return float(plan["Planning Time"]) + float(plan["Execution Time"])
