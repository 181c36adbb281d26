"""Digests of layouts. This module does not import NumPy, which commands that only read a store do not need."""

from functools import cache
from hashlib import blake2b

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
