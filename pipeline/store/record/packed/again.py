"""Deals of packed runs, dealt and solved: first by a job, and again whenever somebody asks for what is not kept."""

from collections.abc import Mapping

import numpy as np

from dealmill.pipeline.deals import DealRange, check_generator
from dealmill.pipeline.errors import DamagedError, VersionError
from dealmill.pipeline.fingerprint import block_of, whole_blocks
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import Solved, Texts
from dealmill.pipeline.solve import solve_texts
from dealmill.pipeline.store.record.packed.packs import Kept
from dealmill.pipeline.store.runs.planned import PlannedRun


def deals_of(run: PlannedRun) -> DealRange:
    """The deals of a packed run.

    Raises
    ------
    DamagedError
        If what is stored of them is damaged.
    VersionError
        If they are dealt otherwise here.
    """
    try:
        deals = None if run.deals is None else DealRange.of(find_game(run.game), run.deals)
    except DamagedError:
        deals = None
    if deals is None or deals.name != run.source_name:
        raise DamagedError(
            f"run {run.id} cannot be read: {run.deals} on record are not the deals of {run.source_name}; restore the "
            "database from a backup"
        )
    check_generator(run.source_name, run.game, run.generator)
    return deals


def dealt_here(run: PlannedRun) -> DealRange:
    """The same, if they are solved here as they were, too.

    Raises
    ------
    DamagedError
        See `deals_of`.
    VersionError
        If what is installed is not what dealt and solved them.
    """
    _, engine = find_engine(run.engine)
    if engine.version != run.version:
        raise VersionError(
            f"run {run.id} is stored packed, by {run.engine} {run.version}, but {engine.version} is installed: its "
            "deals can only be shown by the Dealmill that has that"
        )
    return deals_of(run)


def solve_part(
    deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]
) -> tuple[Texts, Solved]:
    """Deal and solve the items from `first` to before `stop`, except for those of which the `errors` are known."""
    layouts = deals.part(first, stop).texts()
    known = {position - first: error for position, error in errors.items() if first <= position < stop}
    return layouts, solve_texts(run.engine, layouts, run.max_nodes, known)


def as_kept(kept: Kept, first: int, layouts: Texts, solved: Solved) -> bool:
    """Whether what comes out of a block again has the verdicts and the digest on record."""
    same = kept.verdicts is not None and np.array_equal(kept.verdicts, solved.verdicts)
    return same and whole_blocks(first, layouts, solved, last=True) == {block_of(first): kept.digest}
