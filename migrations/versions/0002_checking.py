"""Add fingerprints, audits with the referee's judgements, reruns, retractions and the action log."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

RowNumber = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

ONCE = "uq_runs_source_id_engine_id_node_limit"


def upgrade() -> None:
    with op.batch_alter_table("engines") as engines:
        engines.add_column(sa.Column("retracted", sa.Float, comment="when all its verdicts were retracted"))
        engines.add_column(sa.Column("retracted_why", sa.Text))
    with op.batch_alter_table("runs") as runs:
        runs.add_column(
            sa.Column(
                "repetition",
                sa.Integer,
                nullable=False,
                server_default="0",
                comment="0 for the first run of this source, engine, limit and storage",
            )
        )
        runs.add_column(sa.Column("repeats", sa.Integer, comment="the run that this is a rerun of"))
        runs.create_foreign_key("fk_runs_repeats_runs", "runs", ["repeats"], ["id"])
        runs.drop_constraint(ONCE, type_="unique")
        runs.create_unique_constraint(f"{ONCE}_repetition", ["source_id", "engine_id", "node_limit", "repetition"])
    with op.batch_alter_table("runs") as runs:
        runs.alter_column("repetition", server_default=None)
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("trouble", sa.Text, comment="why its last attempt failed"))
    _create_blocks()
    _create_audits()
    op.create_table(
        "actions",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False, comment="seconds since 1970, by the clock of the database"),
        sa.Column("who", sa.Text, nullable=False, comment="user@host"),
        sa.Column("what", sa.Text, nullable=False, comment="run, rerun, audit or retract"),
        sa.Column("run_id", sa.Integer),
        sa.Column("audit_id", sa.Integer),
        sa.Column("engine_id", sa.Integer, nullable=False),
        sa.Column("why", sa.Text),
        sa.Column("dealmill", sa.Text, nullable=False, comment="version of Dealmill"),
        sa.PrimaryKeyConstraint("id", name="pk_actions"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_actions_run_id_runs"),
        sa.ForeignKeyConstraint(["audit_id"], ["audits.id"], name="fk_actions_audit_id_audits"),
        sa.ForeignKeyConstraint(["engine_id"], ["engines.id"], name="fk_actions_engine_id_engines"),
    )


def _create_blocks() -> None:
    op.create_table(
        "blocks",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column(
            "number", sa.BigInteger, autoincrement=False, nullable=False, comment="from 0; see pipeline.fingerprint"
        ),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "number", name="pk_blocks"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_blocks_run_id_runs"),
        sqlite_with_rowid=False,
    )


def _create_audits() -> None:
    op.create_table(
        "audits",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column(
            "size",
            sa.BigInteger,
            nullable=False,
            comment="verdicts to judge; fewer than population for a sample",
        ),
        sa.Column("seed", sa.BigInteger, nullable=False, comment="seed of the sample"),
        sa.Column("created", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audits"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_audits_run_id_runs"),
    )
    op.create_index("ix_audits_run_id", "audits", ["run_id"])
    op.create_table(
        "audit_jobs",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("audit_id", sa.Integer, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False, comment="position of its first item"),
        sa.Column("stop", sa.BigInteger, nullable=False, comment="position after its last item"),
        sa.Column("state", sa.SmallInteger, nullable=False, comment="1 pending, 2 leased, 3 done"),
        sa.Column("attempt", sa.Integer, nullable=False, comment="number of claims; fences off late workers"),
        sa.Column("worker", sa.Text),
        sa.Column("leased_until", sa.Float),
        sa.Column("started", sa.Float),
        sa.Column("finished", sa.Float),
        sa.Column("trouble", sa.Text, comment="why its last attempt failed"),
        sa.Column("valid", sa.BigInteger, nullable=False),
        sa.Column("invalid", sa.BigInteger, nullable=False),
        sa.Column("no_evidence", sa.BigInteger, nullable=False),
        sa.Column("faults", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_jobs"),
        sa.ForeignKeyConstraint(["audit_id"], ["audits.id"], name="fk_audit_jobs_audit_id_audits"),
        sa.UniqueConstraint("audit_id", "first", name="uq_audit_jobs_audit_id_first"),
    )
    op.create_index("ix_audit_jobs_state_id", "audit_jobs", ["state", "id"])
    op.create_table(
        "judgements",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("position", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("audit_id", sa.Integer, nullable=False),
        sa.Column("outcome", sa.SmallInteger, nullable=False, comment="1 valid, 2 invalid, 3 no evidence"),
        sa.Column("step", sa.Integer, comment="the invalid step of the evidence"),
        sa.Column("reason", sa.Text),
        sa.PrimaryKeyConstraint("run_id", "position", "audit_id", name="pk_judgements"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_judgements_run_id_runs"),
        sa.ForeignKeyConstraint(["audit_id"], ["audits.id"], name="fk_judgements_audit_id_audits"),
        sqlite_with_rowid=False,
    )
    objections = sa.text("outcome <> 1")
    op.create_index(
        "ix_judgements_objections",
        "judgements",
        ["run_id", "outcome", "position"],
        sqlite_where=objections,
        postgresql_where=objections,
    )
    op.create_table(
        "faults",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("audit_id", sa.Integer, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False, comment="position of the first item it concerns"),
        sa.Column("last", sa.BigInteger, nullable=False, comment="position of the last one"),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_faults"),
        sa.ForeignKeyConstraint(["audit_id"], ["audits.id"], name="fk_faults_audit_id_audits"),
    )
    op.create_index("ix_faults_audit_id_first", "faults", ["audit_id", "first"])


def downgrade() -> None:
    for table in ("actions", "faults", "judgements", "audit_jobs", "audits", "blocks"):
        op.drop_table(table)
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_column("trouble")
    _drop_repetitions()
    with op.batch_alter_table("runs") as runs:
        runs.drop_constraint(f"{ONCE}_repetition", type_="unique")
        runs.create_unique_constraint(ONCE, ["source_id", "engine_id", "node_limit"])
        runs.drop_constraint("fk_runs_repeats_runs", type_="foreignkey")
        runs.drop_column("repeats")
        runs.drop_column("repetition")
    with op.batch_alter_table("engines") as engines:
        engines.drop_column("retracted_why")
        engines.drop_column("retracted")


def _drop_repetitions() -> None:
    """Delete reruns with all their rows: in the earlier revision, runs are unique."""
    repetitions = "SELECT id FROM runs WHERE repetition > 0"
    for table in ("verdicts", "jobs"):
        op.execute(f"DELETE FROM {table} WHERE run_id IN ({repetitions})")  # noqa: S608
    op.execute("DELETE FROM runs WHERE repetition > 0")
