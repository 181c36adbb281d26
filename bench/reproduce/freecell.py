"""Figures of FreeCell: which of Microsoft's deals cannot be won. The referee checks every verdict."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from bench.reproduce.figures import Figure
from dealmill.pipeline.games import find_game
from dealmill.verdicts import Verdict
from tests.programs.freecell import available, dealt, solved

GAME = "FreeCell"
CHUNK = 1_000
CLASSIC, MODERN = 32_000, 1_000_000
"""The number of deals in Microsoft's first FreeCell, and in that of Windows XP."""
SOURCE = "Internet FreeCell Project; Freecell Solver"


def proved_losses(count: int) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the lost deals among the first ones, each with the number of its reachable positions."""
    firsts = range(1, count + 1, CHUNK)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for losses in pool.map(partial(_losses, count), firsts):
            yield from losses


def _losses(count: int, first: int) -> list[tuple[int, int]]:
    layouts = dealt(first, min(CHUNK, count + 1 - first))
    batch, check = solved(layouts), find_game("freecell").compiled_check
    losses = []
    rows = zip(layouts, batch.verdicts, batch.values, batch.evidence, strict=True)
    for number, (layout, verdict, value, evidence) in enumerate(rows, start=first):
        check("winnable", layout, verdict, value, evidence or "")
        if verdict is Verdict.UNWINNABLE:
            losses.append((number, int((evidence or "").removeprefix("* "))))
    return losses


def classic_losses() -> tuple[int, ...]:
    """Return the lost deals of Microsoft's first FreeCell, and the positions of each."""
    return tuple(number for loss in proved_losses(CLASSIC) for number in loss)


def modern_losses() -> tuple[int, ...]:
    """Return the lost deals of FreeCell in Windows XP."""
    return tuple(number for number, _ in proved_losses(MODERN))


LOST = (11_982, 146_692, 186_216, 455_889, 495_505, 512_118, 517_776, 781_948)
CLASSIC_FIGURE = "the lost deals of 1–32,000, and their reachable positions"
FIGURES = (
    [
        Figure(GAME, CLASSIC_FIGURE, SOURCE, (11_982, 83_239), classic_losses, slow=True),
        Figure(GAME, "the lost deals of 1–1,000,000", SOURCE, LOST, modern_losses, slow=True),
    ]
    if available()
    else []
)
