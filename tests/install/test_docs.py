"""The examples of the page on Python work with the installed wheel."""

import shutil
from pathlib import Path

from tests.install.environments import ROOT, Environment


def test_the_examples_on_the_page_on_python_work_with_the_wheel(from_wheel: Environment, tmp_path: Path) -> None:
    page = shutil.copy(ROOT / "docs" / "python.md", tmp_path)
    ran = from_wheel.run("-m", "doctest", page, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stdout + ran.stderr
