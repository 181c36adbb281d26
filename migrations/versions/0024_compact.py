"""Call the second storage of runs compact in the view of runs and in comments
(docs/decisions/0183-a-pack-is-a-graded-set.md)."""

# ruff: noqa: S608 -- all SQL is made of constants

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

NO_LIMIT = 2**62
CONTROL = "CASE runs.control WHEN 1 THEN 'active' WHEN 2 THEN 'paused' WHEN 3 THEN 'cancelled' END"
TIMES = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')",
    "postgresql": "to_char(to_timestamp({}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
}
COMMENTS = {
    "runs.storage": "1 rows, 2 {}",
    "jobs.part": "of a {} run: results of a part of a block, until the block is complete",
    **{
        f"blocks.{verdict}": "of a {} run: verdicts of this kind"
        for verdict in ("winnable", "unwinnable", "scored", "undecided", "failed")
    },
    "blocks.value_sum": "of a {} run: sum over scored deals",
    "blocks.square_sum": "of a {} run: sum of the squares of their values",
}


def upgrade() -> None:
    _name_storage("compact")


def downgrade() -> None:
    _name_storage("packed")


def _name_storage(word: str) -> None:
    dialect = op.get_context().dialect.name

    def time(column: str) -> str:
        return TIMES[dialect].format(column)

    op.execute("DROP VIEW runs_view")
    op.execute(
        f"""CREATE VIEW runs_view AS
SELECT runs.id AS run, sources.game, engines.name AS engine, engines.version, sources.id AS source,
       sources.name AS source_name, NULLIF(runs.node_limit, {NO_LIMIT}) AS max_nodes,
       CASE runs.storage WHEN 1 THEN 'rows' WHEN 2 THEN '{word}' END AS storage,
       runs.repeats, {CONTROL} AS control,
       runs.priority, runs.tags, runs.note, {time("runs.created")} AS created, {time("engines.retracted")} AS retracted,
       engines.retracted_why
FROM runs
JOIN engines ON engines.id = runs.engine_id
JOIN sources ON sources.id = runs.source_id
WHERE runs.control <> 4"""
    )
    if dialect == "postgresql":  # SQLite stores no comments
        for column, comment in COMMENTS.items():
            op.execute(sa.text(f"COMMENT ON COLUMN {column} IS '{comment.format(word)}'"))
