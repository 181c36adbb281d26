"""From a file or a range of deals to a stored source: parsed, validated, each layout kept once."""

import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from pipeline.deals import DealRange
from pipeline.errors import InputError
from pipeline.files import STDIN, numbered_lines, rereadable, text_digest
from pipeline.games import games
from pipeline.games.contract import Game, Layout, Reject
from pipeline.store.database import Store, refresh_statistics
from pipeline.store.sources import Source, append, open_source

BATCH = 5_000
"""Layouts in one transaction: enough to make its cost small, few enough to hold in memory and to lose in a crash."""

Progress = Callable[[Source, int, int], None]
"""Called after every batch with the source as it stands, and how much of it has been read of how much."""


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


def ingest_file(store: Store, name: str, game: Game, progress: Progress) -> Source:
    """Read a file into the store, or go on where an earlier try broke off; nothing is done if all of it is there.

    Raises
    ------
    InputError
        If it cannot be read as text; what came before is kept.
    StoreError
    """
    with rereadable(name) as file:
        size = os.fstat(file.fileno()).st_size
        source = open_source(store, game.name, _plain_name(name), text_digest(file, name))
        if source.complete:
            return source
        file.seek(0)
        read = 0

        def reached(byte: int) -> None:
            nonlocal read
            read = byte

        entries = game.layout.read(numbered_lines(file, name, reached))
        return _store(store, source, entries, lambda now: progress(now, read, size))


def ingest_deals(store: Store, deals: DealRange, progress: Progress) -> Source:
    """Deal a range into the store, or go on where an earlier try broke off.

    Raises
    ------
    StoreError
    """
    source = open_source(store, deals.game.name, deals.name, deals.digest, deals.generator)
    if source.complete:
        return source
    return _store(store, source, iter(deals), lambda now: progress(now, now.accepted, len(deals)))


def _store(
    store: Store, source: Source, entries: Iterator[Layout | Reject], report: Callable[[Source], None]
) -> Source:
    for _ in islice(entries, source.entries):
        pass
    while not source.complete:
        batch = list(islice(entries, BATCH))
        source = append(store, source, batch, last=len(batch) < BATCH)
        report(source)
    refresh_statistics(store)
    return source


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _plain_name(name: str) -> str:
    """A name that a table, a terminal and a database can hold, whatever bytes a file's name is made of."""
    return "stdin" if name == STDIN else name.encode("utf-8", "replace").decode().replace("\0", "?")
