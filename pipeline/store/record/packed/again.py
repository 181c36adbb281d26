"""Numbered deals, dealt and solved: first by a job, and again whenever somebody asks for what is not kept."""

from collections.abc import Mapping

import numpy as np

from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import StoreError, VersionError
from dealmill.pipeline.fingerprint import BLOCK, block_of, whole_blocks
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import Solved, Texts, joined, unpack
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import broken_down, solve_texts
from dealmill.pipeline.store.record.packed.packs import Kept, SolvedPack
from dealmill.pipeline.store.runs.planned import PlannedRun

SCORED, FAILED = int(Verdict.SCORED), int(Verdict.FAILED)

AT_ONCE = 3 * BLOCK
"""Deals that go through a kernel at once. With one block, what Python does around it makes all of it take up to 15 %
longer; with four, the texts of some games no longer fit into a processor's own cache."""


def deals_of(run: PlannedRun) -> DealRange:
    """The deals of a packed run.

    Raises
    ------
    StoreError
        If what is stored of them is damaged.
    """
    if run.deals is None:
        raise StoreError(f"the deals of {run.source_name} are not on record: the store is damaged")
    return DealRange.of(find_game(run.game), run.deals)


def dealt_here(run: PlannedRun) -> DealRange:
    """The same, if they are dealt and solved here as they were.

    Raises
    ------
    VersionError
        If what is installed is not what dealt and solved them.
    """
    deals = deals_of(run)
    _, engine = find_engine(run.engine)
    if (engine.version, deals.game.generator) != (run.version, run.generator):
        raise VersionError(
            f"run {run.id} is stored packed, by {run.engine} {run.version} on deals by {run.generator}, but "
            f"{engine.version} and {deals.game.generator} are installed: its deals can only be shown by the Dealmill "
            "that has those"
        )
    return deals


def solve_part(
    deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]
) -> tuple[Texts, Solved]:
    """Deal and solve the items from `first` to before `stop`, except for those of which the `errors` are known."""
    layouts = deals.part(first, stop).texts()
    if not any(first <= position < stop for position in errors):
        return layouts, solve_texts(run.engine, layouts, run.max_nodes)
    return layouts, joined(
        [
            broken_down(errors[position], 1)
            if position in errors
            else solve_texts(run.engine, layouts.part(position - first, position - first + 1), run.max_nodes)
            for position in range(first, stop)
        ]
    )


def solve_pack(deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]) -> SolvedPack:
    """The same for whole blocks, with what is kept of them; a shorter one is the last of its run."""
    verdicts, moments = (
        np.empty(stop - first, dtype=np.int8),
        np.empty((-(-(stop - first) // BLOCK), 2), dtype=np.int64),
    )
    extremes: list[int] = []
    digests: dict[int, bytes] = {}
    found, nodes = dict(errors), 0
    for start in range(first, stop, AT_ONCE):
        end = min(start + AT_ONCE, stop)
        layouts, solved = solve_part(deals, run, start, end, errors)
        digests |= whole_blocks(start, layouts, solved, last=True)
        verdicts[start - first : end - first] = solved.verdicts
        scored = solved.verdicts == SCORED
        values, starts = solved.values * scored, np.arange(0, end - start, BLOCK)
        block = (start - first) // BLOCK
        moments[block : block + len(starts), 0] = np.add.reduceat(values, starts)
        moments[block : block + len(starts), 1] = np.add.reduceat(values * values, starts)
        if scored.any():
            valued = solved.values[scored]
            extremes += [int(valued.min()), int(valued.max())]
        nodes += int(solved.nodes.sum())
        if FAILED in solved.verdicts:
            failed = np.flatnonzero(solved.verdicts == FAILED).tolist()
            found |= {start + place: unpack(solved.evidence.part(place, place + 1))[0] for place in failed}
    return SolvedPack(
        run=run.id,
        first=first,
        verdicts=verdicts,
        moments=moments,
        least=min(extremes, default=None),
        greatest=max(extremes, default=None),
        nodes=nodes,
        digests=digests,
        errors=found,
    )


def as_kept(kept: Kept, first: int, layouts: Texts, solved: Solved) -> bool:
    """Whether what comes out of a block again has the verdicts and the digest on record."""
    same = kept.verdicts is not None and np.array_equal(kept.verdicts, solved.verdicts)
    return same and whole_blocks(first, layouts, solved, last=True) == {block_of(first): kept.digest}
