"""Keep how long the source of a run was read for it (docs/decisions/0070-a-living-worker-keeps-its-job.md)."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

READING = "how long its source was read before its first job was claimed"


def upgrade() -> None:
    seconds = sa.Column("reading_seconds", sa.Float(), nullable=False, server_default="0", comment=READING)
    op.add_column("runs", seconds)


def downgrade() -> None:
    op.drop_column("runs", "reading_seconds")
