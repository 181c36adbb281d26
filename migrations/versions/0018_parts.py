"""Keep the results of parts of blocks of packed runs, and when runs were started
(docs/decisions/0070-a-living-worker-keeps-its-job.md)."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

PART = "of a packed run: results of a part of a block, until the block is complete"
PENDING, PACKED, BLOCK = 1, 2, 1_000
TOTALS = ("attempt", "winnable", "unwinnable", "scored", "undecided", "failed", "value_sum", "nodes")
LEASE = ("worker", "leased_until", "started", "finished", "trouble", "cpu_seconds")
SPREAD = ("least_value", "greatest_value", "value_counts", "least_nodes", "greatest_nodes", "node_counts")
EMPTY = {"state": PENDING, **dict.fromkeys(TOTALS, 0), **dict.fromkeys((*LEASE, *SPREAD), sa.null())}
"""The columns of a job that was not claimed yet."""


def upgrade() -> None:
    op.add_column("jobs", sa.Column("part", sa.Text(), comment=PART))
    op.add_column("runs", sa.Column("started", sa.Float(), comment="when its first job was claimed"))
    op.execute("UPDATE runs SET started = (SELECT min(started) FROM jobs WHERE run_id = runs.id)")


def downgrade() -> None:
    _forget_parts()
    op.drop_column("runs", "started")
    op.drop_column("jobs", "part")


def _forget_parts() -> None:
    """Replace the jobs of each incomplete block of a packed run by one pending job."""
    connection = op.get_bind()
    jobs = sa.table("jobs", *map(sa.column, ("run_id", "first", "stop", *EMPTY)))
    runs = sa.table("runs", sa.column("id"), sa.column("storage"))
    number = (sa.cast(jobs.c.first, sa.BigInteger) - 1) // BLOCK
    shared = (
        sa.select(jobs.c.run_id, sa.func.min(jobs.c.first), sa.func.max(jobs.c.stop))
        .join(runs, runs.c.id == jobs.c.run_id)
        .where(runs.c.storage == PACKED)
        .group_by(jobs.c.run_id, number)
        .having(sa.func.count() > 1)
    )
    for run, first, stop in connection.execute(shared).all():
        of_run = jobs.c.run_id == run
        connection.execute(sa.delete(jobs).where(of_run, jobs.c.first > first, jobs.c.first < stop))
        connection.execute(sa.update(jobs).where(of_run, jobs.c.first == first).values(stop=stop, **EMPTY))
