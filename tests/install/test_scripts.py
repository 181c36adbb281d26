"""A user's typed script: it works with the installed wheel, type checkers follow it, and they find mistakes in it."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy

import pytest

import dealmill
from tests.install.environments import Environment, hostile_folder

SCRIPT = Path(__file__).parent / "scripts" / "every_method.py"
MISTAKES = {
    "import dealmill": None,
    "from dealmill import progress": None,
    "store = dealmill.open(5)": "arg-type",
    "run = store.run(source='a.txt', max_node=5)": "call-arg",
    "number: str = run.id": "assignment",
    "one: dealmill.Result = dealmill.solve('memory', ['ABBA'])": "assignment",
    "store.runs()[0].results(verdict=1.5)": "arg-type",
    "for result in run.results(): result.verdicts": "attr-defined",
    "store.survey('camelot').report()": "call-arg",
    "dealmill.solves('memory', 'ABBA')": "attr-defined",
    "def draw(event: progress.Solving) -> None: ...": None,
    "run.audit(progress=draw)": "arg-type",
    "dealmill.db.downgrade('base')": "call-arg",
}
"""Lines of a script, and the code of the error in each."""


def public_methods() -> set[str]:
    """The names of all public functions, and of the methods and properties of the classes that do things."""
    functions = {name for name in dealmill.__all__ if inspect.isfunction(getattr(dealmill, name))}
    tables = {name for name, member in vars(dealmill.db).items() if getattr(member, "__module__", "") == "dealmill.db"}
    classes = (dealmill.Store, dealmill.Run, dealmill.Audit, dealmill.Diff, dealmill.Retraction, dealmill.Survey)
    members = {
        name
        for owner in classes
        for name, member in vars(owner).items()
        if inspect.isfunction(member) or isinstance(member, property)
    }
    return {name for name in functions | tables | members if not name.startswith("_")}


def test_the_script_uses_every_method() -> None:
    used = {node.attr for node in ast.walk(ast.parse(SCRIPT.read_text())) if isinstance(node, ast.Attribute)}
    assert public_methods() - used == set()


def test_the_script_works_in_a_hostile_folder(from_wheel: Environment, tmp_path: Path) -> None:
    hostile_folder(tmp_path, packages=True)
    ran = from_wheel.run(copy(SCRIPT, tmp_path), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_type_checkers_follow_the_script_and_find_mistakes(
    from_wheel: Environment, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    copy(SCRIPT, tmp_path)
    (tmp_path / "mistakes.py").write_text("".join(f"{line}\n" for line in MISTAKES))
    assert request.config.cache
    options = ("--strict", "--python-executable", from_wheel.python, "--cache-dir", request.config.cache.mkdir("mypy"))
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *options, SCRIPT.name, "mistakes.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = re.findall(r"^(.*?):(\d+): error: .*\[([\w-]+)\]$", checked.stdout, re.MULTILINE)
    expected = [("mistakes.py", str(line), code) for line, code in enumerate(MISTAKES.values(), start=1) if code]
    assert errors == expected, checked.stdout + checked.stderr
