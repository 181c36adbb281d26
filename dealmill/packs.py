"""Packs of a game: deal, solve and play as many deals as one needs."""

from pathlib import Path
from typing import TYPE_CHECKING

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import engine_of
from dealmill.pipeline.games.deals import DealRange, all_deals
from dealmill.pipeline.outputs.pack import Pack
from dealmill.pipeline.outputs.pack_choice import PackArguments, check_path, choice_of, counts_by_grade
from dealmill.pipeline.outputs.pack_growth import FIRST_DEALS, Growth
from dealmill.pipeline.progress.events import Event, Ingested, Message, Progress
from dealmill.pipeline.results.measures import CHANCE
from dealmill.pipeline.solving.winnable import default_limit
from dealmill.pipeline.system.settings import settings

if TYPE_CHECKING:
    from dealmill.stores import Store


def pack_of_game(
    store: "Store",
    game: DealRange | str,
    path: Path,
    *,
    force: bool,
    with_checker: bool,
    progress: Progress,
    arguments: PackArguments,
) -> Pack:
    """Solve and play deals of a game in stages until there are enough of each grade, write a pack of them, and return
    it. See `Store.pack`."""
    deals = game if isinstance(game, DealRange) else all_deals(game)
    owner, engine = engine_of(deals.game.name)
    grader = owner.grader(engine)
    if grader is None or grader is engine:
        raise UsageError(f"{owner.name} has no careful player: solve its deals, and name the run of which to pack")
    choice = choice_of(CHANCE, **arguments)
    check_path(store._database, path, force=force)
    count = FIRST_DEALS
    progress(Message(f"solving and playing the first {count} deals of {owner.name}, to see how many are needed"))
    while True:
        part = deals.part(1, count + 1)
        run = store.run(part, engine=owner.full_name(engine), max_nodes=default_limit(engine), progress=progress)
        played = store.run(part, engine=owner.full_name(grader), progress=_without_sources(progress))
        counts = counts_by_grade(store._database, run.progress, choice, played.progress, progress)
        growth = Growth(owner.name, count, counts, choice.sizes)
        if growth.deals_needed <= count:
            break
        growth.check_in_reach()
        costs = [each.progress.cpu_seconds for each in (run, played)]
        progress(Message(growth.words(costs, settings().workers)))
        count = growth.next_deals
    return run.pack(path, graded_by=played, force=force, with_checker=with_checker, progress=progress, **arguments)


def _without_sources(progress: Progress) -> Progress:
    """Return a function that leaves out what was reported of a source when it was read first."""

    def report(event: Event) -> None:
        if not isinstance(event, Ingested) or event.error:
            progress(event)

    return report
