"""Add surveys: runs over endless deal ranges, whose verdicts are stored as bitmaps."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ENDLESS = "numbered deals that are dealt on demand and not stored as items"


def upgrade() -> None:
    with op.batch_alter_table("sources") as sources:
        sources.add_column(sa.Column("endless", sa.Boolean, nullable=False, server_default=sa.false(), comment=ENDLESS))
    with op.batch_alter_table("sources") as sources:
        sources.alter_column("endless", server_default=None)
    _add_population_to_audits()
    op.create_table(
        "packs",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("first", sa.BigInteger, autoincrement=False, nullable=False, comment="position of its first deal"),
        sa.Column("stop", sa.BigInteger, nullable=False, comment="position after its last deal"),
        sa.Column("least", sa.BigInteger, comment="value"),
        sa.Column("greatest", sa.BigInteger, comment="value"),
        sa.Column("verdicts", sa.LargeBinary, nullable=False, comment="see pipeline.store.bitmap"),
        sa.Column("moments", sa.LargeBinary, nullable=False, comment="per block: sum of values, sum of squares"),
        sa.PrimaryKeyConstraint("run_id", "first", name="pk_packs"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_packs_run_id_runs"),
        sqlite_with_rowid=False,
    )


def _add_population_to_audits() -> None:
    with op.batch_alter_table("audits") as audits:
        audits.add_column(
            sa.Column(
                "population",
                sa.BigInteger,
                nullable=False,
                server_default="0",
                comment="items of the run when the audit was planned",
            )
        )
    op.execute(
        "UPDATE audits SET population = (SELECT sources.accepted FROM runs JOIN sources ON sources.id = runs.source_id"
        " WHERE runs.id = audits.run_id)"
    )
    with op.batch_alter_table("audits") as audits:
        audits.alter_column("population", server_default=None)


def downgrade() -> None:
    _drop_surveys()
    op.drop_table("packs")
    with op.batch_alter_table("audits") as audits:
        audits.drop_column("population")
    with op.batch_alter_table("sources") as sources:
        sources.drop_column("endless")


def _drop_surveys() -> None:
    """Delete surveys with all their rows: the earlier revision does not have them."""
    surveys = "SELECT runs.id FROM runs JOIN sources ON sources.id = runs.source_id WHERE sources.endless"
    audits = f"SELECT id FROM audits WHERE run_id IN ({surveys})"  # noqa: S608
    for table in ("faults", "audit_jobs", "judgements", "actions"):
        op.execute(f"DELETE FROM {table} WHERE audit_id IN ({audits})")  # noqa: S608
    for table in ("audits", "actions", "blocks", "packs", "jobs", "verdicts"):
        op.execute(f"DELETE FROM {table} WHERE run_id IN ({surveys})")  # noqa: S608
    op.execute("DELETE FROM runs WHERE source_id IN (SELECT id FROM sources WHERE endless)")
    op.execute("DELETE FROM sources WHERE endless")
