"""What holds for the readers of all games beyond the checks in `dealmill.testing` and `tests.fuzz`."""

import tracemalloc
from itertools import chain, cycle, islice

import pytest

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Reject
from dealmill.testing.subject import real_lines
from tests.doing import each_game

LINES = 5_000
TOO_LONG = f"8 {'9' * 5_000}"
MAX_BYTES = 2_000_000


@each_game
@pytest.mark.parametrize("header", ["1", f"{LINES}", "nonsense"])
def test_a_long_file_is_read_in_bounded_memory(game: Game, header: str) -> None:
    lines = chain([header], islice(cycle([*real_lines(game), TOO_LONG, TOO_LONG]), LINES))
    tracemalloc.start()
    rejects = sum(isinstance(entry, Reject) for entry in game.read(enumerate(lines, start=1)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rejects > 0
    assert peak < MAX_BYTES
