"""Digests: of layouts, of blocks of verdicts, the fingerprint of a run, and the seals of stored rows.

The fingerprint of a run is a digest of all its layouts, verdicts, values and evidence; it is computed from the digests
of its blocks. A seal is the digest of a row or of a list of rows, written in the same transaction.

The items are divided into blocks of 1,000, independent of the jobs. Each block has a digest, and the fingerprint is the
digest of these digests. So it does not depend on the division into jobs, on the workers, on time or on the database,
and a changed row can be traced to its block by comparing digests.

The digest of a block of n items is the BLAKE3-256 of these fields, concatenated:

- the position of the first item, and n
- n verdicts
- n values, `NO_VALUE` where there is none
- n lengths of layouts in bytes, then the layouts
- n lengths of evidence in bytes, -1 where there is none, then the evidence

A verdict takes one byte, a length four, any other number eight; all are little-endian, in two's complement.

A seal is the BLAKE3-256 of a tag, which names the kind of record, and columns of values. The tag and each column are
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
           duplicates, rejected, complete; the digest of rules,
           if they are on record (values)
items      positions, lines (numbers); digests (digests)          ``source_blocks.digest``, of a thousand items
run        id, source, game, digest of the source, engine,        ``runs.seal``
           version, node limit, storage, rerun number, repeats;
           what it is checked as, if that is on record (values)
audit      id, seal of the run, population, size, seed (values)   ``audits.seal``
nodes      position of the first; nodes (numbers)                 part of ``record``, of a thousand verdicts
record     see `record_seal` of the store                         the seal that ``dealmill audit`` prints
=========  =====================================================  ======================================================
"""

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Bytes, Numbers, Solved, Texts

BLOCK = 1_000
NO_VALUE = -(2**63)


def block_of(position: int) -> int:
    """Return the number of the block (from 0) that contains a position (from 1)."""
    return (position - 1) // BLOCK


def block_range(number: int, items: int) -> tuple[int, int]:
    """Return the positions of a block in a run of `items` items, half-open: `[first, stop)`."""
    first = number * BLOCK + 1
    return first, min(first + BLOCK, items + 1)


def block_digest(
    first: int,
    layouts: Sequence[str],
    verdicts: Sequence[int],
    values: Sequence[int | None],
    evidence: Sequence[str | None],
) -> bytes:
    """Return the digest of a block that starts at position `first`; the four lists have one entry per item."""
    return _digest(
        _numbers("q", [first, len(layouts)]),
        verdict_codes(verdicts),
        _numbers("q", [NO_VALUE if value is None else value for value in values]),
        *_text_fields(layouts),
        *_text_fields(evidence),
    )


def verdict_codes(verdicts: Sequence[int]) -> bytes:
    """Return verdicts in the form in which they are digested: one byte each."""
    return _numbers("b", verdicts)


def _text_fields(texts: Sequence[str | None]) -> tuple[bytes, bytes]:
    """Return the lengths of texts and the texts, both in the form in which they are digested."""
    try:
        written = [None if text is None else text.encode() for text in texts]
    except (AttributeError, UnicodeEncodeError):  # see `_numbers`
        written = [repr(texts).encode()]
    lengths = [-1 if text is None else len(text) for text in written]
    return _numbers("i", lengths), b"".join(filter(None, written))


def _numbers(size: str, numbers: Sequence[int]) -> bytes:
    try:
        return struct.pack(f"<{len(numbers)}{size}", *numbers)
    except struct.error:  # a record changed from outside may hold anything; any other digest will do
        return repr(numbers).encode()


def whole_blocks(first: int, layouts: "Texts", solved: "Solved", *, last: bool = False) -> dict[int, bytes]:
    """Return the digests of all whole blocks in these layouts, by block number; `first` is the first layout's position.

    With `last`, the layouts are the end of the run, and a shorter block at the end counts as whole. The digests equal
    those of `block_digest`, but are computed from flat arrays without creating a string per layout.
    """
    values = solved.values.astype("<i8")
    values[solved.verdicts != int(Verdict.SCORED)] = NO_VALUE
    layout_lengths, lengths = layouts.lengths.astype("<i4"), solved.evidence.lengths.astype("<i4")
    lengths[~solved.has_evidence] = -1
    end = first + len(layouts)
    digests = {}
    for number in range(block_of(first + BLOCK - 1), block_of(end + (BLOCK - 1 if last else 0))):
        start, stop = block_range(number, end - 1)
        part = slice(start - first, stop - first)
        digests[number] = _digest(
            _numbers("q", [start, stop - start]),
            solved.verdicts[part].data,
            values[part].data,
            layout_lengths[part].data,
            layouts.part(part.start, part.stop).concatenated_text.data,
            lengths[part].data,
            solved.evidence.part(part.start, part.stop).concatenated_text.data,
        )
    return digests


def _digest(*parts: bytes | memoryview) -> bytes:
    return blake3(b"".join(parts)).digest()


def fingerprint(digests: Iterable[bytes]) -> str:
    """Return the BLAKE3-256 of the concatenated digests of all blocks, as 64 hexadecimal digits."""
    digest_of_all = blake3()
    for digest in digests:
        digest_of_all.update(digest)
    return digest_of_all.hexdigest()


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


DIGEST = 16
"""The length of the digest of a layout, in bytes."""


def layout_digest(game: str, layout: str) -> bytes:
    """Return the digest of a layout: the BLAKE2b-128 of the game, a line feed, and the layout."""
    return continued(digest_start(game), layout.encode(errors="surrogateescape"))


def continued(start: blake2b, layout: bytes) -> bytes:
    """Return the digest of a layout that continues the hash state `start`, which is not changed."""
    digest = start.copy()
    digest.update(layout)
    return digest.digest()


@cache
def digest_start(game: str) -> blake2b:
    """Return the hash state after the prefix that all layouts of a game share."""
    return blake2b(f"{game}\n".encode(), digest_size=DIGEST)
