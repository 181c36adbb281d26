"""Give each store an identity, and keep what workers report (docs/decisions/0161-a-farm-reports.md)."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    identity = sa.Column("identity", sa.Text(), nullable=False, comment="random; a copy of the store has another one")
    store = op.create_table("store", identity, sa.PrimaryKeyConstraint("identity", name=op.f("pk_store")))
    op.bulk_insert(store, [{"identity": secrets.token_hex(8)}])
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False, comment="host:pid version, as in the rows of jobs"),
        sa.Column("parent", sa.Text(), nullable=False, comment="the name of the process that reports for it"),
        sa.Column("seen", sa.Float(), nullable=False, comment="when it last reported"),
        sa.Column(
            "lacks", sa.Text(), nullable=False, comment="versions of engines on record that it cannot use, in JSON"
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    op.create_table(
        "incidents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False, comment="outage, death or retry"),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("first", sa.Float(), nullable=False, comment="when it happened, or began"),
        sa.Column("last", sa.Float(), nullable=False, comment="when it ended, or happened again"),
        sa.Column("count", sa.Integer(), nullable=False, comment="how often it happened from then on"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incidents")),
    )
    op.create_index("ix_incidents_last", "incidents", ["last"])


def downgrade() -> None:
    for table in ("incidents", "workers", "store"):
        op.drop_table(table)
