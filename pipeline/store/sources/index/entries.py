"""The format of the index of layouts.

An entry is the first 3 bytes of the digest of an item, and the number of the item in the index (5 bytes, big-endian).
A segment holds sorted entries in blocks, which are numbered by the first bits of the digest. Digests are random, so the
blocks of a segment have nearly the same size, and a lookup reads one of them.
"""

from bisect import bisect_left
from collections.abc import Iterator

from dealmill.pipeline.seals import columns_digest, digests, numbers

HEAD = 3
"""The bytes of a digest in an entry."""
ENTRY = 8
"""The bytes of an entry."""


def block_digest(segment: int, bits: int, number: int, entries: bytes) -> bytes:
    """Return the digest of a block, which reveals a changed or misplaced one. `bits` is the number of bits by which the
    blocks of the segment are numbered."""
    return columns_digest("index block", numbers([segment, bits, number]), digests([entries]))


def numbers_in(entries: bytes, head: bytes) -> Iterator[int]:
    """Yield the numbers of the items of a block whose digest begins with `head`."""
    count = len(entries) // ENTRY
    place = bisect_left(range(count), head, key=lambda at: entries[at * ENTRY : at * ENTRY + HEAD])
    while place < count and entries[place * ENTRY : place * ENTRY + HEAD] == head:
        yield int.from_bytes(entries[place * ENTRY + HEAD : (place + 1) * ENTRY], "big")
        place += 1
