"""Drop the index of layouts, and the digests of rejects, node counts, findings and the action log
(docs/decisions/0068-fewer-digests.md). Describe columns without names of modules, which change."""

# ruff: noqa: S608 -- all SQL is made of constants

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from dealmill.pipeline.evidence.digests import columns_digest, numbers, seal, texts, values

revision = "0016"
down_revision = "0015"

COMMENTS = {
    "sources.seal": ("see pipeline.seals", "digest of the row, without its times"),
    "source_blocks.number": ("from 0; a thousand rows each", "from 0; a thousand items each"),
    "source_blocks.digest": ("see pipeline.seals", "of the positions, lines and digests of the items"),
    "runs.seal": ("see pipeline.seals", "digest of the plan"),
    "audits.seal": ("see pipeline.seals", "digest of the plan"),
    "jobs.value_counts": (
        "values by start of their bar; see pipeline.distribution",
        "scored layouts by start of the bar of their values",
    ),
    "verdicts.verdict": (
        "see pipeline.games.verdict",
        "1 winnable, 2 unwinnable, 3 scored, 4 undecided, 5 failed",
    ),
    "packs.verdicts": ("see pipeline.store.record.packed.bitmap", "one or two bits per item"),
    "blocks.number": ("from 0; see pipeline.fingerprint", "from 0; a thousand verdicts each"),
    "actions.what": ("run, audit, retract, pause …; see pipeline.store.log", "run, audit, retract, pause …"),
}
"""The comments of columns before this revision and since. Only PostgreSQL stores comments."""


ITEMS, REJECTS = 1, 2
DONE = 3
BLOCK = 1_000
FARTHEST = 2**63 - 1


def upgrade() -> None:
    for table in ("unindexed", "index_stretches", "index_blocks", "index_segments"):
        op.drop_table(table)
    for table, column in (("actions", "digest"), ("audit_jobs", "digest"), ("blocks", "node_digest")):
        op.drop_column(table, column)
    _replace_source_blocks((), f"SELECT source_id, number, digest FROM earlier_blocks WHERE kind <> {REJECTS}")
    _describe([(column, after) for column, (_, after) in COMMENTS.items()])


def downgrade() -> None:
    """Compute the digests from the rows, so that an audit by version 0.1.0 finds what it would have found. Those of
    node counts, which no release has, are left out."""
    kind = sa.Column("kind", sa.SmallInteger(), primary_key=True, autoincrement=False, comment="1 items, 2 rejects")
    _replace_source_blocks((kind,), f"SELECT source_id, {ITEMS}, number, digest FROM earlier_blocks")
    _add_reject_digests()
    op.add_column("blocks", sa.Column("node_digest", sa.LargeBinary(), comment="of runs stored as rows"))
    of_findings = "digest of its findings, once done; see pipeline.seals"
    op.add_column("audit_jobs", sa.Column("digest", sa.LargeBinary(), comment=of_findings))
    _set_digests("audit_jobs", _findings_digests())
    of_log = "covers this entry and all earlier ones; see pipeline.seals"
    op.add_column("actions", sa.Column("digest", sa.LargeBinary(), comment=of_log))
    _set_digests("actions", _log_digests())
    with op.batch_alter_table("actions") as actions:
        actions.alter_column("digest", nullable=False)
    _create_index()
    _describe([(column, before) for column, (before, _) in COMMENTS.items()])


def _replace_source_blocks(kind: tuple[sa.Column[Any], ...], copied: str) -> None:
    """Create the table `source_blocks` with or without the column `kind`, and copy the rows of the earlier one."""
    op.rename_table("source_blocks", "earlier_blocks")
    if op.get_context().dialect.name == "postgresql":
        op.execute("ALTER INDEX pk_source_blocks RENAME TO pk_earlier_blocks")
    op.create_table(
        "source_blocks",
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("sources.id"), primary_key=True),
        *kind,
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute(f"INSERT INTO source_blocks {copied}")
    op.drop_table("earlier_blocks")


def _add_reject_digests() -> None:
    connection = op.get_bind()
    listed = sa.text("SELECT number, line, text, reasons FROM rejects WHERE source_id = :source ORDER BY number")
    # The last block of a source has a digest only once the source is complete.
    for source, complete in connection.execute(sa.text("SELECT id, complete FROM sources")).all():
        for block, rows in enumerate(connection.execute(listed, {"source": source}).partitions(BLOCK)):
            if complete or len(rows) == BLOCK:
                places, lines, contents, reasons = zip(*rows, strict=True)
                digest = columns_digest("rejects", numbers(places), numbers(lines), texts(contents), texts(reasons))
                connection.execute(
                    sa.text("INSERT INTO source_blocks VALUES (:source, :kind, :number, :digest)"),
                    {"source": source, "kind": REJECTS, "number": block, "digest": digest},
                )


def _set_digests(table: str, digests: Iterator[tuple[int, bytes]]) -> None:
    rows = [{"id": number, "digest": digest} for number, digest in digests]
    if rows:
        op.get_bind().execute(sa.text(f"UPDATE {table} SET digest = :digest WHERE id = :id"), rows)


def _log_digests() -> Iterator[tuple[int, bytes]]:
    """Yield the digest of each entry of the log, which covers the digest of the entry before it."""
    entries = sa.text(
        "SELECT actions.id, who, what, run_id, audit_id, engines.name, engines.version, why, dealmill FROM actions"
        " LEFT JOIN engines ON engines.id = engine_id ORDER BY actions.id"
    )
    digest = None
    for entry in op.get_bind().execute(entries).all():
        digest = seal("action", digest, *entry)
        yield entry.id, digest


def _findings_digests() -> Iterator[tuple[int, bytes]]:
    """Yield the digest of the findings of each job of an audit that is done."""
    connection = op.get_bind()
    jobs = sa.text(
        "SELECT audit_jobs.id, run_id, population, size, audit_id, first, stop, valid, invalid, no_evidence, faults"
        " FROM audit_jobs JOIN audits ON audits.id = audit_id WHERE state = :done ORDER BY audit_jobs.id"
    )
    judged = sa.text(
        "SELECT position, outcome, step, reason FROM judgements WHERE run_id = :run AND audit_id = :audit"
        " AND position >= :start AND position < :stop ORDER BY position"
    )
    faults = sa.text(
        "SELECT number, first, last, reason FROM faults WHERE audit_id = :audit AND job = :job ORDER BY number"
    )
    for job, run, population, size, *counted in connection.execute(jobs, {"done": DONE}).all():
        audit, first, stop, *_ = counted
        start, end = (1 + (number - 1) * population // max(size, 1) for number in (first, stop))
        where = {
            "run": run,
            "audit": audit,
            "start": -FARTHEST if first <= 1 else start,
            "stop": FARTHEST if stop > size else end,
        }
        positions, outcomes, steps, reasons = _columns(connection.execute(judged, where).all())
        places, firsts, lasts, whys = _columns(connection.execute(faults, {"audit": audit, "job": first}).all())
        yield (
            job,
            columns_digest(
                "audit job",
                *(values(counted), numbers(positions), numbers(outcomes), values(steps), texts(reasons)),
                *(numbers(places), numbers(firsts), numbers(lasts), texts(whys)),
            ),
        )


def _columns(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [*zip(*rows, strict=True)] or [()] * 4


def _describe(comments: list[tuple[str, str]]) -> None:
    if op.get_context().dialect.name == "postgresql":
        for column, comment in comments:
            op.execute(f"COMMENT ON COLUMN {column} IS '{comment}'")


def _create_index() -> None:
    """Create the index of layouts as it is before anything is indexed."""
    op.create_table(
        "index_segments",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bits", sa.SmallInteger(), nullable=False, comment="first bits of a digest that number its block"),
        sa.Column("entries", sa.BigInteger(), nullable=False, comment="in all its blocks"),
    )
    op.create_table(
        "index_blocks",
        sa.Column("segment_id", sa.Integer(), sa.ForeignKey("index_segments.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False, comment="from 0"),
        sa.Column("entries", sa.LargeBinary(), nullable=False, comment="see pipeline.store.sources.index.writing"),
        sa.Column("digest", sa.LargeBinary(), nullable=False, comment="see pipeline.seals"),
    )
    op.create_table(
        "index_stretches",
        sa.Column("first", sa.BigInteger(), primary_key=True, autoincrement=False, comment="number of its first item"),
        sa.Column("size", sa.BigInteger(), nullable=False, comment="number of items"),
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("sources.id"), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="of its first item"),
    )
    op.create_table(
        "unindexed",
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("sources.id"), primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="of the first item that is not indexed"),
    )
    op.execute("INSERT INTO unindexed (source_id, position) SELECT id, 1 FROM sources")
