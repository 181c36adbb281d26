"""Add a digest of the node counts of each block of a run stored as rows, so that an audit detects a change of them
(docs/decisions/0050-digests-of-node-counts.md). The digests of existing blocks are computed here. Index the action log
by run and audit: the check of the whole log took a time that grew with the square of its length."""

import struct

import sqlalchemy as sa
from alembic import op
from blake3 import blake3

revision = "0012"
down_revision = "0011"

BLOCK = 1_000
ROWS = 1
INDEXED = ("run_id", "audit_id")
FETCHED = 10_000


def upgrade() -> None:
    op.add_column("blocks", sa.Column("node_digest", sa.LargeBinary(), comment="of runs stored as rows"))
    _compute_digests()
    for column in INDEXED:
        op.create_index(f"ix_actions_{column}", "actions", [column])


def downgrade() -> None:
    for column in INDEXED:
        op.drop_index(f"ix_actions_{column}", "actions")
    with op.batch_alter_table("blocks") as blocks:
        blocks.drop_column("node_digest")


def _compute_digests() -> None:
    connection = op.get_bind()
    of_rows = sa.text(
        "SELECT blocks.run_id, blocks.number FROM blocks JOIN runs ON runs.id = blocks.run_id"
        " WHERE runs.storage = :storage ORDER BY blocks.run_id, blocks.number"
    )
    counts = sa.text(
        "SELECT nodes FROM verdicts WHERE run_id = :run AND position >= :first AND position < :stop ORDER BY position"
    )
    record = sa.text("UPDATE blocks SET node_digest = :digest WHERE run_id = :run AND number = :number")
    blocks = [block for block in connection.execute(of_rows, {"storage": ROWS}).all() if isinstance(block.number, int)]
    for start in range(0, len(blocks), FETCHED):
        found = []
        for run, number in blocks[start : start + FETCHED]:
            first = number * BLOCK + 1
            rows = connection.execute(counts, {"run": run, "first": first, "stop": first + BLOCK}).scalars()
            found.append({"run": run, "number": number, "digest": _digest(first, list(rows))})
        connection.execute(record, found)


def _digest(first: int, counts: list[int]) -> bytes:
    """Return the digest of the node counts of a block; empty, which no digest is, if they are not all numbers."""
    try:
        columns = [struct.pack(f"<c{len(numbers)}q", b"q", *numbers) for numbers in ([first], counts)]
    except struct.error:
        return b""
    return blake3(b"".join(struct.pack("<q", len(column)) + column for column in (b"nodes", *columns))).digest()
