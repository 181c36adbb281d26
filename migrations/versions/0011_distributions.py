"""Add the distributions of values and node counts to jobs. They are counted here for jobs of runs stored as rows. For
those of packed runs only the extreme values are known, which move from the packs to the jobs."""

# ruff: noqa: S608 -- all SQL is made of constants

from collections import Counter
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

DONE = 3
ROWS = 1
MAX_BARS = 32
TIMES = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')",
    "postgresql": "to_char(to_timestamp({}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
}
STATE = "CASE jobs.state WHEN 1 THEN 'pending' WHEN 2 THEN 'leased' WHEN 3 THEN 'done' END"
NAMES = ("least_value", "greatest_value", "value_counts", "least_nodes", "greatest_nodes", "node_counts")
PACK_OF_JOB = "packs.run_id = jobs.run_id AND packs.first = jobs.first AND packs.stop = jobs.stop"


def upgrade() -> None:
    op.execute("DROP VIEW jobs_view")
    for column in _columns():
        op.add_column("jobs", column)
    _count_rows()
    op.execute(
        f"UPDATE jobs SET least_value = packs.least, greatest_value = packs.greatest FROM packs WHERE {PACK_OF_JOB}"
        f" AND jobs.state = {DONE}"
    )
    with op.batch_alter_table("packs") as packs:
        packs.drop_column("least")
        packs.drop_column("greatest")
    _create_view(f",\n       {', '.join(f'jobs.{name}' for name in NAMES)}")


def downgrade() -> None:
    op.execute("DROP VIEW jobs_view")
    with op.batch_alter_table("packs") as packs:
        packs.add_column(sa.Column("least", sa.BigInteger(), comment="value"))
        packs.add_column(sa.Column("greatest", sa.BigInteger(), comment="value"))
    op.execute(
        f"UPDATE packs SET least = jobs.least_value, greatest = jobs.greatest_value FROM jobs WHERE {PACK_OF_JOB}"
    )
    for name in NAMES:
        op.drop_column("jobs", name)
    _create_view("")


def _columns() -> "list[sa.Column[Any]]":
    return [
        sa.Column("least_value", sa.BigInteger()),
        sa.Column("greatest_value", sa.BigInteger()),
        sa.Column("value_counts", sa.JSON(), comment="values by start of their bar; see pipeline.distribution"),
        sa.Column("least_nodes", sa.BigInteger()),
        sa.Column("greatest_nodes", sa.BigInteger()),
        sa.Column("node_counts", sa.JSON(), comment="verdicts by start of the bar of their nodes"),
    ]


def _count_rows() -> None:
    """Count the verdicts of runs stored as rows, job by job."""
    connection = op.get_bind()
    jobs = sa.table("jobs", sa.column("id"), *(sa.column(column.name, column.type) for column in _columns()))
    done = sa.text(
        "SELECT jobs.id, jobs.run_id AS run, jobs.first, jobs.stop FROM jobs JOIN runs ON runs.id = jobs.run_id"
        f" WHERE runs.storage = {ROWS} AND jobs.state = {DONE} ORDER BY jobs.id"
    )
    for job, *span in connection.execute(done).all():
        values, nodes = _counted("value", *span), _counted("nodes", *span)
        width = _width(min(values, default=0), max(values, default=0))
        found = (
            *_distribution(values, {value: value // width * width for value in values}),
            *_distribution(nodes, {count: (1 << count.bit_length()) >> 1 for count in nodes}),
        )
        connection.execute(sa.update(jobs).where(jobs.c.id == job).values(dict(zip(NAMES, found, strict=True))))


def _counted(column: str, run: int, first: int, stop: int) -> dict[int, int]:
    """Return how often each number occurs in a column of the verdicts of a job."""
    query = sa.text(
        f"SELECT {column}, count(*) FROM verdicts WHERE run_id = :run AND position >= :first AND position < :stop"
        f" GROUP BY {column}"
    )
    rows = op.get_bind().execute(query, {"run": run, "first": first, "stop": stop})
    return {number: count for number, count in rows if isinstance(number, int)}


def _width(least: int, greatest: int) -> int:
    """Return the least power of two that is wide enough for bars of values."""
    width = 1
    while greatest // width - least // width >= MAX_BARS:
        width *= 2
    return width


def _distribution(numbers: dict[int, int], starts: dict[int, int]) -> tuple[int | None, int | None, dict[str, int]]:
    """Return the least and the greatest number, and the counts by the start of the bar, given that of each number."""
    counts = Counter[str]()
    for number in sorted(numbers):
        counts[str(starts[number])] += numbers[number]
    return min(numbers, default=None), max(numbers, default=None), dict(counts)


def _create_view(more: str) -> None:
    def time(column: str) -> str:
        return TIMES[op.get_context().dialect.name].format(column)

    op.execute(
        f"""CREATE VIEW jobs_view AS
SELECT jobs.run_id AS run, jobs.first, jobs.stop - 1 AS last, {STATE} AS state, jobs.attempt AS attempts, jobs.worker,
       {time("jobs.started")} AS started, {time("jobs.finished")} AS finished, jobs.trouble, jobs.winnable,
       jobs.unwinnable, jobs.scored, jobs.undecided, jobs.failed, jobs.value_sum, jobs.nodes{more}
FROM jobs"""
    )
