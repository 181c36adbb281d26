"""Add a digest of the node counts of each block of a run stored as rows, which revision 0016 drops again. Index the
action log by run and audit: the check of the whole log took a time that grew with the square of its length."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

INDEXED = ("run_id", "audit_id")


def upgrade() -> None:
    op.add_column("blocks", sa.Column("node_digest", sa.LargeBinary(), comment="of runs stored as rows"))
    for column in INDEXED:
        op.create_index(f"ix_actions_{column}", "actions", [column])


def downgrade() -> None:
    for column in INDEXED:
        op.drop_index(f"ix_actions_{column}", "actions")
    with op.batch_alter_table("blocks") as blocks:
        blocks.drop_column("node_digest")
