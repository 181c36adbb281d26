"""Let users pause and cancel runs, and give them a priority, tags and a note (docs/decisions/0054-controls.md). Record
when entries of a source were last stored, so that a reader that has stopped can be told from one that reads."""

# ruff: noqa: S608 -- all SQL is made of constants

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

NO_LIMIT = 2**62
VERDICT = (
    "CASE verdicts.verdict WHEN 1 THEN 'winnable' WHEN 2 THEN 'unwinnable' WHEN 3 THEN 'scored' "
    "WHEN 4 THEN 'undecided' WHEN 5 THEN 'failed' END"
)
STORAGE = "CASE runs.storage WHEN 1 THEN 'rows' WHEN 2 THEN 'packed' END"
CONTROL = "CASE runs.control WHEN 1 THEN 'active' WHEN 2 THEN 'paused' WHEN 3 THEN 'cancelled' END"
TIMES = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')",
    "postgresql": "to_char(to_timestamp({}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
}


def upgrade() -> None:
    _drop_views()
    for column in _columns():
        op.add_column("runs", column)
    _restore_from_log()
    with op.batch_alter_table("runs") as runs:
        for name in ("control", "priority"):
            runs.alter_column(name, nullable=False)
    op.create_index("ix_runs_priority", "runs", ["priority"])
    where = sa.text("state = 1")
    op.create_index("ix_jobs_pending", "jobs", ["run_id", "first"], sqlite_where=where, postgresql_where=where)
    op.add_column("sources", sa.Column("advanced", sa.Float(), comment="when entries of it were last stored"))
    _describe_actions("run, audit, retract, pause …; see pipeline.store.log")
    _create_views(f"{CONTROL} AS control,\n       runs.priority, runs.tags, runs.note, ", "\nWHERE runs.control <> 4")


def downgrade() -> None:
    _drop_views()
    _describe_actions("run, rerun, audit, retract or unretract")
    op.drop_column("sources", "advanced")
    op.drop_index("ix_jobs_pending", "jobs")
    op.drop_index("ix_runs_priority", "runs")
    for column in _columns():
        op.drop_column("runs", column.name)
    _create_views("", "")


def _columns() -> "list[sa.Column[Any]]":
    return [
        sa.Column("control", sa.SmallInteger(), comment="1 active, 2 paused, 3 cancelled, 4 deleted"),
        sa.Column("priority", sa.Integer(), comment="jobs of runs with a higher one are done first"),
        sa.Column("tags", sa.Text(), comment="words in alphabetical order, with a space between them"),
        sa.Column("note", sa.Text()),
    ]


def _restore_from_log() -> None:
    """Set the columns to what the action log says. It says something if the database was downgraded before."""

    def last(value: str, *what: str) -> str:
        return (
            f"(SELECT {value} FROM actions WHERE run_id = runs.id AND what IN ({', '.join(map(repr, what))})"
            " ORDER BY id DESC LIMIT 1)"
        )

    code = "CASE what WHEN 'pause' THEN 2 WHEN 'cancel' THEN 3 WHEN 'delete' THEN 4 ELSE 1 END"
    op.execute(
        f"UPDATE runs SET control = coalesce({last(code, 'pause', 'cancel', 'resume', 'delete')}, 1),"
        f" priority = coalesce({last('CAST(why AS INTEGER)', 'priority')}, 0),"
        f" tags = {last('why', 'tag')}, note = {last('why', 'note')}"
    )


def _describe_actions(what: str) -> None:
    if op.get_context().dialect.name == "postgresql":  # SQLite stores no comments
        op.execute(f"COMMENT ON COLUMN actions.what IS '{what}'")


def _drop_views() -> None:
    for name in ("results_view", "runs_view"):
        op.execute(f"DROP VIEW {name}")


def _create_views(controls: str, condition: str) -> None:
    def time(column: str) -> str:
        return TIMES[op.get_context().dialect.name].format(column)

    op.execute(
        f"""CREATE VIEW results_view AS
SELECT verdicts.run_id AS run, verdicts.position, items.line, items.layout, {VERDICT} AS verdict, verdicts.value,
       verdicts.nodes, verdicts.evidence, engines.name AS engine, engines.version, sources.id AS source,
       sources.name AS source_name, engines.retracted IS NOT NULL AS retracted
FROM verdicts
JOIN runs ON runs.id = verdicts.run_id
JOIN engines ON engines.id = runs.engine_id
JOIN sources ON sources.id = runs.source_id
JOIN items ON items.source_id = runs.source_id AND items.position = verdicts.position"""
    )
    op.execute(
        f"""CREATE VIEW runs_view AS
SELECT runs.id AS run, sources.game, engines.name AS engine, engines.version, sources.id AS source,
       sources.name AS source_name, NULLIF(runs.node_limit, {NO_LIMIT}) AS max_nodes, {STORAGE} AS storage,
       runs.repeats, {controls}{time("runs.created")} AS created, {time("engines.retracted")} AS retracted,
       engines.retracted_why
FROM runs
JOIN engines ON engines.id = runs.engine_id
JOIN sources ON sources.id = runs.source_id{condition}"""
    )
