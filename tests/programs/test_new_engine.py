"""A new engine is a program that meets all checks as it is written, in Python and in C."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dealmill
from dealmill.testing import Check, CheckFailed, checks_of
from tests.programs.conftest import forget_settings


def checks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    """The checks of the engine in a folder."""
    monkeypatch.setenv("DEALMILL_ENGINES", str(folder))
    forget_settings()
    return [check for check in checks_of("memory") if check.subject == "memory/mine-2"]


@pytest.mark.slow
@pytest.mark.usefixtures("declare")
def test_a_new_engine_meets_all_checks_and_claims_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = dealmill.new_engine("memory/mine-2", tmp_path)
    files = {path.name for path in folder.iterdir()}
    assert files == {"README.md", "mine-2.toml", "memory_mine_2.c", "memory_mine_2.py", "test_memory_mine_2.py"}
    all_checks = checks(folder, monkeypatch)
    assert len(all_checks) == 16
    for check in all_checks:
        check()
    assert dealmill.solve("memory/mine-2", "ABBA").verdict is dealmill.Verdict.UNDECIDED
    manifest = folder / "mine-2.toml"
    manifest.write_text(manifest.read_text().replace("complete = false", ""))
    with pytest.raises(CheckFailed, match=r"undecided without a node limit; is the engine complete\?"):
        checks(folder, monkeypatch)[0]()


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_the_program_in_c_says_the_same(tmp_path: Path) -> None:
    folder = dealmill.new_engine("memory/mine", tmp_path)
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", "mine", "memory_mine.c"], cwd=folder, check=True)
    question = '{"dealmill": 1, "game": "memory", "max_nodes": 5}\nABBA\nAABB\n'
    answers = [
        subprocess.run(command, cwd=folder, input=question, capture_output=True, text=True, check=True).stdout
        for command in ([sys.executable, "memory_mine.py"], ["./mine"])
    ]
    assert answers[0] == answers[1] != ""
