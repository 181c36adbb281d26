"""Commands whose standard streams were closed before they began."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.servers import clean_environment, dealmill_command

NOWHERE = "dealmill: standard output is closed: the output cannot be written\n"


def closed(streams: str, *arguments: str, cwd: Path) -> tuple[int, str, str]:
    """Run the real command with these streams closed (as a shell writes it); its exit code and what it wrote."""
    ran = subprocess.run(
        ["sh", "-c", f'exec "$@" {streams}', "sh", *dealmill_command(arguments)],
        cwd=cwd,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in ran.stderr
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of one run, which was solved by a command without standard error."""
    folder = tmp_path_factory.mktemp("closed")
    code, out, err = closed("2>&-", "run", "deal:memory:seed=1:1-9", "--json", cwd=folder)
    assert (code, json.loads(out)[0]["scored"], err) == (0, 9, "")
    return folder


@pytest.mark.parametrize(
    "arguments",
    ["status", "status --json", "query --nl", "query --csv", "show 1:1", "games", "--help", "run --help", "--version"],
)
def test_a_command_that_prints_data_fails_without_standard_output(arguments: str, folder: Path) -> None:
    assert closed(">&-", *arguments.split(), cwd=folder) == (1, "", NOWHERE)
    assert closed(">&- 2>&-", *arguments.split(), cwd=folder) == (1, "", "")
    code, out, err = closed("2>&-", *arguments.split(), cwd=folder)
    assert (code, err) == (0, "") and out


def test_a_command_that_prints_no_data_succeeds_without_standard_output(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    code, _, err = closed(">&-", "export", "1", str(file), cwd=folder)
    assert (code, err) == (0, f"9 verdicts of run 1 written to {file}\n")
    for streams in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        assert closed(streams, "export", "1", str(file), "--force", cwd=folder) == (0, "", "")
        assert closed(streams, "query", "--bad", cwd=folder)[0] == 2
        assert closed(streams, "query", "99", cwd=folder)[0] == 2
        assert closed(streams, "ingest", "deal:memory:seed=1:1-9", cwd=tmp_path) == (0, "", "")


def test_workers_work_without_any_standard_stream(tmp_path: Path) -> None:
    assert closed("<&- >&- 2>&-", "run", "deal:memory:seed=1:1-9", cwd=tmp_path) == (1, "", "")
    code, out, _ = closed("", "status", "--json", cwd=tmp_path)
    assert (code, json.loads(out)[0]["state"]) == (0, "finished")


def test_a_closed_standard_input_is_an_error(tmp_path: Path) -> None:
    code, _, err = closed("<&-", "ingest", "-", "--game", "memory", cwd=tmp_path)
    assert (code, err) == (1, "dealmill: - is empty: there is no layout in it\n")
