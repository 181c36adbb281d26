"""No rule can be taken out of a referee without its tests failing: not a guard, an operand, a limit, a condition."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.patience import Patience
from tests.mutation.__main__ import modules_by_tests, name_of
from tests.mutation.living import LIVING

PROJECT = Path(__file__).parents[2]


GAMES = {game.check.__module__: game for game in games().values()}
"""The last game of each referee: a family has one."""


OPEN = (
    *("losses.quotient", "player"),
    "dealmill.pipeline.games.player",
)
"""Modules of patiences whose living mutants are not all known: by hand, until each is dead or listed."""


def cases() -> Iterator[object]:
    """Yield the arguments of the test: a game, and the modules of its referee that have the same tests, whose names
    lack the package."""
    for game in GAMES.values():
        for tests, modules in modules_by_tests(game).items():
            names = [name_of(game, module) for module in modules]
            left_open = [name for name in names if isinstance(game, Patience) and name in OPEN]
            case = f"{game.name}, {tests.stem}"
            if closed := [name for name in names if name not in left_open]:
                yield pytest.param(game.name, closed, id=case)
            if left_open:
                yield pytest.param(game.name, left_open, id=f"{case}, open", marks=pytest.mark.by_hand)


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("game", "modules"), list(cases()))
def test_every_mutant_of_a_referee_fails_its_tests(game: str, modules: list[str]) -> None:
    """But those that are listed with a reason."""
    command = [sys.executable, "-m", "tests.mutation", game, *modules]
    printed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr
    reports = list(map(json.loads, printed.stdout.splitlines()))
    assert [report["module"] for report in reports] == modules
    for report in reports:
        assert report["mutants"]
        living = sorted(change for _, change in report["survivors"])
        assert living == sorted(LIVING.get(report["module"], {})), [line for line, _ in report["survivors"]]
