"""An engine's output changes only together with its version."""

import pytest

from pipeline.games import games
from pipeline.games.contract import Engine, Game
from tests.golden.files import golden_file, golden_lines

ENGINES = [(game, engine) for game in games().values() for engine in game.engines]


@pytest.mark.parametrize(("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES])
def test_output_is_that_of_the_version_on_record(game: Game, engine: Engine) -> None:
    path = golden_file(game, engine)
    assert path.exists(), f"version {engine.version} has no golden file; write it with: make golden"
    assert golden_lines(game, engine) == path.read_text().splitlines(), (
        f"{game.name}/{engine.name} says something else than its version {engine.version}: give it a new version"
    )
