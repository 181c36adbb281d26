"""What is named on a command line or by a caller, a file or a range of deals, opened as a source of layouts."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from os import PathLike, fsdecode
from pathlib import Path

from dealmill.pipeline.arguments import MOST_PACKED, whole
from dealmill.pipeline.deals import DealRange, is_deal_range, parse_deal_range
from dealmill.pipeline.errors import InputError, UsageError
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.entries import Entries, dealt
from dealmill.pipeline.ingest.compiled import check_of
from dealmill.pipeline.ingest.files import STDIN, Reopen, check_file, rereadable, text_digest
from dealmill.pipeline.ingest.reading import Reached, Reading
from dealmill.pipeline.ingest.scanning import scan
from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress import Opening, Progress, Refused
from dealmill.pipeline.runs.planning import NO_END
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.sources.stored import Source
from dealmill.pipeline.store.sources.writing import open_deals, open_source


@dataclass(frozen=True, slots=True)
class Readings:
    """The sources that a command reads, and why others could not be opened."""

    found: list[Reading] = field(default_factory=list)
    refused: list[InputError] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        """The sources as far as they have been read, each once."""
        return list({reading.source.id: reading.source for reading in self.found}.values())

    @property
    def errors(self) -> list[InputError]:
        """Why files could not be opened, or not be read to their end."""
        return [*self.refused, *(reading.broken for reading in self.found if reading.broken)]


Named = str | DealRange
"""A source as it is named: the path of a file (``-`` is standard input), or a range of deals."""


def named(source: str | PathLike[str] | DealRange) -> Named:
    """A source as somebody names it; text that begins with ``deal:`` is a range of deals.

    Raises
    ------
    UsageError, NotFoundError
        If that is empty or malformed, of no game, or deals without end.
    """
    if not isinstance(source, DealRange):
        text = fsdecode(source)
        if not text:
            raise UsageError("the name of a source is empty")
        if not is_deal_range(text):
            return text
        source = parse_deal_range(text)
    if source.endless:
        raise UsageError(NO_END.format(source.name))
    return source


def all_named(sources: str | PathLike[str] | DealRange | Iterable[str | PathLike[str] | DealRange]) -> list[Named]:
    """Sources as somebody names them; one alone is a list of one, though text and deals can be iterated over.

    Raises
    ------
    UsageError, NotFoundError
        See `named`.
    """
    if isinstance(sources, str | bytes | PathLike | DealRange):
        return [named(sources)]
    return [named(source) for source in sources]


@contextmanager
def open_readings(
    store: Database, sources: Sequence[Named], game: str | None, progress: Progress
) -> Iterator[Readings]:
    """The readings of files and ranges of deals. All of them are checked before the first is opened; a file that cannot
    be read does not stop the others.

    Raises
    ------
    InputError
        If a file does not exist, or its game is not known.
    NotFoundError
        If there is no such game.
    """
    with ExitStack() as copies:
        openers = [_opener(store, source, game, copies) for source in sources]
        readings = Readings()
        for number, (source, opener) in enumerate(zip(sources, openers, strict=True)):
            progress(Opening(number, len(sources), printable(source if isinstance(source, str) else source.name)))
            try:
                readings.found.append(opener())
            except InputError as error:
                readings.refused.append(error)
                progress(Refused(error))
        yield readings


def _opener(store: Database, source: Named, game: str | None, copies: ExitStack) -> Callable[[], Reading]:
    if isinstance(source, DealRange):
        return partial(deals_reading, store, source)
    return partial(file_reading, store, source, game_of_source(source, game), copies)


def game_of_source(source: Named, game: str | None) -> Game:
    """The game of a range of deals, or of a file (which must exist): the one asked for, or the one in its name.

    Raises
    ------
    InputError, NotFoundError
        See `open_readings`.
    """
    if isinstance(source, DealRange):
        return source.game
    wanted = find_game(game) if game else None
    check_file(source)
    return wanted or game_of_file(source)


def game_of_file(name: str) -> Game:
    """The game that a file's name speaks of: ``hi-q_17.txt.gz`` is of hi-q.

    Raises
    ------
    InputError
        If the name speaks of no game or of several.
    """
    letters = _letters(Path(name).name)
    found = [game for game in games().values() if _letters(game.name) in letters]
    if len(found) == 1:
        return found[0]
    which = "several games" if found else "no game"
    place = "standard input" if name == STDIN else name
    raise InputError(f"the name of {place} speaks of {which}; say which one with --game: {', '.join(games())}")


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


def _written(name: str, game: Game, reopen: Reopen, reached: Reached) -> Iterator[Entries]:
    with reopen() as file, check_of(game) as find_check:
        yield from scan(file, name, game, find_check, reached)


def deals_reading(store: Database, deals: DealRange) -> Reading:
    """The reading of a range of deals.

    Raises
    ------
    UsageError
        If their parameters do not go together.
    StoreError
    """
    return Reading(store, deals_source(store, deals), partial(_dealt, deals), len(deals))


def deals_source(store: Database, deals: DealRange) -> Source:
    """The source of a range of deals, as far as it was read; see `deals_reading`."""
    deals.check_parameters()
    return open_deals(store, deals)


def packed_sources(store: Database, sources: Sequence[Named]) -> list[Source]:
    """Sources of runs that are stored packed, for which they are not read.

    Raises
    ------
    UsageError
        If one of them is a file, too many deals, or its parameters do not go together.
    """
    for source in sources:
        if not isinstance(source, DealRange):
            raise UsageError(f"{printable(source)} cannot be stored packed: only numbered deals can be dealt again")
        whole(f"the number of deals in {source.name}", len(source), 1, MOST_PACKED)
    return [deals_source(store, source) for source in sources if isinstance(source, DealRange)]


def _dealt(deals: DealRange, reached: Reached) -> Iterator[Entries]:
    for part in deals.parts():
        yield dealt(part.first, part.texts())
        reached(part.last - deals.first + 1)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _plain_name(name: str) -> str:
    """A name that a table, a terminal and a database can hold, whatever bytes a file's name is made of."""
    return "stdin" if name == STDIN else printable(name)
