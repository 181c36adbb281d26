"""FreeCell with its engine, without an installed distribution."""

import sys
from ctypes import CDLL
from functools import cache
from pathlib import Path

import pytest

from dealmill.game import Game
from dealmill.pipeline.games.batch import Batch, pack, to_batch, unpack
from dealmill.pipeline.programs.found import with_programs
from dealmill.pipeline.solve import function_of, guarded

DISTRIBUTION = Path(__file__).parents[2] / "contrib" / "dealmill-freecell"
INSTALL = "Freecell Solver is not installed; install it (Debian: apt install freecell-solver-bin libfreecell-solver0)"


def available() -> bool:
    """Return whether Freecell Solver is installed."""
    try:
        CDLL("libfreecell-solver.so.0")
    except OSError:
        return False
    return True


needs_solver = pytest.mark.skipif(not available(), reason=INSTALL)


@cache
def freecell() -> Game:
    """Return the game with its engine."""
    if str(DISTRIBUTION) not in sys.path:
        sys.path.insert(0, str(DISTRIBUTION))
    from dealmill_freecell import GAME

    return with_programs(GAME)


def dealt(seed: int, first: int, count: int = 1) -> list[str]:
    """Return the canonical texts of some deals."""
    return unpack(freecell().deal(seed, first, count))


def solved(layouts: list[str], max_nodes: int | None = None) -> Batch:
    """Return what Freecell Solver says of some layouts."""
    game = freecell()
    return to_batch(guarded(game, function_of(game, game.engines[0]))(pack(layouts), max_nodes))
