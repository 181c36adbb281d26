"""The engine against brute force, and every verdict of it against the referee."""

import random
from itertools import combinations

import pytest

from pipeline.games.card_pairing.deal import deal
from pipeline.games.card_pairing.engine import winnable
from pipeline.games.card_pairing.rules import check
from pipeline.games.contract import Verdict
from tests.games.card_pairing.naive import is_refuted, is_winnable

STATEMENT = [
    "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ",
    "KK6A QKT8 9TA9 A7QT QJ7Q 6J66 78JJ T8K9 879A",
    "7J6Q T66T TJJA 687Q 98K8 QKTK 977A 89AA J9QK",
]
NEERC = "A96K JQAK 7QJK QTJ9 6TA8 QTK8 89T7 97J7 86A6"
"""The sample of NEERC 2005."""
SMALL = [
    (1, 2),
    (1, 4),
    (2, 2),
    (2, 4),
    (3, 2),
    (3, 3),
    (3, 4),
    (3, 6),
    (4, 4),
    (4, 8),
    (5, 4),
    (5, 5),
    (5, 10),
    (6, 6),
]
LARGE = [(9, 9, 20_000), (9, 6, 2_000), (13, 13, 2_000), (15, 12, 300), (16, 16, 1_000), (16, 32, 100)]


def proved(layouts: list[str]) -> list[bool]:
    """Whether each layout is winnable, with every verdict shown to the referee."""
    solved = winnable(layouts)
    for layout, verdict, value, evidence in zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True):
        assert evidence is not None
        check("winnable", layout, verdict, value, evidence)
    return [verdict is Verdict.WINNABLE for verdict in solved.verdicts]


def test_the_statement() -> None:
    assert proved(STATEMENT) == [True, False, True]
    assert winnable(STATEMENT).evidence[1] == "6"
    assert proved([NEERC]) == [True]


def test_all_layouts_of_two_ranks() -> None:
    for stacks in (2, 4):
        layouts = []
        for sixes in combinations(range(8), 4):
            cards = "".join("6" if card in sixes else "7" for card in range(8))
            layouts.append(" ".join(cards[start : start + 8 // stacks] for start in range(0, 8, 8 // stacks)))
        assert proved(layouts) == [is_winnable(layout) for layout in layouts]


@pytest.mark.parametrize(("ranks", "stacks"), SMALL)
def test_small_layouts_agree_with_trying_all_plays(ranks: int, stacks: int) -> None:
    layouts = deal(31, 1, 300, ranks=ranks, stacks=stacks)
    assert proved(layouts) == [is_winnable(layout) for layout in layouts]


def test_certificates_hold_when_all_orders_of_the_relaxed_game_are_tried() -> None:
    layouts = deal(32, 1, 400, ranks=5, stacks=5)
    solved = winnable(layouts)
    lengths = set()
    for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
        if verdict is Verdict.UNWINNABLE:
            assert evidence is not None
            assert is_refuted(layout, evidence)
            lengths.add(len(evidence))
    assert len(lengths) > 4


@pytest.mark.parametrize(("ranks", "stacks", "count"), LARGE)
def test_every_verdict_of_large_layouts_is_proved(ranks: int, stacks: int, count: int) -> None:
    proved(deal(33, 1, count, ranks=ranks, stacks=stacks))


def test_the_names_of_ranks_and_the_order_of_stacks_change_no_verdict() -> None:
    chance = random.Random(5)
    layouts = deal(34, 1, 500)
    renamed = []
    for layout in layouts:
        stacks = layout.split()
        chance.shuffle(stacks)
        others = str.maketrans("6789TJQKA", "".join(chance.sample("A23456789TJQKBCD", 9)))
        renamed.append(" ".join(stacks).translate(others))
    assert proved(renamed) == proved(layouts)


def test_a_verdict_does_not_depend_on_the_layouts_before_it() -> None:
    """The searches of a batch share their arrays; mixed sizes would show what one leaves behind."""
    layouts = [layout for shape in ((9, 9), (3, 4), (13, 13)) for layout in deal(35, 1, 100, *shape)]
    random.Random(6).shuffle(layouts)
    together = winnable(layouts)
    alone = [winnable([layout]) for layout in layouts]
    assert together.evidence == [batch.evidence[0] for batch in alone]
    assert together.nodes == [batch.nodes[0] for batch in alone]


def test_a_limit_leaves_undecided_what_needs_more_nodes() -> None:
    layouts = deal(36, 1, 500)
    free = winnable(layouts)
    for limit in (0, 9, 20):
        limited = winnable(layouts, limit)
        for index, nodes in enumerate(free.nodes):
            decided = nodes <= limit
            assert limited.verdicts[index] is (free.verdicts[index] if decided else Verdict.UNDECIDED)
            assert limited.evidence[index] == (free.evidence[index] if decided else None)
            assert limited.nodes[index] == min(nodes, limit)


def test_no_layouts() -> None:
    assert len(winnable([])) == 0
