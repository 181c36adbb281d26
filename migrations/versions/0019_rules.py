"""Record the rules of games that are files (docs/decisions/0075-rules-on-record.md)."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

DIGEST = "of the text, apart from the title; part of versions"
RULES = "digest of the rules of the game, if they are a file"
CONTENTS = "SHA-256 of the text{}or{} of the range and its generator"


def upgrade() -> None:
    op.create_table(
        "rules",
        sa.Column("digest", sa.Text(), nullable=False, comment=DIGEST),
        sa.Column("family", sa.Text(), nullable=False, comment="the family of games that loads the text"),
        sa.Column("text", sa.Text(), nullable=False, comment="canonical text, in TOML"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_rules")),
        sqlite_with_rowid=False,
    )
    op.add_column("sources", sa.Column("rules", sa.Text(), comment=RULES))
    if op.get_bind().dialect.name == "postgresql":
        op.create_foreign_key("fk_sources_rules_rules", "sources", "rules", ["rules"], ["digest"])
    _describe(CONTENTS.format(", then the digest of the rules; ", " SHA-256"))


def downgrade() -> None:
    _describe(CONTENTS.format(", ", ""))
    op.drop_column("sources", "rules")
    op.drop_table("rules")


def _describe(digest: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("sources", "digest", comment=digest)
