"""From a file or a range of deals to a stored source: parsed and validated; duplicates are kept and counted."""

from collections.abc import Callable, Iterator
from functools import partial

from dealmill.pipeline.errors import InputError
from dealmill.pipeline.games.entries import Entries, joined_entries
from dealmill.pipeline.progress import Ingested, Ingesting, Message, Progress
from dealmill.pipeline.store.database.connections import Database, refresh_statistics
from dealmill.pipeline.store.database.patience import patiently
from dealmill.pipeline.store.sources.duplicates import DigestPrefixes
from dealmill.pipeline.store.sources.stored import Source, reread
from dealmill.pipeline.store.sources.writing import append, complete, leave

BATCH = 50_000
"""Entries in one transaction, at least: enough to make its cost small, few enough to hold in memory and to lose in a
crash."""

Reached = Callable[[int], None]
"""Called now and then with how much has been read of a source."""


class Reading:
    """A source that is being read into the store; `source` is how far it is, and `broken` why it gets no further. There
    may be a hundred thousand in one command, so it is small, and holds nothing open."""

    __slots__ = ("_entries", "_read", "_size", "_store", "broken", "source")

    def __init__(
        self, store: Database, source: Source, entries: Callable[[Reached], Iterator[Entries]], size: int
    ) -> None:
        """`entries` begins at the start of the source, and tells how much of its `size` has been read."""
        self.source = source
        self.broken: InputError | None = None
        self._store = store
        self._entries = entries
        self._read = 0
        self._size = size

    def finish(self, progress: Progress, tick: Callable[[], None] = lambda: None) -> None:
        """Read to the end, on from where an earlier try broke off, and call `tick` after every batch. If it cannot be
        read as text, it is `broken` from there on; what came before is kept. While the database is unavailable, wait.

        Raises
        ------
        StoreError
        """
        self.source = reread(self._store, self.source)  # it may stand twice in one command
        if not self.source.complete:
            self._read_on(progress, tick)
        progress(Ingested(self.source, self.broken))

    def _read_on(self, progress: Progress, tick: Callable[[], None]) -> None:
        def tell(text: str) -> None:
            progress(Message(text))

        batches, seen = 0, DigestPrefixes()
        for batch, at_end in self._batches():
            last = at_end and not self.broken
            step = partial(append, self._store, self.source, batch, seen, last=last)
            self.source = self._once(step, self.source.entries + len(batch), tell)
            batches += 1
            if batches > 1 and batches.bit_count() == 1:  # the second, fourth, eighth …
                patiently(partial(refresh_statistics, self._store), tell)
            read = self.source
            progress(Ingesting(self._read, self._size, read.name, read.accepted, read.rejected))
            tick()
        if self.broken:
            patiently(partial(leave, self._store, self.source), tell)
        elif not self.source.complete:
            step = partial(complete, self._store, self.source, seen)
            self.source = self._once(step, self.source.entries, tell)
        if batches > 1:
            patiently(partial(refresh_statistics, self._store), tell)

    def _batches(self) -> Iterator[tuple[Entries, bool]]:
        """The entries behind those that have been read, in batches, and of each whether it is the last one."""
        behind, found, held = self.source.entries, list[Entries](), 0
        for entries in self._unbroken():
            if held >= BATCH:
                yield joined_entries(found), False
                found, held = [], 0
            skipped = min(behind, len(entries))
            behind -= skipped
            if skipped < len(entries):
                found.append(entries.behind(skipped))
                held += len(found[-1])
        if found:
            yield joined_entries(found), True

    def _unbroken(self) -> Iterator[Entries]:
        """The entries as far as they can be read."""
        try:
            yield from self._entries(self._reached)
        except InputError as error:
            self.broken = error

    def _reached(self, read: int) -> None:
        self._read = read

    def _once(self, step: Callable[[], Source], entries: int, tell: Callable[[str], None]) -> Source:
        """Take a step to so many entries once, however often that must be tried: the database may have gone away after
        it was there."""
        tried = False

        def attempt() -> Source:
            nonlocal tried
            if tried:
                now = reread(self._store, self.source)
                if now.entries == entries and now != self.source:
                    return now
            tried = True
            return step()

        return patiently(attempt, tell)
