"""Find a layout in the store: its items in all sources, and the results of the runs over them."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from dealmill.pipeline.errors import (
    BadLayout,
    DamagedError,
    DamagedWarning,
    NotFoundError,
    StoreError,
    StoreUnavailable,
    VersionError,
)
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game, Layout, Reject
from dealmill.pipeline.games.reading import Line
from dealmill.pipeline.progress import Message, Progress
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.results import find_result
from dealmill.pipeline.store.runs.status import RunStatus, runs_over
from dealmill.pipeline.store.sources.layout_index import (
    LEAST,
    Place,
    clear_index,
    index_some,
    indexed_items,
    scanned_items,
    unindexed_items,
    unstored_ranges,
)
from dealmill.pipeline.store.sources.source import Source, find_source


@dataclass(frozen=True, slots=True)
class Match:
    """An item with a layout, and a run over its source.

    `run` is None if the source has no run. `result` is None if the run has no verdict on the item yet, was retracted,
    or cannot be read here.
    """

    layout: str
    source: Source
    position: int
    line: int
    run: RunStatus | None
    result: Result | None


def find_layout(store: Database, lines: Sequence[Line], game: str | None, progress: Progress) -> list[Match]:
    """Return the matches of the layout in these lines, in order of source, position and run.

    Without `game`, every game whose reader accepts the lines is searched. Numbered deals that are not stored, those of
    packed runs and surveys, are not searched; a message says so.

    Raises
    ------
    NotFoundError
        If there is no such game.
    BadLayout
        If the lines are not exactly one layout.
    """
    layouts = _one_layout(lines, game)
    with suppress(StoreError):  # a store that cannot be written is searched without the index
        _index_rest(store, progress)
    found = [match for owner, layout in layouts for match in _matches(store, owner, layout, progress)]
    if ranges := unstored_ranges(store, [owner for owner, _ in layouts]):
        what = "1 range" if ranges == 1 else f"{ranges:,} ranges"
        progress(Message(f"not searched: {what} of numbered deals that are not stored (packed runs and surveys)"))
    return found


def _one_layout(lines: Sequence[Line], game: str | None) -> list[tuple[str, str]]:
    """Return the canonical text of the layout in these lines for each game that can read it."""
    wanted = list(games().values()) if game is None else [find_game(game)]
    read = {owner.name: _first_two(owner, lines) for owner in wanted}
    found = [(name, entries[0].text) for name, entries in read.items() if [*map(type, entries)] == [Layout]]
    if found:
        return found
    if game is None:
        raise BadLayout(["this is not exactly one layout of any game; name its game with --game to see the reasons"])
    reasons = [reason for entry in read[game] if isinstance(entry, Reject) for reason in entry.reasons]
    raise BadLayout(reasons or [f"this is not exactly one layout of {game}"])


def _first_two(game: Game, lines: Sequence[Line]) -> list[Layout | Reject]:
    return list(islice(game.read(lines), 2))


def _matches(store: Database, game: str, layout: str, progress: Progress) -> Iterator[Match]:
    places = _places(store, game, layout, progress)
    for number in dict.fromkeys(place.source for place in places):
        source = find_source(store, number)
        over: list[RunStatus | None] = [*runs_over(store, number)] or [None]
        for place in places:
            for run in over if place.source == number else ():
                result = None if run is None else _result(store, run, place.position)
                yield Match(layout, source, place.position, place.line, run, result)


def _places(store: Database, game: str, layout: str, progress: Progress) -> list[Place]:
    try:
        return indexed_items(store, game, layout)
    except DamagedError as error:
        progress(Message(f"{error}; it is built again"))
    try:
        clear_index(store)
        _index_rest(store, progress)
        return indexed_items(store, game, layout)
    except StoreUnavailable:
        raise
    except StoreError:  # for example, a store that cannot be written
        return scanned_items(store, game, layout)


def _index_rest(store: Database, progress: Progress) -> None:
    """Index the complete sources of an earlier version, and those of a damaged index."""
    rest = unindexed_items(store)
    if rest >= LEAST:
        progress(Message(f"indexing {rest:,} layouts for this and later searches"))
        while index_some(store):
            pass


def _result(store: Database, run: RunStatus, position: int) -> Result | None:
    if run.retracted is not None:
        return None
    try:
        return find_result(store, run, position)
    except NotFoundError:
        return None
    except (DamagedError, VersionError) as error:
        warnings.warn(DamagedWarning(str(error)), stacklevel=2)
        return None
