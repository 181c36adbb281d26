"""A batch through an engine that breaks down on some layouts."""

import logging
from threading import Event

import numpy as np
import pytest

from dealmill.pipeline import solve as room
from dealmill.pipeline.games.batch import Solved, Texts, listed, unpack
from dealmill.pipeline.games.contract import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import broken_down, compiling, solve


def brittle(layouts: Texts, limit: int = NO_LIMIT) -> Solved:
    """An engine that cannot stand a B."""
    for layout in unpack(layouts):
        if "B" in layout:
            raise ValueError(f"there is a B in {layout}")
    each = np.ones(len(layouts), dtype=np.int64)
    return Solved((each * int(Verdict.SCORED)).astype(np.int8), each * limit, each, layouts)


@pytest.mark.parametrize("bad", [[], [0], [6], [2, 3], [0, 3, 6], list(range(7))])
def test_only_the_layouts_that_break_an_engine_fail(bad: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "load", lambda _name: brittle)
    layouts = [f"{'B' if number in bad else 'A'}{number}" for number in range(7)]
    solved = solve("memory/two-pass", layouts, 5)
    for number, layout in enumerate(layouts):
        if number in bad:
            assert solved.verdicts[number] is Verdict.FAILED
            assert solved.evidence[number] == f"ValueError: there is a B in {layout}"
            assert (solved.values[number], solved.nodes[number]) == (None, 0)
        else:
            assert (solved.verdicts[number], solved.values[number]) == (Verdict.SCORED, 5)
            assert (solved.evidence[number], solved.nodes[number]) == (layout, 1)


def test_what_breaks_a_whole_job_is_the_error_of_each_of_its_layouts() -> None:
    failed = listed(broken_down("OSError: no room\n at\0 all, \udcff", 3))
    assert failed.verdicts == [Verdict.FAILED] * 3
    assert failed.evidence == ["OSError: no room at all, \\udcff"] * 3


def test_compiling_that_takes_a_while_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Event()
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda record: told.set() if "compiling hi-q" in record.getMessage() else None)
    monkeypatch.setattr(room, "PATIENCE", 0.0)
    room.logger.addHandler(handler)
    try:
        with compiling("hi-q/greedy"):
            assert told.wait(60)
    finally:
        room.logger.removeHandler(handler)
