"""Opening of sources by name: a file, a range of deals or a saved query, as given on a command line or by a caller."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from os import PathLike, fsdecode
from pathlib import Path

from dealmill.pipeline.arguments import MOST_PACKED, check_integer
from dealmill.pipeline.deals import DealRange, is_deal_range, parse_deal_range
from dealmill.pipeline.errors import InputError, UsageError
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.entries import Entries, deal_entries
from dealmill.pipeline.ingest.compiled import check_of
from dealmill.pipeline.ingest.files import STDIN, Reopen, check_file, rereadable, text_digest
from dealmill.pipeline.ingest.queries import SavedQuery, is_saved_query, parse_saved_query, queried_run, query_reading
from dealmill.pipeline.ingest.reading import Reached, Reading
from dealmill.pipeline.ingest.scanning import scan
from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress import OpenFailed, Opening, Progress
from dealmill.pipeline.runs.planning import NO_END
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.sources.stored import Source
from dealmill.pipeline.store.sources.writing import open_deals, open_source


@dataclass(frozen=True, slots=True)
class Readings:
    """The sources that a command reads, and the errors for those that could not be opened."""

    opened: list[Reading] = field(default_factory=list)
    open_errors: list[InputError] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        """The sources in their current state, each once."""
        return list({reading.source.id: reading.source for reading in self.opened}.values())

    @property
    def errors(self) -> list[InputError]:
        """The errors for files that could not be opened, or not read to their end."""
        return [*self.open_errors, *(reading.error for reading in self.opened if reading.error)]


Named = str | DealRange | SavedQuery
"""A source by name: the path of a file (``-`` is standard input), a range of deals, or a saved query."""
Given = str | PathLike[str] | DealRange | SavedQuery
"""A source as given by a caller."""


def named(source: Given) -> Named:
    """Return a source as named by a caller; text that starts with ``deal:`` is a range of deals, text that starts with
    ``query:`` a saved query.

    Raises
    ------
    UsageError
        If the name is empty or malformed, or the range has no end.
    NotFoundError
        If there is no such game.
    """
    if isinstance(source, SavedQuery):
        return source
    if not isinstance(source, DealRange):
        text = fsdecode(source)
        if not text:
            raise UsageError("the name of a source is empty")
        if is_saved_query(text):
            return parse_saved_query(text)
        if not is_deal_range(text):
            return text
        source = parse_deal_range(text)
    if source.endless:
        raise UsageError(NO_END.format(source.name))
    return source


@contextmanager
def open_readings(
    store: Database, sources: Sequence[Named], game: str | None, progress: Progress
) -> Iterator[Readings]:
    """Open the readings of files, ranges of deals and saved queries.

    All names are checked before the first source is opened. A file that cannot be read does not stop the others.

    Raises
    ------
    InputError
        If a file does not exist, or its game is unclear.
    NotFoundError
        If there is no such game, or no run with the number in a saved query.
    RetractedError, StoreError
        If the results of that run cannot be a source.
    """
    with ExitStack() as copies:
        openers = [_opener(store, source, game, copies, progress) for source in sources]
        readings = Readings()
        for number, (source, opener) in enumerate(zip(sources, openers, strict=True)):
            progress(Opening(number, len(sources), printable(source if isinstance(source, str) else source.name)))
            try:
                readings.opened.append(opener())
            except InputError as error:
                readings.open_errors.append(error)
                progress(OpenFailed(error))
        yield readings


def _opener(
    store: Database, source: Named, game: str | None, copies: ExitStack, progress: Progress
) -> Callable[[], Reading]:
    owner = game_of_source(store, source, game)
    match source:
        case DealRange():
            return partial(deals_reading, store, source)
        case SavedQuery():
            return partial(query_reading, store, source, copies, progress)
    return partial(file_reading, store, source, owner, copies)


def game_of_source(store: Database, source: Named, game: str | None) -> Game:
    """Return the game of a range of deals, of the run of a saved query, or of a file, which must exist: `game`, or else
    the game in the file's name.

    Raises
    ------
    InputError, NotFoundError, RetractedError, StoreError
        See `open_readings`.
    """
    if isinstance(source, DealRange):
        return source.game
    if isinstance(source, SavedQuery):
        return find_game(queried_run(store, source).game)
    wanted = find_game(game) if game else None
    check_file(source)
    return wanted or game_of_file(source)


def game_of_file(name: str) -> Game:
    """Return the game whose name is part of a file's name: ``hi-q_17.txt.gz`` has layouts of hi-q.

    A name that is part of another one in the file's name does not count.

    Raises
    ------
    InputError
        If the name contains no game or several.
    """
    letters = _letters(Path(name).name)
    named = {name: _letters(name) for name in games() if _letters(name) in letters}
    found = [name for name, own in named.items() if not any(own != other and own in other for other in named.values())]
    if len(found) == 1:
        return find_game(found[0])
    which = "several games" if found else "no game"
    place = "standard input" if name == STDIN else name
    raise InputError(f"the name of {place} contains {which}; choose one with --game: {', '.join(games())}")


def file_reading(store: Database, name: str, game: Game, copies: ExitStack) -> Reading:
    """Return the reading of a file; `copies` closes the copies of input that can be read only once.

    Raises
    ------
    InputError
        If the file is empty or cannot be read.
    StoreError
    """
    reopen = rereadable(name, copies)
    with reopen() as file:
        size = os.fstat(file.fileno()).st_size
        source = open_source(store, game.name, _plain_name(name), text_digest(file, name))
    return Reading(store, source, _plain_name(name), partial(_file_entries, name, game, reopen), size)


def _file_entries(name: str, game: Game, reopen: Reopen, reached: Reached) -> Iterator[Entries]:
    with reopen() as file, check_of(game) as find_check:
        yield from scan(file, name, game, find_check, reached)


def deals_reading(store: Database, deals: DealRange) -> Reading:
    """Return the reading of a range of deals.

    Raises
    ------
    UsageError
        If its parameters cannot be combined.
    StoreError
    """
    return Reading(store, deals_source(store, deals), deals.name, partial(_deal_entries, deals), len(deals))


def deals_source(store: Database, deals: DealRange) -> Source:
    """Return the source of a range of deals in its current state; see `deals_reading`."""
    deals.check_deals()
    return open_deals(store, deals)


def packed_sources(store: Database, sources: Sequence[Named]) -> list[Source]:
    """Return the sources of packed runs, whose deals are not read into the store.

    Raises
    ------
    UsageError
        If one of them is not a range of deals, has too many deals, or has parameters that cannot be combined.
    """
    for source in sources:
        if not isinstance(source, DealRange):
            name = source if isinstance(source, str) else source.name
            raise UsageError(f"{printable(name)} cannot be stored packed: only numbered deals can be dealt again")
        check_integer(f"the number of deals in {source.name}", len(source), 1, MOST_PACKED)
    return [deals_source(store, source) for source in sources if isinstance(source, DealRange)]


def _deal_entries(deals: DealRange, reached: Reached) -> Iterator[Entries]:
    for part in deals.parts():
        yield deal_entries(part.first, part.texts())
        reached(part.last - deals.first + 1)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _plain_name(name: str) -> str:
    """Return a file's name in a form that tables, terminals and databases can show, whatever bytes it consists of."""
    return "stdin" if name == STDIN else printable(name)
