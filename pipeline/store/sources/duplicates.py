"""How many items of a source have a layout that stands earlier in it. It takes a database longer than a second to sort
the digests of a million; so whoever reads a source from its start keeps the beginnings of all of them in memory, and
only items whose digests begin alike are compared in the store."""

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from dealmill.pipeline.games.batch import Bytes, Numbers
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import items
from dealmill.pipeline.store.sources.stored import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 20_000
"""Items that are compared one by one, at most; more are left to the database."""
AT_ONCE = 1_000_000
"""Numbers that are compared at once, which takes some times their memory."""


class Beginnings:
    """The first eight bytes of the digests of a source, as far as it has been read without a break."""

    MOST = 16_000_000

    def __init__(self) -> None:
        self._kept = bytearray()
        self._shared: Numbers | None = None

    def add(self, digests: Bytes) -> None:
        """Keep those of these digests (n × 16), unless that would be too much to hold in memory."""
        self._shared = None
        if len(self._kept) < self.MOST * 8:
            self._kept += digests[:, :8].tobytes()

    def shared(self, count: int) -> Numbers | None:
        """The positions of those of the first `count` items whose digests begin like another's; None if they are not
        known."""
        if len(self._kept) != count * 8:
            return None
        if self._shared is None:
            self._shared = _places_of_repeated(np.frombuffer(self._kept, dtype=np.uint64)) + 1
        return self._shared


def _places_of_repeated(numbers: "NDArray[np.uint64]") -> Numbers:
    """The places of the numbers that stand there more than once."""
    ordered = np.sort(numbers)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    del ordered
    parts = range(0, len(numbers), AT_ONCE) if len(repeated) else ()
    found = [start + np.flatnonzero(np.isin(numbers[start : start + AT_ONCE], repeated)) for start in parts]
    return np.concatenate([np.empty(0, dtype=np.int64), *found])


def count_duplicates(store: Database, source: Source, seen: Beginnings | None) -> int:
    """How many items have a layout that stands earlier in the source; `seen` are their digests, if they are known."""
    of_source = items.c.source_id == source.id
    shared = None if seen is None else seen.shared(source.accepted)
    if shared is None or len(shared) > FEW:
        compared, which = source.accepted, of_source
    else:
        compared, which = len(shared), of_source & items.c.position.in_(shared.tolist())
    different = select(items.c.digest).where(which).group_by(items.c.digest).subquery()
    with store.reading() as connection:
        return compared - connection.execute(select(func.count()).select_from(different)).scalar_one()
