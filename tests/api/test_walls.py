"""Commands decide nothing: they import the API and plain words, and loop only over what they print."""

import ast
import sys
from pathlib import Path

import grimp
import pytest

import dealmill.cli

FOLDER = Path(dealmill.cli.__path__[0])
MODULES = sorted(FOLDER.glob("*.py"))
PLAIN_WORDS = {
    f"dealmill.pipeline.{name}"
    for name in (
        *("arguments", "errors", "games.deals", "games.names", "printable", "progress.events"),
        *("results.conditions", "results.measures", "results.record", "system.extras", "system.log_lines"),
    )
}
GAMES = {"dealmill.pipeline.games", "dealmill.pipeline.games.verdict"}
OTHERS = {
    "__init__": {"dealmill.workers.children"},
    "operate": {"dealmill.web.serving"},
    "games": {"dealmill.testing"},
}
EXTERNAL = {"click", "rich"}
COMMANDS = sorted(set(dealmill.cli.COMMANDS.values()))
"""The modules with commands; the others print, or turn words into arguments."""

each_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Which module imports which, also for types."""
    return grimp.build_graph(
        "dealmill", include_external_packages=True, exclude_type_checking_imports=False, cache_dir=None
    )


@each_module
def test_commands_import_only_the_api_and_simple_types(path: Path, graph: grimp.ImportGraph) -> None:
    module = "dealmill.cli" if path.stem == "__init__" else f"dealmill.cli.{path.stem}"
    imported = graph.find_modules_directly_imported_by(module)
    ours = {name for name in imported if name.split(".")[0] == "dealmill" and not name.startswith("dealmill.cli")}
    assert ours <= {"dealmill"} | PLAIN_WORDS | GAMES | OTHERS.get(path.stem, set())
    theirs = imported - ours - {name for name in imported if name.startswith("dealmill")}
    assert {name.split(".")[0] for name in theirs} <= EXTERNAL | set(sys.stdlib_module_names)


def calls(node: ast.AST) -> set[str]:
    """The names of all that is called in a piece of code, as they are written."""
    return {ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_loop_only_over_what_they_print(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.While)]
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    prints = {
        "click.echo",
        "counted",
        "shortened",
        "tell",
        "tell_undecided",
        "tell_unproved",
        "tell_winnability",
        "write_line",
        "sys.stdout.isatty",
        "'\\n'.join",
    }
    for loop in loops:
        called = {name for part in loop.body for name in calls(part)}
        assert called <= own | prints, ast.unparse(loop)


@each_module
def test_commands_call_no_private_methods(path: Path) -> None:
    private = [
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
    ]
    assert [name for name in private if name != "_exit"] == []  # that of `os` is public
