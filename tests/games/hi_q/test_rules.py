"""The referee of Hi-Q accepts what the engine plays, and nothing else."""

from collections.abc import Iterator
from functools import cache

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.hi_q import rules
from dealmill.pipeline.games.hi_q.rules import best_jump, check, start
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer
from tests.games.hi_q.naive import is_fewest, play
from tests.games.referees import assert_accepts_exactly

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
    with pytest.raises(InvalidEvidence, match="does not begin with class or the number of boards"):
        check("fewest", LAYOUT, Verdict.SCORED, 2, TRACE)


def test_a_full_board_and_an_empty_one_allow_no_jump() -> None:
    full = LAYOUT.replace("O", "X")
    assert best_jump(start(full)) is None
    check("greedy", full, Verdict.SCORED, 561, "")
    with pytest.raises(IllegalMove, match="the jump 1-3 is not possible"):
        check("greedy", full, Verdict.SCORED, 561, "1-3")
    check("greedy", full.replace("X", "O"), Verdict.SCORED, 0, "")


def test_exactly_the_prescribed_jumps_are_accepted() -> None:
    layouts = [layout for pegs in (0, 1, 16, 33) for layout in dealer("hi-q")(9, 1, 20, pegs=pegs)]
    assert_accepts_exactly("hi-q/greedy", layouts, lambda layout, _, evidence: evidence == jumps_of(layout))


@cache
def jumps_of(layout: str) -> str:
    pegs = {hole for hole, sign in enumerate(layout.replace("/", ""), start=1) if sign == "X"}
    return " ".join(f"{source}-{target}" for source, target in play(pegs)[1])


@pytest.mark.parametrize(
    "layout",
    ["", LAYOUT[:-1], LAYOUT + "O", LAYOUT.lower(), LAYOUT.replace("/", ""), LAYOUT.replace("X", "x"), LAYOUT + "\n"],
)
def test_a_text_that_is_not_a_board_is_refused(layout: str) -> None:
    with pytest.raises(InvalidEvidence, match="not a board of 33 holes") as caught:
        check("greedy", layout, Verdict.SCORED, 51, TRACE)
    assert caught.value.step == 0


FEWEST = "class 12-26 26-24 17-5"


@pytest.mark.parametrize(
    ("value", "evidence", "step", "reason"),
    [
        (2, "", 0, "'' does not begin with class or the number of boards"),
        (2, f"{FEWEST} ", 4, "'' is not a jump"),
        (5, "class ", 0, "does not begin"),
        (2, f"012 {TRACE}", 0, "does not begin"),
        (2, f"12345678 {TRACE}", 0, "does not begin"),
        (2, "class 12-26 26-24 17-19", 3, "the jump 17-19 is not possible"),
        (3, FEWEST, 0, "3 jumps leave 2 pegs, not 3"),
        (None, FEWEST, 0, "3 jumps leave 2 pegs, not None"),
        (3, "class 12-26 26-24", 0, "the class of the board allows 2 pegs, and the play leaves 3"),
        (2, FEWEST.replace(" 26-24", "  26-24"), 2, "'' is not a jump"),
        (2, FEWEST.replace("class", "1"), 0, "more than 1 boards can be reached"),
        (2, FEWEST.replace("class", "14"), 0, "more than 14 boards can be reached"),
        (2, FEWEST.replace("class", "16"), 0, "15 boards that can be reached were visited, not 16"),
        (3, "15 12-26 26-24", 0, "another play leaves 2 pegs, and this one 3"),
        (2, FEWEST.replace("class", "4000001"), 0, "4,000,001 boards are more than the referee visits, 4,000,000"),
    ],
)
def test_a_wrong_proof_of_the_fewest_pegs_is_refused(value: int | None, evidence: str, step: int, reason: str) -> None:
    check("fewest", LAYOUT, Verdict.SCORED, 2, FEWEST)
    check("fewest", LAYOUT, Verdict.SCORED, 2, FEWEST.replace("class", "15"))
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("fewest", LAYOUT, Verdict.SCORED, value, evidence)
    assert caught.value.step == step


def test_only_so_many_boards_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = FEWEST.replace("class", "15")
    monkeypatch.setattr(rules, "MAX_BOARDS", 15)
    check("fewest", LAYOUT, Verdict.SCORED, 2, counted)
    monkeypatch.setattr(rules, "MAX_BOARDS", 14)
    with pytest.raises(InvalidEvidence, match="15 boards are more than the referee visits, 14"):
        check("fewest", LAYOUT, Verdict.SCORED, 2, counted)


def test_no_more_boards_are_visited_than_stated_and_a_layer() -> None:
    board = sum(rules.BIT_OF[hole] for hole in start(LAYOUT))
    assert rules.reachable(board, 15) == (15, 2)
    assert rules.reachable(board, 1)[0] < 15


def test_exactly_the_proofs_of_the_fewest_pegs_are_accepted() -> None:
    def is_proof(layout: str, _: Verdict, evidence: str) -> bool:
        return is_fewest({hole for hole, sign in enumerate(layout.replace("/", ""), start=1) if sign == "X"}, evidence)

    layouts = [layout for pegs in (0, 1, 2, 6, 8, 9, 33) for layout in dealer("hi-q")(9, 1, 20, pegs=pegs)]
    assert_accepts_exactly("hi-q/fewest", layouts, is_proof)


@pytest.mark.parametrize("stated", [1, 15, 1_000, 30_000])
def test_hardly_more_boards_are_visited_than_are_stated(stated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    visited: list[int] = []
    after_jumps = rules.after_jumps

    def counted(board: int) -> Iterator[int]:
        visited.append(board)
        return after_jumps(board)

    monkeypatch.setattr(rules, "after_jumps", counted)
    board = "XXX/XXX/XXXXXXX/XXXOXXX/XXXXXXX/XXX/XXX"
    with pytest.raises(InvalidEvidence, match=f"more than {stated:,} boards can be reached"):
        check("fewest", board, Verdict.SCORED, 32, str(stated))
    assert len(visited) <= stated
