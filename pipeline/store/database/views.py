"""The views of a database, for people who open it with other programs. Dealmill itself does not read them.

A migration that changes a table has to drop them first and to create them at its end; the first one,
`migrations/versions/0010_tables.py`, created them.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.record import RESULT, RecordField
from dealmill.pipeline.store.database.tables import DONE, LEASED, PENDING, Control, NodeLimit, Storage

# ruff: noqa: S608 -- all SQL is made of constants


TIMES = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')",
    "postgresql": "to_char(to_timestamp({}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
}
"""The SQL for a time in seconds since 1970 as ISO 8601 in UTC."""


def views(dialect: str) -> dict[str, str]:
    """Return the query behind each view, by the name of the view."""

    def time(column: str, name: str) -> str:
        return f"{TIMES[dialect].format(column)} AS {name}"

    storage = _words("runs.storage", {code: code.word for code in Storage})
    control = _words("runs.control", {code: code.word for code in Control if code is not Control.DELETED})
    state = _words("jobs.state", {PENDING: "pending", LEASED: "leased", DONE: "done"})
    return {
        "results_view": f"""
SELECT verdicts.run_id AS run, {", ".join(map(_column_of_result, RESULT))},
       engines.name AS engine, engines.version, sources.id AS source,
       sources.name AS source_name, engines.retracted IS NOT NULL AS retracted
FROM verdicts
JOIN runs ON runs.id = verdicts.run_id
JOIN engines ON engines.id = runs.engine_id
JOIN sources ON sources.id = runs.source_id
JOIN items ON items.source_id = runs.source_id AND items.position = verdicts.position""",
        "runs_view": f"""
SELECT runs.id AS run, sources.game, engines.name AS engine, engines.version, sources.id AS source,
       sources.name AS source_name, NULLIF(runs.node_limit, {NodeLimit.NONE}) AS max_nodes, {storage} AS storage,
       runs.repeats, {control} AS control,
       runs.priority, runs.tags, runs.note, {time("runs.created", "created")}, {time("engines.retracted", "retracted")},
       engines.retracted_why
FROM runs
JOIN engines ON engines.id = runs.engine_id
JOIN sources ON sources.id = runs.source_id
WHERE runs.control <> {int(Control.DELETED)}""",
        "jobs_view": f"""
SELECT jobs.run_id AS run, jobs.first, jobs.stop - 1 AS last, {state} AS state, jobs.attempt AS attempts, jobs.worker,
       {time("jobs.started", "started")}, {time("jobs.finished", "finished")}, jobs.trouble, jobs.winnable,
       jobs.unwinnable, jobs.scored, jobs.undecided, jobs.failed, jobs.value_sum, jobs.nodes,
       jobs.least_value, jobs.greatest_value, jobs.value_counts, jobs.least_nodes, jobs.greatest_nodes, jobs.node_counts
FROM jobs""",
        "sources_view": f"""
SELECT sources.id AS source, sources.game, sources.name, sources.deals, sources.accepted AS layouts,
       sources.duplicates, sources.rejected, sources.complete, {time("sources.created", "created")}
FROM sources""",
        "rejects_view": """
SELECT rejects.source_id AS source, sources.name AS source_name, rejects.line, rejects.text, rejects.reasons
FROM rejects
JOIN sources ON sources.id = rejects.source_id""",
    }


def _column_of_result(field: RecordField) -> str:
    """Return the SQL for a field of results, which is a column of items or of verdicts."""
    if field.name == "verdict":
        return f"{_words('verdicts.verdict', {code: code.word for code in Verdict})} AS verdict"
    return f"items.{field.name}" if field.name in {"line", "layout"} else f"verdicts.{field.name}"


def create_views(connection: Connection) -> None:
    """Create the views in a database that has the tables of this code."""
    for name, query in views(connection.dialect.name).items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {query.strip()}")


def _words(column: str, codes: Mapping[Any, str]) -> str:
    """The SQL for the word of a code."""
    cases = (f"WHEN {int(code)} THEN '{word}'" for code, word in codes.items())
    return f"CASE {column} {' '.join(cases)} END"
