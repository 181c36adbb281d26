"""Which runs a user means: numbers and ranges of numbers, tags, a game, an engine."""

from collections.abc import Iterable

from sqlalchemy import select

from dealmill.pipeline.arguments import row_number
from dealmill.pipeline.errors import NotFoundError, UsageError
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.installed import engine_known_as, known_as
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import engines, runs, sources
from dealmill.pipeline.store.runs.controls import labelled
from dealmill.pipeline.store.runs.finding import find_run, list_run_ids
from dealmill.pipeline.store.runs.planned import NOT_DELETED


def selected_runs(
    database: Database,
    keys: Iterable[int | str],
    *,
    tags: str | Iterable[str] = (),
    game: str | None = None,
    engine: str | None = None,
    reruns: bool = False,
) -> list[int]:
    """Return the numbers of the selected runs, oldest first; see `dealmill.Store.select`, also for the errors."""
    words = [word for key in keys for word in str(key).split(",")]
    conditions = labelled(tags, None)
    if game is not None:
        conditions.append(sources.c.game.in_({game, known_as(game)}))
    if engine is not None:
        conditions.append(engines.c.name.in_({engine, engine_known_as(engine)}))
    if not words and not conditions:
        raise UsageError("name the runs: numbers or ranges such as 3-7, last or all; or with --tag, --game, --engine")
    named = [_numbers_of(database, word) for word in words]
    selected = {
        run for run in list_run_ids(database, *conditions) if not words or any(run in numbers for numbers in named)
    }
    if reruns:
        _add_reruns(database, selected)
    if not selected:
        if game is not None:
            find_game(game)  # names it if it is not known; runs of games that are no longer installed are selected
        raise NotFoundError("no run is selected: dealmill status lists all")
    return sorted(selected)


def _numbers_of(database: Database, word: str) -> range:
    """Return the numbers that a word names, some of which may be those of no runs."""
    first, dash, last = word.partition("-")
    if word == "all":
        return range(1, find_run(database, "last").id + 1)
    if dash and (start := row_number(first)) and (end := row_number(last)):
        if start > end:
            raise UsageError(f"{word}: the first run of a range comes before its last: {end}-{start}")
        return range(start, end + 1)
    if word in games():
        raise NotFoundError(f"{word} is a game: select its runs with --game {word}")
    run = find_run(database, word).id
    return range(run, run + 1)


def _add_reruns(database: Database, selected: set[int]) -> None:
    """Add the reruns of the selected runs, and their reruns; each has a higher number than what it repeats."""
    repeating = select(runs.c.id, runs.c.repeats).where(NOT_DELETED, runs.c.repeats.is_not(None)).order_by(runs.c.id)
    with database.reading() as connection:
        for run, repeated in connection.execute(repeating):
            if repeated in selected:
                selected.add(run)
