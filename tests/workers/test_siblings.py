"""A child of a worker leaves a job to another child that is busy with it, but not for ever."""

from types import SimpleNamespace

import pytest

from dealmill.workers import siblings
from dealmill.workers.siblings import PATIENCE, busy_with


def test_a_second_message_for_a_job_is_left_to_the_child_that_is_busy_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    child, now = SimpleNamespace(index=0), [100.0]
    monkeypatch.setattr(siblings, "_slots", None)
    monkeypatch.setattr(siblings, "current_process", lambda: child)
    monkeypatch.setattr(siblings, "time", SimpleNamespace(monotonic=lambda: now[0]))
    siblings.share_slots(2)
    with busy_with(0, 7) as first:
        assert first
        child.index = 1
        for kind, job, follows in ((0, 7, False), (1, 7, True), (0, 8, True)):
            with busy_with(kind, job) as begins:
                assert begins is follows
        now[0] += PATIENCE  # the first child may have been stopped
        with busy_with(0, 7) as begins:
            assert begins
        child.index = 0
    child.index = 1
    with busy_with(0, 7) as begins:
        assert begins
