"""The fingerprint of a run: equal iff all layouts, verdicts, values and evidence are, in the order of the items.

The items are cut into blocks of a thousand, whatever the jobs were. Each block has a digest, and the fingerprint is the
digest of these. So it depends neither on the jobs, nor on who solved them when, nor on the database; and a block whose
rows have changed is known by its digest alone.
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from pipeline.games.contract import Verdict

if TYPE_CHECKING:
    from pipeline.games.batch import Solved, Texts

BLOCK = 1_000
SIZE = 32


def block_of(position: int) -> int:
    """The number, from 0, of the block that a position (from 1) lies in."""
    return (position - 1) // BLOCK


def block_range(number: int, items: int) -> tuple[int, int]:
    """Positions of the first item of a block and behind its last one, in a run of so many items."""
    first = number * BLOCK + 1
    return first, min(first + BLOCK, items + 1)


def block_digest(
    first: int,
    layouts: Sequence[str | None],
    verdicts: Sequence[int | None],
    values: Sequence[int | None],
    evidence: Sequence[str | None],
) -> bytes:
    """BLAKE2b-256 of the JSON array of these five, without spaces and in ASCII; a verdict is its number.

    `first` is the position of the first item; the four lists have an entry per item.
    """
    said = [first, list(layouts), [None if verdict is None else int(verdict) for verdict in verdicts]]
    text = json.dumps([*said, list(values), list(evidence)], separators=(",", ":"))
    return digest(text.encode("ascii"))


def digest(text: bytes) -> bytes:
    """BLAKE2b-256 of the text of a block."""
    return blake2b(text, digest_size=SIZE).digest()


def solved_digest(first: int, layouts: "Texts", solved: "Solved") -> bytes:
    """The digest of a block whose first item stands at position `first`."""
    from pipeline.games.batch import listed, unpack  # with the compiler, which only those load who solve
    from pipeline.games.block_text import block_text

    if (solved.verdicts == int(Verdict.FAILED)).any():  # their texts may hold anything
        said = listed(solved)
        return block_digest(first, unpack(layouts), said.verdicts, said.values, said.evidence)
    return digest(block_text(first, layouts, solved))


def fingerprint(digests: Iterable[bytes]) -> str:
    """BLAKE2b-256 of the digests of all blocks one behind the other, as 64 hexadecimal digits."""
    whole = blake2b(digest_size=SIZE)
    for digest in digests:
        whole.update(digest)
    return whole.hexdigest()
