"""The text of checkers: what is in it, and which rules cannot be."""

import ast
import importlib.util
import json
import re
import runpy
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.memory import Memory
from dealmill.pipeline.outputs.checker import json_lines
from dealmill.pipeline.outputs.checker.build import READERS, checker, parts_of_referee, sections_of
from dealmill.pipeline.outputs.checker.facts import Export
from dealmill.pipeline.outputs.checker.parts import part_of
from dealmill.pipeline.printable import printable
from dealmill.pipeline.results import record
from tests.doing import QUICK_GAMES

PROJECT = Path(__file__).parents[2]
EXPORT = Export("a.csv", "0" * 64, 1, "memory/two-pass", 1, ("scored",), "a.txt", None, None)
ABOUT = {"run": "1"}
RULES = """\
'''Rules.'''

{imports}

def check(engine, layout, verdict, value, evidence):
    '''Check nothing.'''
"""

GAMES = {game.name: game for game in (*QUICK_GAMES, find_game("bakers-game"))}
each_form = pytest.mark.parametrize(("game", "suffix"), [(game, suffix) for game in GAMES for suffix in READERS])


def text_of(game: str, suffix: str = ".csv", export: Export = EXPORT) -> str:
    return checker(sections_of(GAMES[game], Path(f"a{suffix}")), export, ABOUT)


@each_form
def test_a_checker_has_the_rules_as_they_are_and_imports_only_the_standard_library(game: str, suffix: str) -> None:
    text = text_of(game, suffix)
    assert text == text_of(game, suffix)
    for part in parts_of_referee(GAMES[game]):
        rules = Path(str(sys.modules[part.module].__file__)).read_text()
        code = [node for node in ast.parse(rules).body if not isinstance(node, ast.Import | ast.ImportFrom)]
        assert all(str(ast.get_source_segment(rules, node)) in text for node in code)
    modules = re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE)
    assert set(modules) <= set(sys.stdlib_module_names)


def test_checkers_pass_the_linter(tmp_path: Path) -> None:
    for game in GAMES:
        for suffix in READERS:
            (tmp_path / f"{game}{suffix}.check.py").write_text(text_of(game, suffix))
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--config", str(PROJECT / "pyproject.toml"), str(tmp_path)]
    subprocess.run([*ruff, "format", "--check", *config], check=True)
    # the check for older versions is for those who run it with them; the names of files have dots
    subprocess.run([*ruff, "check", "--no-cache", "--ignore", "UP036,N999,INP001", *config], check=True)


def test_rows_from_before_a_column_with_a_default_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    older = record.ResultRow(1, 1, "A", "winnable", None, 7, "B")
    make: Any = namedtuple
    newer = make("ResultRow", [*older._fields, "score"], defaults=[None])
    monkeypatch.setattr(record, "ResultRow", newer)
    read_rows = runpy.run_path(str(json_lines.__file__))["read_rows"]
    row = older._asdict()
    rows = [row, {**row, "score": 5}, {**row, "unfinished": "paused"}, {**row, "score": 5, "unfinished": "paused"}]
    lines = [f"{json.dumps(each)}\n".encode() for each in rows]
    assert [*read_rows(lines)] == [newer(*older), newer(*older, 5)] * 2
    del row["evidence"]
    for bad in (row, {**row, "score": 5}):
        with pytest.raises(ValueError, match=r"is not an object with position, line, .*, score, in this order"):
            list(read_rows([f"{json.dumps(bad)}\n".encode()]))


@pytest.mark.slow
@given(st.text(), st.text(), st.text())
@settings(max_examples=30)
def test_no_text_of_an_export_breaks_out_of_its_checker(file: str, source: str, why: str) -> None:
    export = EXPORT._replace(file=printable(file), source=source)
    text = checker(SECTIONS, export, {"retracted": why})
    tree = ast.parse(text)
    names: dict[str, Any] = {"Export": Export}
    [statement] = [node for node in tree.body if "EXPORT = " in ast.unparse(node)[:9]]
    exec(ast.unparse(statement), names)  # noqa: S102
    assert names["EXPORT"] == export
    assert f"Check {printable(file)} with nothing but Python." in str(ast.get_docstring(tree))
    assert f"  retracted     {printable(why)}\n" in str(ast.get_docstring(tree, clean=False))
    assert len(tree.body) == len(ast.parse(text_of("memory")).body)


SECTIONS = sections_of(find_game("memory"), Path("a.csv"))


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that returns a game whose rules have this source, and that has further modules."""

    def game(source: str, **modules: str) -> Game:
        monkeypatch.setitem(sys.modules, "outside", ModuleType("outside"))
        for name, text in {**modules, "rules": source}.items():
            (tmp_path / f"{name}.py").write_text(text)
            spec = importlib.util.spec_from_file_location(f"outside.{name}", tmp_path / f"{name}.py")
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, f"outside.{name}", module)
            spec.loader.exec_module(module)

        class Outside(Memory):
            check = module.check

        return Outside()

    return game


@pytest.mark.parametrize(
    ("imports", "message"),
    [
        ("import numpy", "outside.rules imports numpy, but a checker can only contain code that imports the standard"),
        ("import dealmill", "outside.rules imports dealmill, but"),
        ("from click import echo", "outside.rules imports click.echo, but"),
        ("from numpy import array as re", "outside.rules imports numpy.array as re, but"),
        ("from os.path import *", r"outside.rules imports os.path.\*, but"),
        ("from dealmill.pipeline.games.verdict import Verdict as V", "games.verdict.Verdict as V, but"),
        ("def f():\n    import numpy", "outside.rules imports numpy, but"),
        (
            "from dealmill.pipeline.printable import printable",
            "imports printable from Dealmill, but the rules of a",
        ),
        ("def main(): ...", "outside.rules defines main, which means something else in a checker: rename it"),
        ("EXPORT = 1", "outside.rules defines EXPORT, which means"),
        ("def sorted(): ...", "outside.rules defines sorted, which means"),
        ("from math import comb as Counter", "outside.rules defines Counter, which means"),
        ("class Verdict: ...", "outside.rules defines Verdict, which means"),
    ],
)
def test_rules_that_cannot_be_in_a_checker_are_refused(imports: str, message: str, outside: Any) -> None:
    game = outside(RULES.format(imports=imports))
    with pytest.raises(UsageError, match=message):
        sections_of(game, Path("a.csv"))


BOARD = "import re\nfrom functools import partial\n\nHOLES = 7\ndef is_row(text): return re.fullmatch('[o.]+', text)\n"


def test_rules_may_be_in_several_modules_of_a_package(outside: Any) -> None:
    """Each once, and after those that it imports."""
    jumps = "from outside.board import HOLES\nJUMPS = HOLES - 2\n"
    imports = "from .jumps import JUMPS\nfrom .board import HOLES, is_row\n"
    game = outside(RULES.format(imports=imports), board=BOARD, jumps=jumps)
    assert [part.module for part in parts_of_referee(game)] == ["outside.board", "outside.jumps", "outside.rules"]
    names: dict[str, Any] = {"__name__": "checker"}
    exec(checker(sections_of(game, Path("a.csv")), EXPORT, ABOUT), names)  # noqa: S102
    assert names["JUMPS"] == 5 and names["is_row"]("oo.") and names["check"].__doc__ == "Check nothing."


@pytest.mark.parametrize(
    ("imports", "board", "message"),
    [
        ("from .board import HOLES", "import numpy\nHOLES = 7", "outside.board imports numpy, but a checker"),
        ("from .board import HOLES", "def main(): ...\nHOLES = 7", "outside.board defines main, which means"),
        ("from .board import HOLES", "HOLES = SECONDS = 7", "outside.rules defines SECONDS, which means"),
        ("from .board import HOLES as FEW", "HOLES = 7", "outside.rules imports outside.board.HOLES as FEW, but"),
        ("from .board import *", "HOLES = 7", r"outside.rules imports outside.board.\*, but"),
        ("from . import board", "HOLES = 7", "outside.rules imports outside.board, but"),
        (
            "from .board import printable",
            "from dealmill.pipeline.printable import printable",
            "outside.board imports printable from Dealmill, but the rules of a",
        ),
    ],
)
def test_each_module_of_the_rules_must_fit_into_a_checker(imports: str, board: str, message: str, outside: Any) -> None:
    game = outside(RULES.format(imports=f"{imports}\nSECONDS = 1"), board=board)
    with pytest.raises(UsageError, match=message):
        sections_of(game, Path("a.csv"))


def test_rules_may_be_written_in_any_style(outside: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    imports = (
        "from __future__ import annotations\n"
        "import os.path, re\n"
        "import collections.abc as abc\n"
        "from dealmill.pipeline.games.verdict import (\n    IllegalMove,\n    Verdict,\n)\n"
        "__all__ = ['check']\n"
        "# Why it is so.\n"
        "LINES = 'a\\x0cb\x0c \u2028 c'\n"
        "def typed(position: Nowhere) -> abc.Sequence[Verdict]: ...\n"
        "if __name__ == '__main__':\n    raise SystemExit('run')\n"
    )
    source = RULES.format(imports="").replace("'''Rules.'''\n", f"'''Rules.'''\n{imports}")
    text = checker(sections_of(outside(source), Path("a.csv")), EXPORT, ABOUT)
    module = ModuleType("checker")
    monkeypatch.setitem(sys.modules, "checker", module)  # where data classes look up their annotations
    names = vars(module)
    exec(compile(text, "checker", "exec"), names)  # noqa: S102
    assert names["LINES"] == "a\x0cb\x0c \u2028 c" and names["re"] is re
    assert "# Why it is so.\nLINES" in text and "SystemExit" not in text and "__all__" not in text


def test_rules_without_source_are_refused() -> None:
    with pytest.raises(UsageError, match="the source of nowhere is not installed"):
        part_of(ModuleType("nowhere"))


@pytest.mark.parametrize("name", ["a.parquet", "a.txt", "a"])
def test_a_format_that_python_alone_cannot_read_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=rf"{name} cannot have a checker: Python alone reads only \.csv and \.jsonl"):
        sections_of(find_game("memory"), Path(name))
