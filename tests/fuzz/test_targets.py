"""Some hundred hostile inputs for every reader."""

import tracemalloc

import pytest
from hypothesis import HealthCheck, settings

from pipeline.games import games
from pipeline.games.contract import Game, Reject
from tests.fuzz.targets import TARGETS

INPUTS = 150
MEBIBYTE = 1 << 20


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_comes_in_is_taken_or_refused(name: str) -> None:
    settings(max_examples=INPUTS, deadline=None, suppress_health_check=list(HealthCheck))(TARGETS[name]())()


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)
@pytest.mark.parametrize("header", ["1", "nonsense"])
def test_of_long_lines_only_the_beginning_is_kept(game: Game, header: str) -> None:
    long = f"8 {'9' * MEBIBYTE}"
    tracemalloc.start()
    entries = list(game.layout.read([(1, header), *((number, long) for number in range(2, 66))]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert any(isinstance(entry, Reject) for entry in entries)
    assert peak < 16 * MEBIBYTE
