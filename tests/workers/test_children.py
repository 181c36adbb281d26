"""A process that is forked from a command has its modules, and nothing else of it."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dealmill.pipeline.system.settings import settings
from dealmill.workers.children import Process, fork, kill, stop


def interrupted(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def test_a_forked_process_keeps_nothing_of_its_parent_but_modules(tmp_path: Path) -> None:
    def report() -> int:
        facts = (
            os.getsid(0) == os.getpid(),
            signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
            Path(f"/proc/self/fd/{file.fileno()}").readlink(),
            settings().workers,
        )
        sys.stdout.write(" ".join(map(str, facts)))
        sys.stdout.flush()
        sys.stderr.write(f" {Path('/proc/self/comm').read_text()}")
        return 7

    before = signal.signal(signal.SIGTERM, interrupted)
    try:
        with (tmp_path / "deals.txt").open("w") as file:
            process = fork(report, name="miller", environment={"DEALMILL_WORKERS": "5"})
            assert process.wait() == 7
            assert file.write("intact")
    finally:
        signal.signal(signal.SIGTERM, before)
    with process.stdout as output:
        assert output.read().split() == ["True", "True", "/dev/null", "5", "miller"]


def test_an_exception_in_a_forked_process_stays_there() -> None:
    def fail() -> int:
        raise KeyboardInterrupt("only there")

    process = fork(fail, name="miller", environment={})
    assert process.wait() == 1
    with process.stdout as output:
        assert "only there" in output.read()


@pytest.mark.parametrize(("end", "number"), [(stop, signal.SIGTERM), (kill, signal.SIGKILL)])
def test_a_forked_process_can_be_ended(end: Callable[[Process], None], number: int) -> None:
    def sleep() -> int:
        sys.stdout.write("begun\n")
        time.sleep(60)
        return 0

    process = fork(sleep, name="miller", environment={})
    with process.stdout as output:
        assert output.readline() == "begun\n"
        assert process.poll() is None
        end(process)
    assert process.returncode == -number
