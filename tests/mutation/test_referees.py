"""No rule can be taken out of a referee without its tests failing: not a guard, an operand, a limit, a condition."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.patience import Patience

PROJECT = Path(__file__).parents[2]


GAMES = {game.check.__module__: game for game in games().values()}
"""The last game of each referee: a family has one."""


PARTS = 10
"""The parts of the mutants of patiences. All of them take hours, so they are tried by hand after each change of their
referee, with ``pytest -m by_hand tests/mutation``."""


def cases() -> Iterator[object]:
    """Yield the arguments of the test: a game, a part of its mutants, and the number of parts."""
    for game in GAMES.values():
        if not isinstance(game, Patience):
            yield pytest.param(game, 0, 1, id=game.name)
            continue
        for part in range(PARTS):
            yield pytest.param(game, part, PARTS, id=f"{game.name}, {part}", marks=pytest.mark.by_hand)


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("game", "part", "parts"), list(cases()))
def test_every_mutant_of_a_referee_fails_its_tests(game: Game, part: int, parts: int) -> None:
    command = [sys.executable, "-m", "tests.mutation", game.name, str(part), str(parts)]
    report = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert report.returncode == 0, report.stderr
    outcome = json.loads(report.stdout)
    assert outcome["mutants"] > 10
    assert not outcome["survivors"], "\n".join(outcome["survivors"])
