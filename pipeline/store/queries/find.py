"""Find a layout in the store: its items in all sources, and the results of the runs over them.

The digests of all items are read, which takes about 0.2 seconds per million. There is no index of them
(docs/decisions/0068-fewer-digests.md).
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from sqlalchemy import ColumnElement, exists, func, literal, select, tuple_

from dealmill.pipeline.errors import (
    BadLayout,
    DamagedError,
    DamagedResults,
    NotFoundError,
    UsageError,
    VersionError,
)
from dealmill.pipeline.evidence.digests import layout_digest
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.reading import Line
from dealmill.pipeline.progress.events import Message, Progress, Searching
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import Control, items, runs, sources
from dealmill.pipeline.store.queries.results import find_result
from dealmill.pipeline.store.runs.finding import runs_over
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source, find_source

ITEMS_PER_QUERY = 10_000_000
"""The number of items after which a search reports its progress."""
ITEM = (items.c.source_id, items.c.position, items.c.line, items.c.layout)
ITEM_CHECK = RowCheck(*ITEM)
NOT_THE_LAYOUT = "items.layout does not match items.digest"
LENGTHS = (
    select(sources.c.id, sources.c.accepted)
    # A damaged number of items could be 2⁶².
    .where(exists().where(items.c.source_id == sources.c.id, items.c.position == sources.c.accepted))
    .order_by(sources.c.id)
)


@dataclass(frozen=True, slots=True)
class Match:
    """An item with a layout, and a run over its source.

    `run` is None if the source has no run. `result` is None if the run has no verdict on the item yet, was retracted,
    or must be solved again with another version than the installed one.
    """

    layout: str
    source: Source
    position: int
    line: int
    run: RunStatus | None
    result: Result | None


def lines_of_layout(layout: str | Layout | Result) -> list[Line]:
    """Return the numbered lines of a layout: those of a text, or the canonical text of today."""
    match layout:
        case str():
            return list(enumerate(layout.splitlines(), start=1))
        case Layout():
            return [(1, layout.text)]
        case Result():
            game, _ = layout.game_and_engine
            return [(1, game.spellings(layout.layout)[0])]


def find_layout(database: Database, lines: Sequence[Line], game: str | None, progress: Progress) -> list[Match]:
    """Return the matches of the layout in these lines, in order of source, position and run.

    Without `game`, every game whose reader accepts the lines is searched. Numbered deals that are not stored, those of
    compact runs and surveys, are not searched; a message says so.

    Raises
    ------
    NotFoundError
        If there is no such game.
    BadLayout
        If the lines are not exactly one layout.
    DamagedError
        If an item with the layout, or a result of one, cannot be read.
    """
    layouts = _one_layout(lines, game)
    matches = [match for owner, layout in layouts for match in _matches(database, owner, layout, progress)]
    if ranges := _unstored_ranges(database, [owner for owner, _ in layouts]):
        what = "1 range" if ranges == 1 else f"{ranges:,} ranges"
        progress(Message(f"not searched: {what} of numbered deals that are not stored (compact runs and surveys)"))
    return matches


def _unstored_ranges(database: Database, games: Sequence[str]) -> int:
    """Return the number of ranges of deals of these games without items, which are those of compact runs only."""
    used = exists().where(runs.c.source_id == sources.c.id, runs.c.control != Control.DELETED)
    query = select(func.count()).where(
        sources.c.generator.is_not(None), sources.c.accepted == 0, sources.c.game.in_(games), used
    )
    with database.reading() as connection:
        return connection.execute(query).scalar_one()


def _one_layout(lines: Sequence[Line], game: str | None) -> list[tuple[str, str]]:
    """Return the canonical texts of the layout in these lines for each game that can read it."""
    candidates = [*games().values(), *_variant(lines)] if game is None else [find_game(game)]
    read = {owner.name: _first_two(owner, lines) for owner in candidates}
    texts = [
        (owner.name, text)
        for owner in candidates
        if [*map(type, read[owner.name])] == [Layout]
        for text in owner.spellings(read[owner.name][0].text)
    ]
    if texts:
        return texts
    if game is None:
        raise BadLayout(["this is not exactly one layout of any game; name its game with --game to see the reasons"])
    [entries] = read.values()
    reasons = [reason for entry in entries if isinstance(entry, Reject) for reason in entry.reasons]
    raise BadLayout(reasons or [f"this is not exactly one layout of {game}"])


def _variant(lines: Sequence[Line]) -> Iterator[Game]:
    """Yield the game with changed rules that the first line names, if it does."""
    name = next((line.partition(" ")[0] for _, line in lines), "")
    if ":" in name:
        with suppress(NotFoundError, UsageError):
            yield find_game(name)


def _first_two(game: Game, lines: Sequence[Line]) -> list[Layout | Reject]:
    return list(islice(game.read(lines), 2))


def _matches(database: Database, game: str, layout: str, progress: Progress) -> Iterator[Match]:
    stored = stored_items(database, game, layout, progress)
    for number in dict.fromkeys(item.source for item in stored):
        source = find_source(database, number)
        over: list[RunStatus | None] = [*runs_over(database, number)] or [None]
        for item in stored:
            for run in over if item.source == number else ():
                result = None if run is None else _result(database, run, item.position, progress)
                yield Match(layout, source, item.position, item.line, run, result)


class StoredItem(NamedTuple):
    """An item of a source."""

    source: int
    position: int
    line: int


def stored_items(database: Database, game: str, layout: str, progress: Progress) -> list[StoredItem]:
    """Return the items with a layout, in order of source and position.

    Raises
    ------
    DamagedError
        If an item with its digest cannot be read, or has another text.
    """
    digest, stored = layout_digest(game, layout), []
    total, parts = _parts(database)
    for number, part in enumerate(parts, start=1):
        with database.reading() as connection:
            rows = connection.execute(select(*ITEM).where(items.c.digest == digest, *part)).all()
        for row in rows:
            error = ITEM_CHECK.error(row)
            if error or row.layout != layout:
                raise _damaged_item(database, row.source_id, row.position, error or NOT_THE_LAYOUT)
            stored.append(StoredItem(*row[:3]))
        if len(parts) > 1:
            progress(Searching(min(number * ITEMS_PER_QUERY, total), total))
    return sorted(stored)


def _damaged_item(database: Database, source: int, position: int, reason: str) -> DamagedError:
    """Return the error for an item of a source, as one of the first run over it if there is one."""
    for run in runs_over(database, source):
        return DamagedResults(run.id, position, position, reason)
    return DamagedError(
        f"item {position} of source {source} cannot be read: {reason}; restore the database from a backup"
    )


def _parts(database: Database) -> tuple[int, list[list[ColumnElement[bool]]]]:
    """Return the number of items of the store, and conditions that divide them into parts of `ITEMS_PER_QUERY`. Every
    row is in exactly one part, whatever the numbers of items say."""
    ends, total = [], 0
    with database.reading() as connection:
        for source, length in connection.execute(LENGTHS):
            first = ITEMS_PER_QUERY - total % ITEMS_PER_QUERY
            ends += [(source, position) for position in range(first, length + 1, ITEMS_PER_QUERY)]
            total += length
    item = tuple_(items.c.source_id, items.c.position)
    conditions = []
    for after, end in pairwise((None, *ends, None)):
        above = [] if after is None else [item > tuple_(*map(literal, after))]
        below = [] if end is None else [item <= tuple_(*map(literal, end))]
        conditions.append(above + below)
    return total, conditions


def _result(database: Database, run: RunStatus, position: int, progress: Progress) -> Result | None:
    if run.retracted is not None:
        return None
    try:
        return find_result(database, run, position)
    except NotFoundError:
        return None
    except VersionError as error:
        progress(Message(str(error)))
        return None
