"""Views for people who open the database; and a retraction can be undone."""

# ruff: noqa: S608 -- all SQL is made of constants

from alembic import op

revision = "0009"
down_revision = "0008"

TIMES = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')",
    "postgresql": "to_char(to_timestamp({}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
}
NO_LIMIT = 2**62
VERDICT = (
    "CASE verdicts.verdict WHEN 1 THEN 'winnable' WHEN 2 THEN 'unwinnable' WHEN 3 THEN 'scored' "
    "WHEN 4 THEN 'undecided' WHEN 5 THEN 'failed' END"
)
STORAGE = "CASE runs.storage WHEN 1 THEN 'rows' WHEN 2 THEN 'packed' END"
STATE = "CASE jobs.state WHEN 1 THEN 'pending' WHEN 2 THEN 'leased' WHEN 3 THEN 'done' END"


WHAT = "run, rerun, audit or retract"
WITH_UNRETRACT = "run, rerun, audit, retract or unretract"


def upgrade() -> None:
    _comment(WHAT, WITH_UNRETRACT)

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
       runs.repeats, {time("runs.created")} AS created, {time("engines.retracted")} AS retracted,
       engines.retracted_why
FROM runs
JOIN engines ON engines.id = runs.engine_id
JOIN sources ON sources.id = runs.source_id"""
    )
    op.execute(
        f"""CREATE VIEW jobs_view AS
SELECT jobs.run_id AS run, jobs.first, jobs.stop - 1 AS last, {STATE} AS state, jobs.attempt AS attempts, jobs.worker,
       {time("jobs.started")} AS started, {time("jobs.finished")} AS finished, jobs.trouble, jobs.winnable,
       jobs.unwinnable, jobs.scored, jobs.undecided, jobs.failed, jobs.value_sum, jobs.nodes
FROM jobs"""
    )
    op.execute(
        f"""CREATE VIEW sources_view AS
SELECT sources.id AS source, sources.game, sources.name, sources.deals, sources.accepted AS layouts,
       sources.duplicates, sources.rejected, sources.complete, {time("sources.created")} AS created
FROM sources"""
    )
    op.execute(
        """CREATE VIEW rejects_view AS
SELECT rejects.source_id AS source, sources.name AS source_name, rejects.line, rejects.text, rejects.reasons
FROM rejects
JOIN sources ON sources.id = rejects.source_id"""
    )


def downgrade() -> None:
    for view in ("results_view", "runs_view", "jobs_view", "sources_view", "rejects_view"):
        op.execute(f"DROP VIEW {view}")
    _comment(WITH_UNRETRACT, WHAT)


def _comment(old: str, new: str) -> None:
    """SQLite has no comments."""
    if op.get_context().dialect.name == "postgresql":
        op.alter_column("actions", "what", existing_comment=old, existing_nullable=False, comment=new)
