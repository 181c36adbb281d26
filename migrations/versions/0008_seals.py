"""Add digests of plans, sources, audit findings and the action log, so that an audit detects any change
(docs/decisions/0028-the-audit-covers-the-whole-record.md). The digests of existing rows are computed here."""

import json
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from blake3 import blake3

revision = "0008"
down_revision = "0007"

BLOCK = 1_000
DONE = 3
NO_LIMIT = 2**62
GREATEST = 2**63 - 1
SEE = "see pipeline.seals"
SEALED = ("sources", "runs", "audits")
RowNumber = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for table in SEALED:
        _add(table, sa.Column("seal", sa.LargeBinary, comment=SEE))
    _add(
        "actions",
        sa.Column("digest", sa.LargeBinary, comment="covers this entry and all earlier ones; see pipeline.seals"),
    )
    _add("audit_jobs", sa.Column("digest", sa.LargeBinary, comment="digest of its findings, once done; " + SEE))
    _give_faults_to_jobs()
    _create_source_blocks()
    _seal_sources()
    _seal_runs()
    _seal_audits()
    _seal_findings()
    _chain_actions()
    for table, column in (*((table, "seal") for table in SEALED), ("actions", "digest")):
        with op.batch_alter_table(table) as altered:
            altered.alter_column(column, existing_type=sa.LargeBinary, nullable=False)


def downgrade() -> None:
    op.drop_table("source_blocks")
    for table in SEALED:
        with op.batch_alter_table(table) as altered:
            altered.drop_column("seal")
    for table in ("actions", "audit_jobs"):
        with op.batch_alter_table(table) as altered:
            altered.drop_column("digest")
    _number_faults()
    if op.get_context().dialect.name == "postgresql":  # ids of log entries were assigned without the sequence
        op.execute(
            "SELECT setval(pg_get_serial_sequence('actions', 'id'), coalesce(max(id), 0) + 1, false) FROM actions"
        )


def _add(table: str, column: "sa.Column[Any]") -> None:
    with op.batch_alter_table(table) as altered:
        altered.add_column(column)


def _create_source_blocks() -> None:
    op.create_table(
        "source_blocks",
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.SmallInteger, nullable=False, autoincrement=False, comment="1 items, 2 rejects"),
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False, comment="from 0; a thousand rows each"),
        sa.Column("digest", sa.LargeBinary, nullable=False, comment=SEE),
        sa.PrimaryKeyConstraint("source_id", "kind", "number", name="pk_source_blocks"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_source_blocks_source_id_sources"),
        sqlite_with_rowid=False,
    )


def _give_faults_to_jobs() -> None:
    """Assign each fault to the job that covers its first item, or to the first job if there is none."""
    op.execute("CREATE TABLE faults_before AS SELECT * FROM faults")
    op.drop_table("faults")
    op.create_table(
        "faults",
        sa.Column("audit_id", sa.Integer, nullable=False),
        sa.Column(
            "job", sa.BigInteger, nullable=False, autoincrement=False, comment="first position of the job that found it"
        ),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False, comment="from 1, within the job"),
        *_places_of_faults(),
        sa.PrimaryKeyConstraint("audit_id", "job", "number", name="pk_faults"),
        sa.ForeignKeyConstraint(["audit_id"], ["audits.id"], name="fk_faults_audit_id_audits"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_faults_audit_id_first", "faults", ["audit_id", "first"])
    jobs = (
        "FROM audit_jobs JOIN audits ON audits.id = audit_jobs.audit_id"
        f" WHERE audit_jobs.audit_id = f.audit_id AND state = {DONE}"
    )
    start, stop = (f"1 + (audit_jobs.{end} - 1) * population / size" for end in ("first", "stop"))
    its = f"SELECT max(audit_jobs.first) {jobs} AND size > 0 AND {start} <= f.first AND f.first < {stop}"
    job = f"coalesce(({its}), (SELECT min(audit_jobs.first) {jobs}), 1)"
    op.execute(
        "INSERT INTO faults (audit_id, job, number, first, last, reason)"  # noqa: S608
        " SELECT audit_id, job, row_number() OVER (PARTITION BY audit_id, job ORDER BY id), first, last, reason"
        f" FROM (SELECT f.*, {job} AS job FROM faults_before f) AS found"
    )
    op.drop_table("faults_before")


def _number_faults() -> None:
    op.execute("CREATE TABLE faults_before AS SELECT * FROM faults")
    op.drop_table("faults")
    op.create_table(
        "faults",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("audit_id", sa.Integer, nullable=False),
        *_places_of_faults(),
        sa.PrimaryKeyConstraint("id", name="pk_faults"),
        sa.ForeignKeyConstraint(["audit_id"], ["audits.id"], name="fk_faults_audit_id_audits"),
    )
    op.create_index("ix_faults_audit_id_first", "faults", ["audit_id", "first"])
    op.execute(
        "INSERT INTO faults (audit_id, first, last, reason)"
        " SELECT audit_id, first, last, reason FROM faults_before ORDER BY audit_id, job, number"
    )
    op.drop_table("faults_before")


def _places_of_faults() -> "tuple[sa.Column[Any], ...]":
    return (
        sa.Column("first", sa.BigInteger, nullable=False, comment="position of the first item it concerns"),
        sa.Column("last", sa.BigInteger, nullable=False, comment="position of the last one"),
        sa.Column("reason", sa.Text, nullable=False),
    )


def _seal_sources() -> None:
    rows = _rows(
        "SELECT id, game, name, digest, generator, deals, accepted, duplicates, rejected, complete FROM sources"
    )
    for row in rows:
        number, deals, accepted, rejected, complete = row[0], row[5], row[6], row[8], row[9]
        told = [*row[:5], json.loads(deals) if isinstance(deals, str) else deals, *row[6:]]
        _record("sources", "seal", number, _seal("source", *told))
        for kind, table, place, columns, count in (
            (1, "items", "position", "position, line, digest", accepted),
            (2, "rejects", "number", "number, line, text, reasons", rejected),
        ):
            for block in range(-(-count // BLOCK) if complete else count // BLOCK):
                found = _rows(
                    f"SELECT {columns} FROM {table} WHERE source_id = :source"  # noqa: S608
                    f" AND {place} > :before AND {place} <= :last ORDER BY {place}",
                    source=number,
                    before=block * BLOCK,
                    last=min((block + 1) * BLOCK, count),
                )
                if not found:  # the remaining rows are missing
                    break
                places, lines, *texts = zip(*found, strict=True)
                write = _digests if table == "items" else _texts
                digest = _columns(table, _numbers(places), _numbers(lines), *map(write, texts))
                op.get_bind().execute(
                    sa.text("INSERT INTO source_blocks VALUES (:source, :kind, :number, :digest)"),
                    {"source": number, "kind": kind, "number": block, "digest": digest},
                )


def _seal_runs() -> None:
    rows = _rows(
        "SELECT runs.id, source_id, game, digest, engines.name, version, node_limit, storage, repetition, repeats"
        " FROM runs JOIN sources ON sources.id = source_id JOIN engines ON engines.id = engine_id"
    )
    for row in rows:
        told = [*row[:6], None if row[6] == NO_LIMIT else row[6], *row[7:]]
        _record("runs", "seal", row[0], _seal("run", *told))


def _seal_audits() -> None:
    rows = _rows(
        "SELECT audits.id, seal_of_run, population, size, seed"
        " FROM audits JOIN (SELECT id AS run, seal AS seal_of_run FROM runs) AS planned ON run = run_id"
    )
    for row in rows:
        _record("audits", "seal", row[0], _seal("audit", *row))


def _seal_findings() -> None:
    jobs = _rows(
        "SELECT audit_jobs.id, audit_id, first, stop, valid, invalid, no_evidence, faults, run_id,"  # noqa: S608
        " population, size"
        f" FROM audit_jobs JOIN audits ON audits.id = audit_id WHERE state = {DONE}"
    )
    for number, audit, first, stop, *totals, run, population, size in jobs:
        start, end = (1 + (place - 1) * population // max(size, 1) for place in (first, stop))
        judged = _rows(
            "SELECT position, outcome, step, reason FROM judgements WHERE run_id = :run AND audit_id = :audit"
            " AND position >= :start AND position < :end ORDER BY position",
            run=run,
            audit=audit,
            start=-GREATEST if first <= 1 else start,
            end=GREATEST if stop > size else end,
        )
        objected = _rows(
            "SELECT number, first, last, reason FROM faults WHERE audit_id = :audit AND job = :job ORDER BY number",
            audit=audit,
            job=first,
        )
        places, outcomes, steps, reasons = zip(*judged, strict=True) if judged else ((), (), (), ())
        order, firsts, lasts, whys = zip(*objected, strict=True) if objected else ((), (), (), ())
        digest = _columns(
            "audit job",
            _values((audit, first, stop, *totals)),
            *(_numbers(places), _numbers(outcomes), _values(steps), _texts(reasons)),
            *(_numbers(order), _numbers(firsts), _numbers(lasts), _texts(whys)),
        )
        _record("audit_jobs", "digest", number, digest)


def _chain_actions() -> None:
    """Compute the digests of the action log. Runs older than the log get an entry first, so that every run has one."""
    op.execute(
        "INSERT INTO actions (id, at, who, what, run_id, engine_id, why, dealmill)"
        " SELECT (SELECT coalesce(max(id), 0) FROM actions) + row_number() OVER (ORDER BY runs.id), created,"
        " 'unknown', CASE WHEN repeats IS NULL THEN 'run' ELSE 'rerun' END, runs.id, engine_id,"
        " 'before there was a log', 'unknown'"
        " FROM runs WHERE NOT EXISTS (SELECT 1 FROM actions WHERE run_id = runs.id AND what IN ('run', 'rerun'))"
    )
    rows = _rows(
        "SELECT actions.id, who, what, run_id, audit_id, name, version, why, dealmill"
        " FROM actions JOIN engines ON engines.id = engine_id ORDER BY actions.id"
    )
    digest = None
    for row in rows:
        digest = _seal("action", digest, *row)
        _record("actions", "digest", row[0], digest)


def _rows(query: str, **values: object) -> Sequence[Any]:
    return op.get_bind().execute(sa.text(query), values).all()


def _record(table: str, column: str, number: int, digest: bytes) -> None:
    update = sa.text(f"UPDATE {table} SET {column} = :digest WHERE id = :number")  # noqa: S608
    op.get_bind().execute(update, {"digest": digest, "number": number})


def _seal(tag: str, *fields: object) -> bytes:
    return _columns(tag, _values(fields))


def _columns(tag: str, *columns: bytes) -> bytes:
    return blake3(b"".join(_with_length(column) for column in (tag.encode(), *columns))).digest()


def _with_length(written: bytes) -> bytes:
    return struct.pack("<q", len(written)) + written


def _numbers(column: Sequence[Any]) -> bytes:
    try:
        return struct.pack(f"<c{len(column)}q", b"q", *column)
    except struct.error:
        return _values(column)


def _texts(column: Sequence[Any]) -> bytes:
    if any(not isinstance(text, str | None) for text in column):
        return _values(column)
    written = [None if text is None else _utf8(text) for text in column]
    lengths = [-1 if text is None else len(text) for text in written]
    return struct.pack(f"<c{len(written)}i", b"t", *lengths) + b"".join(filter(None, written))


def _digests(column: Sequence[Any]) -> bytes:
    if any(not isinstance(digest, bytes) for digest in column):
        return _values(column)
    return struct.pack(f"<c{len(column)}i", b"b", *map(len, column)) + b"".join(column)


def _values(column: Iterable[object]) -> bytes:
    return b"*" + b"".join(_with_length(_typed(value)) for value in column)


def _typed(value: object) -> bytes:
    if value is None:
        return b"-"
    if isinstance(value, int):
        return b"i%d" % value
    if isinstance(value, str):
        return b"t" + _utf8(value)
    if isinstance(value, bytes):
        return b"b" + value
    if isinstance(value, dict | list):
        return b"j" + json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr).encode()
    return b"f" + repr(value).encode()


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
