"""Index jobs by the time at which a worker was last seen at them, and the action log by engine: the list of workers and
the log of a run took a time that grew with the number of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

INDEXED = ("jobs", "audit_jobs")


def upgrade() -> None:
    for table in INDEXED:
        op.create_index(f"ix_{table}_seen", table, [sa.text("coalesce(finished, started)")])
    op.create_index("ix_actions_engine_id_what", "actions", ["engine_id", "what"])


def downgrade() -> None:
    op.drop_index("ix_actions_engine_id_what", "actions")
    for table in INDEXED:
        op.drop_index(f"ix_{table}_seen", table)
