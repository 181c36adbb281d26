"""No rule can be taken out of a referee without its tests failing: not a guard, an operand, a limit, a condition."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.patience import Patience
from tests.mutation.__main__ import mutated, name_of
from tests.mutation.living import LIVING

PROJECT = Path(__file__).parents[2]


GAMES = {game.check.__module__: game for game in games().values()}
"""The last game of each referee: a family has one."""


OPEN = (
    *("losses.quotient", "losses.safe", "moves", "player", "position", "rules"),
    "dealmill.pipeline.games.player",
)
"""Modules of patiences whose living mutants are not all known: by hand, until each is dead or listed."""


def cases() -> Iterator[object]:
    """Yield the arguments of the test: a game, and a module of its referee, whose name lacks the package."""
    for game in GAMES.values():
        for module in mutated(game):
            name = name_of(game, module)
            is_open = isinstance(game, Patience) and name in OPEN
            yield pytest.param(game.name, name, id=f"{game.name}, {name}", marks=[pytest.mark.by_hand] * is_open)


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("game", "module"), list(cases()))
def test_every_mutant_of_a_referee_fails_its_tests(game: str, module: str) -> None:
    """But those that are listed with a reason."""
    command = [sys.executable, "-m", "tests.mutation", game, module]
    report = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert report.returncode == 0, report.stderr
    outcome = json.loads(report.stdout)
    assert outcome["mutants"]
    living = sorted(change for _, change in outcome["survivors"])
    assert living == sorted(LIVING.get(module, {})), "\n".join(line for line, _ in outcome["survivors"])
