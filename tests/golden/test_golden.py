"""An engine's output changes only together with its version."""

import json
from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Engine, Game
from tests.golden.files import (
    DEALS,
    fingerprint_file,
    fingerprint_of_deals,
    golden_file,
    golden_lines,
)

ENGINES = [(game, engine) for game in games().values() for engine in game.engines]

each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)


def on_record(path: Path, engine: Engine) -> list[str]:
    assert path.exists(), f"version {engine.version} has no {path.name}; write it with: make golden"
    return path.read_text().splitlines()


def objection(game: Game, engine: Engine) -> str:
    return f"{game.full_name(engine)} says something else than its version {engine.version}: give it a new version"


@each_engine
def test_output_is_that_of_the_version_on_record(game: Game, engine: Engine) -> None:
    lines = on_record(golden_file(game, engine), engine)
    assert len(lines) > DEALS
    assert golden_lines(game, engine, [json.loads(line)[0] for line in lines]) == lines, objection(game, engine)


@each_engine
def test_so_is_what_it_says_of_very_many_deals(game: Game, engine: Engine) -> None:
    assert [fingerprint_of_deals(game, engine)] == on_record(fingerprint_file(game, engine), engine), objection(
        game, engine
    )
