"""The rooms of the games keep apart, for every game that is found; the other walls stand in pyproject.toml."""

import grimp
import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game

GRAPH = grimp.build_graph(
    "dealmill", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None
)
SHARED = {
    f"dealmill.pipeline.games.{name}"
    for name in ("contract", "batch", "bits", "gutters", "kernel", "philox", "reading", "scene", "svg", "verdict")
}

each_game = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)


@each_game
def test_a_game_imports_no_other_game(game: Game) -> None:
    for module in GRAPH.find_descendants(game.package) | {game.package}:
        for imported in GRAPH.find_modules_directly_imported_by(module):
            if imported.startswith("dealmill.pipeline.games."):
                assert imported.startswith(f"{game.package}.") or imported in SHARED, (module, imported)


@each_game
def test_the_referee_shares_no_code_with_what_is_compiled(game: Game) -> None:
    behind_the_referee = GRAPH.find_upstream_modules(f"{game.package}.rules")
    compiled = {f"{game.package}.{name}" for name in ("engine", "deal", "canonical")} & GRAPH.modules
    behind_the_engine = {module for name in compiled for module in GRAPH.find_upstream_modules(name)}
    assert not behind_the_referee & {*compiled, "numpy", "numba"}
    shared = {module for module in behind_the_referee & behind_the_engine if module.startswith("dealmill")}
    assert shared <= {"dealmill.pipeline.games.verdict", "dealmill.pipeline.errors"}, shared
