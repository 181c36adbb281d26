"""No rule can be taken out of a referee without its tests failing: not a guard, an operand, a limit, a condition."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game

PROJECT = Path(__file__).parents[2]


GAMES = {game.check.__module__: game for game in games().values()}
"""The last game of each referee: a family has one."""


@pytest.mark.timeout(3_600)  # five hundred mutants of the referee of a family take a quarter of an hour
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_every_mutant_of_a_referee_fails_its_tests(game: Game) -> None:
    command = [sys.executable, "-m", "tests.mutation", game.name]
    report = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert report.returncode == 0, report.stderr
    outcome = json.loads(report.stdout)
    assert outcome["mutants"] > 10
    assert not outcome["survivors"], "\n".join(outcome["survivors"])
