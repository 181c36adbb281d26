"""The referee of Hi-Q accepts what the engine plays, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.hi_q.rules import best_jump, check, start
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver

deal = dealer("hi-q")
greedy = solver("hi-q/greedy")

LAYOUT = "OOO/OOO/OOOXOXO/OOOXOXO/OOOOXOO/OOO/OOO"
TRACE = "12-26 25-27 10-24"


@pytest.mark.parametrize(
    ("trace", "step", "reason"),
    [
        ("12-26 26-24 17-29", 2, "the prescribed jump is 25-27"),
        ("12-26 25-27", 3, "the play is not over: the jump 10-24"),
        ("12-26 25-27 10-24 24-22", 4, "the jump 24-22 is not possible"),
        ("17-5 12-26", 1, "the prescribed jump is 12-26"),
        ("16-18", 1, "the jump 16-18 is not possible"),
        ("12-26  25-27 10-24", 2, "is not a jump"),
        ("12-26 25-27 10-24 ", 4, "is not a jump"),
        ("012-26", 1, "is not a jump"),
        ("99-1", 1, "the jump 99-1 is not possible"),
        ("", 1, "the play is not over"),
    ],
)
def test_a_wrong_trace_is_refused_at_its_first_wrong_step(trace: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("greedy", LAYOUT, Verdict.SCORED, 51, trace)
    assert caught.value.step == step


def test_the_trace_of_the_note_is_accepted() -> None:
    check("greedy", LAYOUT, Verdict.SCORED, 51, TRACE)


def test_a_wrong_value_or_verdict_is_refused() -> None:
    for verdict, value in (
        (Verdict.SCORED, 39),
        (Verdict.SCORED, None),
        (Verdict.WINNABLE, 51),
        (Verdict.UNDECIDED, 51),
    ):
        with pytest.raises(InvalidEvidence):
            check("greedy", LAYOUT, verdict, value, TRACE)


def test_a_trace_proves_nothing_for_another_engine() -> None:
    with pytest.raises(InvalidEvidence, match="careful cannot prove"):
        check("careful", LAYOUT, Verdict.SCORED, 51, TRACE)


def test_a_full_board_and_an_empty_one_allow_no_jump() -> None:
    full = LAYOUT.replace("O", "X")
    assert best_jump(start(full)) is None
    check("greedy", full, Verdict.SCORED, 561, "")
    with pytest.raises(IllegalMove, match="the jump 1-3 is not possible"):
        check("greedy", full, Verdict.SCORED, 561, "1-3")
    check("greedy", full.replace("X", "O"), Verdict.SCORED, 0, "")


@given(st.integers(1, 10_000), st.data())
def test_any_change_of_a_trace_is_refused(number: int, data: st.DataObject) -> None:
    [layout] = deal(9, number, 1)
    solved = greedy([layout])
    trace, value = solved.evidence[0], solved.values[0]
    assert trace is not None
    check("greedy", layout, Verdict.SCORED, value, trace)
    place = data.draw(st.integers(0, len(trace)))
    sign = data.draw(st.sampled_from("0123456789- x"))
    for changed in (
        trace[:place],
        trace[place:],
        trace[:place] + sign + trace[place:],
        trace[:place] + sign + trace[place + 1 :],
    ):
        if changed != trace:
            with pytest.raises((InvalidEvidence, IllegalMove)):
                check("greedy", layout, Verdict.SCORED, value, changed)


@pytest.mark.parametrize(
    "layout",
    ["", LAYOUT[:-1], LAYOUT + "O", LAYOUT.lower(), LAYOUT.replace("/", ""), LAYOUT.replace("X", "x"), LAYOUT + "\n"],
)
def test_a_text_that_is_not_a_board_is_refused(layout: str) -> None:
    with pytest.raises(InvalidEvidence, match="not a board of 33 holes") as caught:
        check("greedy", layout, Verdict.SCORED, 51, TRACE)
    assert caught.value.step == 0
