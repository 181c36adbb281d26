"""The greedy engine against the statement and against a naive second implementation."""

import random

import pytest

from dealmill.pipeline.games.hi_q.board import hole_numbers, jumps
from dealmill.pipeline.games.hi_q.layout import read
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import solver
from tests.games.hi_q.naive import LINES, play

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
    lines = {(holes[source], holes[over], holes[target]) for _, source, over, target in jumps()}
    assert len(list(jumps())) == len(LINES) == 76
    assert lines == set(map(tuple, LINES))


@pytest.mark.parametrize("pegs", [0, 1, 2, 5, 10, 16, 20, 25, 30, 32, 33])
def test_random_boards_of_every_size_end_as_the_naive_play_does(pegs: int) -> None:
    chance = random.Random(pegs)
    boards = [set(chance.sample(range(1, 34), pegs)) for _ in range(300)]
    solved = greedy([board(pegs_left) for pegs_left in boards])
    for pegs_left, value, evidence, nodes in zip(boards, solved.values, solved.evidence, solved.nodes, strict=True):
        total, jumps = play(pegs_left)
        assert value == total
        assert evidence == " ".join(f"{source}-{target}" for source, target in jumps)
        assert nodes == len(jumps) + 1


def test_a_play_longer_than_the_limit_is_undecided() -> None:
    layout = board({10, 12, 17, 19, 25})
    assert greedy([layout], 4).verdicts == [Verdict.SCORED]
    limited = greedy([layout], 3)
    assert (limited.verdicts, limited.evidence, limited.values, limited.nodes) == (
        [Verdict.UNDECIDED],
        [None],
        [None],
        [3],
    )
