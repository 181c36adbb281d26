"""The number of duplicates of a source: items whose layout occurs earlier in it.

A reader that starts at the beginning of a source keeps the first bytes of all digests in memory. Only items that share
these are compared in the database, which takes seconds per million for all items.
"""

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from dealmill.pipeline.games.batch import Bytes, Numbers
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import items
from dealmill.pipeline.store.sources.source import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 20_000
"""The most items that are named in a query; if more share a prefix, the database compares all items."""
PREFIXES_PER_STEP = 1_000_000
"""Prefixes compared in one step, which needs several times their memory."""
PREFIX_BYTES = 5
"""Bytes of a digest. Among ten million digests, some fifty pairs share these by chance."""


class DigestPrefixes:
    """The first bytes of each digest of a source, for a reader that started at its beginning."""

    LIMIT = 16_000_000

    def __init__(self) -> None:
        self._prefixes = bytearray()
        self._shared: Numbers | None = None

    def add(self, digests: Bytes) -> None:
        """Add the prefixes of these digests (n × 16), unless there are more than `LIMIT` already."""
        self._shared = None
        if len(self._prefixes) < self.LIMIT * PREFIX_BYTES:
            self._prefixes += digests[:, :PREFIX_BYTES].tobytes()

    def shared(self, count: int) -> Numbers | None:
        """Return the positions of the items whose prefix occurs more than once among the first `count` items; None if
        not exactly their digests were added."""
        if len(self._prefixes) != count * PREFIX_BYTES:
            return None
        if self._shared is None:
            self._shared = _repeated(np.frombuffer(self._prefixes, dtype=np.uint8).reshape(-1, PREFIX_BYTES)) + 1
        return self._shared


def _repeated(prefixes: Bytes) -> Numbers:
    """Return the indexes of the prefixes (n × `PREFIX_BYTES`) that occur more than once. Sixteenths of them are sorted
    one after the other, which needs less memory than sorting all."""
    if len(prefixes) < 2:
        return np.empty(0, dtype=np.int64)
    sixteenths = prefixes[:, 0] & 15
    parts = (np.sort(_prefix_numbers(prefixes[sixteenths == part])) for part in range(16))
    repeated = np.concatenate([part[1:][part[1:] == part[:-1]] for part in parts])
    starts = range(0, len(prefixes), PREFIXES_PER_STEP) if len(repeated) else ()
    indexes = [
        start + np.flatnonzero(np.isin(_prefix_numbers(prefixes[start : start + PREFIXES_PER_STEP]), repeated))
        for start in starts
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *indexes])


def _prefix_numbers(prefixes: Bytes) -> "NDArray[np.uint64]":
    padded = np.zeros((len(prefixes), 8), dtype=np.uint8)
    padded[:, :PREFIX_BYTES] = prefixes
    return padded.view(np.uint64).ravel()


def count_duplicates(database: Database, source: Source, seen: DigestPrefixes | None) -> int:
    """Count the items whose layout occurs earlier in the source; `seen` holds their prefixes, if these are known."""
    of_source = items.c.source_id == source.id
    shared = None if seen is None else seen.shared(source.accepted)
    if shared is None or len(shared) > FEW:
        compared, which = source.accepted, of_source
    else:
        compared, which = len(shared), of_source & items.c.position.in_(shared.tolist())
    different = select(items.c.digest).where(which).group_by(items.c.digest).subquery()
    with database.reading() as connection:
        return compared - connection.execute(select(func.count()).select_from(different)).scalar_one()
