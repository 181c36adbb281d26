"""Figures of Tantrix (NWERC 2005, problem G)."""

from collections import Counter
from functools import partial

from bench.reproduce.figures import Figure
from bench.reproduce.samples import statement_values
from dealmill.pipeline.games.tantrix.tiles import TILES

GAME = "Tantrix"


def tiles() -> int:
    """Different tiles, however they are turned."""
    return len(TILES)


def tiles_of_each_colours() -> tuple[int, ...]:
    """How many tiles show the same three colours, for every three of the four colours."""
    return tuple(Counter(frozenset(tile) for tile in TILES).values())


FIGURES = [
    Figure(
        GAME,
        "legal moves in the samples of the statement",
        "NWERC 2005, problem G",
        (46, 2),
        partial(statement_values, "tantrix/legal-moves"),
        engine="tantrix/legal-moves",
    ),
    Figure(GAME, "tiles", "NWERC 2005, problem G", 56, tiles),
    Figure(GAME, "tiles of each three colours", "NWERC 2005, problem G", (14, 14, 14, 14), tiles_of_each_colours),
]
