"""Figures of FreeCell: which of Microsoft's deals cannot be won, by our engine. The referee checks every verdict, and
Freecell Solver, if it is installed, is a second opinion."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context

from bench.reproduce.figures import Figure
from dealmill.game import CheckEvidence
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Batch
from dealmill.pipeline.solving.solve import solve
from dealmill.verdicts import Verdict
from tests.programs.freecell import available, dealt, solved

GAME, ENGINE = "FreeCell", "freecell/winnable"
CHUNK = 1_000
MAX_NODES = 20_000_000
"""The node limit of our engine, which leaves no deal undecided."""
CLASSIC, MODERN = 32_000, 1_000_000
"""The number of deals in Microsoft's first FreeCell, and in that of Windows XP."""
SOURCE = "Internet FreeCell Project; Freecell Solver"
Solve = Callable[[list[str]], Batch]


def by_engine(layouts: list[str]) -> Batch:
    """Return what our engine says of some layouts."""
    return solve(ENGINE, layouts, MAX_NODES)


def proved_losses(solve_layouts: Solve, numbers: range) -> Iterator[tuple[int, int]]:
    """Yield which of some deals are lost, each with the number of positions that prove it.

    Raises
    ------
    ValueError
        If a deal is undecided.
    InvalidEvidence
        If the referee refuses a verdict.
    """
    parts = [numbers[first : first + CHUNK] for first in range(0, len(numbers), CHUNK)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for losses in pool.map(partial(losses_of_part, solve_layouts), parts):
            yield from losses


def losses_of_part(solve_layouts: Solve, numbers: range) -> list[tuple[int, int]]:
    """Return the same as a list, in this process."""
    layouts = dealt(numbers.start, len(numbers))
    batch, losses = solve_layouts(layouts), []
    rows = zip(layouts, batch.verdicts, batch.values, batch.evidence, strict=True)
    for number, (layout, verdict, value, evidence) in zip(numbers, rows, strict=True):
        if evidence is None:
            raise ValueError(f"deal {number} of FreeCell is undecided")
        _check()("winnable", layout, verdict, value, evidence)
        if verdict is Verdict.UNWINNABLE:
            losses.append((number, int(evidence.rpartition(" ")[2])))
    return losses


@cache
def _check() -> CheckEvidence:
    """Return the referee of this process."""
    return find_game("freecell").compiled_check


def lost_deals(solve_layouts: Solve, count: int) -> tuple[int, ...]:
    """Return which of the first deals are lost."""
    return tuple(number for number, _ in proved_losses(solve_layouts, range(1, count + 1)))


def classic_losses() -> tuple[int, ...]:
    """Return the lost deals of Microsoft's first FreeCell, and the positions of each, by Freecell Solver."""
    return tuple(number for loss in proved_losses(solved, range(1, CLASSIC + 1)) for number in loss)


LOST = (11_982, 146_692, 186_216, 455_889, 495_505, 512_118, 517_776, 781_948)
MODERN_FIGURE = "the lost deals of 1–1,000,000"
CLASSIC_FIGURE = "the lost deals of 1–32,000, and their reachable positions, by Freecell Solver"
FIGURES = [Figure(GAME, MODERN_FIGURE, SOURCE, LOST, partial(lost_deals, by_engine, MODERN), slow=True, engine=ENGINE)]
if available():
    second_opinion = partial(lost_deals, solved, MODERN)
    FIGURES += [
        Figure(GAME, CLASSIC_FIGURE, SOURCE, (11_982, 83_239), classic_losses, slow=True),
        Figure(GAME, f"{MODERN_FIGURE}, by Freecell Solver", SOURCE, LOST, second_opinion, slow=True),
    ]
