"""A patience from a range of deals to a checked export: what users do with it, with real commands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import dealmill

RANGE = "deal:klondike:seed=1:1-12"
LOST = "deal:klondike:seed=1:6-6"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose store has a finished run."""
    path = tmp_path_factory.mktemp("patience")
    ran = dealmill("run", RANGE, "--max-nodes", "20000", cwd=path)
    assert ran.returncode == 0, ran.stderr
    return path


@pytest.mark.slow
def test_an_audit_accepts_every_verdict(folder: Path) -> None:
    audited = dealmill("audit", "last", cwd=folder)
    assert audited.returncode == 0 and "0 invalid" in audited.stdout + audited.stderr


@pytest.mark.slow
@pytest.mark.parametrize("game", ["spider", "mrs-mop"])
def test_deals_that_the_careful_player_hardly_wins_are_packed_by_nodes(tmp_path: Path, game: str) -> None:
    assert dealmill("run", f"deal:{game}:seed=1:1-3", "--max-nodes", "400000", cwd=tmp_path).returncode == 0
    packed = dealmill("pack", "last", "levels.json", "--by", "nodes", "--grades", "2", "--each", "1", cwd=tmp_path)
    assert packed.returncode == 0, packed.stderr
    checked = dealmill("pack", "--check", "levels.json", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_a_run_without_a_limit_has_the_default_limit_of_its_engine(folder: Path) -> None:
    assert dealmill("run", "deal:black-hole:seed=1:1-2", cwd=folder).returncode == 0
    status = dealmill("status", "last", "--json", cwd=folder)
    assert '"max_nodes": 10000000' in status.stdout, status.stdout


@pytest.mark.parametrize("chosen", [("--verdict", "winnable"), pytest.param((), marks=pytest.mark.slow)])
def test_the_exported_checker_proves_the_rows(folder: Path, chosen: tuple[str, ...]) -> None:
    """Plain Python takes seconds to count the positions of the losses."""
    (folder / "a.csv").unlink(missing_ok=True)
    (folder / "a.csv.check.py").unlink(missing_ok=True)
    exported = dealmill("export", "1", "a.csv", "--with-checker", *chosen, cwd=folder)
    assert exported.returncode == 0, exported.stderr
    checker = [sys.executable, "-I", "-S", "a.csv.check.py", "a.csv"]
    checked = subprocess.run(checker, cwd=folder, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_a_checker_proves_a_loss_of_golf_without_a_limit(folder: Path) -> None:
    """It has 201,950 positions, which plain Python sweeps."""
    assert dealmill("run", "deal:golf:seed=1:5-5", cwd=folder).returncode == 0
    audited = dealmill("audit", "last", cwd=folder)
    assert audited.returncode == 0 and "0 invalid" in audited.stdout + audited.stderr
    assert dealmill("export", "last", "golf.csv", "--with-checker", cwd=folder).returncode == 0
    checker = [sys.executable, "-I", "-S", "golf.csv.check.py", "golf.csv"]
    checked = subprocess.run(checker, cwd=folder, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "1 unwinnable" in checked.stdout


@pytest.mark.slow
def test_a_loss_that_plain_python_cannot_count_is_checked_by_dealmill_alone(folder: Path) -> None:
    assert dealmill("run", "deal:black-hole:seed=1:504-504", cwd=folder).returncode == 0
    audited = dealmill("audit", "last", cwd=folder)
    assert audited.returncode == 0 and "0 invalid" in audited.stdout + audited.stderr
    assert dealmill("export", "last", "hole.csv", "--with-checker", cwd=folder).returncode == 0
    checker = [sys.executable, "-I", "-S", "hole.csv.check.py", "hole.csv"]
    checked = subprocess.run(checker, cwd=folder, capture_output=True, text=True, check=False)
    assert checked.returncode == 3, checked.stdout + checked.stderr
    assert "row 1 (position 1) needs a higher --limit, or Dealmill: 108,127 positions" in checked.stdout
    assert "1 unwinnable" in checked.stdout


def test_a_loss_is_shown_by_the_cards_that_matter(folder: Path) -> None:
    assert dealmill("run", LOST, cwd=folder).returncode == 0
    shown = dealmill("show", "last:1", cwd=folder)
    assert "Unwinnable: even if all cards but these" in shown.stdout, shown.stdout + shown.stderr
    assert re.search(r"^Position 1 of 1\. No move is possible\.$", shown.stdout, re.MULTILINE)
    assert dealmill("export", "last", "lost.csv", "--with-checker", cwd=folder).returncode == 0
    checker = [sys.executable, "-I", "-S", "lost.csv.check.py", "lost.csv", "--show", "1"]
    checked = subprocess.run(checker, cwd=folder, capture_output=True, text=True, check=True)
    row, _, _, reason, position, *_ = checked.stdout.splitlines()
    assert row == "row of position 1: unwinnable" and reason.startswith("Even if all cards but these ")
    assert position.startswith("position 1: ") and position.endswith(". No move is possible.")


def test_a_win_is_shown_move_by_move(folder: Path) -> None:
    shown = dealmill("show", "1:2", cwd=folder)
    assert shown.returncode == 0 and "Move 1, " in shown.stdout and "All cards are up: won." in shown.stdout


@pytest.mark.slow
def test_a_survey_says_how_many_are_won(folder: Path) -> None:
    surveyed = dealmill("survey", "bakers-game", "--count", "1000", "--max-nodes", "2000", cwd=folder)
    assert surveyed.returncode == 0, surveyed.stderr


def test_deals_are_packed_by_their_nodes(folder: Path) -> None:
    packed = dealmill("pack", "1", "a.json", "--by", "nodes", "--grades", "2", "--each", "2", cwd=folder)
    assert packed.returncode == 0, packed.stderr
    assert dealmill("pack", "--check", "a.json", cwd=folder).returncode == 0
