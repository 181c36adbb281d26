"""Commands whose standard streams are closed or full."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import run_alone

NOWHERE = "dealmill: standard output is closed: the output cannot be written\n"


def closed(streams: str, *arguments: str, cwd: Path) -> tuple[int, str, str]:
    """Run a command with these streams closed, as a shell writes it; return its exit code and what it wrote."""
    ran = run_alone(*arguments, cwd=cwd, script=f'exec "$@" {streams}')
    assert "Traceback" not in ran.stderr
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of one run, which was solved by a command without standard error."""
    folder = tmp_path_factory.mktemp("closed")
    code, stdout, stderr = closed("2>&-", "run", "deal:memory:seed=1:1-9", "--json", cwd=folder)
    assert (code, json.loads(stdout)[0]["scored"], stderr) == (0, 9, "")
    return folder


@pytest.mark.parametrize("arguments", ["query --nl", pytest.param("--help", marks=pytest.mark.slow)])
def test_a_command_that_prints_data_fails_without_standard_output(arguments: str, folder: Path) -> None:
    assert closed(">&-", *arguments.split(), cwd=folder) == (1, "", NOWHERE)
    assert closed(">&- 2>&-", *arguments.split(), cwd=folder) == (1, "", "")
    code, stdout, stderr = closed("2>&-", *arguments.split(), cwd=folder)
    assert (code, stderr) == (0, "") and stdout


@pytest.mark.slow
def test_a_command_that_prints_no_data_succeeds_without_standard_output(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    code, _, stderr = closed(">&-", "export", "1", str(file), cwd=folder)
    assert (code, stderr) == (0, f"9 verdicts of run 1 written to {file}\n")
    for streams in ("2>&-", "<&- >&- 2>&-"):
        assert closed(streams, "export", "1", str(file), "--force", cwd=folder) == (0, "", "")
        assert closed(streams, "query", "--bad", cwd=folder)[0] == 2


@pytest.mark.slow
def test_workers_work_without_any_standard_stream(tmp_path: Path) -> None:
    assert closed("<&- >&- 2>&-", "run", "deal:memory:seed=1:1-9", cwd=tmp_path) == (1, "", "")
    code, stdout, _ = closed("", "status", "--json", cwd=tmp_path)
    assert (code, json.loads(stdout)[0]["state"]) == (0, "finished")


def test_a_closed_standard_input_is_an_error(tmp_path: Path) -> None:
    code, _, stderr = closed("<&-", "ingest", "-", "--game", "memory", cwd=tmp_path)
    assert (code, stderr) == (1, "dealmill: - is empty: there is no layout in it\n")


FULL = "dealmill: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("unbuffered", ["", pytest.param("1", marks=pytest.mark.slow)])
def test_a_full_standard_output_is_an_error(unbuffered: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ran = run_alone("games", cwd=tmp_path, stdout=full, env={"PYTHONUNBUFFERED": unbuffered})
    assert (ran.returncode, ran.stderr) == (1, FULL)


@pytest.mark.parametrize("unbuffered", ["1", pytest.param("", marks=pytest.mark.slow)])
def test_an_output_of_which_a_part_is_written_is_an_error(unbuffered: str, tmp_path: Path) -> None:
    script = 'trap "" XFSZ; ulimit -f 1; exec "$@" >listed'  # a file may have 512 bytes
    ran = run_alone("games", cwd=tmp_path, script=script, env={"PYTHONUNBUFFERED": unbuffered})
    assert (ran.returncode, ran.stderr) == (1, "dealmill: cannot write the output: File too large\n")
    assert 0 < (tmp_path / "listed").stat().st_size <= 1024


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("arguments", "code"), [("query --bad", 2), ("query 7", 2), ("games memory", 0), ("run deal:memory:seed=1:1-9", 0)]
)
@pytest.mark.slow
def test_a_standard_error_that_takes_nothing_leaves_the_exit_code(
    arguments: str, code: int, unbuffered: str, folder: Path
) -> None:
    for stream in (full := os.open("/dev/full", os.O_WRONLY), broken := broken_pipe()):
        ran = run_alone(*arguments.split(), cwd=folder, stderr=stream, env={"PYTHONUNBUFFERED": unbuffered})
        assert ran.returncode == code
    os.close(full)
    os.close(broken)


INTERRUPTED_AT_EACH_LINE = """
import sys, time
from dealmill.cli.process import handle_signals, replace_streams
handle_signals()
replace_streams()
for number in range(400):
    try:
        print(number, file=sys.stderr)
        time.sleep(1)
    except KeyboardInterrupt:
        pass
"""


@pytest.mark.slow
def test_a_signal_at_the_end_of_a_message_does_not_repeat_it() -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED_AT_EACH_LINE], stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        lines = []
        for _ in range(300):
            lines.append(int(child.stderr.readline()))
            child.send_signal(signal.SIGTERM)
        child.kill()
    assert lines == list(range(300))


def broken_pipe() -> int:
    """Return the descriptor of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.slow
def test_a_broken_pipe_is_an_error_without_a_message(unbuffered: str, tmp_path: Path) -> None:
    ran = run_alone("games", cwd=tmp_path, stdout=(broken := broken_pipe()), env={"PYTHONUNBUFFERED": unbuffered})
    os.close(broken)
    assert (ran.returncode, ran.stderr) == (1, "")
