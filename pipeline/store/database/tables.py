"""Table definitions. The migrations in `migrations/` create the same tables step by step; a test compares the two.

sources ─┬─ items                   the ordered layouts of a file or a range of numbered deals
         ├─ rejects                 the entries that are not valid layouts, with all reasons
         ├─ source_blocks           a digest of every thousand items
         └─ runs ─┬─ engines        one engine with its limit over one source
                  ├─ jobs           a range of positions, claimed by a worker
                  ├─ verdicts       one per item: the engine's verdict with its evidence
                  ├─ blocks         a digest of every thousand verdicts; the run's fingerprint is computed from them;
                  │                 for a compact run, in place of verdicts, their numbers and sums
                  └─ audits ─┬─ audit_jobs   a range of the audited verdicts, claimed by a worker
                             ├─ judgements   one per audited verdict: the referee's judgement
                             └─ faults       other faults of the record
actions                             who did what, when and why

Not part of the record (`farm`):

store                               the identity of the store, one row
workers                             the worker processes that reported lately
incidents                           outages, deaths of workers and retries of jobs

The columns `seal` and `digest` cover the other columns of their rows or blocks (see `pipeline/evidence/digests.py`), so
that an audit detects changes. An audit checks every column; of those listed in `pipeline/store/audits/invariants.py`,
only the types.

PostgreSQL stores the comments of columns, so they name nothing that changes without a migration, such as modules.

SQLite stores any value in any column, and anyone with write access to a database can store values that Dealmill never
writes. The table definitions say what is valid: the type of a column, whether it may be NULL, and its codes.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Dialect,
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
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
from sqlalchemy.sql.compiler import DDLCompiler

from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games.verdict import Code, Verdict

REVISION = "0024"
"""The revision of these tables, that is, the newest migration."""

NAMES_OF_CONSTRAINTS = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMES_OF_CONSTRAINTS)
"""The record: what is copied with a store and checked by audits."""
farm = MetaData(naming_convention=NAMES_OF_CONSTRAINTS)
"""Tables about the operation of a store, which are not part of its record."""

CODES = "codes"
"""The key in the `info` of a column for the codes that it may hold."""
MAX_CHARACTERS = "most characters"
"""The key in the `info` of a column of texts for the length that they may have."""
LONGEST_NAME = {MAX_CHARACTERS: 1_000}
WHERE = "where"
"""The key in the `info` of an index for the condition on the rows that it has. The arguments that SQLAlchemy has for it
load both dialects in every process."""


@compiles(CreateIndex)  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _create_index(create: CreateIndex, compiler: DDLCompiler, **options: Any) -> str:
    where = create.element.info.get(WHERE)
    statement: str = compiler.visit_create_index(create, **options)  # type: ignore[no-untyped-call,unused-ignore]
    return f"{statement} WHERE {where}" if where else statement


class JsonNumbers(TypeDecorator[Any]):
    """A JSON object of numbers by name. A stored value that is not JSON is returned unchanged, so that
    `dealmill.pipeline.store.database.row_checks` can report it."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    @property
    def python_type(self) -> type[Any]:
        """The type of a valid value."""
        return dict

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Return the function that decodes a stored value."""
        read = super().result_processor(dialect, coltype)

        def process(value: Any) -> Any:
            try:
                return value if read is None else read(value)
            except (RecursionError, TypeError, ValueError):
                return value

        return process


class NodeLimit(TypeDecorator[int]):
    """The node limit of a run; None means no limit. None is stored as a number, because the column is part of a unique
    key, in which NULLs would not be equal."""

    impl = BigInteger
    cache_ok = True

    NONE = 2**62

    @property
    def python_type(self) -> type[Any]:
        """The type of a valid value that is not None."""
        return int

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int:
        """Return the number to store for a limit."""
        return self.NONE if value is None else value

    def process_result_value(self, value: int | None, dialect: Dialect) -> int | None:
        """Return the limit for a stored number."""
        return None if value == self.NONE else value


def _owner(column: str, reference: str) -> ForeignKeyConstraint:
    """Return the foreign key of a table with one row per layout, on SQLite only. Its rows are written only in the
    transaction that updates the row they refer to, and PostgreSQL would look that row up for each of them
    (docs/decisions/0022-no-lookups.md)."""
    return ForeignKeyConstraint([column], [reference]).ddl_if(dialect="sqlite")


rules = Table(
    "rules",
    metadata,
    Column(
        "digest",
        Text,
        primary_key=True,
        comment="of the text, apart from the title; part of versions",
        info=LONGEST_NAME,
    ),
    Column("family", Text, nullable=False, comment="the family of games that loads the text", info=LONGEST_NAME),
    Column("text", Text, nullable=False, comment="canonical text, in TOML", info={MAX_CHARACTERS: 65_536}),
    sqlite_with_rowid=False,
)

sources = Table(
    "sources",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Text, nullable=False, info=LONGEST_NAME),
    Column("name", Text, nullable=False, info={MAX_CHARACTERS: 50_000}),
    Column(
        "digest",
        LargeBinary,
        nullable=False,
        comment="SHA-256 of the text, then the digest of the rules; or SHA-256 of the range and its generator",
    ),
    Column("generator", Text, comment="name and version of the generator of numbered deals", info=LONGEST_NAME),
    Column(
        "deals",
        JsonNumbers,
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
    Column("seal", LargeBinary, nullable=False, comment="digest of the row, without its times"),
    Column("advanced", Float, comment="when entries of it were last stored"),
    Column("rules", Text, comment="digest of the rules of the game, if they are a file", info=LONGEST_NAME),
    ForeignKeyConstraint(["rules"], ["rules.digest"]).ddl_if(dialect="postgresql"),  # SQLite cannot add one to a table
    UniqueConstraint("game", "digest"),
)

items = Table(
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

rejects = Table(
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

source_blocks = Table(
    "source_blocks",
    metadata,
    Column("source_id", ForeignKey("sources.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="from 0; a thousand items each"),
    Column("digest", LargeBinary, nullable=False, comment="of the positions, lines and digests of the items"),
    sqlite_with_rowid=False,
)

engines = Table(
    "engines",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, comment="game/engine", info=LONGEST_NAME),
    Column("version", Text, nullable=False, info=LONGEST_NAME),
    Column("retracted", Float, comment="when all its verdicts were retracted"),
    Column("retracted_why", Text),
    Column(
        "checked_as", Text, comment="of imported verdicts: the installed engine whose rules apply", info=LONGEST_NAME
    ),
    UniqueConstraint("name", "version"),
)


class Storage(Code):
    """The storage of a run's verdicts. The numbers are stored in the database: never reuse one."""

    ROWS = 1
    """One row per verdict."""
    COMPACT = 2
    """Numbers, sums and a digest per block of verdicts. Only for runs over numbered deals."""
    PACKED = 2
    """The name of `COMPACT` until version 0.3.0. It will be removed in 0.4.0."""

    @property
    def stores_layouts(self) -> bool:
        """Whether layouts and evidence are stored. Otherwise they are dealt and solved again on request."""
        return self is Storage.ROWS


class Control(Code):
    """What users have decided about a run. The numbers are stored in the database: never reuse one."""

    ACTIVE = 1
    """Workers do its jobs."""
    PAUSED = 2
    """No job is begun until the run is resumed."""
    CANCELLED = 3
    """The same, but nobody expects it to continue."""
    DELETED = 4
    """Only this row is left of it, so that its number is not used again."""


runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", ForeignKey("sources.id"), nullable=False),
    Column("engine_id", ForeignKey("engines.id"), nullable=False),
    Column("node_limit", NodeLimit, nullable=False),
    Column("storage", SmallInteger, nullable=False, comment="1 rows, 2 compact", info={CODES: Storage}),
    Column(
        "repetition", Integer, nullable=False, comment="0 for the first run of this source, engine, limit and storage"
    ),
    Column("repeats", ForeignKey("runs.id"), comment="the run that this is a rerun of"),
    Column("created", Float, nullable=False),
    Column("seal", LargeBinary, nullable=False, comment="digest of the plan"),
    Column(
        "control",
        SmallInteger,
        nullable=False,
        default=int(Control.ACTIVE),
        comment="1 active, 2 paused, 3 cancelled, 4 deleted",
        info={CODES: Control},
    ),
    Column("priority", Integer, nullable=False, default=0, comment="jobs of runs with a higher one are done first"),
    Column("tags", Text, comment="words in alphabetical order, with a space between them", info=LONGEST_NAME),
    Column("note", Text, info=LONGEST_NAME),
    Column("started", Float, comment="when its first job was claimed"),
    Column(
        "reading_seconds",
        Float,
        nullable=False,
        server_default="0",
        comment="how long its source was read before its first job was claimed",
    ),
    UniqueConstraint("source_id", "engine_id", "node_limit", "storage", "repetition"),
    Index(None, "priority"),
)
STORES_LAYOUTS = runs.c.storage == Storage.ROWS
"""The condition that the layouts of a run are stored; see `Storage.stores_layouts`."""


PENDING, LEASED, DONE = 1, 2, 3
"""The states of jobs."""
IS_PENDING = f"state = {PENDING}"
"""The condition of an index, which databases use only for queries with the same condition as text."""

SEEN = text("coalesce(finished, started)")
"""When a worker last finished or claimed a job."""


def _lease() -> tuple[Column[Any], ...]:
    """Return the columns that all kinds of jobs have: a range, a state, and the lease."""
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
        Column(
            "unstarted",
            Boolean,
            nullable=False,
            server_default=false(),
            comment="its last attempt does not count, because the engine did not start",
        ),
    )


jobs = Table(
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
    Column("unproved", BigInteger, nullable=False, server_default="0", comment="claims without evidence"),
    Column("value_sum", BigInteger, nullable=False, comment="sum over scored layouts"),
    Column("nodes", BigInteger, nullable=False),
    Column("least_value", BigInteger),
    Column("greatest_value", BigInteger),
    Column("value_counts", JsonNumbers, comment="scored layouts by start of the bar of their values"),
    Column("least_nodes", BigInteger),
    Column("greatest_nodes", BigInteger),
    Column("node_counts", JsonNumbers, comment="verdicts by start of the bar of their nodes"),
    Column("cpu_seconds", Float, comment="processor seconds that its engine took; NULL if that is not known"),
    Column("part", Text, comment="of a compact run: results of a part of a block, until the block is complete"),
    UniqueConstraint("run_id", "first"),
    Index(None, "state", "id"),
    Index("ix_jobs_seen", SEEN),
    Index("ix_jobs_pending", "run_id", "first", info={WHERE: IS_PENDING}),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("run_id", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column(
        "verdict",
        SmallInteger,
        nullable=False,
        comment="1 winnable, 2 unwinnable, 3 scored, 4 undecided, 5 failed",
        info={CODES: Verdict},
    ),
    Column("value", BigInteger),
    Column("nodes", BigInteger, nullable=False),
    Column("evidence", Text, comment="trace or certificate; the error if failed; NULL if undecided or claimed"),
    _owner("run_id", "runs.id"),
    Index(None, "run_id", "verdict", "position"),
    sqlite_with_rowid=False,
)

blocks = Table(
    "blocks",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="from 0; a thousand verdicts each"),
    Column("digest", LargeBinary, nullable=False),
    *(Column(verdict.word, SmallInteger, comment="of a compact run: verdicts of this kind") for verdict in Verdict),
    Column("value_sum", BigInteger, comment="of a compact run: sum over scored deals"),
    Column("square_sum", BigInteger, comment="of a compact run: sum of the squares of their values"),
    sqlite_with_rowid=False,
)

audits = Table(
    "audits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    Column("population", BigInteger, nullable=False, comment="items of the run when the audit was planned"),
    Column("size", BigInteger, nullable=False, comment="verdicts to judge; fewer than population for a sample"),
    Column("seed", BigInteger, nullable=False, comment="seed of the sample"),
    Column("created", Float, nullable=False),
    Column("seal", LargeBinary, nullable=False, comment="digest of the plan"),
    Index(None, "run_id"),
)

audit_jobs = Table(
    "audit_jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("audit_id", ForeignKey("audits.id"), nullable=False),
    *_lease(),
    Column("valid", BigInteger, nullable=False),
    Column("invalid", BigInteger, nullable=False),
    Column("no_evidence", BigInteger, nullable=False),
    Column("faults", BigInteger, nullable=False),
    UniqueConstraint("audit_id", "first"),
    Index(None, "state", "id"),
    Index("ix_audit_jobs_seen", SEEN),
)

JOB_TABLES = {"run": jobs, "audit": audit_jobs}
"""The tables of jobs, by what their jobs are parts of; their columns ``run_id`` and ``audit_id`` say of which."""

judgements = Table(
    "judgements",
    metadata,
    Column("run_id", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("audit_id", Integer, primary_key=True, autoincrement=False),
    Column("outcome", SmallInteger, nullable=False, comment="1 valid, 2 invalid, 3 no evidence", info={CODES: Outcome}),
    Column("step", Integer, comment="the invalid step of the evidence"),
    Column("reason", Text),
    _owner("run_id", "runs.id"),
    _owner("audit_id", "audits.id"),
    Index("ix_judgements_objections", "run_id", "outcome", "position", info={WHERE: "outcome <> 1"}),
    sqlite_with_rowid=False,
)

faults = Table(
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

actions = Table(
    "actions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False, comment="seconds since 1970, by the clock of the database"),
    Column("who", Text, nullable=False, comment="user@host"),
    Column("what", Text, nullable=False, comment="run, audit, retract, pause …"),
    Column("run_id", ForeignKey("runs.id")),
    Column("audit_id", ForeignKey("audits.id")),
    Column("engine_id", ForeignKey("engines.id"), nullable=False),
    Column("why", Text),
    Column("dealmill", Text, nullable=False, comment="version of Dealmill"),
    Index(None, "run_id"),
    Index(None, "audit_id"),
    Index(None, "engine_id", "what"),
)

store = Table(
    "store",
    farm,
    Column("identity", Text, primary_key=True, comment="random; a copy of the store has another one"),
)

workers = Table(
    "workers",
    farm,
    Column("name", Text, primary_key=True, comment="host:pid version, as in the rows of jobs"),
    Column("parent", Text, nullable=False, comment="the name of the process that reports for it"),
    Column("seen", Float, nullable=False, comment="when it last reported"),
    Column("lacks", Text, nullable=False, comment="versions of engines on record that it cannot use, in JSON"),
)

incidents = Table(
    "incidents",
    farm,
    Column("id", Integer, primary_key=True),
    Column("machine", Text, nullable=False),
    Column("kind", Text, nullable=False, comment="outage, death or retry"),
    Column("what", Text, nullable=False),
    Column("first", Float, nullable=False, comment="when it happened, or began"),
    Column("last", Float, nullable=False, comment="when it ended, or happened again"),
    Column("count", Integer, nullable=False, comment="how often it happened from then on"),
    Index(None, "last"),
)
