"""Drop the index of layouts (docs/decisions/0068-fewer-digests.md). Describe columns without names of modules, which
change."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

COMMENTS = {
    "sources.seal": ("see pipeline.seals", "digest of the row, without its times"),
    "source_blocks.digest": ("see pipeline.seals", "of the positions, lines and digests of the items"),
    "runs.seal": ("see pipeline.seals", "digest of the plan"),
    "audits.seal": ("see pipeline.seals", "digest of the plan"),
    "jobs.value_counts": (
        "values by start of their bar; see pipeline.distribution",
        "scored layouts by start of the bar of their values",
    ),
    "verdicts.verdict": (
        "see pipeline.games.verdict",
        "1 winnable, 2 unwinnable, 3 scored, 4 undecided, 5 failed",
    ),
    "packs.verdicts": ("see pipeline.store.record.packed.bitmap", "one or two bits per item"),
    "blocks.number": ("from 0; see pipeline.fingerprint", "from 0; a thousand verdicts each"),
    "actions.what": ("run, audit, retract, pause …; see pipeline.store.log", "run, audit, retract, pause …"),
}
"""The comments of columns before this revision and since. Only PostgreSQL stores comments."""


def upgrade() -> None:
    for table in ("unindexed", "index_stretches", "index_blocks", "index_segments"):
        op.drop_table(table)
    _describe([(column, after) for column, (_, after) in COMMENTS.items()])


def downgrade() -> None:
    _describe([(column, before) for column, (before, _) in COMMENTS.items()])
    _create_index()


def _describe(comments: list[tuple[str, str]]) -> None:
    if op.get_context().dialect.name == "postgresql":
        for column, comment in comments:
            op.execute(f"COMMENT ON COLUMN {column} IS '{comment}'")


def _create_index() -> None:
    """Create the index of layouts as it is before anything is indexed."""
    op.create_table(
        "index_segments",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bits", sa.SmallInteger(), nullable=False, comment="first bits of a digest that number its block"),
        sa.Column("entries", sa.BigInteger(), nullable=False, comment="in all its blocks"),
    )
    op.create_table(
        "index_blocks",
        sa.Column("segment_id", sa.Integer(), sa.ForeignKey("index_segments.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False, comment="from 0"),
        sa.Column("entries", sa.LargeBinary(), nullable=False, comment="see pipeline.store.sources.index.writing"),
        sa.Column("digest", sa.LargeBinary(), nullable=False, comment="see pipeline.seals"),
    )
    op.create_table(
        "index_stretches",
        sa.Column("first", sa.BigInteger(), primary_key=True, autoincrement=False, comment="number of its first item"),
        sa.Column("size", sa.BigInteger(), nullable=False, comment="number of items"),
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("sources.id"), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="of its first item"),
    )
    op.create_table(
        "unindexed",
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("sources.id"), primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="of the first item that is not indexed"),
    )
    op.execute("INSERT INTO unindexed (source_id, position) SELECT id, 1 FROM sources")
