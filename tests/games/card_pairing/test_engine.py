"""The engine of card pairing against exhaustive play, and each of its verdicts before the referee."""

from itertools import combinations

import pytest

from dealmill.pipeline.games.batch import Batch
from dealmill.pipeline.games.card_pairing.rules import check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.card_pairing.naive import SHAPES, decks, winnable_by_play

deal = dealer("card-pairing")
winnable = solver("card-pairing/winnable")


def wins(solved: Batch) -> list[bool]:
    return [verdict is Verdict.WINNABLE for verdict in solved.verdicts]


def prove(layouts: list[str], solved: Batch) -> None:
    assert len(solved) == len(layouts)
    for layout, verdict, value, evidence in zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True):
        assert evidence is not None
        check("winnable", layout, verdict, value, evidence)


@pytest.mark.parametrize("height", [2, 4])
def test_all_layouts_of_two_ranks_are_won_exactly_if_some_play_wins(height: int) -> None:
    layouts = []
    for sixes in combinations(range(8), 4):
        cards = "".join("6" if card in sixes else "7" for card in range(8))
        layouts.append(" ".join(cards[start : start + height] for start in range(0, 8, height)))
    solved = winnable(layouts)
    assert wins(solved) == [winnable_by_play(layout) for layout in layouts]
    prove(layouts, solved)


@pytest.mark.parametrize(("ranks", "stacks"), SHAPES)
def test_small_decks_are_won_exactly_if_some_play_wins(ranks: int, stacks: int) -> None:
    small = decks(ranks, stacks, 400)
    solved = winnable(small)
    assert wins(solved) == [winnable_by_play(deck) for deck in small]
    prove(small, solved)


@pytest.mark.parametrize(
    ("ranks", "stacks", "count"),
    [
        (9, 9, 2_000),
        (13, 13, 3_000),
        (16, 16, 1_000),
        (16, 8, 300),
        (9, 6, 1_000),
        (9, 12, 1_000),
        (13, 4, 200),
        (16, 32, 300),
        (9, 36, 100),
        (1, 2, 10),
        (1, 4, 10),
    ],
)
def test_every_verdict_of_random_deals_is_proved(ranks: int, stacks: int, count: int) -> None:
    layouts = deal(6, 1, count, ranks=ranks, stacks=stacks)
    prove(layouts, winnable(layouts))
