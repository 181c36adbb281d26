"""Create the first tables: sources, layouts, items, rejects, engines, runs, jobs, verdicts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

RowNumber = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column(
            "digest", sa.LargeBinary, nullable=False, comment="SHA-256 of the text, or of the range and its generator"
        ),
        sa.Column("generator", sa.Text, comment="name and version of the generator of numbered deals"),
        sa.Column("accepted", sa.BigInteger, nullable=False),
        sa.Column("duplicates", sa.BigInteger, nullable=False, comment="accepted layouts that the store already had"),
        sa.Column("rejected", sa.BigInteger, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False, comment="read to the end"),
        sa.Column("created", sa.Float, nullable=False, comment="seconds since 1970, by the clock of the database"),
        sa.PrimaryKeyConstraint("id", name="pk_sources"),
        sa.UniqueConstraint("game", "digest", name="uq_sources_game_digest"),
    )
    op.create_table(
        "layouts",
        sa.Column("id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False, comment="BLAKE2b-128 of game, line feed, text"),
        sa.Column("text", sa.Text, nullable=False, comment="canonical, one line"),
        sa.PrimaryKeyConstraint("id", name="pk_layouts"),
        sa.UniqueConstraint("digest", name="uq_layouts_digest"),
    )
    op.create_table(
        "items",
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("position", sa.BigInteger, autoincrement=False, nullable=False, comment="from 1, without gaps"),
        sa.Column("layout_id", RowNumber, nullable=False),
        sa.Column("line", sa.BigInteger, nullable=False, comment="line in the file, or number of the deal"),
        sa.PrimaryKeyConstraint("source_id", "position", name="pk_items"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_items_source_id_sources"),
        sa.ForeignKeyConstraint(["layout_id"], ["layouts.id"], name="fk_items_layout_id_layouts"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rejects",
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("number", sa.BigInteger, autoincrement=False, nullable=False, comment="from 1, without gaps"),
        sa.Column("line", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False, comment="the first 200 characters as found"),
        sa.Column("reasons", sa.Text, nullable=False, comment="one per line"),
        sa.PrimaryKeyConstraint("source_id", "number", name="pk_rejects"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_rejects_source_id_sources"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "engines",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False, comment="game/engine"),
        sa.Column("version", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_engines"),
        sa.UniqueConstraint("name", "version", name="uq_engines_name_version"),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("engine_id", sa.Integer, nullable=False),
        sa.Column("node_limit", sa.BigInteger, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_runs_source_id_sources"),
        sa.ForeignKeyConstraint(["engine_id"], ["engines.id"], name="fk_runs_engine_id_engines"),
        sa.UniqueConstraint("source_id", "engine_id", "node_limit", name="uq_runs_source_id_engine_id_node_limit"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False, comment="position of its first item"),
        sa.Column("stop", sa.BigInteger, nullable=False, comment="position after its last item"),
        sa.Column("state", sa.SmallInteger, nullable=False, comment="1 pending, 2 leased, 3 done"),
        sa.Column("attempt", sa.Integer, nullable=False, comment="number of claims; fences off late workers"),
        sa.Column("worker", sa.Text),
        sa.Column("leased_until", sa.Float),
        sa.Column("started", sa.Float),
        sa.Column("finished", sa.Float),
        sa.Column("winnable", sa.BigInteger, nullable=False),
        sa.Column("unwinnable", sa.BigInteger, nullable=False),
        sa.Column("scored", sa.BigInteger, nullable=False),
        sa.Column("undecided", sa.BigInteger, nullable=False),
        sa.Column("failed", sa.BigInteger, nullable=False),
        sa.Column("value_sum", sa.BigInteger, nullable=False, comment="sum over scored layouts"),
        sa.Column("nodes", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_jobs_run_id_runs"),
        sa.UniqueConstraint("run_id", "first", name="uq_jobs_run_id_first"),
    )
    op.create_index("ix_jobs_state_id", "jobs", ["state", "id"])
    op.create_table(
        "verdicts",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("position", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("verdict", sa.SmallInteger, nullable=False, comment="see pipeline.games.contract.Verdict"),
        sa.Column("value", sa.BigInteger),
        sa.Column("nodes", sa.BigInteger, nullable=False),
        sa.Column(
            "evidence",
            sa.Text,
            comment="trace or certificate; the error if failed; NULL if undecided",
        ),
        sa.PrimaryKeyConstraint("run_id", "position", name="pk_verdicts"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_verdicts_run_id_runs"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_verdicts_run_id_verdict_position", "verdicts", ["run_id", "verdict", "position"])


def downgrade() -> None:
    for table in ("verdicts", "jobs", "runs", "engines", "rejects", "items", "layouts", "sources"):
        op.drop_table(table)
