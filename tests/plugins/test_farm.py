"""A game that pip has installed, from the first command to the last, and a farm in which only some workers have it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.sites import PEG_ROW, install
from tests.servers import dealmill

SOURCE = "deal:peg-row:seed=1:1-3000"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder into which pip has installed the game."""
    folder = tmp_path_factory.mktemp("site")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps")
    subprocess.run([*pip, "--target", folder, PEG_ROW.parent], check=True)
    return str(folder)


def rows(*arguments: str, cwd: Path, site: str | None) -> list[dict[str, object]]:
    """What a command prints as JSON, with the game installed or not."""
    ran = dealmill(*arguments, "--json", cwd=cwd, env={"PYTHONPATH": site} if site else {})
    assert ran.returncode == 0, ran.stderr
    printed: list[dict[str, object]] = json.loads(ran.stdout)
    return printed


def test_a_game_that_pip_has_installed_is_a_game_like_any(site: str, tmp_path: Path) -> None:
    games = {str(row["engine"]): row for row in rows("games", cwd=tmp_path, site=site)}
    assert str(games["peg-row/winnable"]["examples"]).startswith(site)
    [run] = rows("run", SOURCE, cwd=tmp_path, site=site)
    assert (run["engine"], run["winnable"], run["unwinnable"]) == ("peg-row/winnable", 101, 2_899)
    [won, *_] = rows("query", "last", "--verdict", "winnable", cwd=tmp_path, site=site)
    shown = dealmill("show", str(won["item"]), cwd=tmp_path, env={"PYTHONPATH": site}).stdout
    assert "referee: valid" in shown
    assert "Jump 1: " in shown
    assert dealmill("show", str(won["item"]), "--svg", "x.svg", cwd=tmp_path, env={"PYTHONPATH": site}).returncode == 0
    for command in (("audit", "last"), ("rerun", "last")):
        ran = dealmill(*command, cwd=tmp_path, env={"PYTHONPATH": site})
        assert ran.returncode == 0, ran.stderr
    [survey] = rows("survey", "peg-row", "--count", "1000", cwd=tmp_path, site=site)
    assert survey["engine"] == "peg-row/winnable"
    assert rows("find", str(won["layout"]), cwd=tmp_path, site=site)
    assert dealmill("export", "1", "x.jsonl", cwd=tmp_path).returncode == 0, "an export needs no game"
    exported = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert len(exported) == 3_000


def test_a_run_of_a_game_that_was_uninstalled_is_listed_and_its_commands_say_what_to_install(
    site: str, tmp_path: Path
) -> None:
    for solving in (("run", SOURCE), ("survey", "peg-row", "--count", "1000")):
        ran = dealmill(*solving, cwd=tmp_path, env={"PYTHONPATH": site})
        assert ran.returncode == 0, ran.stderr
    for command in (
        ("audit", "1"),
        ("show", "1:5"),
        ("show", "1:5", "--json"),
        ("rerun", "1"),
        ("export", "1", "x.csv", "--with-checker"),
        ("show", "2:5"),
        ("audit", "2"),
    ):
        ran = dealmill(*command, cwd=tmp_path)
        number = command[1][0]
        message = (
            f"dealmill: run {number} is by peg-row/winnable, which is not installed here: there is no game 'peg-row'; "
        )
        assert (ran.returncode, ran.stdout) == (1, ""), command
        assert ran.stderr.splitlines()[-1].startswith(message), command
        assert "install the package of its game" in ran.stderr
    for option in (("--game", "peg-row"), ("--engine", "peg-row/winnable")):
        results = rows("query", "1", *option, cwd=tmp_path, site=None)
        assert len(results) == 3_000
        ran = dealmill("query", *(word.replace("peg-row", "polo") for word in option), cwd=tmp_path)
        assert (ran.returncode, "there is no game 'polo'" in ran.stderr) == (2, True)


def test_what_a_broken_game_raises_is_one_sentence(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site, "dealmill-peg-row", {"peg-row": "dealmill_peg_row:GAME"})
    shutil.copytree(PEG_ROW, site / "dealmill_peg_row", ignore=shutil.ignore_patterns("__pycache__"))
    for file, before, after, message in (
        (
            "rules.py",
            "    if not ",
            "    1 / 0\n    if not ",
            "cannot draw layout .*: ZeroDivisionError: division by zero; ",
        ),
        (
            "engine.py",
            "append(nodes)",
            "append(nodes / 0)",
            "winnable fails on the first example deal, .*: ZeroDivision",
        ),
        (
            "engine.py",
            "def winnable",
            "def winable",
            "dealmill_peg_row.engine.winnable cannot be imported: AttributeError: .* has no attribute 'winnable'",
        ),
    ):
        text = (site / "dealmill_peg_row" / file).read_text()
        assert before in text
        (site / "dealmill_peg_row" / file).write_text(text.replace(before, after, 1))
        ran = dealmill("show", "deal:peg-row:seed=1:3", cwd=tmp_path, env={"PYTHONPATH": str(site)})
        (site / "dealmill_peg_row" / file).write_text(text)
        assert ran.returncode == 1
        assert "Traceback" not in ran.stderr
        assert re.search(message, ran.stderr.splitlines()[-1])


def test_workers_leave_jobs_of_a_game_that_they_lack_to_others(site: str, tmp_path: Path) -> None:
    for source in (SOURCE, "deal:memory:seed=1:1-3000"):
        queued = dealmill("queue", source, cwd=tmp_path, env={"PYTHONPATH": site})
        assert queued.returncode == 0, queued.stderr
    lacking = dealmill("work", "--drain", cwd=tmp_path)
    assert lacking.returncode == 1
    assert lacking.stderr.splitlines()[-1].startswith(
        "dealmill: some jobs cannot be done here: 1 of peg-row/winnable 1 (it is not installed here); "
    )
    assert solved(tmp_path) == {"peg-row/winnable": 0, "memory/two-pass": 3_000}
    excluding = dealmill("work", "--drain", cwd=tmp_path, env={"PYTHONPATH": site, "DEALMILL_PLUGINS": ""})
    assert excluding.returncode == 1
    assert (
        "1 of peg-row/winnable 1 (dealmill-peg-row 0.1 offers the game peg-row = dealmill_peg_row:GAME, "
        "which cannot be used: DEALMILL_PLUGINS does not name this package)"
    ) in excluding.stderr
    able = dealmill("work", "--drain", cwd=tmp_path, env={"PYTHONPATH": site})
    assert able.returncode == 0, able.stderr
    assert solved(tmp_path) == {"peg-row/winnable": 3_000, "memory/two-pass": 3_000}


def solved(folder: Path) -> dict[object, object]:
    """The number of solved layouts by engine, which can be listed without the games."""
    return {row["engine"]: row["solved"] for row in rows("status", cwd=folder, site=None)}
