"""Every command the documentation shows is run, and what it shows of the output is compared."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from shutil import which
from types import ModuleType

import pytest
from packaging.version import Version

from dealmill.pipeline.games import games
from tests.docs import by_name, fields, invariants, pictures, rules_keys, thresholds
from tests.docs.commands import PAGE
from tests.servers import READ_LATE, clean_environment, fork_client

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SERVER = "postgresql://dealmill@db.example/dealmill"
"""The database that the pages speak of; here it is a real one."""
DECISIONS = ROOT / "docs" / "decisions"
WIDE = {"COLUMNS": "200"}
ELIDED = "…"
SPEED = "layouts/s"
NO_COMPILER = """
import os, re, sys
*_, output, source = sys.argv
[name] = re.findall(r'name.": ."(\\w+)', open(source).read())
with open(output, "w") as program:
    program.write(open("examples/engines/memory.py").read().replace('"python"', f'"{name}"'))
os.chmod(output, 0o755)
"""
"""Takes the place of a C compiler that is not installed: the same solver in Python."""


def sessions(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a page with the lines of output shown for each."""
    commands: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:].partition("    # ")[0], []))
            else:
                commands[-1][1].append(line)
    return commands


def comparable(lines: list[str]) -> list[str]:
    """Lines without what differs from run to run: seals, the speeds and times in tables, and the width of columns."""
    end = 0
    kept = []
    for line in lines:
        if SPEED in line:
            end = line.index(SPEED) + len(SPEED)
        elif line[end - 1 : end].isdigit():
            line = line[:end].rstrip("0123456789,") + SPEED + line[end:]  # noqa: PLW2901
        line = re.sub(r"^(seal: \d+-)\w{64}$", r"\1", line)  # noqa: PLW2901
        line = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+ +[\d.]+ (s|min)", "STARTED TOOK", line)  # noqa: PLW2901
        if line.strip() and "compiling" not in line:
            kept.append(" ".join(line.split()))
    return kept


def same(shown: list[str], printed: list[str]) -> bool:
    """Whether output is as shown; a line of `…` stands for any number of lines."""
    if ELIDED in shown:
        cut = shown.index(ELIDED)
        rest = shown[cut + 1 :]
        return shown[:cut] == printed[:cut] and (not rest or printed[-len(rest) :] == rest)
    return shown == printed


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program ``dealmill``, which runs commands in forked processes."""
    folder = tmp_path_factory.mktemp("programs")
    program = folder / "dealmill"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(fork_client(frozenset()))} "$@"\n')
    program.chmod(0o755)
    if which("cc") is None:
        (folder / "cc").write_text(f"#!{sys.executable}\n{NO_COMPILER}")
        (folder / "cc").chmod(0o755)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_shown_works_as_shown(
    path: Path, tmp_path: Path, programs: Path, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = path.read_text()
    url = request.getfixturevalue("postgres").new_database() if SERVER in text else ""
    env = clean_environment({"PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}", **WIDE})
    for command, shown in sessions(text):
        if command.startswith("make "):
            targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert command.split()[1] in targets
            continue
        if exported := re.fullmatch(r"export (\w+)=(\S+)", command):
            env[exported[1]] = exported[2].replace(SERVER, url)
            if not exported[1].startswith(READ_LATE):  # a new interpreter has to read it
                env["PATH"] = env["PATH"].removeprefix(f"{programs}:")
            continue
        ran = subprocess.run(
            ["sh", "-c", f"{command.replace(SERVER, url)} 2>&1"],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        refused = shown[:1] and shown[0].startswith("dealmill: ")
        damaged = refused and "cannot be read" in shown[0]
        assert ran.returncode in ((3,) if damaged else (1, 2) if refused else (0, 3, 4)), (command, ran.stdout)
        if shown:
            assert same(comparable(shown), comparable(ran.stdout.splitlines())), (command, ran.stdout)


def test_the_page_of_commands_equals_the_help_texts() -> None:
    """In a process of its own: Click keeps the help option of a command as its first caller named it."""
    write = "from tests.docs.commands import page; print(page(), end='')"
    help_texts = subprocess.run([sys.executable, "-c", write], cwd=ROOT, capture_output=True, text=True, check=True)
    assert PAGE.read_text() == help_texts.stdout, "write it again with: make docs"


@pytest.mark.parametrize(
    "module", [by_name, fields, invariants, rules_keys, thresholds], ids=lambda module: module.__name__
)
def test_generated_pages_equal_what_they_are_generated_from(module: ModuleType) -> None:
    assert module.PAGE.read_text() == module.page(), "write it again with: make docs"


def test_the_pictures_are_what_the_games_draw() -> None:
    drawn = pictures.pictures()
    assert {path: path.read_text() for path in pictures.FOLDER.glob("*.svg")} == drawn, (
        "draw them again with: make docs"
    )


def test_every_decision_is_in_the_index_once_with_the_number_of_its_file() -> None:
    indexed = re.findall(r"\[(\d+)\]\(([^)]+)\)", (DECISIONS / "README.md").read_text())
    pages = sorted(path.name for path in DECISIONS.iterdir() if path.name != "README.md")
    assert sorted(page for _, page in indexed) == pages
    for number, page in indexed:
        assert int(page[:4]) == int(number), page
        assert (DECISIONS / page).read_text().startswith(f"# {number}. "), page


def test_the_citation_names_the_last_release_and_the_license() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text().splitlines()
    released = re.findall(r"^## (\d\S+) –", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    assert {f"version: {released}", f"license: {project['license']}"} <= {*citation}
    developed = Version(project["version"])
    assert developed == Version(released) or (developed.is_devrelease and developed > Version(released))


def test_readme_says_how_many_patiences_are_included() -> None:
    count = sum(game.rules_text is not None and game.rules_text.family == "patience" for game in games().values())
    assert f"\n{count} [patiences](docs/patience.md) " in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_existing_files_and_headings(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
        if "://" not in link:
            assert (path.parent / link).exists(), link
