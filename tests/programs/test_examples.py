"""The programs that the documentation shows."""

import shutil
import subprocess
from pathlib import Path

import pytest

from dealmill.pipeline.evidence.referee import judge
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_texts
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.programs import solver
from dealmill.pipeline.programs.manifest import read_program
from dealmill.pipeline.programs.solver import ProgramSolver
from dealmill.pipeline.solving.solve import solve
from tests.doing import deal

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "examples" / "engines"
PAGE = (ROOT / "docs" / "engines.md").read_text()
LIMIT = 96


@pytest.mark.parametrize("name", ["memory.py", "memory.toml", "memory.c"])
def test_the_page_shows_the_files(name: str) -> None:
    assert (FOLDER / name).read_text() in PAGE


@pytest.mark.parametrize("name", ["memory", "memory-c"])
def test_an_example_is_the_engine_that_it_is_checked_as(name: str, tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    if name == "memory-c":
        if not shutil.which("cc"):
            pytest.skip("there is no C compiler")
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", "memory", "memory.c"], cwd=tmp_path, check=True
        )
    program = read_program(tmp_path / f"{name}.toml")
    solve_with_it = ProgramSolver(program, program.version())
    layouts = ["AA", *deal(find_game("memory"), 1, 1, 200), *deal(find_game("memory"), 1, 1, 20, pairs=52)]
    try:
        batch, limited = (to_batch(solve_with_it(to_texts(layouts), limit)) for limit in (NO_LIMIT, LIMIT))
    finally:
        solver._stop()
    expected = solve("memory/two-pass", layouts)
    assert (batch.verdicts, batch.values, batch.evidence) == (expected.verdicts, expected.values, expected.evidence)
    for layout, value, evidence in zip(layouts, batch.values, batch.evidence, strict=True):
        assert judge("memory/two-pass", layout, Verdict.SCORED, value, evidence).valid
    assert [verdict is Verdict.UNDECIDED for verdict in limited.verdicts] == [
        (value or 0) > LIMIT for value in batch.values
    ]
    assert 0 < limited.verdicts.count(Verdict.UNDECIDED) < len(layouts)
