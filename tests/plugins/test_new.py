"""New games and engines meet all checks as they are written, and are typed and formatted."""

import ast
import builtins
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dealmill
from dealmill import NotFoundError, OutputError, UsageError
from dealmill.pipeline.games import installed
from dealmill.testing import checks_of
from tests import servers
from tests.install.environments import ROOT
from tests.plugins.sites import install

PAGE = ROOT / "docs" / "add-a-game.md"
NAMES = ["nim", "peg-solitaire-33-holes"]
COSTLY = "no evidence takes too much memory"
"""The check that takes as long as all others."""


def new_game(site: Path, name: str) -> Path:
    """Write a new game and install it; return the folder of its modules."""
    folder = dealmill.new_game(name, site.parent)
    module = f"dealmill_{name.replace('-', '_')}"
    project = (folder / "pyproject.toml").read_text()
    entry = re.search(r'(?m)^\[project.entry-points."dealmill.games"\]\n(\S+) = "(\S+)"$', project)
    assert entry and entry.groups() == (name, f"{module}:GAME")
    install(site, f"dealmill-{name}", {name: entry[2]})
    (site / module).symlink_to(folder / module)
    installed._entries.cache_clear()
    installed.all_offers.cache_clear()
    return folder / module


LINT, FORMAT, TYPES = ["ruff", "check", "--isolated"], ["ruff", "format", "--isolated", "--check"], ["mypy", "--strict"]
"""Commands by which authors check their sources, with the default settings of Ruff."""


def check_sources(folder: Path, site: Path, *commands: list[str]) -> None:
    """Run commands that check the sources in a folder."""
    for command in commands:
        ran = subprocess.run(
            [sys.executable, "-m", *command, "."],
            cwd=folder,
            env=servers.clean_environment({"MYPYPATH": str(site), "MYPY_CACHE_DIR": str(site / "cache")}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("costly", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_new_game_passes_all_checks_as_it_is(site: Path, costly: bool) -> None:
    folder = new_game(site, NAMES[1])
    checks = checks_of(NAMES[1])
    assert not any(check.waiver for check in checks)
    assert COSTLY in {check.name for check in checks}
    for check in checks:
        if (check.name == COSTLY) == costly:
            check()
    assert dealmill.games()[NAMES[1]].title == "Peg solitaire 33 holes"
    assert "my" not in re.findall(r"my|My", "".join(path.read_text() for path in folder.rglob("*.py")))


@pytest.mark.parametrize("name", ["none", "game", "reject"])
def test_no_name_hides_another_in_the_sources(name: str, tmp_path: Path) -> None:
    source = (dealmill.new_game(name, tmp_path) / f"dealmill_{name}" / "__init__.py").read_text()
    nodes = [*ast.walk(ast.parse(source))]
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    [defined] = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    assert defined not in {*imported, *dir(builtins)}
    for program in dealmill.new_engine(f"memory/{name}", tmp_path).glob("*.py"):
        assert program.stem.removeprefix("test_").startswith("memory_")  # not a module that a program imports


@pytest.mark.parametrize("name", ["", "Nim", "nim 2", "nim--2", "9men", "../nim", "nim/x", "n" * 41, "ñim", "nim\n"])
def test_a_bad_name_writes_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="its name is not valid: use up to 40 lower-case letters"):
        dealmill.new_game(name, tmp_path)
    with pytest.raises(UsageError, match=r"is not valid|is not the name of an engine"):
        dealmill.new_engine(f"memory/{name}", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_exists_is_overwritten(tmp_path: Path) -> None:
    for folder in ("dealmill-nim", "memory-x"):
        (tmp_path / folder).symlink_to("nowhere")
    with pytest.raises(OutputError, match="dealmill-nim exists; choose another name"):
        dealmill.new_game("nim", tmp_path)
    with pytest.raises(OutputError, match="memory-x exists; choose another name"):
        dealmill.new_engine("memory/x", tmp_path)
    with pytest.raises(UsageError, match="there is a game memory already"):
        dealmill.new_game("memory", tmp_path)
    with pytest.raises(UsageError, match="there is an engine memory/two-pass already"):
        dealmill.new_engine("memory/two-pass", tmp_path)
    with pytest.raises(NotFoundError, match="chess"):
        dealmill.new_engine("chess/x", tmp_path)
    with pytest.raises(UsageError, match=r"write GAME/NAME, such as memory/mine"):
        dealmill.new_engine("mine", tmp_path)
    with pytest.raises(OutputError, match="there is no folder"):
        dealmill.new_game("nim", tmp_path / "none")
    assert len(list(tmp_path.iterdir())) == 2


def write_nim(modules: Path) -> None:
    """Change a new game into Nim, as the page says."""
    page = PAGE.read_text()
    for name, code in re.findall(r"`dealmill_nim/(\w+\.py)`[^\n]*:\n\n```python\n(.*?)```", page, re.DOTALL):
        (modules / name).write_text(code)
    [statement] = re.findall(r"`nim-statement.txt`[^\n]*:\n\n```\n(.*?)```", page, re.DOTALL)
    (modules / "examples" / "nim-statement.txt").write_text(statement)


@pytest.mark.slow
def test_the_page_makes_nim_of_a_new_game(site: Path) -> None:
    modules = new_game(site, "nim")
    write_nim(modules)
    examples = modules / "examples"
    env = {"PYTHONPATH": str(site)}
    (examples / "nim-deals.txt").write_text(
        servers.dealmill("deal", "nim", "--count", "2000", "--seed", "1", cwd=examples, env=env).stdout
    )
    (examples / "nim-statement.answer").write_text(
        servers.dealmill("answer", "nim", "nim-statement.txt", cwd=examples, env=env).stdout
    )
    ran = servers.dealmill("check-game", "nim", cwd=site, env=env)
    assert ran.returncode == 0, ran.stdout
    assert ran.stderr.splitlines()[-1] == "all 32 checks passed, 2 of them waived by the game"
    assert "waived  nim: texts of no game are rejected\n        a number is a pile\n" in ran.stdout
    for reason in re.findall(r"\n    waivers: .*?\n    \}", (modules / "__init__.py").read_text(), re.DOTALL):
        (modules / "__init__.py").write_text((modules / "__init__.py").read_text().replace(reason, ""))
    ran = servers.dealmill("check-game", "nim", cwd=site, env=env)
    assert ran.returncode == 1
    assert "the check assumes that texts such as '1', '?' and 'X/Y/Z' are not layouts; if this is not so" in ran.stdout


def test_only_an_assumption_can_be_waived(site: Path) -> None:
    definition = new_game(site, "nim") / "__init__.py"
    waived = '    waivers = {"the referee accepts every verdict": "it is hard"}\n'
    definition.write_text(definition.read_text().replace("    deals =", f"{waived}    deals ="))
    assumptions = {check.name for check in checks_of("memory") if check.assumption}
    assert assumptions == set(re.findall(r"(?m)^\| `([a-z ]+)` \|", PAGE.read_text())), "the page lists all of them"
    with pytest.raises(UsageError, match="nim waives 'the referee accepts every verdict', which is"):
        checks_of("nim")


@pytest.mark.slow
def test_new_games_and_engines_are_typed_and_formatted_and_pass_their_tests(site: Path) -> None:
    nim, folder = (new_game(site, name).parent for name in NAMES)
    for sources in (nim, folder, dealmill.new_engine("memory/mine", site.parent)):
        check_sources(sources, site, LINT, FORMAT, TYPES)
    write_nim(nim / "dealmill_nim")  # whose layouts are not those of a new game any more
    shutil.rmtree(nim / "tests")
    check_sources(nim, site, LINT, TYPES)  # the page is formatted with longer lines
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env=servers.clean_environment({"PYTHONPATH": str(site)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
