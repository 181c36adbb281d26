"""Sources: files, ranges of numbered deals and saved queries, opened and ingested."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from os import PathLike, fsdecode
from pathlib import Path

from dealmill.pipeline.arguments import row_number
from dealmill.pipeline.errors import InputError, NotFoundError, StoreError, UsageError
from dealmill.pipeline.games import find_game, game_by, games_of
from dealmill.pipeline.games.batch import Entries, deal_entries
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange, is_deal_range, parse_deal_range
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.installed import all_offers
from dealmill.pipeline.games.reading import rejected
from dealmill.pipeline.ingest.cells import DealColumn, LayoutColumn, LayoutTable, deal_column
from dealmill.pipeline.ingest.files import (
    STDIN,
    Reached,
    Reopen,
    check_file,
    lines_of,
    rereadable,
    text_blocks,
    text_digest,
)
from dealmill.pipeline.ingest.options import SourceOptions
from dealmill.pipeline.ingest.queries import PREFIX, SavedQuery, parse_saved_query, queried_run, query_reading
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.ingest.scanning import mask_loader, scan
from dealmill.pipeline.ingest.tables import is_table, row_reader
from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress.events import OpenFailed, Opening, Progress
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import BY_POSITION
from dealmill.pipeline.store.planning.run_planning import NO_END, engines_for
from dealmill.pipeline.store.queries.results import LAST_ITEM, Query
from dealmill.pipeline.store.sources.source import Source, find_source
from dealmill.pipeline.store.sources.writing import open_deals, open_source

LOOKED_AT = 20
"""Entries of a file that are looked at before anything is stored."""


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


SourceSpec = str | PathLike[str] | DealRange | Query
"""A source as a caller names it: the path of a file (``-`` is standard input), ``deal:GAME:seed=S:FIRST-LAST`` or a
range of deals, ``query:RUN:CONDITION`` or a query of one run."""
ParsedSource = str | DealRange | SavedQuery
"""A source that is the path of a file, a range of deals, or a saved query."""
TableColumn = str | DealColumn
"""What is read from a table: the column of layouts with this name, or a column of numbers of deals."""


def parse_source(source: SourceSpec) -> ParsedSource:
    """Return the source that a caller names.

    Raises
    ------
    UsageError
        If the name is empty or malformed, the range has no end, or the query is not one of all matching results of a
        run.
    """
    if isinstance(source, Query):
        return _saved(source)
    if not isinstance(source, DealRange):
        text = fsdecode(source)
        if not text:
            raise UsageError("the name of a source is empty")
        if text.startswith(PREFIX):
            return parse_saved_query(text)
        if not is_deal_range(text):
            return text
        source = parse_deal_range(text)
    if source.endless:
        raise UsageError(NO_END.format(source.name))
    return source


def _saved(query: Query) -> SavedQuery:
    whole = query.after[1] == 0 and (query.limit, query.before, query.ordering) == (None, LAST_ITEM, BY_POSITION)
    if len(query.runs) != 1 or not whole:
        raise UsageError("a query can be a source only if it is of one run, without after, before, limit and order")
    return SavedQuery(query.runs[0].id, query.filter)


def stored_source(database: Database, source: SourceSpec) -> Source | None:
    """Return the source in the store that a caller names by its number or its name; None if it names a file, deals or a
    query, which are first read.

    Raises
    ------
    NotFoundError
        If the store has no such source.
    """
    name = parse_source(source)
    if not isinstance(name, str) or _is_path(name):
        return None
    return find_source(database, name)


def _is_path(source: str) -> bool:
    """Return whether the name of a source is that of a file, and not its number in the store."""
    is_number = row_number(source) is not None
    return not is_number and (source == STDIN or os.path.exists(source))  # noqa: PTH110 -- also if too long for a path


def as_before(database: Database, source: SourceSpec, options: SourceOptions) -> SourceOptions:
    """Return the options for reading a source, with the game of the file that was read before under the same name."""
    name = parse_source(source)
    if options.game is None and options.deals is None and isinstance(name, str):
        with suppress(NotFoundError, StoreError):  # such as that there is no store yet
            return replace(options, game=find_source(database, name).game)
    return options


@contextmanager
def open_readings(
    database: Database,
    sources: SourceSpec | Iterable[SourceSpec],
    options: SourceOptions,
    progress: Progress,
    engines: Sequence[str] = (),
) -> Iterator[Readings]:
    """Open the readings of files, numbered deals and saved queries, each of which is to be solved by one of the
    `engines`, if there are some.

    All names are checked before the first source is opened. A path that cannot be read does not stop the others, and
    neither does a file that seems to be of another game.
    """
    game, column = _game_and_column(options)
    several = [sources] if isinstance(sources, str | bytes | PathLike | DealRange | Query) else sources
    parsed = [parse_source(source) for source in several]
    for source in parsed if engines else ():
        with suppress(InputError):  # raised or recorded when it is opened
            name = source if isinstance(source, str) else source.name
            engines_for(name, game_of_source(database, source, game).name, engines)
    if game is not None:
        find_game(game)  # also if no path can be read
    readings = Readings()

    @contextmanager
    def failures_recorded() -> Iterator[None]:
        try:
            yield
        except InputError as error:
            readings.open_errors.append(error)
            progress(OpenFailed(error))

    with ExitStack() as copies:
        present = list[ParsedSource]()
        for source in parsed:
            with failures_recorded():
                if isinstance(source, str):
                    check_file(source)
                present.append(source)
        openers = [
            _opener(database, source, game, copies, progress, anyway=options.anyway, column=column)
            for source in present
        ]
        for number, (source, opener) in enumerate(zip(present, openers, strict=True)):
            progress(Opening(number, len(present), printable(source if isinstance(source, str) else source.name)))
            with failures_recorded():
                readings.opened.append(opener())
        yield readings


def read_sources(
    database: Database,
    sources: SourceSpec | Iterable[SourceSpec],
    options: SourceOptions,
    progress: Progress,
    engines: Sequence[str] = (),
) -> Readings:
    """Open sources as `open_readings` does, read them to their ends, and return what was read."""
    with open_readings(database, sources, options, progress, engines) as readings:
        for reading in readings.opened:
            reading.finish(progress)
    return readings


def source_to_queue(
    database: Database, source: SourceSpec | int, options: SourceOptions, progress: Progress, engines: Sequence[str]
) -> Source:
    """Return the source in the store that a caller names, which is first read if it names a file, deals or a query.

    Raises
    ------
    InputError
        If it cannot be fully read.
    StoreError
        If it was not fully read before.
    """
    name = str(source) if isinstance(source, int) else source
    stored = stored_source(database, name)
    if stored is None:
        readings = read_sources(database, name, as_before(database, name, options), progress, engines)
        if readings.errors:
            raise readings.errors[0]
        [stored] = readings.sources
    if not (stored.complete or stored.endless):
        raise StoreError(f"{stored.name} has not been fully read; finish it with: dealmill ingest")
    return stored


def _game_and_column(options: SourceOptions) -> tuple[str | None, TableColumn | None]:
    """Return the game of the files, and what is read from them if they are tables."""
    column = deal_column(options.deals, options.layout_column, options.number_column)
    if column is None:
        return options.game, options.layout_column
    if options.game is not None and find_game(options.game).name != column.game.name:
        raise UsageError(f"--game {options.game} is not the game of {column.deals.name}: leave it out")
    return column.game.name, column


def _opener(
    database: Database,
    source: ParsedSource,
    game: str | None,
    copies: ExitStack,
    progress: Progress,
    *,
    anyway: bool,
    column: TableColumn | None,
) -> Callable[[], Reading]:
    owner = game_of_source(database, source, game)
    if column is not None:
        layouts = LayoutColumn(owner, column) if isinstance(column, str) else column
        if not isinstance(source, str):
            option = "--layout-column" if isinstance(column, str) else "--deals, which is for a file of numbers"
            raise UsageError(f"{source.name} has no columns: leave out {option}")
        return partial(table_reading, database, source, layouts, copies, anyway=anyway)
    match source:
        case DealRange():
            return partial(deals_reading, database, source)
        case SavedQuery():
            return partial(query_reading, database, source, copies, progress)
    return partial(file_reading, database, source, owner, copies, anyway=anyway)


def game_of_source(database: Database, source: ParsedSource, game: str | None) -> Game:
    """Return the game of a range of deals, of the run of a saved query, or of a file: `game`, or else the game in the
    file's name."""
    if isinstance(source, DealRange):
        return source.game
    if isinstance(source, SavedQuery):
        run = queried_run(database, source)
        return game_by(run.game, run.rules)
    return find_game(game) if game else game_of_file(source)


def game_of_file(name: str) -> Game:
    """Return the game whose name is part of a file's name: ``hi-q_17.txt.gz`` has layouts of hi-q.

    A name that is part of another one in the file's name does not count.

    Raises
    ------
    InputError
        If the name contains no game or several, or there is no such file.
    """
    letters = _letters(Path(name).name)
    offered = [offer.name for offer in all_offers() if _letters(offer.name) in letters]
    inside = {game.name: _letters(game.name) for game in games_of(offered)}
    named = [
        game for game, own in inside.items() if not any(own != longer and own in longer for longer in inside.values())
    ]
    if len(named) == 1:
        return find_game(named[0])
    if not named and name != STDIN and not Path(name).exists():
        raise InputError(f"there is no file {name}")
    which = f"several games: {', '.join(named)}" if named else "no game"
    source = "standard input" if name == STDIN else name
    raise InputError(f"the name of {source} contains {which}; choose one with --game; dealmill games lists all")


def file_reading(database: Database, name: str, game: Game, copies: ExitStack, *, anyway: bool = False) -> Reading:
    """Return the reading of a file; `copies` closes the copies of input that can be read only once.

    Raises
    ------
    InputError
        If none of the first `LOOKED_AT` entries of the file is a layout of the game, unless it is read `anyway`.
    """
    reopen = rereadable(name, copies)
    if not anyway:
        _check_game(name, game, reopen)
    with reopen() as file:
        size = os.fstat(file.fileno()).st_size
        digest = text_digest(file, name) + game.reader.encode()
        source = open_source(database, game.name, _plain_name(name), digest, game.rules_text)
    return Reading(database, source, _plain_name(name), partial(_file_entries, name, game, reopen), size)


def _check_game(name: str, game: Game, reopen: Reopen) -> None:
    first = list[Layout | Reject]()
    with reopen() as file, suppress(InputError):  # it is raised again when the file is read
        lines = chain.from_iterable(lines_of(*block) for block in text_blocks(file, name))
        first += islice(game.read(lines), LOOKED_AT)
    _check_beginning(name, game, [entry for entry in first if isinstance(entry, Reject)])


def _check_beginning(name: str, game: Game, rejects: Sequence[Reject], numbers: DealColumn | None = None) -> None:
    """Refuse a file if its first `LOOKED_AT` entries are all rejects; of `numbers` of deals, if they are these."""
    if len(rejects) == LOOKED_AT:
        line, reasons = rejects[0].line, rejects[0].reasons
        why = "; ".join([*reasons[:2], *(["…"] if len(reasons) > 2 else [])])
        if numbers is not None:
            raise InputError(
                f"{name} has no numbers of {numbers.deals.name} in its first {LOOKED_AT} rows (line {line}: {why}); "
                "nothing of it is stored; name their column with --number-column, or read it with --anyway"
            )
        column = ", its column of layouts with --layout-column" if is_table(name) else ""
        raise InputError(
            f"{name} seems to be of another game: none of its first {LOOKED_AT} entries is a layout of {game.name} "
            f"(line {line}: {why}); nothing of it is stored; name another game with --game{column}, or read it with "
            "--anyway"
        )


def table_reading(
    database: Database, name: str, layouts: LayoutColumn | DealColumn, copies: ExitStack, *, anyway: bool = False
) -> Reading:
    """Return the reading of a column of layouts, or of numbers of deals, in a table; see `file_reading`. Any other file
    with numbers of deals is text with one number in each line.

    Raises
    ------
    UsageError
        If the suffix of the file is not that of a table, and it has layouts.
    """
    numbers = layouts if isinstance(layouts, DealColumn) else None
    titles = [layouts.name] if numbers and not is_table(name) else None
    row_reader(name, titles)
    table = LayoutTable(name, layouts, rereadable(name, copies), titles)
    if not anyway:
        rows = chain.from_iterable(zip(*part, strict=True) for part in table.parts((), lambda _: None))
        first = [rejected(row[0], "", layout) for row, layout in islice(rows, LOOKED_AT) if not isinstance(layout, str)]
        _check_beginning(name, layouts.game, first, numbers)
    game, digest = layouts.game, table.digest(f"{layouts.meaning}\n")
    source = open_source(
        database,
        game.name,
        _plain_name(name),
        digest,
        game.rules_text,
        generator=None if numbers is None else game.generator,
        deals=None if numbers is None else numbers.description,
    )
    return Reading(database, source, _plain_name(name), table.entries, table.size)


def _file_entries(name: str, game: Game, reopen: Reopen, reached: Reached) -> Iterator[Entries]:
    with reopen() as file:
        yield from scan(file, name, game, mask_loader(game, file), reached)


def deals_reading(database: Database, deals: DealRange) -> Reading:
    """Return the reading of a range of deals."""
    return Reading(database, deals_source(database, deals), deals.name, partial(_deal_entries, deals), len(deals))


def deals_source(database: Database, deals: DealRange) -> Source:
    """Return the source of a range of deals in its current state; see `deals_reading`."""
    deals.check_deals()
    return open_deals(database, deals)


def _deal_entries(deals: DealRange, reached: Reached) -> Iterator[Entries]:
    count = 0
    for part in deals.parts():
        count += len(part)
        yield deal_entries(part.lines, part.texts())
        reached(count)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _plain_name(name: str) -> str:
    """Return a file's name in a form that tables, terminals and databases can show, whatever bytes it consists of."""
    return "stdin" if name == STDIN else printable(name)
