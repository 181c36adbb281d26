"""Drop the foreign keys of tables with one row per layout on PostgreSQL, which looks the key up for every inserted row
(docs/decisions/0022-no-lookups.md)."""

from alembic import op

revision = "0006"
down_revision = "0005"

FOREIGN_KEYS = (
    ("items", "source_id", "sources"),
    ("rejects", "source_id", "sources"),
    ("verdicts", "run_id", "runs"),
    ("judgements", "run_id", "runs"),
    ("judgements", "audit_id", "audits"),
)


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        for table, column, owner in FOREIGN_KEYS:
            op.drop_constraint(f"fk_{table}_{column}_{owner}", table, type_="foreignkey")


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        for table, column, owner in FOREIGN_KEYS:
            op.create_foreign_key(f"fk_{table}_{column}_{owner}", table, owner, [column], ["id"])
