"""Count the verdicts of each job that are claims without evidence (docs/decisions/0066-claims-of-programs.md)."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

UNPROVED = "claims without evidence"
EVIDENCE = "trace or certificate; the error if failed; NULL if undecided{}"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("unproved", sa.BigInteger(), nullable=False, server_default="0", comment=UNPROVED))
    imported = "SELECT runs.id FROM runs JOIN engines ON engines.id = runs.engine_id WHERE checked_as IS NOT NULL"
    claims = (
        "SELECT count(*) FROM verdicts WHERE run_id = jobs.run_id AND position >= jobs.first AND position < jobs.stop"
        " AND evidence IS NULL AND verdict IN (1, 2, 3)"
    )
    op.execute(f"UPDATE jobs SET unproved = ({claims}) WHERE run_id IN ({imported})")  # noqa: S608
    _describe(EVIDENCE.format(" or claimed"))


def downgrade() -> None:
    _describe(EVIDENCE.format(""))
    op.drop_column("jobs", "unproved")


def _describe(evidence: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("verdicts", "evidence", comment=evidence)
