"""Figures of FreeCell: which of Microsoft's deals cannot be won, by our engine, also with fewer cells. The referee
checks every verdict, and Freecell Solver, if it is installed, is a second opinion."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from bench.reproduce.figures import Figure
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Batch
from dealmill.pipeline.solving.solve import solve
from dealmill.verdicts import Verdict
from tests.doing import deal
from tests.programs.freecell import available, solved

CHUNK = 1_000
MAX_NODES = 20_000_000
"""The node limit of our engine, which leaves no deal undecided."""
CLASSIC, MODERN, FEWER_CELLS = 32_000, 1_000_000, 3_000
"""The number of deals in Microsoft's first FreeCell, in that of Windows XP, and in public lists for fewer cells."""
SOURCE, LISTS = "Internet FreeCell Project; Freecell Solver", "public lists"
Solve = Callable[[list[str]], Batch]


def engine_of(game: str) -> str:
    """Return the full name of our engine of a game."""
    return f"{game}/winnable"


def by_engine(game: str, layouts: list[str]) -> Batch:
    """Return what our engine says of some layouts."""
    return solve(engine_of(game), layouts, MAX_NODES)


def proved_deals(game: str, verdict: Verdict, solve_layouts: Solve, numbers: range) -> Iterator[tuple[int, str]]:
    """Yield which of some deals have a verdict, each with the evidence.

    Raises
    ------
    ValueError
        If a deal is undecided.
    InvalidEvidence
        If the referee refuses a verdict.
    """
    parts = [numbers[first : first + CHUNK] for first in range(0, len(numbers), CHUNK)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for deals in pool.map(partial(deals_of_part, game, verdict, solve_layouts), parts):
            yield from deals


def deals_of_part(game: str, verdict: Verdict, solve_layouts: Solve, numbers: range) -> list[tuple[int, str]]:
    """Return the same as a list, in this process."""
    layouts = deal(find_game(game), 0, numbers.start, len(numbers))
    batch, check, deals = solve_layouts(layouts), find_game(game).compiled_check, []
    for number, layout, answer, evidence in zip(numbers, layouts, batch.verdicts, batch.evidence, strict=True):
        if evidence is None:
            raise ValueError(f"deal {number} of {game} is undecided")
        check("winnable", layout, answer, None, evidence)
        if answer is verdict:
            deals.append((number, evidence))
    return deals


def lost_deals(solve_layouts: Solve, count: int) -> tuple[int, ...]:
    """Return which of the first deals of FreeCell are lost."""
    deals = proved_deals("freecell", Verdict.UNWINNABLE, solve_layouts, range(1, count + 1))
    return tuple(number for number, _ in deals)


def deals_with_fewer_cells(game: str, verdict: Verdict) -> tuple[int, ...]:
    """Return which deals of public lists have a verdict by our engine."""
    deals = proved_deals(game, verdict, partial(by_engine, game), range(1, FEWER_CELLS + 1))
    return tuple(number for number, _ in deals)


def classic_losses() -> tuple[int, ...]:
    """Return the lost deals of Microsoft's first FreeCell, and the positions of each, by Freecell Solver."""
    losses = proved_deals("freecell", Verdict.UNWINNABLE, solved, range(1, CLASSIC + 1))
    return tuple(part for number, evidence in losses for part in (number, positions_of(evidence)))


def positions_of(evidence: str) -> int:
    """Return the positions that the evidence of a loss counts."""
    return int(evidence.rpartition(" ")[2])


def with_fewer_cells(title: str, game: str, verdict: Verdict, numbers: tuple[int, ...]) -> Figure:
    """Return the figure that only these of the deals of public lists have a verdict."""
    compute = partial(deals_with_fewer_cells, game, verdict)
    name = f"the {'won' if verdict is Verdict.WINNABLE else 'lost'} deals of 1–{FEWER_CELLS:,}"
    return Figure(title, name, LISTS, numbers, compute, slow=True, engine=engine_of(game))


LOST = (11_982, 146_692, 186_216, 455_889, 495_505, 512_118, 517_776, 781_948)
WON_WITHOUT_CELLS = (164, 892, 1_012, 1_081, 1_150, 1_529, 2_508, 2_514)
LOST_WITH_3_CELLS = (
    *(169, 178, 285, 454, 575, 598, 617, 657, 775, 829, 988, 1_025, 1_136, 1_443, 1_495, 1_661, 1_734, 1_941, 2_081),
    *(2_240, 2_241, 2_563, 2_670, 2_802),
)
MODERN_FIGURE = "the lost deals of 1–1,000,000"
CLASSIC_FIGURE = "the lost deals of 1–32,000, and their reachable positions, by Freecell Solver"
BY_ENGINE = partial(lost_deals, partial(by_engine, "freecell"), MODERN)
FIGURES = [
    Figure("FreeCell", MODERN_FIGURE, SOURCE, LOST, BY_ENGINE, slow=True, engine=engine_of("freecell")),
    with_fewer_cells("FreeCell without cells", "free-cell-0-cell", Verdict.WINNABLE, WON_WITHOUT_CELLS),
    with_fewer_cells("FreeCell with 3 cells", "free-cell-3-cell", Verdict.UNWINNABLE, LOST_WITH_3_CELLS),
]
if available():
    second_opinion = partial(lost_deals, solved, MODERN)
    FIGURES += [
        Figure("FreeCell", CLASSIC_FIGURE, SOURCE, (11_982, 83_239), classic_losses, slow=True),
        Figure("FreeCell", f"{MODERN_FIGURE}, by Freecell Solver", SOURCE, LOST, second_opinion, slow=True),
    ]
