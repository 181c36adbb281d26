"""Digests of records that cannot be computed again: plans, sources, the action log, and findings of audits.

Each is the BLAKE3-256 of a tag, which names the kind of record, and columns of values. The tag and each column are
preceded by their length in bytes (8 bytes), so that different lists of columns never have the same encoding:

- ``numbers``: ``q``, then 8 bytes for each number.
- ``texts``: ``t``, then 4 bytes for the length of each text in UTF-8 (−1 where it is missing), then all of them
  concatenated.
- ``digests``: ``b``, then 4 bytes for the length of each byte string, then all of them concatenated.
- ``values``: ``*``, then for each value its length in bytes (8 bytes), a letter for its type, and the value: ``-``
  none, ``i`` whole number in decimal, ``f`` other number, ``t`` text in UTF-8, ``b`` bytes, ``j`` JSON with sorted keys
  and no spaces, all non-ASCII characters escaped.

Numbers are little-endian, negative ones in two's complement. A column of numbers, texts or digests that holds anything
else, because the record was changed from outside, is encoded as ``values``.

=========  =====================================================  ======================================================
tag        columns                                                digest
=========  =====================================================  ======================================================
source     id, game, name, digest, generator, deals, accepted,    ``sources.seal``
           duplicates, rejected, complete (values)
items      positions, lines (numbers); digests (digests)          ``source_blocks.digest``, of a thousand items
rejects    numbers, lines (numbers); texts, reasons (texts)       ``source_blocks.digest``, of a thousand rejects
run        id, source, game, digest of the source, engine,        ``runs.seal``
           version, node limit, storage, rerun number, repeats
           (values)
audit      id, seal of the run, population, size, seed (values)   ``audits.seal``
audit job  audit, first, stop, totals (values); positions,        ``audit_jobs.digest``
           outcomes (numbers), steps (values), reasons (texts)
           of the judgements; numbers, firsts, lasts (numbers),
           reasons (texts) of the faults
action     digest of the entry before (none for the first), id,   ``actions.digest``
           who, what, run, audit, engine, version, why, Dealmill
           (values)
index      number of the segment, its bits, number of the block   ``index_blocks.digest``
block      (numbers); entries (digests)
record     see `record_seal` of the store                         the seal that ``dealmill audit`` prints
=========  =====================================================  ======================================================
"""

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from blake3 import blake3

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Bytes, Numbers


def seal(tag: str, *fields: object) -> bytes:
    """Return the digest of a record with these fields, of any types."""
    return columns_digest(tag, values(fields))


def columns_digest(tag: str, *columns: bytes) -> bytes:
    """Return the digest of columns, each encoded by `numbers`, `texts`, `digests` or `values`."""
    digest = blake3()
    for column in (tag.encode(), *columns):
        digest.update(struct.pack("<q", len(column)))
        digest.update(column)
    return digest.digest()


def numbers(column: "Sequence[object] | Numbers") -> bytes:
    """Encode a column of 64-bit integers."""
    if not isinstance(column, Sequence):
        return b"".join([b"q", column.astype("<i8").data])
    try:
        return struct.pack(f"<c{len(column)}q", b"q", *column)
    except struct.error:
        return values(column)


def texts(column: Sequence[object]) -> bytes:
    """Encode a column of texts, each of which may be None."""
    if not {*map(type, column)} <= {str, type(None)}:
        return values(column)
    written = [None if text is None else _utf8(str(text)) for text in column]
    lengths = [-1 if text is None else len(text) for text in written]
    return struct.pack(f"<c{len(written)}i", b"t", *lengths) + b"".join(filter(None, written))


def digests(column: "Sequence[Any] | Bytes") -> bytes:
    """Encode a column of byte strings; an array has the shape (n, length)."""
    if not isinstance(column, Sequence):
        count, length = column.shape
        return b"".join([b"b", struct.pack("<i", length) * count, column.tobytes()])
    if not {*map(type, column)} <= {bytes}:
        return values(column)
    return struct.pack(f"<c{len(column)}i", b"b", *map(len, column)) + b"".join(column)


def values(column: Iterable[object]) -> bytes:
    """Encode a column of values of any types."""
    parts = [b"*"]
    for value in column:
        written = _typed(value)
        parts += (struct.pack("<q", len(written)), written)
    return b"".join(parts)


def _typed(value: object) -> bytes:
    if value is None:
        return b"-"
    if isinstance(value, int):
        return b"i%d" % value
    if isinstance(value, str):
        return b"t" + _utf8(value)
    if isinstance(value, bytes):
        return b"b" + value
    if isinstance(value, Mapping | list):
        return b"j" + json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr).encode()
    return b"f" + repr(value).encode()


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
