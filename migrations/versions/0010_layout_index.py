"""Add the index by which ``dealmill find`` looks layouts up. Existing sources are indexed by the first search, since
reading all their digests takes seconds per million layouts."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "index_segments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bits", sa.SmallInteger(), nullable=False, comment="first bits of a digest that number its block"),
        sa.Column("entries", sa.BigInteger(), nullable=False, comment="in all its blocks"),
        sa.PrimaryKeyConstraint("id", name="pk_index_segments"),
    )
    op.create_table(
        "index_blocks",
        sa.Column("segment_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False, comment="from 0"),
        sa.Column("entries", sa.LargeBinary(), nullable=False, comment="see pipeline.store.sources.index.writing"),
        sa.Column("digest", sa.LargeBinary(), nullable=False, comment="see pipeline.seals"),
        sa.ForeignKeyConstraint(
            ["segment_id"], ["index_segments.id"], name="fk_index_blocks_segment_id_index_segments"
        ),
        sa.PrimaryKeyConstraint("segment_id", "number", name="pk_index_blocks"),
    )
    op.create_table(
        "index_stretches",
        sa.Column("first", sa.BigInteger(), autoincrement=False, nullable=False, comment="number of its first item"),
        sa.Column("size", sa.BigInteger(), nullable=False, comment="number of items"),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="of its first item"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_index_stretches_source_id_sources"),
        sa.PrimaryKeyConstraint("first", name="pk_index_stretches"),
    )
    op.create_table(
        "unindexed",
        sa.Column("source_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="of the first item that is not indexed"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_unindexed_source_id_sources"),
        sa.PrimaryKeyConstraint("source_id", name="pk_unindexed"),
    )
    op.execute("INSERT INTO unindexed (source_id, position) SELECT id, 1 FROM sources")


def downgrade() -> None:
    for table in ("unindexed", "index_stretches", "index_blocks", "index_segments"):
        op.drop_table(table)
