"""Freecell Solver as an engine of FreeCell, without a setting that names its manifest."""

from ctypes import CDLL
from functools import cache
from pathlib import Path

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Batch, to_batch, to_texts
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.programs.manifest import read_program
from dealmill.pipeline.programs.solver import ProgramSolver
from tests.doing import deal

ENGINES = Path(__file__).parents[2] / "contrib" / "dealmill-freecell" / "engines"
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
def fc_solve() -> ProgramSolver:
    """Return the program as a function."""
    program = read_program(ENGINES / "fc-solve.toml")
    return ProgramSolver(program, program.version())


def dealt(first: int, count: int = 1) -> list[str]:
    """Return the canonical texts of some of Microsoft's deals."""
    return deal(find_game("freecell"), 0, first, count)


def solved(layouts: list[str], max_nodes: int = NO_LIMIT) -> Batch:
    """Return what Freecell Solver says of some layouts."""
    return to_batch(fc_solve()(to_texts(layouts), max_nodes))
