"""``--packed`` with real workers: queued, solved once, audited, repeated and compared."""

from pathlib import Path

import pytest

from tests.cli.running import rows
from tests.servers import dealmill

DEALS = "deal:card-pairing:seed=3:1-2500"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, in which the same deals are run 1, packed, and run 2, rows."""
    folder = tmp_path_factory.mktemp("packed")
    queued = dealmill("queue", DEALS, "--packed", cwd=folder)
    assert (queued.returncode, queued.stdout) == (0, "1\n")
    assert dealmill("work", "--drain", cwd=folder).returncode == 0
    [summary] = rows("run", DEALS, cwd=folder)
    assert (summary["layouts"], summary["runs"]) == (2_500, [2])
    return folder


@pytest.mark.slow
def test_a_finished_packed_run_is_not_solved_again(folder: Path) -> None:
    before = rows("status", cwd=folder)
    assert [row["storage"] for row in before[:2]] == ["packed", "rows"]
    assert before[0]["fingerprint"] == before[1]["fingerprint"] is not None
    ran = dealmill("run", DEALS, "--packed", cwd=folder)
    assert ran.returncode == 0
    assert ran.stderr.startswith(f"run 1: card-pairing/winnable on {DEALS} is already solved\n")
    assert rows("status", cwd=folder) == before


def test_a_packed_run_is_audited_repeated_and_compared(folder: Path) -> None:
    audit = dealmill("audit", "1", cwd=folder)
    assert (audit.returncode, "2,500 valid, 0 invalid" in audit.stderr) == (0, True)
    rerun = dealmill("rerun", "1", cwd=folder)
    assert (rerun.returncode, "are equal: 2,500 verdicts" in rerun.stderr) == (0, True)
    diff = dealmill("diff", "1", "2", cwd=folder)
    assert (diff.returncode, "are equal: 2,500 verdicts" in diff.stderr) == (0, True)
    repeated = rows("status", "last", cwd=folder)[0]
    assert (repeated["repeats"], repeated["storage"]) == (1, "packed")
