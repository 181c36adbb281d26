"""The tables. `migrations/` builds the same ones step by step; a test holds the two against each other.

sources ─┬─ items ── layouts        the ordered layouts of a file or a range of numbered deals
         ├─ rejects                 what was no layout, with every reason
         └─ runs ─┬─ engines        one engine with its limit over one source
                  ├─ jobs           a range of positions: what a worker claims
                  └─ verdicts       one per item: what the engine said, with its evidence
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

REVISION = "0001"
"""The migration these tables belong to."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

RowNumber = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself only in a column declared INTEGER."""

sources = Table(
    "sources",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, comment="SHA-256 of the text, or of the range and its generator"),
    Column("generator", Text, comment="of numbered deals: name and version"),
    Column("accepted", BigInteger, nullable=False),
    Column("duplicates", BigInteger, nullable=False, comment="accepted, but the store already held the layout"),
    Column("rejected", BigInteger, nullable=False),
    Column("complete", Boolean, nullable=False, comment="read to the end"),
    Column("created", Float, nullable=False, comment="seconds since 1970, by the clock of the database"),
    UniqueConstraint("game", "digest"),
)

layouts = Table(
    "layouts",
    metadata,
    Column("id", RowNumber, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, nullable=False, unique=True, comment="BLAKE2b-128 of game, line feed, text"),
    Column("text", Text, nullable=False, comment="canonical, one line"),
)

items = Table(
    "items",
    metadata,
    Column("source_id", ForeignKey("sources.id"), primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False, comment="from 1, without gaps"),
    Column("layout_id", RowNumber, ForeignKey("layouts.id"), nullable=False),
    Column("line", BigInteger, nullable=False, comment="of the file; of a range, the number of the deal"),
    sqlite_with_rowid=False,
)

rejects = Table(
    "rejects",
    metadata,
    Column("source_id", ForeignKey("sources.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="from 1, without gaps"),
    Column("line", BigInteger, nullable=False),
    Column("text", Text, nullable=False, comment="as found, its first 200 characters"),
    Column("reasons", Text, nullable=False, comment="one a line"),
    sqlite_with_rowid=False,
)

engines = Table(
    "engines",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, comment="game/engine"),
    Column("version", Text, nullable=False),
    UniqueConstraint("name", "version"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", ForeignKey("sources.id"), nullable=False),
    Column("engine_id", ForeignKey("engines.id"), nullable=False),
    Column("node_limit", BigInteger, nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("source_id", "engine_id", "node_limit"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    Column("first", BigInteger, nullable=False, comment="position of its first item"),
    Column("stop", BigInteger, nullable=False, comment="position behind its last item"),
    Column("state", SmallInteger, nullable=False, comment="1 pending, 2 leased, 3 done"),
    Column("attempt", Integer, nullable=False, comment="counts the claims; the fence of a late worker"),
    Column("worker", Text),
    Column("leased_until", Float),
    Column("started", Float),
    Column("finished", Float),
    Column("winnable", BigInteger, nullable=False),
    Column("unwinnable", BigInteger, nullable=False),
    Column("scored", BigInteger, nullable=False),
    Column("undecided", BigInteger, nullable=False),
    Column("failed", BigInteger, nullable=False),
    Column("value_sum", BigInteger, nullable=False, comment="of the scored"),
    Column("nodes", BigInteger, nullable=False),
    UniqueConstraint("run_id", "first"),
    Index(None, "state", "id"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("verdict", SmallInteger, nullable=False, comment="see pipeline.games.contract.Verdict"),
    Column("value", BigInteger),
    Column("nodes", BigInteger, nullable=False),
    Column("evidence", Text, comment="trace or certificate; the error of a failed one; none where undecided"),
    Index(None, "run_id", "verdict", "position"),
    sqlite_with_rowid=False,
)
