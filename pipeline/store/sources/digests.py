"""The digest of a layout. Without NumPy, which whoever only reads a store needs for nothing else."""

from functools import cache
from hashlib import blake2b

DIGEST = 16
"""Bytes that tell a layout from all others of all games."""


def layout_digest(game: str, layout: str) -> bytes:
    """The 16 bytes that tell a layout from all others of all games."""
    return continued(digest_start(game), layout.encode(errors="surrogateescape"))


def continued(start: blake2b, layout: bytes) -> bytes:
    """The digest that begins like this and ends with a layout."""
    digest = start.copy()
    digest.update(layout)
    return digest.digest()


@cache
def digest_start(game: str) -> blake2b:
    """The digest of all layouts of a game as far as they begin alike."""
    return blake2b(f"{game}\n".encode(), digest_size=DIGEST)
