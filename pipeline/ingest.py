"""From a file or a range of deals to a stored source: parsed and validated; duplicates are kept and counted."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path

from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import InputError
from dealmill.pipeline.files import STDIN, Reopen, numbered_lines, rereadable, text_digest
from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game, Layout, Reject
from dealmill.pipeline.printable import printable
from dealmill.pipeline.store.database import Database, refresh_statistics
from dealmill.pipeline.store.patience import patiently
from dealmill.pipeline.store.sources import Beginnings, Source, append, complete, leave, open_source, reread

BATCH = 10_000
"""Layouts in one transaction: enough to make its cost small, few enough to hold in memory and to lose in a crash."""

Progress = Callable[[Source, int, int], None]
"""Called after every batch with the source as it stands, and how much of it has been read of how much."""

Reached = Callable[[int], None]
"""Called now and then with how much has been read of a source."""


def game_of_file(name: str) -> Game:
    """The game that a file's name speaks of: ``hi-q_17.txt.gz`` is of hi-q.

    Raises
    ------
    InputError
        If the name speaks of no game or of several.
    """
    letters = _letters(Path(name).name)
    named = [game for game in games().values() if _letters(game.name) in letters]
    if len(named) == 1:
        return named[0]
    which = "several games" if named else "no game"
    place = "standard input" if name == STDIN else name
    raise InputError(f"the name of {place} speaks of {which}; say which one with --game: {', '.join(games())}")


class Reading:
    """A source that is being read into the store; `source` is how far it is, and `broken` why it gets no further. There
    may be a hundred thousand in one command, so it is small, and holds nothing open."""

    __slots__ = ("_entries", "_read", "_size", "_store", "broken", "source")

    def __init__(
        self, store: Database, source: Source, entries: Callable[[Reached], Iterator[Layout | Reject]], size: int
    ) -> None:
        """`entries` begins at the start of the source, and tells how much of its `size` has been read."""
        self.source = source
        self.broken: InputError | None = None
        self._store = store
        self._entries = entries
        self._read = 0
        self._size = size

    def finish(self, progress: Progress, tell: Callable[[str], None]) -> Source:
        """Read to the end, on from where an earlier try broke off; nothing is done if all of it is there. If it cannot
        be read as text, it is `broken` from there on; what came before is kept. While the database is away, wait for
        it, and `tell`.

        Raises
        ------
        StoreError
        """
        self.source = reread(self._store, self.source)  # it may stand twice in one command
        if self.source.complete:
            return self.source
        entries = self._unbroken()
        for _ in islice(entries, self.source.entries):
            pass
        batches, seen = 0, Beginnings()
        while batch := list(islice(entries, BATCH)):
            last = len(batch) < BATCH and not self.broken
            step = partial(append, self._store, self.source, batch, seen, last=last)
            self.source = self._once(step, self.source.entries + len(batch), tell)
            batches += 1
            if batches > 1 and batches.bit_count() == 1:  # the second, fourth, eighth …
                patiently(partial(refresh_statistics, self._store), tell)
            progress(self.source, self._read, self._size)
        if self.broken:
            patiently(partial(leave, self._store, self.source), tell)
        elif not self.source.complete:
            step = partial(complete, self._store, self.source, seen)
            self.source = self._once(step, self.source.entries, tell)
        if batches > 1:
            patiently(partial(refresh_statistics, self._store), tell)
        return self.source

    def _unbroken(self) -> Iterator[Layout | Reject]:
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


def file_reading(store: Database, name: str, game: Game, copies: ExitStack) -> Reading:
    """The reading of a file; `copies` are of those that can be read only once.

    Raises
    ------
    InputError
        If there is no text in it.
    StoreError
    """
    reopen = rereadable(name, copies)
    with reopen() as file:
        size = os.fstat(file.fileno()).st_size
        source = open_source(store, game.name, _plain_name(name), text_digest(file, name))
    return Reading(store, source, partial(_written, name, game, reopen), size)


def _written(name: str, game: Game, reopen: Reopen, reached: Reached) -> Iterator[Layout | Reject]:
    with reopen() as file:
        yield from game.layout.read(numbered_lines(file, name, reached))


def deals_reading(store: Database, deals: DealRange) -> Reading:
    """The reading of a range of deals.

    Raises
    ------
    InputError
        If they have no end.
    NotFoundError
        If their parameters do not go together.
    StoreError
    """
    if deals.endless:
        raise InputError(f"{deals.name} has no end: name the last deal, or survey it with: dealmill survey")
    deals.check_parameters()
    source = open_source(store, deals.game.name, deals.name, deals.digest, deals.game.generator)
    return Reading(store, source, partial(_dealt, deals), len(deals))


def _dealt(deals: DealRange, reached: Reached) -> Iterator[Layout]:
    for number, layout in enumerate(deals, start=1):
        reached(number)
        yield layout


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _plain_name(name: str) -> str:
    """A name that a table, a terminal and a database can hold, whatever bytes a file's name is made of."""
    return "stdin" if name == STDIN else printable(name)
