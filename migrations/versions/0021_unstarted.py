"""Keep in a column whether the last attempt of a job counts. The beginning of `trouble` said so before."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

UNSTARTED = "its last attempt does not count, because the engine did not start"


def upgrade() -> None:
    for table in ("jobs", "audit_jobs"):
        unstarted = sa.Column[bool](
            "unstarted", sa.Boolean(), nullable=False, server_default=sa.false(), comment=UNSTARTED
        )
        op.add_column(table, unstarted)
        jobs = sa.table(table, sa.column("trouble"), sa.column("unstarted"))
        reasons = jobs.c.trouble.startswith("ProgramError:") | jobs.c.trouble.startswith("not begun: ")
        op.execute(jobs.update().where(reasons).values(unstarted=True))


def downgrade() -> None:
    for table in ("jobs", "audit_jobs"):
        op.drop_column(table, "unstarted")
