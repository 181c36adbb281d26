"""The fewest pegs against a search through sets of holes."""

import random

import pytest

from dealmill.pipeline.games.hi_q.picture import frames
from dealmill.pipeline.games.hi_q.rules import after_jumps, least_of_class
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import solver
from tests.games.hi_q.naive import LINES, NUMBERS, bound_of_class, is_fewest, reachable
from tests.games.hi_q.test_engine import board

fewest = solver("hi-q/fewest")

HOLES = range(1, 34)


@pytest.mark.parametrize("pegs", [0, 1, 2, 3, 6, 8, 10, 11, 33])
def test_small_boards_leave_what_an_exhaustive_search_finds(pegs: int) -> None:
    chance = random.Random(pegs)
    boards = [set(chance.sample(HOLES, pegs)) for _ in range(60)]
    solved = fewest([board(holes) for holes in boards])
    for holes, value, nodes, evidence in zip(boards, solved.values, solved.nodes, solved.evidence, strict=True):
        reached = reachable(holes)
        assert value == min(map(len, reached))
        assert is_fewest(holes, str(evidence))
        assert nodes <= len(reached)
        assert str(evidence).startswith("class") or nodes == len(reached)


def test_one_peg_is_left_whatever_hole_is_vacant() -> None:
    solved = fewest([board(set(HOLES) - {hole}) for hole in HOLES])
    assert solved.values == [1] * 33
    assert all(str(evidence).startswith("class ") for evidence in solved.evidence)


def test_the_bound_of_a_class_is_that_of_sums_of_flipped_lines() -> None:
    chance = random.Random(7)
    boards = [set(chance.sample(HOLES, chance.randint(0, 33))) for _ in range(500)]
    bounds = list(map(least_of_class, boards))
    assert bounds == list(map(bound_of_class, boards))
    assert set(bounds) >= {1, 2}


def test_the_referee_makes_all_jumps() -> None:
    places = {hole: 1 << 9 * row + column for row, holes in enumerate(NUMBERS) for column, hole in enumerate(holes)}
    for source, over, target in LINES:
        before = places[source] | places[over]
        assert list(after_jumps(before)).count(places[target]) == 1
    assert sum(len(list(after_jumps(places[a] | places[b]))) for a in HOLES for b in HOLES if a < b) == len(LINES)


def test_the_colours_of_diagonals_are_shown_as_the_reason() -> None:
    *_, last, reason = frames(board({10, 12, 17, 19, 25}), Verdict.SCORED, "class 12-26 26-24 17-5")
    assert last.endswith("Jump 3: from 17 over 10 to 5. The end: 2 pegs.")
    assert "14   a b c A b C a" in reason
    assert "1, 1 and 3, are all odd." in " ".join(reason.split())
    *_, reason = frames(board({1, 33}), Verdict.SCORED, "1")
    assert "Boards that can be reached, with this one: 1. None has fewer pegs than 2." in reason
    *_, reason = frames(board({1}), Verdict.SCORED, "class")
    assert reason.endswith("No play can leave fewer pegs than 1.")
