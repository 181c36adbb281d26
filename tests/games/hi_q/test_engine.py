"""The greedy engine against the statement and against a naive second implementation."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.games.hi_q.board import hole_numbers, jumps
from dealmill.pipeline.games.hi_q.layout import read
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.hi_q.naive import LINES, play

deal = dealer("hi-q")
greedy = solver("hi-q/greedy")


def board(pegs: set[int]) -> str:
    [layout] = read([(1, f"1 {' '.join(map(str, sorted(pegs)))} 0")])
    return layout.text


def test_the_note_of_the_statement_is_right_and_its_walk_through_wrong() -> None:
    solved = greedy([board({10, 12, 17, 19, 25})])
    assert solved.evidence == ["12-26 25-27 10-24"]
    assert solved.values == [51]
    assert solved.nodes == [4]


def test_the_board_has_76_jumps() -> None:
    holes = hole_numbers()
    found = {(holes[source], holes[over], holes[target]) for _, source, over, target in jumps()}
    assert len(list(jumps())) == len(LINES) == 76
    assert found == set(map(tuple, LINES))


@pytest.mark.parametrize("pegs", [0, 1, 2, 5, 10, 16, 20, 25, 30, 32, 33])
def test_random_boards_of_every_size_end_as_the_naive_play_does(pegs: int) -> None:
    chance = random.Random(pegs)
    boards = [set(chance.sample(range(1, 34), pegs)) for _ in range(300)]
    solved = greedy([board(one) for one in boards])
    for one, value, evidence, nodes in zip(boards, solved.values, solved.evidence, solved.nodes, strict=True):
        total, jumps = play(one)
        assert value == total
        assert evidence == " ".join(f"{source}-{target}" for source, target in jumps)
        assert nodes == len(jumps) + 1


@given(st.sets(st.integers(1, 33)))
def test_any_board_ends_as_the_naive_play_does(pegs: set[int]) -> None:
    assert greedy([board(pegs)]).values == [play(pegs)[0]]


def test_a_play_longer_than_the_limit_is_undecided() -> None:
    one = board({10, 12, 17, 19, 25})
    assert greedy([one], 4).verdicts == [Verdict.SCORED]
    limited = greedy([one], 3)
    assert (limited.verdicts, limited.evidence, limited.values, limited.nodes) == (
        [Verdict.UNDECIDED],
        [None],
        [None],
        [3],
    )
    assert greedy([one, board(set())], 0).verdicts == [Verdict.UNDECIDED] * 2


def test_deals_have_the_requested_pegs_and_do_not_change() -> None:
    for pegs in (0, 1, 16, 33):
        assert all(text.count("X") == pegs for text in deal(3, 1, 50, pegs=pegs))
    assert deal(1, 1, 1) == ["XXX/XOX/OOOOOXO/XOOXOXX/OXOOOXX/OXO/OXX"]
    assert deal(2**64 - 1, 2**63 + 5, 1, pegs=3) == ["OXO/OOO/OOOOOOO/XOOOOOO/OOOXOOO/OOO/OOO"]


def test_every_hole_is_equally_likely() -> None:
    boards = [text.replace("/", "") for text in deal(4, 1, 20_000)]
    for hole in range(33):
        share = sum(one[hole] == "X" for one in boards) / len(boards)
        assert abs(share - 16 / 33) < 5 * (0.25 / len(boards)) ** 0.5
