"""Commands print the results before a damaged one, and say how to go on."""

import sqlite3
from pathlib import Path

import pytest

from tests.servers import dealmill

ERROR = (
    "dealmill: 1:3 cannot be read: verdicts.evidence is b'\\xff', not text; find all faults with: dealmill audit 1; "
    "list the rest with: dealmill query --after 1:3, or export it with --skip-damaged\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store with a run over five layouts, of which the third has a damaged verdict."""
    (tmp_path / "memory.txt").write_text("AABB\nABAB\nABBA\nAABBCC\nABCABC\n")
    dealmill("run", "memory.txt", cwd=tmp_path)
    with sqlite3.connect(tmp_path / "dealmill.db") as connection:
        connection.execute("UPDATE verdicts SET evidence = x'FF' WHERE position = 3")
    return tmp_path


@pytest.mark.parametrize("form", [(), ("--limit", "9"), ("--nl",), ("--csv",)])
def test_a_query_shows_what_comes_before_and_goes_on_behind(form: tuple[str, ...], folder: Path) -> None:
    ran = dealmill("query", "1", *form, cwd=folder)
    assert (ran.returncode, ran.stderr) == (3, ERROR)
    assert "1:1" in ran.stdout and "1:2" in ran.stdout and "1:4" not in ran.stdout
    ran = dealmill("query", "1", "--after", "1:3", *form, cwd=folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1:2" not in ran.stdout and "1:4" in ran.stdout and "1:5" in ran.stdout


def test_an_export_leaves_out_what_is_damaged_if_it_is_asked_to(folder: Path) -> None:
    ran = dealmill("export", "1", "all.csv", cwd=folder)
    assert (ran.returncode, ran.stderr) == (3, ERROR)
    assert not (folder / "all.csv").exists()
    ran = dealmill("export", "1", "all.csv", "--skip-damaged", cwd=folder)
    assert ran.returncode == 3
    assert "1 result of run 1 left out, with values that cannot be read" in ran.stderr
    assert len((folder / "all.csv").read_text().splitlines()) == 1 + 4
