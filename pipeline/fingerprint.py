"""The fingerprint of a run: equal iff all layouts, verdicts, values and evidence are, in the order of the items.

The items are cut into blocks of a thousand, whatever the jobs were. Each block has a digest, and the fingerprint is the
digest of these. So it depends neither on the jobs, nor on who solved them when, nor on the database; and a block whose
rows have changed is known by its digest alone.

The digest of a block of n items is the BLAKE3-256 of, one behind the other: the position of its first item, and n; the
n verdicts; the n values, `NO_VALUE` where there is none; the n lengths of layouts, in bytes, and the layouts; the n
lengths of evidence, -1 where there is none, and the evidence. A verdict has a byte, a length four and any other number
eight, the least first and negative ones as their complement of two.
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
    """The number, from 0, of the block that a position (from 1) lies in."""
    return (position - 1) // BLOCK


def block_range(number: int, items: int) -> tuple[int, int]:
    """Positions of the first item of a block and behind its last one, in a run of so many items."""
    first = number * BLOCK + 1
    return first, min(first + BLOCK, items + 1)


def block_digest(
    first: int,
    layouts: Sequence[str],
    verdicts: Sequence[int],
    values: Sequence[int | None],
    evidence: Sequence[str | None],
) -> bytes:
    """The digest of a block whose first item stands at position `first`; the four lists have an entry per item."""
    return _digest(
        _numbers("q", [first, len(layouts)]),
        verdict_codes(verdicts),
        _numbers("q", [NO_VALUE if value is None else value for value in values]),
        *_written(layouts),
        *_written(evidence),
    )


def verdict_codes(verdicts: Sequence[int]) -> bytes:
    """Verdicts as bytes, as they are digested."""
    return _numbers("b", verdicts)


def _written(texts: Sequence[str | None]) -> tuple[bytes, bytes]:
    """Lengths and texts."""
    try:
        written = [None if text is None else text.encode() for text in texts]
    except (AttributeError, UnicodeEncodeError):  # see `_numbers`
        written = [repr(texts).encode()]
    lengths = [-1 if text is None else len(text) for text in written]
    return _numbers("i", lengths), b"".join(filter(None, written))


def _numbers(size: str, numbers: Sequence[int]) -> bytes:
    try:
        return struct.pack(f"<{len(numbers)}{size}", *numbers)
    except struct.error:  # a record that somebody has changed may hold anything; it has another digest then
        return repr(numbers).encode()


def whole_blocks(first: int, layouts: "Texts", solved: "Solved", *, last: bool = False) -> dict[int, bytes]:
    """The digests of the blocks, by number, that lie wholly among these layouts, the first of which stands at position
    `first`; if they are the `last` ones, so does a shorter block at the end. The same as `block_digest` from flat
    arrays, without thousands of small texts in between."""
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
            layouts.part(part.start, part.stop).together.data,
            lengths[part].data,
            solved.evidence.part(part.start, part.stop).together.data,
        )
    return digests


def _digest(*parts: bytes | memoryview) -> bytes:
    return blake3(b"".join(parts)).digest()


def fingerprint(digests: Iterable[bytes]) -> str:
    """BLAKE3-256 of the digests of all blocks one behind the other, as 64 hexadecimal digits."""
    whole = blake3()
    for digest in digests:
        whole.update(digest)
    return whole.hexdigest()
