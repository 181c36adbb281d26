"""What an engine says of very many deals changes only together with its version; tests/contract compares the rest."""

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from tests.doing import each_engine
from tests.golden.files import fingerprint_file, fingerprint_of_deals


@each_engine
def test_output_changes_only_with_the_version_of_the_engine(game: Game, engine: Engine) -> None:
    path = fingerprint_file(game, engine)
    assert path.exists(), f"version {engine.version} has no {path.name}; write it with: make golden"
    assert [fingerprint_of_deals(game, engine)] == path.read_text().splitlines(), (
        f"{game.full_name(engine)} says something else than its version {engine.version}: give it a new version"
    )
