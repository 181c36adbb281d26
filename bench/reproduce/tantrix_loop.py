"""Loops of the puzzles in the box of ten tiles, counted by plain code."""

from functools import partial

from bench.reproduce.figures import Figure
from dealmill.pipeline.games.tantrix.loop.layout import canonical
from tests.games.tantrix.loop.naive import has_hole, loops

GAME = "Tantrix loop"
WIEST = "Lorenz Wiest, github.com/lwiest/SolvingTantrix"
BOX = ("BRYYBR", "RBYYBR", "YRRBBY", "RBRYBY", "YRBBRY", "BYBRYR", "YRBBYR", "RYBBRY", "BRBYRY", "RBYYRB")
SMALL = {"3Y": 2, "4R": 2, "5R": 4, "6B": 8, "7R": 32, "7B": 36, "8B": 84, "9Y": 114, "10Y": 388}
"""The loops of the first tiles in a colour, except those with holes. The first tile is not turned."""
LARGE = {"10R": 1_280, "10B": 952}


def puzzle(name: str) -> str:
    """The layout of the first tiles in a colour, such as 3Y."""
    return canonical(f"{name[-1]} / {' '.join(BOX[: int(name[:-1])])}")


def without_holes(names: list[str]) -> tuple[int, ...]:
    """The loops that enclose no empty space."""
    return tuple(sum(not has_hole(loop) for loop in loops(puzzle(name))) for name in names)


FIGURES = [
    Figure(
        GAME,
        f"loops without holes, {', '.join(SMALL)}",
        WIEST,
        tuple(SMALL.values()),
        partial(without_holes, list(SMALL)),
    ),
    Figure(
        GAME,
        f"loops without holes, {', '.join(LARGE)}",
        WIEST,
        tuple(LARGE.values()),
        partial(without_holes, list(LARGE)),
        slow=True,
    ),
]
