"""What no linter checks of the code: the rooms of the games keep apart, for every game that is found (the other walls
stand in pyproject.toml), and variables have names."""

import ast
from importlib import import_module
from pathlib import Path

import grimp
import pytest

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.outputs.checker.build import parts_of_referee
from tests.doing import each_package

DOORS = {
    "dealmill.cards",
    "dealmill.game",
    "dealmill.kernels",
    "dealmill.mind",
    "dealmill.playback",
    "dealmill.referees",
    "dealmill.rules_files",
    "dealmill.verdicts",
}
"""What authors of games import, here and elsewhere."""

ROOT = Path(__file__).parents[1]
PRODUCT = ("contrib", "dealmill", "pipeline", "workers")
VAGUE = {
    "again",
    "cut",
    "found",
    "here",
    "kept",
    "most",
    "one",
    "other",
    "place",
    "said",
    "there",
    "told",
    "tried",
    "wanted",
}
"""Words that do not say what a variable holds."""
PUBLIC = {("dealmill/cli/diff.py", "other"), ("dealmill/runs.py", "other")}
"""Arguments that users name: OTHER of ``dealmill diff``, and that of `Run.diff`."""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Which module imports which."""
    return grimp.build_graph(
        "dealmill", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None
    )


@each_package
def test_games_import_only_what_other_packages_can_import(game: Game, graph: grimp.ImportGraph) -> None:
    home = ".".join(game.package.split(".")[:4])  # two games can share a package
    for module in graph.find_descendants(game.package) | {game.package}:
        for imported in graph.find_modules_directly_imported_by(module):
            if imported.startswith("dealmill"):
                assert imported.startswith(f"{home}.") or imported in DOORS, (module, imported)


@pytest.mark.parametrize("name", sorted(DOORS))
def test_public_modules_only_reexport_names(name: str) -> None:
    door = import_module(name)
    tree = ast.parse(Path(str(door.__file__)).read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert {alias.name for node in imports for alias in node.names} == set(door.__all__)
    for node in imports:
        module = str(node.module)
        assert module == "dealmill.pipeline.errors" or module.startswith("dealmill.pipeline.games."), module
    assert all(hasattr(door, public) for public in door.__all__)
    assert door.__doc__


@each_package
def test_the_referee_shares_no_code_with_engines(game: Game, graph: grimp.ImportGraph) -> None:
    referee = {part.module for part in parts_of_referee(game)} & graph.modules
    behind_the_referee = {module for name in referee for module in graph.find_upstream_modules(name)} - referee
    engines = {function.__module__ for function in game.solvers.values()}
    compiled = (engines | {f"{game.package}.{name}" for name in ("deal", "canonical")}) & graph.modules
    behind_the_engine = {module for name in compiled for module in graph.find_upstream_modules(name)}
    assert not (behind_the_referee | referee) & {*compiled, "numpy", "numba"}
    assert game.check.__module__ not in behind_the_engine
    shared = {module for module in behind_the_referee & behind_the_engine if module.startswith("dealmill")}
    assert shared <= {"dealmill.verdicts", "dealmill.pipeline.games.verdict", "dealmill.pipeline.errors"}, shared


def test_no_modules_import_each_other_in_a_circle(graph: grimp.ImportGraph) -> None:
    """Imports inside functions count, too."""
    circles = {
        (module, imported)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module) - {module}
        if imported.startswith("dealmill") and graph.chain_exists(importer=imported, imported=module)
    }
    assert circles == set()


def names_in(function: ast.AST) -> set[str]:
    """Return the parameters and variables of a function."""
    nodes = list(ast.walk(function))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return arguments | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def test_variables_are_named_by_what_they_hold() -> None:
    """A `run`, `row`, `index` or `limit`; `left` and `right` of a pair."""
    vague = {
        (path.relative_to(ROOT).as_posix(), name)
        for folder in PRODUCT
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for name in names_in(node) & VAGUE
    }
    assert vague == PUBLIC
