"""Reading of a file or a range of deals into the store. Layouts are validated; duplicates are stored and counted."""

from collections.abc import Callable, Iterator
from functools import partial
from time import monotonic

from dealmill.pipeline.errors import InputError
from dealmill.pipeline.games.batch import Entries, concatenate_entries
from dealmill.pipeline.ingest.files import Reached
from dealmill.pipeline.progress.events import Ingested, Ingesting, Message, Progress
from dealmill.pipeline.store.database.connections import Database, patiently, refresh_statistics
from dealmill.pipeline.store.planning.imports import write_imported
from dealmill.pipeline.store.runs.planned import PlannedRun, lock_run
from dealmill.pipeline.store.runs.times import with_reading_time
from dealmill.pipeline.store.sources.duplicates import DigestPrefixes
from dealmill.pipeline.store.sources.source import Source, reread
from dealmill.pipeline.store.sources.writing import WriteMore, append, complete, cut_remaining_jobs, write_nothing

BATCH = 50_000
"""The least number of entries in a transaction: enough to make its cost small, and few enough to keep in memory and to
lose in a crash."""
BATCH_BYTES = 32 << 20
"""The least number of bytes of layouts and evidence in a transaction with fewer entries."""


class Reading:
    """A source that is being read into the store.

    `name` is its name in this command, `source` its current state, and `error` the error that stopped reading, if any.
    One command may have a hundred thousand readings, so an instance is small and keeps no file open.
    """

    __slots__ = ("_begun", "_database", "_entries", "_queried", "_read", "_run", "_size", "error", "name", "source")

    def __init__(
        self,
        database: Database,
        source: Source,
        name: str,
        entries: Callable[[Reached], Iterator[Entries]],
        size: int,
        run: PlannedRun | None = None,
        queried: int | None = None,
    ) -> None:
        """`entries` yields all entries of the source, and reports how much of its `size` has been read. Their verdicts
        become the results of `run`, if there is one. `queried` is the number of the run whose results the layouts are,
        if it is a saved query; they are not stored once that run is deleted."""
        self.name = name
        self.source = source
        self.error: InputError | None = None
        self._begun = 0.0
        self._database = database
        self._entries = entries
        self._queried = queried
        self._read = 0
        self._run = run
        self._size = size

    def finish(self, progress: Progress, tick: Callable[[], None] = lambda: None) -> None:
        """Read to the end, continuing where an earlier attempt stopped, and call `tick` after every batch.

        An InputError stops reading and is set as `error`; the entries before it are stored. While the database is
        unavailable, this method waits.
        """
        self.source = reread(self._database, self.source)  # one command may name it twice
        new = not self.source.complete
        if new:
            self._read_on(progress, tick)
        if self.error and self._run:
            return  # the import, which has only this source, raises it
        progress(Ingested(self.source, self.name, new, self.error))

    def _read_on(self, progress: Progress, tick: Callable[[], None]) -> None:
        def tell(text: str) -> None:
            progress(Message(text))

        self._begun = monotonic()
        batches, seen = 0, DigestPrefixes()
        for batch, at_end in self._batches():
            last = at_end and not self.error
            step = partial(append, self._database, self.source, batch, seen, last=last, more=self._more(batch))
            self.source = self._once(step, self.source.entries + len(batch), tell)
            batches += 1
            if batches > 1 and batches.bit_count() == 1:  # the second, fourth, eighth …
                patiently(partial(refresh_statistics, self._database), tell)
            read = self.source
            progress(Ingesting(self._read, self._size, read.name, read.accepted, read.rejected))
            tick()
        if self.error:
            patiently(partial(cut_remaining_jobs, self._database, self.source), tell)
        elif not self.source.complete:
            step = partial(complete, self._database, self.source, seen, more=self._more(None))
            self.source = self._once(step, self.source.entries, tell)
        if batches > 1:
            patiently(partial(refresh_statistics, self._database), tell)

    def _more(self, entries: Entries | None) -> WriteMore:
        """Return what records how long the source has been read, writes the verdicts of the next entries, or what
        follows the last ones, and makes sure that the run that these belong to is there."""
        write: WriteMore = write_nothing if self._queried is None else partial(lock_run, run=self._queried)
        if self._run:
            write = write_imported(self._database, self._run, self.source, entries)
        return with_reading_time(self.source.id, self._begun, write)

    def _batches(self) -> Iterator[tuple[Entries, bool]]:
        """Yield the entries that have not been read yet, in batches, each with whether it is the last one."""
        behind, parts, count, size = self.source.entries, list[Entries](), 0, 0
        for entries in self._readable_entries():
            if count >= BATCH or size >= BATCH_BYTES:
                yield concatenate_entries(parts), False
                parts, count, size = [], 0, 0
            skipped = min(behind, len(entries))
            behind -= skipped
            if skipped < len(entries):
                parts.append(entries.after(skipped))
                count += len(parts[-1])
                size += parts[-1].text_bytes
        if parts:
            yield concatenate_entries(parts), True

    def _readable_entries(self) -> Iterator[Entries]:
        """Yield the entries up to the first InputError, which is set as `error`."""
        try:
            yield from self._entries(self._reached)
        except InputError as error:
            self.error = error

    def _reached(self, read: int) -> None:
        self._read = read

    def _once(self, step: Callable[[], Source], entries: int, tell: Callable[[str], None]) -> Source:
        """Take a step that leads to `entries` entries exactly once, with retries: the database may have become
        unavailable after the step was committed."""
        begun = False

        def attempt() -> Source:
            nonlocal begun
            if begun:
                now = reread(self._database, self.source)
                if now.entries == entries and now != self.source:
                    return now
            begun = True
            return step()

        return patiently(attempt, tell)
