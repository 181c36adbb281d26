"""Move layouts into items: a unique index over the digests of all layouts costs more than it saves
(docs/decisions/0013-layouts-in-items.md)."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

RowNumber = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

DUPLICATES = "accepted layouts that occur earlier in the source"
DUPLICATES_BEFORE = "accepted layouts that the store already had"


def upgrade() -> None:
    op.rename_table("items", "old_items")
    _create_items(
        sa.Column("digest", sa.LargeBinary, nullable=False, comment="BLAKE2b-128 of game, line feed, layout"),
        sa.Column("layout", sa.Text, nullable=False, comment="canonical text, one line"),
    )
    op.execute(
        "INSERT INTO items (source_id, position, line, digest, layout)"
        " SELECT source_id, position, line, digest, text FROM old_items JOIN layouts ON layouts.id = layout_id"
        " ORDER BY source_id, position"
    )
    op.drop_table("old_items")
    op.drop_table("layouts")
    with op.batch_alter_table("sources") as sources:
        sources.alter_column("duplicates", comment=DUPLICATES, existing_comment=DUPLICATES_BEFORE)


def downgrade() -> None:
    op.create_table(
        "layouts",
        sa.Column("id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False, comment="BLAKE2b-128 of game, line feed, text"),
        sa.Column("text", sa.Text, nullable=False, comment="canonical, one line"),
        sa.PrimaryKeyConstraint("id", name="pk_layouts"),
        sa.UniqueConstraint("digest", name="uq_layouts_digest"),
    )
    op.execute(
        "INSERT INTO layouts (id, digest, text)"
        " SELECT row_number() OVER (ORDER BY digest), digest, layout FROM items GROUP BY digest, layout"
    )
    op.rename_table("items", "old_items")
    _create_items(
        sa.Column("layout_id", RowNumber, nullable=False),
        sa.ForeignKeyConstraint(["layout_id"], ["layouts.id"], name="fk_items_layout_id_layouts"),
    )
    op.execute(
        "INSERT INTO items (source_id, position, layout_id, line)"
        " SELECT source_id, position, id, line FROM old_items JOIN layouts ON layouts.digest = old_items.digest"
        " ORDER BY source_id, position"
    )
    op.drop_table("old_items")
    with op.batch_alter_table("sources") as sources:
        sources.alter_column("duplicates", comment=DUPLICATES_BEFORE, existing_comment=DUPLICATES)


def _create_items(*columns: sa.Column[object] | sa.ForeignKeyConstraint) -> None:
    """Create the table `items`. PostgreSQL keeps the names of constraints when a table is renamed, so the old one is
    renamed first."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE old_items RENAME CONSTRAINT pk_items TO pk_old_items")
    op.create_table(
        "items",
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("position", sa.BigInteger, autoincrement=False, nullable=False, comment="from 1, without gaps"),
        sa.Column("line", sa.BigInteger, nullable=False, comment="line in the file, or number of the deal"),
        *columns,
        sa.PrimaryKeyConstraint("source_id", "position", name="pk_items"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_items_source_id_sources"),
        sqlite_with_rowid=False,
    )
