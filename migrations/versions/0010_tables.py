"""Create the tables and views of Dealmill 0.1.0, the first release. A store cannot be downgraded any further, and
older ones have to be upgraded by that release (docs/decisions/0046-migrations-from-the-first-release.md)."""

# ruff: noqa: S608 -- all SQL is made of constants

from typing import Any

from alembic import op
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

revision = "0010"
down_revision = None

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

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def upgrade() -> None:
    metadata.create_all(op.get_bind(), checkfirst=False)
    _create_views()


def _create_views() -> None:
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


def _owner(column: str, of: str) -> ForeignKeyConstraint:
    """Return the foreign key of a table with one row per layout, on SQLite only."""
    return ForeignKeyConstraint([column], [of]).ddl_if(dialect="sqlite")


def _lease() -> tuple[Column[Any], ...]:
    """Return the columns that both kinds of jobs have: a range, a state, and the lease."""
    return (
        Column("first", BigInteger, nullable=False, comment="position of its first item"),
        Column("stop", BigInteger, nullable=False, comment="position after its last item"),
        Column("state", SmallInteger, nullable=False, comment="1 pending, 2 leased, 3 done"),
        Column("attempt", Integer, nullable=False, comment="number of claims; fences off late workers"),
        Column("worker", Text),
        Column("leased_until", Float),
        Column("started", Float),
        Column("finished", Float),
        Column("trouble", Text, comment="why its last attempt failed"),
    )


Table(
    "sources",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, comment="SHA-256 of the text, or of the range and its generator"),
    Column("generator", Text, comment="name and version of the generator of numbered deals"),
    Column(
        "deals",
        JSON,
        comment="numbered deals: seed, parameters, first and last; last is null for an endless range",
    ),
    Column("accepted", BigInteger, nullable=False),
    Column(
        "duplicates",
        BigInteger,
        nullable=False,
        comment="accepted layouts that occur earlier in the source",
    ),
    Column("rejected", BigInteger, nullable=False),
    Column("complete", Boolean, nullable=False, comment="read to the end"),
    Column("created", Float, nullable=False, comment="seconds since 1970, by the clock of the database"),
    Column("seal", LargeBinary, nullable=False, comment="see pipeline.seals"),
    UniqueConstraint("game", "digest"),
)

Table(
    "items",
    metadata,
    Column("source_id", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False, comment="from 1, without gaps"),
    Column("line", BigInteger, nullable=False, comment="line in the file, or number of the deal"),
    Column("digest", LargeBinary, nullable=False, comment="BLAKE2b-128 of game, line feed, layout"),
    Column("layout", Text, nullable=False, comment="canonical text, one line"),
    _owner("source_id", "sources.id"),
    sqlite_with_rowid=False,
)

Table(
    "rejects",
    metadata,
    Column("source_id", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="from 1, without gaps"),
    Column("line", BigInteger, nullable=False),
    Column("text", Text, nullable=False, comment="the first 200 characters as found"),
    Column("reasons", Text, nullable=False, comment="one per line"),
    _owner("source_id", "sources.id"),
    sqlite_with_rowid=False,
)

Table(
    "source_blocks",
    metadata,
    Column("source_id", ForeignKey("sources.id"), primary_key=True),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False, comment="1 items, 2 rejects"),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="from 0; a thousand rows each"),
    Column("digest", LargeBinary, nullable=False, comment="see pipeline.seals"),
    sqlite_with_rowid=False,
)

Table(
    "index_segments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bits", SmallInteger, nullable=False, comment="first bits of a digest that number its block"),
    Column("entries", BigInteger, nullable=False, comment="in all its blocks"),
)

Table(
    "index_blocks",
    metadata,
    Column("segment_id", ForeignKey("index_segments.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False, comment="from 0"),
    Column("entries", LargeBinary, nullable=False, comment="see pipeline.store.sources.index.writing"),
    Column("digest", LargeBinary, nullable=False, comment="see pipeline.seals"),
)

Table(
    "index_stretches",
    metadata,
    Column("first", BigInteger, primary_key=True, autoincrement=False, comment="number of its first item"),
    Column("size", BigInteger, nullable=False, comment="number of items"),
    Column("source_id", ForeignKey("sources.id"), nullable=False),
    Column("position", BigInteger, nullable=False, comment="of its first item"),
)

Table(
    "unindexed",
    metadata,
    Column("source_id", ForeignKey("sources.id"), primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False, comment="of the first item that is not indexed"),
)

Table(
    "engines",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, comment="game/engine"),
    Column("version", Text, nullable=False),
    Column("retracted", Float, comment="when all its verdicts were retracted"),
    Column("retracted_why", Text),
    UniqueConstraint("name", "version"),
)

Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", ForeignKey("sources.id"), nullable=False),
    Column("engine_id", ForeignKey("engines.id"), nullable=False),
    Column("node_limit", BigInteger, nullable=False),
    Column("storage", SmallInteger, nullable=False, comment="1 rows, 2 packed"),
    Column(
        "repetition", Integer, nullable=False, comment="0 for the first run of this source, engine, limit and storage"
    ),
    Column("repeats", ForeignKey("runs.id"), comment="the run that this is a rerun of"),
    Column("created", Float, nullable=False),
    Column("seal", LargeBinary, nullable=False, comment="see pipeline.seals"),
    UniqueConstraint("source_id", "engine_id", "node_limit", "storage", "repetition"),
)

Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    *_lease(),
    Column("winnable", BigInteger, nullable=False),
    Column("unwinnable", BigInteger, nullable=False),
    Column("scored", BigInteger, nullable=False),
    Column("undecided", BigInteger, nullable=False),
    Column("failed", BigInteger, nullable=False),
    Column("value_sum", BigInteger, nullable=False, comment="sum over scored layouts"),
    Column("nodes", BigInteger, nullable=False),
    UniqueConstraint("run_id", "first"),
    Index(None, "state", "id"),
)

Table(
    "verdicts",
    metadata,
    Column("run_id", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("verdict", SmallInteger, nullable=False, comment="see pipeline.games.verdict"),
    Column("value", BigInteger),
    Column("nodes", BigInteger, nullable=False),
    Column("evidence", Text, comment="trace or certificate; the error if failed; NULL if undecided"),
    _owner("run_id", "runs.id"),
    Index(None, "run_id", "verdict", "position"),
    sqlite_with_rowid=False,
)

Table(
    "packs",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("first", BigInteger, primary_key=True, autoincrement=False, comment="position of its first item"),
    Column("stop", BigInteger, nullable=False, comment="position after its last item"),
    Column("verdicts", LargeBinary, nullable=False, comment="see pipeline.store.record.packed.bitmap"),
    Column("moments", LargeBinary, nullable=False, comment="per block: sum of values, sum of squares"),
    Column("least", BigInteger, comment="value"),
    Column("greatest", BigInteger, comment="value"),
    sqlite_with_rowid=False,
)

Table(
    "blocks",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="from 0; see pipeline.fingerprint"),
    Column("digest", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

Table(
    "audits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    Column("population", BigInteger, nullable=False, comment="items of the run when the audit was planned"),
    Column("size", BigInteger, nullable=False, comment="verdicts to judge; fewer than population for a sample"),
    Column("seed", BigInteger, nullable=False, comment="seed of the sample"),
    Column("created", Float, nullable=False),
    Column("seal", LargeBinary, nullable=False, comment="see pipeline.seals"),
    Index(None, "run_id"),
)

Table(
    "audit_jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("audit_id", ForeignKey("audits.id"), nullable=False),
    *_lease(),
    Column("valid", BigInteger, nullable=False),
    Column("invalid", BigInteger, nullable=False),
    Column("no_evidence", BigInteger, nullable=False),
    Column("faults", BigInteger, nullable=False),
    Column("digest", LargeBinary, comment="digest of its findings, once done; see pipeline.seals"),
    UniqueConstraint("audit_id", "first"),
    Index(None, "state", "id"),
)

Table(
    "judgements",
    metadata,
    Column("run_id", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("audit_id", Integer, primary_key=True, autoincrement=False),
    Column("outcome", SmallInteger, nullable=False, comment="1 valid, 2 invalid, 3 no evidence"),
    Column("step", Integer, comment="the invalid step of the evidence"),
    Column("reason", Text),
    _owner("run_id", "runs.id"),
    _owner("audit_id", "audits.id"),
    Index(
        "ix_judgements_objections",
        "run_id",
        "outcome",
        "position",
        sqlite_where=text("outcome <> 1"),
        postgresql_where=text("outcome <> 1"),
    ),
    sqlite_with_rowid=False,
)

Table(
    "faults",
    metadata,
    Column("audit_id", ForeignKey("audits.id"), primary_key=True),
    Column("job", BigInteger, primary_key=True, autoincrement=False, comment="first position of the job that found it"),
    Column("number", Integer, primary_key=True, autoincrement=False, comment="from 1, within the job"),
    Column("first", BigInteger, nullable=False, comment="position of the first item it concerns"),
    Column("last", BigInteger, nullable=False, comment="position of the last one"),
    Column("reason", Text, nullable=False),
    Index(None, "audit_id", "first"),
    sqlite_with_rowid=False,
)

Table(
    "actions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False, comment="seconds since 1970, by the clock of the database"),
    Column("who", Text, nullable=False, comment="user@host"),
    Column("what", Text, nullable=False, comment="run, rerun, audit, retract or unretract"),
    Column("run_id", ForeignKey("runs.id")),
    Column("audit_id", ForeignKey("audits.id")),
    Column("engine_id", ForeignKey("engines.id"), nullable=False),
    Column("why", Text),
    Column("dealmill", Text, nullable=False, comment="version of Dealmill"),
    Column("digest", LargeBinary, nullable=False, comment="covers this entry and all earlier ones; see pipeline.seals"),
)
