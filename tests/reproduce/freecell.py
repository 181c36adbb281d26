"""Figures of FreeCell: which of Microsoft's deals cannot be won. The referee checks every verdict.

``python -m tests.reproduce.freecell 1000000`` prints those of the first million, which takes a long time.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from dealmill.verdicts import Verdict
from tests.freecell.solving import INSTALL, available, dealt, freecell, solved
from tests.reproduce.figures import Figure

GAME = "FreeCell"
CHUNK = 1_000
CLASSIC = 32_000


def proved_losses(count: int) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the lost deals among the first ones, each with the number of its reachable positions."""
    firsts = range(1, count + 1, CHUNK)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for losses in pool.map(partial(_losses, count), firsts):
            yield from losses


def _losses(count: int, first: int) -> list[tuple[int, int]]:
    layouts = dealt(0, first, min(CHUNK, count + 1 - first))
    found = solved(layouts)
    losses = []
    rows = zip(layouts, found.verdicts, found.values, found.evidence, strict=True)
    for number, (layout, verdict, value, evidence) in enumerate(rows, start=first):
        freecell().rules.check("fc-solve", layout, verdict, value, evidence or "")
        if verdict is Verdict.UNWINNABLE:
            losses.append((number, int(evidence or "")))
    return losses


def classic_losses() -> tuple[int, ...]:
    """Return the lost deals of Microsoft's first FreeCell, and the positions of each."""
    return tuple(number for loss in proved_losses(CLASSIC) for number in loss)


FIGURES = (
    [
        Figure(
            GAME,
            "the lost deals of 1–32,000, and their reachable positions",
            "Internet FreeCell Project; Freecell Solver",
            (11_982, 83_239),
            classic_losses,
            slow=True,
        ),
    ]
    if available()
    else []
)

if __name__ == "__main__":
    if not available():
        sys.exit(INSTALL)
    for number, positions in proved_losses(int(sys.argv[1])):
        sys.stdout.write(f"{number} {positions}\n")
        sys.stdout.flush()
