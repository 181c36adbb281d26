"""Clocks that jump while jobs are leased, and hosts with different clocks, with real processes.

These tests change the clocks of commands, their workers and their broker; `tests.faults.catalogue` changes the clock of
a database server. An embedded store uses the clock of the commands.
"""

import os
import signal
from importlib.util import find_spec
from pathlib import Path
from time import sleep

import pytest

from tests.faults.farm import LEASE_SECONDS, UP_SECONDS, Farm
from tests.forks.slow import JOB_SECONDS

JUMPS = {
    "5 minutes forward": "+5m",
    "10 minutes back": "-5m",
    "a day forward": "+1d",
    "4 days back": "-3d",
    "30 years forward, beyond 2038": "+30y",
    "back to 1970": "@1970-01-02 00:00:00",
    "a century forward": "+100y",
    "right again": "+0",
}
LONGEST = LEASE_SECONDS + 8
"""The longest wait in seconds. A command checks the store every half second, and a busy machine is slow."""


def faketime() -> Path:
    """Return the path of the library. Skip the test if there is none for this machine."""
    package = find_spec("libfaketime")
    for folder in package.submodule_search_locations or () if package else ():
        for library in Path(folder).rglob("libfaketime.so.1"):
            return library
    pytest.skip("libfaketime is not available for this machine, so clocks cannot be changed")


class FakeClock:
    """A clock for the processes that have `settings` in their environment. It can be set while they run. It affects
    only the time of day: the monotonic clock never jumps on a real system."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.settings = {
            "LD_PRELOAD": str(faketime()),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        self.set("+0")

    def set(self, time: str) -> None:
        """Set the clock in libfaketime's format: an offset such as ``-3d``, or a time such as ``@1970-01-02
        00:00:00``."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{time}\n")
        new.rename(self._file)


@pytest.mark.long
def test_clocks_that_jump_while_jobs_are_leased(farm: Farm) -> None:
    clock = FakeClock(farm.folder / "clock")
    working = farm.start("work", env=clock.settings)
    farm.until_solved(50)
    waits = []
    for time in JUMPS.values():
        farm.until(lambda: len(farm.children()) == 2)
        held, killed = farm.children()
        os.kill(held, signal.SIGSTOP)  # it resumes with a lease that started at another time
        os.kill(killed, signal.SIGKILL)  # it does not resume
        clock.set(time)
        sleep(1)  # no longer, because it may hold SQLite's write lock
        os.kill(held, signal.SIGCONT)
        waits.append(farm.until_more())
        for command in (["status"], ["status", "--workers"], ["log"], ["query", "1", "--limit", "1"]):
            shown = farm.command(*command, env=clock.settings)
            assert (shown.returncode, "Traceback" in shown.stderr) == (0, False), shown.stderr
        if farm.planned - farm.solved() < len(farm.layouts):
            farm.plan()
    farm.until_solved(farm.planned)
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, farm.output
    farm.check()
    for name, wait in zip(JUMPS, waits, strict=True):
        assert wait < LONGEST, name


@pytest.mark.long
def test_hosts_whose_clocks_differ(farm: Farm) -> None:
    late, early = FakeClock(farm.folder / "late"), FakeClock(farm.folder / "early")
    late.set("-1d")
    early.set("+1d")
    quickly = {JOB_SECONDS: "0"}  # on SQLite, these hosts end the leases of each other
    right = farm.start("work", env=quickly)
    commands = [farm.start("work", env={**clock.settings, **quickly}) for clock in (late, early)]
    farm.until(lambda: len(farm.children()) == 6)
    for _ in range(3):
        farm.plan()
    longest = farm.until_solved(farm.planned)
    right.kill()
    farm.plan()
    longest = max(longest, farm.until_solved(farm.planned))
    for command in commands:
        command.terminate()
        assert command.wait(UP_SECONDS) == 0, farm.output
    farm.check()
    assert longest < LONGEST
