"""Asking the store for verdicts."""

from collections.abc import Iterator
from itertools import islice

from dealmill.pipeline.errors import NotFoundError, RetractedError
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.results import Result, Wanted, page
from dealmill.pipeline.store.runs import RunStatus, list_runs
from dealmill.pipeline.store.sources import find_source

PAGE = 2_000


def matching_runs(
    store: Database, game: str | None, engine: str | None, source: str | None, *, retracted: bool
) -> list[RunStatus]:
    """The runs of a game, an engine (see `find_engine`) or a source (number or name), oldest first: those that are
    retracted, or those that are not.

    Raises
    ------
    NotFoundError
        If the game, the engine or the source does not exist.
    """
    if game is not None:
        find_game(game)
    full_name = None if engine is None else _full_name(engine)
    over = None if source is None else find_source(store, source)
    return [
        run
        for run in list_runs(store)
        if (run.retracted is not None) == retracted
        and (game is None or run.game == game)
        and (full_name is None or run.engine == full_name)
        and (over is None or run.source == over.id or run.source_name == over.name == source)
    ]


def _full_name(engine: str) -> str:
    game, found = find_engine(engine)
    return game.full_name(found)


def answers_of(run: RunStatus, *, retracted: bool) -> RunStatus:
    """The run, if its verdicts may be shown as answers, or if what was retracted is asked for.

    Raises
    ------
    RetractedError
    """
    if run.retracted is not None and not retracted:
        raise RetractedError(
            f"what run {run.id} says was retracted ({run.retracted}); --retracted shows it nevertheless"
        )
    return run


def results(
    store: Database, runs: list[RunStatus], wanted: Wanted, after: tuple[int, int], most: int | None
) -> Iterator[Result]:
    """The wanted verdicts of these runs behind the item `after` (run and position), at most `most`; all if None."""
    size = PAGE if most is None else min(most, PAGE)
    return islice(_all_results(store, runs, wanted, after, size), most)


def _all_results(
    store: Database, runs: list[RunStatus], wanted: Wanted, after: tuple[int, int], size: int
) -> Iterator[Result]:
    for run in runs:
        if run.id < after[0]:
            continue
        position = after[1] if run.id == after[0] else 0
        while found := _page(store, run, wanted, position, size):
            yield from found
            position = found[-1].position


def _page(store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> list[Result]:
    """The next wanted verdicts of a run, from rows, or dealt and solved again."""
    if not run.survey:
        return page(store, run, wanted, after, most)
    from dealmill.pipeline.survey import solving  # loads the compiler

    return solving.page(store, run, wanted, after, most)


def find_result(store: Database, run: RunStatus, position: int) -> Result:
    """The verdict on one item of a run.

    Raises
    ------
    NotFoundError
        If there is none (yet).
    """
    found = _page(store, run, Wanted(), position - 1, 1)
    if not found or found[0].position != position:
        raise NotFoundError(
            f"run {run.id} has no verdict on item {position}; dealmill status {run.id} says how far it is"
        )
    return found[0]
