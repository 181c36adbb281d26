"""The bounds of all processes of a program together."""

import os
import subprocess

import pytest

from dealmill.pipeline.programs import bounds
from tests.servers import ORDINARY_USER

MANY = "for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 5 & done; echo all"


def test_the_number_of_processes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    user = None if os.geteuid() else ORDINARY_USER  # the kernel does not limit root
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    monkeypatch.setattr(bounds, "no_count", bounds.no_count.__wrapped__)
    if (reason := bounds.no_count()) is not None:
        pytest.skip(f"the processes of programs cannot be counted: {reason}")
    for most, started in ((10, False), (30, True)):
        command = bounds.enclosed(["sh", "-c", MANY], most)
        ran = subprocess.run(
            command, check=False, user=user, extra_groups=None if user is None else (), capture_output=True, text=True
        )
        assert (ran.stdout == "all\n", "fork" in ran.stderr.lower()) == (started, not started), ran
