"""Add the storage of a run's verdicts to runs, and the parameters of numbered deals to sources."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

ROWS, PACKED = 1, 2
KIND = ("source_id", "engine_id", "node_limit")
DEALS = "numbered deals: seed, parameters, first and last; last is null for an endless range"
ENDLESS = "numbered deals that are dealt on demand and not stored as items"
COMMENTS = (
    ("verdicts", "verdict", "see pipeline.games.contract.Verdict", "see pipeline.games.verdict"),
    ("packs", "verdicts", "see pipeline.store.bitmap", "see pipeline.store.record.packed.bitmap"),
    ("packs", "first", "position of its first deal", "position of its first item"),
    ("packs", "stop", "position after its last deal", "position after its last item"),
)


def upgrade() -> None:
    with op.batch_alter_table("sources") as sources:
        sources.add_column(sa.Column("deals", sa.JSON, comment=DEALS))
    with op.batch_alter_table("runs") as runs:
        runs.add_column(
            sa.Column("storage", sa.SmallInteger, nullable=False, server_default=str(ROWS), comment="1 rows, 2 packed")
        )
    _number_deals()
    op.execute(
        f"UPDATE runs SET storage = {PACKED} WHERE source_id IN (SELECT id FROM sources WHERE endless)"  # noqa: S608
    )
    op.execute("UPDATE sources SET complete = false WHERE endless")
    with op.batch_alter_table("runs") as runs:
        runs.alter_column("storage", server_default=None)
        runs.drop_constraint("uq_runs_" + "_".join((*KIND, "repetition")), type_="unique")
        runs.create_unique_constraint(
            "uq_runs_" + "_".join((*KIND, "storage", "repetition")), [*KIND, "storage", "repetition"]
        )
    with op.batch_alter_table("sources") as sources:
        sources.drop_column("endless")
    for table, column, old, new in COMMENTS:
        _comment(table, column, old, new)


def _number_deals() -> None:
    """Parse the parameters of numbered deals from the names of their sources, where they were recorded so far."""
    connection = op.get_bind()
    sources = sa.table(
        "sources", sa.column("id"), sa.column("name"), sa.column("generator"), sa.column("deals", sa.JSON)
    )
    named = sa.select(sources.c.id, sources.c.name).where(sources.c.generator.is_not(None))
    for number, name in connection.execute(named).all():
        if match := re.fullmatch(r"deal:[^:]+:seed=(\d+):((?:[a-z]+=\d+:)*)(\d+)(-?)(\d*)", name):
            seed, parameters, first, dash, last = match.groups()
            pairs = [pair.split("=") for pair in parameters.split(":") if pair]
            deals = {
                "seed": int(seed),
                "parameters": {parameter: int(value) for parameter, value in pairs},
                "first": int(first),
                "last": int(last or first) if last or not dash else None,
            }
            connection.execute(sa.update(sources).where(sources.c.id == number).values(deals=deals))


def downgrade() -> None:
    with op.batch_alter_table("sources") as sources:
        sources.add_column(sa.Column("endless", sa.Boolean, nullable=False, server_default=sa.false(), comment=ENDLESS))
    _mark_endless()
    _drop_packed_runs()
    with op.batch_alter_table("sources") as sources:
        sources.alter_column("endless", server_default=None)
        sources.drop_column("deals")
    with op.batch_alter_table("runs") as runs:
        runs.drop_constraint("uq_runs_" + "_".join((*KIND, "storage", "repetition")), type_="unique")
        runs.create_unique_constraint("uq_runs_" + "_".join((*KIND, "repetition")), [*KIND, "repetition"])
        runs.drop_column("storage")
    for table, column, old, new in COMMENTS:
        _comment(table, column, new, old)


def _mark_endless() -> None:
    connection = op.get_bind()
    sources = sa.table(
        "sources", sa.column("id"), sa.column("deals", sa.JSON), sa.column("endless"), sa.column("complete")
    )
    numbered = sa.select(sources.c.id, sources.c.deals).where(sources.c.deals.is_not(None))
    for number, deals in connection.execute(numbered).all():
        if deals is not None and deals.get("last") is None:
            connection.execute(sa.update(sources).where(sources.c.id == number).values(endless=True, complete=True))


def _drop_packed_runs() -> None:
    """Delete packed runs over finite deal ranges with all their rows: the earlier revision does not have them."""
    packed = (
        "SELECT runs.id FROM runs JOIN sources ON sources.id = runs.source_id"  # noqa: S608
        f" WHERE storage = {PACKED} AND NOT endless"
    )
    audits = f"SELECT id FROM audits WHERE run_id IN ({packed})"  # noqa: S608
    for table in ("faults", "audit_jobs", "judgements", "actions"):
        op.execute(f"DELETE FROM {table} WHERE audit_id IN ({audits})")  # noqa: S608
    for table in ("audits", "actions", "blocks", "packs", "jobs", "verdicts"):
        op.execute(f"DELETE FROM {table} WHERE run_id IN ({packed})")  # noqa: S608
    op.execute(
        f"DELETE FROM runs WHERE storage = {PACKED} AND source_id IN (SELECT id FROM sources WHERE NOT endless)"  # noqa: S608
    )


def _comment(table: str, column: str, old: str, new: str) -> None:
    """Change the comment of a column on PostgreSQL; SQLite has no column comments."""
    if op.get_context().dialect.name == "postgresql":
        op.alter_column(table, column, existing_comment=old, existing_nullable=False, comment=new)
