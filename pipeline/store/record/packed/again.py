"""Dealing and solving the items of packed runs: first by a job, and again when their layouts or evidence are
requested."""

from collections.abc import Mapping

import numpy as np

from dealmill.pipeline.deals import DealRange, check_generator
from dealmill.pipeline.digests import block_of, whole_blocks
from dealmill.pipeline.errors import DamagedError, VersionError
from dealmill.pipeline.games import engine_of_run, find_game
from dealmill.pipeline.games.batch import Solved, Texts
from dealmill.pipeline.games.caches import caches
from dealmill.pipeline.solve import solve_texts
from dealmill.pipeline.store.record.packed.packs import Kept
from dealmill.pipeline.store.runs import PlannedRun


def deals_of(run: PlannedRun) -> DealRange:
    """Return the deals of a packed run.

    Raises
    ------
    DamagedError
        If the recorded range is damaged.
    VersionError
        If another version of the generator is installed.
    """
    try:
        deals = None if run.deals is None else DealRange.of(find_game(run.game), run.deals)
    except DamagedError:
        deals = None
    if deals is None or deals.name != run.source_name:
        raise DamagedError(
            f"run {run.id} cannot be read: the recorded deals {run.deals} are not those of {run.source_name}; restore "
            "the database from a backup"
        )
    check_generator(run.source_name, run.game, run.generator)
    return deals


def dealt_here(run: PlannedRun) -> DealRange:
    """Return the deals of a packed run that can be solved again with this installation.

    Raises
    ------
    DamagedError
        See `deals_of`.
    VersionError
        If the engine is not installed, or another version of it or of the generator.
    CacheError
        If compiled engines cannot be cached.
    """
    caches()
    _, engine = engine_of_run(run.id, run.engine)
    if engine.version != run.version:
        raise VersionError(
            f"run {run.id} is packed and needs {run.engine} version {run.version}, but version {engine.version} is "
            "installed; read it with the Dealmill that has that version"
        )
    return deals_of(run)


def solve_part(
    deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]
) -> tuple[Texts, Solved]:
    """Deal and solve the items `[first, stop)`, except those with a recorded error in `errors` (by position)."""
    layouts = deals.part(first, stop).texts()
    known = {position - first: error for position, error in errors.items() if first <= position < stop}
    return layouts, solve_texts(run.engine, layouts, run.max_nodes, known)


def as_kept(kept: Kept, first: int, layouts: Texts, solved: Solved) -> bool:
    """Return whether the result of solving a block again has the recorded verdicts and the recorded digest."""
    same = kept.verdicts is not None and np.array_equal(kept.verdicts, solved.verdicts)
    return same and whole_blocks(first, layouts, solved, last=True) == {block_of(first): kept.digest}
