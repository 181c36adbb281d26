"""The fingerprint of a run. Two runs have the same one iff all layouts, verdicts, values and evidence are equal.

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
"""

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from blake3 import blake3

from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Solved, Texts

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
    lengths[solved.verdicts == int(Verdict.UNDECIDED)] = -1
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
    whole = blake3()
    for digest in digests:
        whole.update(digest)
    return whole.hexdigest()
