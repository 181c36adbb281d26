"""``--packed`` with real workers, as its user runs it: solved once, queried like rows, and refused for files."""

import json
from pathlib import Path

import pytest

from tests.servers import dealmill

DEALS = "deal:card-pairing:seed=3:1-2500"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, in which the same deals are run 1, packed, and run 2, rows."""
    folder = tmp_path_factory.mktemp("packed")
    for options in (["--packed"], []):
        ran = dealmill("run", DEALS, *options, "--json", cwd=folder)
        assert ran.returncode == 0, ran.stderr
        [summary] = json.loads(ran.stdout)
        assert (summary["layouts"], summary["rejected"]) == (2_500, 0)
        assert summary["winnable"] + summary["unwinnable"] == 2_500
        assert summary["duplicates"] == (None if options else 0)
    return folder


def rows(*arguments: str, cwd: Path) -> list[dict[str, object]]:
    """The rows that a command prints as JSON lines."""
    ran = dealmill(*arguments, "--nl", cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_a_finished_packed_run_is_not_solved_again(folder: Path) -> None:
    before = rows("status", cwd=folder)
    assert [row["storage"] for row in before[:2]] == ["packed", "rows"]
    assert before[0]["fingerprint"] == before[1]["fingerprint"] is not None
    again = dealmill("run", DEALS, "--packed", cwd=folder)
    assert again.returncode == 0
    assert again.stderr.startswith(f"run 1: card-pairing/winnable on {DEALS} is already solved\n")
    assert rows("status", cwd=folder) == before


def test_only_a_table_with_a_packed_run_has_a_column_for_the_storage(folder: Path) -> None:
    assert "storage" in dealmill("status", "1", cwd=folder).stdout
    assert "storage" not in dealmill("status", "2", cwd=folder).stdout


def test_a_packed_run_is_queried_like_rows(folder: Path) -> None:
    for run in ("1", "2"):
        assert dealmill("export", run, f"{run}.csv", cwd=folder).returncode == 0
    assert (folder / "1.csv").read_bytes() == (folder / "2.csv").read_bytes()
    [lost] = rows("query", "1", "--verdict", "unwinnable", "--after", "1:2400", "--limit", "1", cwd=folder)
    shown = dealmill("show", str(lost["item"]), cwd=folder)
    assert "referee: valid" in shown.stdout and f"layout: {lost['layout']}" in shown.stdout


def test_a_packed_run_is_audited_repeated_and_compared(folder: Path) -> None:
    audit = dealmill("audit", "1", cwd=folder)
    assert (audit.returncode, "2,500 valid, 0 invalid" in audit.stderr) == (0, True)
    rerun = dealmill("rerun", "1", cwd=folder)
    assert (rerun.returncode, "are equal: 2,500 verdicts" in rerun.stderr) == (0, True)
    diff = dealmill("diff", "1", "2", cwd=folder)
    assert (diff.returncode, "are equal: 2,500 verdicts" in diff.stderr) == (0, True)
    repeated = rows("status", "last", cwd=folder)[0]
    assert (repeated["repeats"], repeated["storage"]) == (1, "packed")


def test_a_packed_run_is_queued_and_worked_on(tmp_path: Path) -> None:
    queued = dealmill("queue", "deal:memory:seed=1:1-3000", "--packed", cwd=tmp_path)
    assert (queued.returncode, queued.stdout) == (0, "1\n")
    assert dealmill("work", "--drain", cwd=tmp_path).returncode == 0
    [done] = rows("status", "1", cwd=tmp_path)
    assert (done["solved"], done["storage"], done["state"]) == (3_000, "packed", "finished")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "memory.txt"], 2, "memory.txt cannot be stored packed: only numbered deals can be dealt again"),
        (["run", "deal:memory:seed=1:1-9", "memory.txt"], 2, "memory.txt cannot be stored packed"),
        (["queue", "memory.txt"], 2, "memory.txt cannot be stored packed"),
        (["run", "deal:memory:seed=1:1-"], 2, "has no end: name the last deal, or survey it with: dealmill survey"),
        (["run", "deal:memory:seed=1:1-200000000000"], 2, "must be a whole number from 1 to 100,000,000,000"),
        (["run", "deal:card-pairing:seed=1:stacks=7:1-9"], 2, "36 cards cannot be divided into 7 stacks"),
    ],
)
def test_files_and_open_ended_ranges_cannot_be_packed(
    arguments: list[str], code: int, message: str, tmp_path: Path
) -> None:
    (tmp_path / "memory.txt").write_text("AABB\n")
    assert dealmill("ingest", "memory.txt", cwd=tmp_path).returncode == 0
    ran = dealmill(*arguments, "--packed", cwd=tmp_path)
    assert (ran.returncode, message in ran.stderr) == (code, True), ran.stderr
    assert dealmill("status", "--json", cwd=tmp_path).stdout == "[]\n"
