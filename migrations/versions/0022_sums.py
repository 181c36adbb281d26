"""Store the sums of each block of packed runs, in place of a bitmap of the verdicts of each job
(docs/decisions/0152-sums-in-place-of-bitmaps.md)."""

from collections.abc import Iterator

import numpy as np
import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

PENDING, PACKED, BLOCK = 1, 2, 1_000
VERDICTS = ("winnable", "unwinnable", "scored", "undecided", "failed")
SUMS = (*VERDICTS, "value_sum", "square_sum")
COMMENTS = {
    **dict.fromkeys(VERDICTS, "of a packed run: verdicts of this kind"),
    "value_sum": "of a packed run: sum over scored deals",
    "square_sum": "of a packed run: sum of the squares of their values",
}
TOTALS = ("attempt", *VERDICTS, "unproved", "value_sum", "nodes")
LEASE = ("worker", "leased_until", "started", "finished", "trouble", "cpu_seconds", "part")
SPREAD = ("least_value", "greatest_value", "value_counts", "least_nodes", "greatest_nodes", "node_counts")
EMPTY = {"state": PENDING, **dict.fromkeys(TOTALS, 0), **dict.fromkeys((*LEASE, *SPREAD), sa.null())}
"""The columns of a job that was not claimed yet."""
PACKS_PER_FETCH = 100


def upgrade() -> None:
    for name, comment in COMMENTS.items():
        kind = sa.SmallInteger() if name in VERDICTS else sa.BigInteger()
        op.add_column("blocks", sa.Column(name, kind, comment=comment))
    connection = op.get_bind()
    changes = ", ".join(f"{name} = :{name}" for name in SUMS)
    write = sa.text(f"UPDATE blocks SET {changes} WHERE run_id = :run AND number = :number")  # noqa: S608 -- names
    packs = sa.text("SELECT run_id, first, stop, verdicts, moments FROM packs")
    for pack in connection.execute(packs, execution_options={"yield_per": PACKS_PER_FETCH}):
        if rows := [{"run": pack.run_id, **sums} for sums in _sums(*pack[1:])]:
            connection.execute(write, rows)
    op.drop_table("packs")


def _sums(first: int, stop: int, encoded: bytes, stored: bytes) -> Iterator[dict[str, int]]:
    """Yield the number and the sums of each block of a bitmap; nothing of one that is damaged, whose blocks stay
    without sums.

    One byte holds the number k of distinct verdicts, followed by one byte for each of them. Then follow ⌈log₂ k⌉
    bitmaps: bitmap b holds bit b of the index of each verdict in that list, the first deal in the lowest bit of the
    first byte. The moments are the sum of the values of each block, and that of their squares.
    """
    if {type(first), type(stop), type(encoded), type(stored)} != {int, bytes} or not encoded:
        return
    kinds, items = encoded[1 : 1 + encoded[0]], stop - first
    starts, size, bits = range(0, items, BLOCK), (items + 7) // 8, max(len(kinds) - 1, 0).bit_length()
    if not kinds or len(encoded) != 1 + len(kinds) + size * bits or len(stored) != len(starts) * 16:
        return
    maps = np.frombuffer(encoded[1 + len(kinds) :], dtype=np.uint8).reshape(bits, size)
    indexes = np.zeros(items, dtype=np.uint8)
    for bit, each in enumerate(np.unpackbits(maps, axis=1, count=items, bitorder="little")):
        indexes += each << bit
    if not {*kinds} <= {*range(1, 1 + len(VERDICTS))} or indexes.max() >= len(kinds):
        return
    verdicts = np.frombuffer(kinds, dtype=np.uint8)[indexes]
    moments = np.frombuffer(stored, dtype="<i8").reshape(-1, 2).tolist()
    for start, of_block in zip(starts, moments, strict=True):
        counts = np.bincount(verdicts[start : start + BLOCK], minlength=1 + len(VERDICTS))[1:].tolist()
        yield {"number": (first + start) // BLOCK, **dict(zip(SUMS, (*counts, *of_block), strict=True))}


def downgrade() -> None:
    op.create_table(
        "packs",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False, comment="position of its first item"),
        sa.Column("stop", sa.BigInteger(), nullable=False, comment="position after its last item"),
        sa.Column("verdicts", sa.LargeBinary(), nullable=False, comment="one or two bits per item"),
        sa.Column("moments", sa.LargeBinary(), nullable=False, comment="per block: sum of values, sum of squares"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_packs_run_id_runs"),
        sa.PrimaryKeyConstraint("run_id", "first", name="pk_packs"),
        sqlite_with_rowid=False,
    )
    _solve_again()
    for name in SUMS:
        op.drop_column("blocks", name)


def _solve_again() -> None:
    """Make all jobs of packed runs pending: nobody but their engines knows which deals have which verdicts."""
    connection = op.get_bind()
    runs = sa.table("runs", sa.column("id"), sa.column("storage"))
    packed = sa.select(runs.c.id).where(runs.c.storage == PACKED)
    for name in ("blocks", "verdicts"):
        table = sa.table(name, sa.column("run_id"))
        connection.execute(sa.delete(table).where(table.c.run_id.in_(packed)))
    jobs = sa.table("jobs", *map(sa.column, ("run_id", "unstarted", *EMPTY)))
    connection.execute(sa.update(jobs).where(jobs.c.run_id.in_(packed)).values(unstarted=sa.false(), **EMPTY))
