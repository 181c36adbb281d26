"""Record what jobs cost (docs/decisions/0057-costs.md) and, for engines of imported verdicts, as which engine the
referee checks them (docs/decisions/0058-imports.md)."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

SECONDS = "processor seconds that its engine took; NULL if that is not known"
CHECKED_AS = "of imported verdicts: the installed engine whose rules apply"
IMPORTED = "imported; checked as "


def upgrade() -> None:
    op.add_column("jobs", sa.Column("cpu_seconds", sa.Float(), comment=SECONDS))
    op.add_column("engines", sa.Column("checked_as", sa.Text(), comment=CHECKED_AS))
    restored = sa.text(  # from the action log, which has it if the database was downgraded before
        "UPDATE engines SET checked_as = (SELECT substr(why, :start) FROM actions"
        " WHERE engine_id = engines.id AND what = 'run' AND why LIKE :imported ORDER BY id LIMIT 1)"
    )
    op.execute(restored.bindparams(start=len(IMPORTED) + 1, imported=f"{IMPORTED}%"))


def downgrade() -> None:
    op.drop_column("engines", "checked_as")
    op.drop_column("jobs", "cpu_seconds")
