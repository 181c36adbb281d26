"""Sources: files, ranges of numbered deals and saved queries, opened and ingested.

A saved query, such as ``query:3:verdict=undecided``, has the layouts of the matching results of a run.

A condition is named as the option of ``dealmill query``, and conditions are separated by commas. The line of an item is
the position of its layout in the queried run.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import chain, islice
from os import PathLike, fsdecode
from pathlib import Path
from typing import IO

import numpy as np

from dealmill.pipeline.arguments import MOST_PACKED, check_integer
from dealmill.pipeline.deals import DealRange, is_deal_range, parse_deal_range
from dealmill.pipeline.errors import DamagedError, InputError, RetractedError, StoreError, UsageError
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.batch import Entries, deal_entries, pack
from dealmill.pipeline.games.contract import Game, Layout, Reject
from dealmill.pipeline.ingest.files import STDIN, Reopen, check_file, lines_of, rereadable, text_blocks, text_digest
from dealmill.pipeline.ingest.reading import Reached, Reading
from dealmill.pipeline.ingest.scanning import check_of, scan
from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress import Message, OpenFailed, Opening, Progress
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.filters import BY_POSITION, CONDITIONS, Filter
from dealmill.pipeline.store.planning import NO_END, check_finished
from dealmill.pipeline.store.results import END, Query
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.sources.source import Source, altered_layouts, earlier_namesake
from dealmill.pipeline.store.sources.writing import open_deals, open_source
from dealmill.pipeline.store.storages.choice import storage_of

PREFIX = "query:"
PAGE = 2_000
LOOKED_AT = 20
"""Entries of a file that are looked at before anything is stored."""
READ_BYTES = 1 << 19
"""The bytes of a query's layouts that are read into memory together."""


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """The results of a run that match a filter, in order of position.

    `run` is its number; `last` is the newest run when the source is opened.
    """

    run: int | str
    filter: Filter

    @property
    def name(self) -> str:
        """The query as text, in its only canonical form."""
        return f"{PREFIX}{self.run}:{','.join(map('='.join, self.filter.conditions))}"


def parse_saved_query(text: str) -> SavedQuery:
    """Parse ``query:RUN:CONDITION[,CONDITION…]``. Only verdicts can be named repeatedly: each of them matches.

    Raises
    ------
    UsageError
        If the text is not a query, or there is no such verdict or outcome.
    """
    match = re.fullmatch(r"query:(\d{1,9}|last):(.+)", text, re.ASCII)
    if match is None:
        raise UsageError(
            f"{text!r} is not a query; write query:RUN:CONDITION with the number of a run or last, as in "
            "query:3:verdict=undecided"
        )
    conditions = list[tuple[str, str]]()
    for condition in match[2].split(","):
        name, equals, value = condition.partition("=")
        if not equals or name not in CONDITIONS:
            known = ", ".join(CONDITIONS)
            raise UsageError(f"{condition!r} in {text!r} is not a condition; write NAME=VALUE with one of: {known}")
        if name != "verdict" and name in dict(conditions):
            raise UsageError(f"{name} is given twice in {text!r}: give it once, for example as {name}=70..80")
        conditions.append((name, value))
    return SavedQuery(int(match[1]) if match[1] != "last" else "last", Filter.parse(conditions))


def queried_run(store: Database, query: SavedQuery) -> RunStatus:
    """Return the run of a query, which must be finished, so that its results do not change.

    Raises
    ------
    RetractedError
        If it was retracted.
    StoreError
        If it is not finished, or the query is by audit outcome and there is no audit that tells.
    """
    run = find_run(store, query.run)
    if run.retracted is not None:
        raise RetractedError(
            f"{query.name} cannot be a source: run {run.id} was retracted ({run.retracted}); query the run that "
            "replaces it"
        )
    check_finished(run)
    if query.filter.audit is Outcome.VALID and not storage_of(run).stores_valid_judgements:
        raise StoreError(f"{query.name} cannot be a source: audits of packed runs do not record valid verdicts")
    if query.filter.audit and run.id not in latest_audits(store):
        raise StoreError(f"run {run.id} has not been audited; audit it with: dealmill audit {run.id}")
    return run


def query_reading(store: Database, query: SavedQuery, copies: ExitStack, progress: Progress) -> Reading:
    """Return the reading of a saved query.

    The results are read once, into a temporary file, which is closed with `copies`. The source is identified by the
    name of the query and the positions and texts of its layouts. If these are no longer those of an earlier source of
    this name, a message says so, and the query becomes a new source.
    """
    run = queried_run(store, query)
    query = replace(query, run=run.id)
    copy = copies.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 -- closed with the other copies
    digest, count = sha256(f"{query.name}\n".encode()), 0
    for layouts in _selected(store, run, query):
        lines = "".join([f"{position} {layout}\n" for position, layout in layouts.items()]).encode()
        digest.update(lines)
        copy.write(lines)
        count += len(layouts)
    _check_count(run, query, count)
    source = open_source(store, run.game, query.name, digest.digest())
    _tell_of_change(store, source, progress)
    return Reading(store, source, query.name, partial(_entries, copy), count)


def _selected(store: Database, run: RunStatus, query: SavedQuery) -> Iterator[Mapping[int, str]]:
    """Yield the layouts of the matching results of a run in pages, by position.

    Raises
    ------
    DamagedError
        If one of them cannot be read, or its layout was changed.
    """
    after: int | None = 0
    while after is not None:
        page = storage_of(run).page(store, run, query.filter, after, PAGE)
        for fault in page.faults:
            raise _damaged(run, query, f"{run.id}:{fault.first} cannot be read: {fault.reason}")
        layouts = dict(zip(page.columns.positions, page.columns.layouts, strict=True))
        for position in altered_layouts(store, run.source, run.game, layouts) if run.storage is Storage.ROWS else ():
            raise _damaged(run, query, f"the layout of {run.id}:{position} does not match its digest")
        yield layouts
        after = page.end


def _check_count(run: RunStatus, query: SavedQuery, count: int) -> None:
    """Check that some results were found and, if the jobs of the run have counted them, that none is missing."""
    counted = sum(run.counts.get(verdict, 0) for verdict in query.filter.verdict)
    if query.filter == Filter(query.filter.verdict) and count != counted:
        raise _damaged(run, query, f"run {run.id} has {count:,} such verdicts, but its jobs counted {counted:,}")
    if not count:
        raise InputError(f"{query.name} is empty: no result of run {run.id} matches")


def _damaged(run: RunStatus, query: SavedQuery, why: str) -> DamagedError:
    return DamagedError(f"{query.name} cannot be a source: {why}; find all faults with: dealmill audit {run.id}")


def _tell_of_change(store: Database, source: Source, progress: Progress) -> None:
    earlier = None if source.entries or source.complete else earlier_namesake(store, source)
    if earlier:
        progress(
            Message(
                f"{source.name} no longer matches the layouts of source {earlier.id}: it is read as a new source, "
                f"number {source.id}"
            )
        )


def _entries(copy: IO[bytes], reached: Reached) -> Iterator[Entries]:
    copy.seek(0)
    read, nothing = 0, np.zeros(0, dtype=np.int64)
    while lines := copy.readlines(READ_BYTES):
        rows = [line.decode().rstrip("\n").split(" ", 1) for line in lines]
        positions = np.array([int(position) for position, _ in rows], dtype=np.int64)
        yield Entries(positions, pack([layout for _, layout in rows]), [], nothing)
        read += len(rows)
        reached(read)


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
    whole = query.after[1] == 0 and (query.limit, query.before, query.ordering) == (None, END, BY_POSITION)
    if len(query.runs) != 1 or not whole:
        raise UsageError("a query can be a source only if it is of one run, without after, before, limit and order")
    return SavedQuery(query.runs[0].id, query.filter)


@contextmanager
def open_readings(
    store: Database, sources: Sequence[ParsedSource], game: str | None, progress: Progress, *, anyway: bool = False
) -> Iterator[Readings]:
    """Open the readings of files, ranges of deals and saved queries.

    All names are checked before the first source is opened. A path that cannot be read does not stop the others, and
    neither does a file that seems to be of another game, unless it is to be read `anyway`.
    """
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
        for source in sources:
            with failures_recorded():
                if isinstance(source, str):
                    check_file(source)
                present.append(source)
        openers = [_opener(store, source, game, copies, progress, anyway=anyway) for source in present]
        for number, (source, opener) in enumerate(zip(present, openers, strict=True)):
            progress(Opening(number, len(present), printable(source if isinstance(source, str) else source.name)))
            with failures_recorded():
                readings.opened.append(opener())
        yield readings


def _opener(
    store: Database, source: ParsedSource, game: str | None, copies: ExitStack, progress: Progress, *, anyway: bool
) -> Callable[[], Reading]:
    owner = game_of_source(store, source, game)
    match source:
        case DealRange():
            return partial(deals_reading, store, source)
        case SavedQuery():
            return partial(query_reading, store, source, copies, progress)
    return partial(file_reading, store, source, owner, copies, anyway=anyway)


def game_of_source(store: Database, source: ParsedSource, game: str | None) -> Game:
    """Return the game of a range of deals, of the run of a saved query, or of a file: `game`, or else the game in the
    file's name."""
    if isinstance(source, DealRange):
        return source.game
    if isinstance(source, SavedQuery):
        return find_game(queried_run(store, source).game)
    return find_game(game) if game else game_of_file(source)


def game_of_file(name: str) -> Game:
    """Return the game whose name is part of a file's name: ``hi-q_17.txt.gz`` has layouts of hi-q.

    A name that is part of another one in the file's name does not count.

    Raises
    ------
    InputError
        If the name contains no game or several.
    """
    letters = _letters(Path(name).name)
    inside = {game: _letters(game) for game in games() if _letters(game) in letters}
    named = [
        game for game, own in inside.items() if not any(own != other and own in other for other in inside.values())
    ]
    if len(named) == 1:
        return find_game(named[0])
    which = "several games" if named else "no game"
    place = "standard input" if name == STDIN else name
    raise InputError(f"the name of {place} contains {which}; choose one with --game: {', '.join(games())}")


def file_reading(store: Database, name: str, game: Game, copies: ExitStack, *, anyway: bool = False) -> Reading:
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
        source = open_source(store, game.name, _plain_name(name), text_digest(file, name))
    return Reading(store, source, _plain_name(name), partial(_file_entries, name, game, reopen), size)


def _check_game(name: str, game: Game, reopen: Reopen) -> None:
    found = list[Layout | Reject]()
    with reopen() as file, suppress(InputError):  # it is raised again when the file is read
        lines = chain.from_iterable(lines_of(*block) for block in text_blocks(file, name))
        found += islice(game.read(lines), LOOKED_AT)
    rejects = [entry for entry in found if isinstance(entry, Reject)]
    if len(rejects) == LOOKED_AT:
        line, reasons = rejects[0].line, rejects[0].reasons
        why = "; ".join([*reasons[:2], *(["…"] if len(reasons) > 2 else [])])
        raise InputError(
            f"{name} seems to be of another game: none of its first {LOOKED_AT} entries is a layout of {game.name} "
            f"(line {line}: {why}); nothing of it is stored; name its game with --game, or read it with --anyway"
        )


def _file_entries(name: str, game: Game, reopen: Reopen, reached: Reached) -> Iterator[Entries]:
    with reopen() as file, check_of(game, file) as find_check:
        yield from scan(file, name, game, find_check, reached)


def deals_reading(store: Database, deals: DealRange) -> Reading:
    """Return the reading of a range of deals."""
    return Reading(store, deals_source(store, deals), deals.name, partial(_deal_entries, deals), len(deals))


def deals_source(store: Database, deals: DealRange) -> Source:
    """Return the source of a range of deals in its current state; see `deals_reading`."""
    deals.check_deals()
    return open_deals(store, deals)


def packed_sources(store: Database, sources: Sequence[ParsedSource]) -> list[Source]:
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
