"""Functions in a process that ends if they take too much time or memory."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.errors import BadLayout, DamagedResults
from dealmill.pipeline.system.bounded import MAX_BYTES, NOT_STARTED, BoundedProcess, TooMuch

LONG = 60
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def process() -> Iterator[BoundedProcess]:
    bounded = BoundedProcess()
    yield bounded
    bounded.close()


def take(size: int) -> int:
    """Take memory in small parts, as texts and sets do."""
    return len([bytes(MEGABYTE) for _ in range(size // MEGABYTE)])


def complain(error: Exception) -> None:
    raise error


def end(code: int) -> None:
    os._exit(code)


def test_a_call_may_take_so_much_memory_besides_that_of_the_calls_before(process: BoundedProcess) -> None:
    for _ in range(3):
        assert process.call(LONG, take, MAX_BYTES - 20 * MEGABYTE)
    with pytest.raises(TooMuch, match=r"^took more than 500 MB of memory$"):
        process.call(LONG, take, MAX_BYTES + 20 * MEGABYTE)
    with pytest.raises(TooMuch, match="500 MB"):
        process.call(LONG, bytes, MAX_BYTES)


def test_a_call_that_takes_too_long_ends_its_process_only(process: BoundedProcess) -> None:
    with pytest.raises(TooMuch, match=r"^took more than 1 seconds$"):
        process.call(1, time.sleep, LONG)
    assert process.call(LONG, abs, -3) == 3


def test_errors_come_back_and_the_process_lives_on(process: BoundedProcess) -> None:
    before = process.call(LONG, os.getpid)
    with pytest.raises(dealmill.NotFoundError, match=r"^no$"):
        process.call(LONG, complain, dealmill.NotFoundError("no"))
    for error in (DamagedResults(1, 2, 3, "gone"), BadLayout(["too short"]), dealmill.InvalidEvidence(4, "no move")):
        with pytest.raises(type(error)) as raised:
            process.call(LONG, complain, error)
        assert (str(raised.value), vars(raised.value)) == (str(error), vars(error))
    with pytest.raises(dealmill.DealmillError, match=r"^KeyError: 'x'$"):
        process.call(LONG, complain, KeyError("x"))
    assert process.call(LONG, os.getpid) == before


def test_a_process_that_has_ended_is_replaced(process: BoundedProcess) -> None:
    with pytest.raises(TooMuch, match=r"^ended with exit code 7$"):
        process.call(LONG, end, 7)
    os.kill(process.call(LONG, os.getpid), signal.SIGKILL)
    process.process.join()  # type: ignore[union-attr]
    assert process.call(LONG, abs, -3) == 3


def test_a_script_is_told_to_guard_its_calls(tmp_path: Path) -> None:
    calls = ["results = list(dealmill.solve('hi-q', dealmill.deals('hi-q', seed=1, first=1, count=1)))"]
    calls.append("dealmill.report(results, 'report.html')")
    script = tmp_path / "script.py"

    def done(*lines: str) -> "subprocess.CompletedProcess[str]":
        script.write_text("\n".join(["import dealmill", *lines]))
        return subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=False)

    refused = done(*calls)
    assert refused.stderr.endswith(f"UsageError: {NOT_STARTED}\n") and "AttributeError" not in refused.stderr
    assert refused.returncode == 1 and not (tmp_path / "report.html").exists()
    assert done('if __name__ == "__main__":', *(f"    {call}" for call in calls)).returncode == 0
    assert (tmp_path / "report.html").exists()
