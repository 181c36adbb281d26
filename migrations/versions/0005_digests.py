"""Change the algorithm of block digests (docs/decisions/0020-digests.md). Those of runs are recomputed from their rows;
those of surveys are deleted, because their deals would have to be solved again."""

import json
import struct
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import sqlalchemy as sa
from alembic import op
from blake3 import blake3

revision = "0005"
down_revision = "0004"

BLOCK = 1_000

Columns = Sequence[Sequence[Any]]
"""The layouts, verdicts, values and evidence of a block."""


def upgrade() -> None:
    _recompute(_before, _after)


def downgrade() -> None:
    _recompute(_after, _before)


def _recompute(known: Callable[[int, Columns], bytes], wanted: Callable[[int, Columns], bytes]) -> None:
    """Recompute all digests. A digest that does not match its rows is left unchanged, so that audits still detect the
    change."""
    connection = op.get_bind()
    op.execute(
        "DELETE FROM blocks WHERE run_id IN"
        " (SELECT runs.id FROM runs JOIN sources ON sources.id = runs.source_id WHERE endless)"
    )
    rest = connection.execute(sa.text("SELECT id, source_id FROM runs ORDER BY id")).all()
    for run, source in rest:
        numbers = sa.text("SELECT number, digest FROM blocks WHERE run_id = :run ORDER BY number")
        for number, digest in connection.execute(numbers, {"run": run}).all():
            first = number * BLOCK + 1
            columns = _columns(connection, run, source, first)
            if _is(digest, known, first, columns):
                connection.execute(
                    sa.text("UPDATE blocks SET digest = :digest WHERE run_id = :run AND number = :number"),
                    {"digest": wanted(first, columns), "run": run, "number": number},
                )


def _columns(connection: sa.Connection, run: int, source: int, first: int) -> Columns:
    rows = connection.execute(
        sa.text(
            "SELECT layout, verdict, value, evidence FROM items JOIN verdicts ON verdicts.position = items.position"
            " WHERE run_id = :run AND source_id = :source AND items.position >= :first AND items.position < :stop"
            " ORDER BY items.position"
        ),
        {"run": run, "source": source, "first": first, "stop": first + BLOCK},
    ).all()
    return list(zip(*rows, strict=True)) if rows else [(), (), (), ()]


def _is(digest: bytes, known: Callable[[int, Columns], bytes], first: int, columns: Columns) -> bool:
    try:
        return bytes(digest) == known(first, columns)
    except (AttributeError, TypeError, ValueError, struct.error):  # a tampered record may hold anything
        return False


def _before(first: int, columns: Columns) -> bytes:
    text = json.dumps([first, *map(list, columns)], separators=(",", ":"))
    return blake2b(text.encode("ascii"), digest_size=32).digest()


def _after(first: int, columns: Columns) -> bytes:
    layouts, verdicts, values, evidence = columns
    return blake3(
        b"".join(
            [
                _numbers("q", [first, len(layouts)]),
                _numbers("b", verdicts),
                _numbers("q", [-(2**63) if value is None else value for value in values]),
                *_texts(layouts),
                *_texts(evidence),
            ]
        )
    ).digest()


def _texts(texts: Sequence[str | None]) -> tuple[bytes, bytes]:
    written = [None if text is None else text.encode() for text in texts]
    return _numbers("i", [-1 if text is None else len(text) for text in written]), b"".join(filter(None, written))


def _numbers(size: str, numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}{size}", *numbers)
