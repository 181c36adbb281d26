"""The rooms of the games keep apart, for every game that is found; the other walls stand in pyproject.toml."""

from importlib import import_module
from types import ModuleType

import grimp
import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game

GRAPH = grimp.build_graph(
    "dealmill", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None
)
DOORS = {
    f"dealmill.{name}"
    for name in ("batches", "contract", "dealing", "errors", "kernels", "pictures", "reading", "verdicts")
}
"""What authors of games import, here and elsewhere."""

each_game = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)


@each_game
def test_games_import_only_what_other_packages_can_import(game: Game) -> None:
    for module in GRAPH.find_descendants(game.package) | {game.package}:
        for imported in GRAPH.find_modules_directly_imported_by(module):
            if imported.startswith("dealmill"):
                assert imported.startswith(f"{game.package}.") or imported in DOORS, (module, imported)


@pytest.mark.parametrize("name", sorted(DOORS))
def test_public_modules_only_reexport_names(name: str) -> None:
    assert name in GRAPH.modules
    door = import_module(name)
    public = {key for key, found in vars(door).items() if not key.startswith("_") and not isinstance(found, ModuleType)}
    assert public == set(door.__all__)
    assert door.__doc__
    for imported in GRAPH.find_modules_directly_imported_by(name):
        assert imported.startswith("dealmill.pipeline.games.") or imported == "dealmill.pipeline.errors"


@each_game
def test_the_referee_shares_no_code_with_engines(game: Game) -> None:
    behind_the_referee = GRAPH.find_upstream_modules(f"{game.package}.rules")
    compiled = {f"{game.package}.{name}" for name in ("engine", "deal", "canonical")} & GRAPH.modules
    behind_the_engine = {module for name in compiled for module in GRAPH.find_upstream_modules(name)}
    assert not behind_the_referee & {*compiled, "numpy", "numba"}
    shared = {module for module in behind_the_referee & behind_the_engine if module.startswith("dealmill")}
    assert shared <= {"dealmill.verdicts", "dealmill.pipeline.games.verdict", "dealmill.pipeline.errors"}, shared
