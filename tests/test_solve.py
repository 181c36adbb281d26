"""A batch through an engine that breaks down on some layouts."""

from random import Random

import numpy as np
import pytest

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Solved, Texts, to_batch, to_strings, to_texts
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving import solve as room
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import failed_verdicts, solve, solve_texts
from tests.doing import deal

COUNT = 1_000


def brittle(layouts: Texts, limit: int = NO_LIMIT) -> Solved:
    """An engine that cannot stand a B."""
    for layout in to_strings(layouts):
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


def test_the_first_text_that_is_not_canonical_is_an_error() -> None:
    with pytest.raises(
        BadLayout, match=r"^'AB' is not a canonical layout of memory: letter A occurs only once; letter B"
    ):
        solve("memory/two-pass", ["AABB", "AB", "A"])


SHARES = {"one": 1, "1 %": COUNT // 100, "all but one": COUNT - 1, "all": COUNT}


@pytest.mark.parametrize("bad", SHARES.values(), ids=SHARES)
def test_stored_texts_that_are_not_canonical_fail_alone(
    bad: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fault = "fault of the record: '\\xe4  \\n' is not a canonical layout of memory: unknown symbol '\\xe4' at card 1"
    calls = []
    solver = load("memory/two-pass")

    def watched(layouts: Texts, limit: int = NO_LIMIT) -> Solved:
        calls.append(len(layouts))
        return solver(layouts, limit)

    monkeypatch.setattr(room, "load", lambda _name: watched)
    layouts = deal(find_game("memory"), 8, 1, COUNT)
    expected = to_batch(solver(to_texts(layouts)))
    wrong = set(Random(1).sample(range(COUNT), bad))
    texts = ["ä  \n" if number in wrong else layout for number, layout in enumerate(layouts)]
    solved = to_batch(solve_texts("memory/two-pass", to_texts(texts)))
    for number in range(COUNT):
        if number in wrong:
            assert solved.verdicts[number] is Verdict.FAILED
            assert solved.evidence[number] == fault
            assert (solved.values[number], solved.nodes[number]) == (None, 0)
        else:
            assert solved.verdicts[number] is expected.verdicts[number]
            assert solved.evidence[number] == expected.evidence[number]
    assert calls == [COUNT, COUNT - bad][: 1 + (bad < COUNT)]
    [record] = caplog.records
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert record.getMessage().startswith(f"memory/two-pass: {bad} of {COUNT} recorded layouts are not canonical; ")


def test_what_breaks_a_whole_job_is_the_error_of_each_of_its_layouts() -> None:
    failed = to_batch(failed_verdicts("OSError: no room\n at\0 all, \udcff", 3))
    assert failed.verdicts == [Verdict.FAILED] * 3
    assert failed.evidence == ["OSError: no room at all, \\udcff"] * 3


@pytest.mark.parametrize(("seconds", "low", "high"), [(5.0, 1, 1), (0.04, 40, 60), (1e-5, COUNT, COUNT)])
def test_a_job_ends_early_if_its_layouts_are_slow(
    seconds: float, low: int, high: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, sizes = 0.0, list[int]()

    def slow(layouts: Texts, limit: int | None = None) -> Solved:
        nonlocal now
        now += len(layouts) * seconds
        sizes.append(len(layouts))
        return brittle(layouts, limit or NO_LIMIT)

    monkeypatch.setattr(room, "load", lambda _name: slow)
    monkeypatch.setattr(room, "PART_SECONDS", 2.0)
    monkeypatch.setattr("time.monotonic", lambda: now)
    layouts = to_texts([f"A{number}" for number in range(COUNT)])
    solved = room.solve_part("memory/two-pass", layouts, None, {5: "unreadable"})
    assert low <= len(solved.verdicts) <= high
    assert max(sizes) * seconds <= max(10 * seconds, 0.3)
    assert sizes[0] == 1 and (low < COUNT or len(sizes) <= 6)
    part = layouts.part(0, len(solved.verdicts))
    errors = {5: "unreadable"} if len(part) > 5 else {}
    assert to_batch(solved) == to_batch(solve_texts("memory/two-pass", part, None, errors))
