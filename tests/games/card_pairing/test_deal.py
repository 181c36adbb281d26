"""Numbered deals: pinned, reachable one by one, valid, made as documented."""

import pytest

from pipeline.errors import NotFoundError
from pipeline.games.card_pairing import GAME
from pipeline.games.card_pairing.deal import deal
from pipeline.games.card_pairing.layout import read
from pipeline.games.contract import Layout
from tests.games.test_philox import Plain

SHAPES = [(9, 9), (1, 2), (1, 4), (4, 8), (12, 3), (13, 13), (13, 26), (16, 2), (16, 32)]
PINNED = {
    (1, 1, 9, 9): "KJ6T 97J9 KJ76 6K6Q KTAJ AAT8 987A 7Q88 9QTQ",
    (1, 2, 1, 2): "AA AA",
    (0, 0, 2, 4): "KA KA KA AK",
    (5, 2**63 + 5, 9, 9): "QA68 Q88K Q7J8 9J9T 7K76 TKAT 9KA7 Q6JJ 6AT9",
    (2**64 - 1, 2**64 - 1, 13, 13): "52Q9 JAJ6 AT45 795Q 2644 KJT7 A879 3A6K 93Q4 2838 87TK JK65 Q3T2",
    (9, 1000000, 16, 16): "DJ77 K5TD 362Q T7BA 569T 5J26 ACKT 4B8J 8C8B 336Q KAQ4 A734 JC92 5K8D DC94 92QB",
}


@pytest.mark.parametrize(("seed", "number", "ranks", "stacks"), PINNED)
def test_pinned_deals(seed: int, number: int, ranks: int, stacks: int) -> None:
    assert deal(seed, number, 1, ranks=ranks, stacks=stacks) == [PINNED[seed, number, ranks, stacks]]


@pytest.mark.parametrize(("ranks", "stacks"), SHAPES)
def test_deals_are_made_as_documented(ranks: int, stacks: int) -> None:
    order = "23456789TJQKA"[-ranks:] + "BCD"[: max(0, ranks - 13)]
    cards = "".join(Plain(3, 17).shuffled([rank for rank in order for _ in range(4)]))
    height = len(cards) // stacks
    expected = " ".join(cards[start : start + height] for start in range(0, len(cards), height))
    assert deal(3, 17, 1, ranks=ranks, stacks=stacks) == [expected]


@pytest.mark.parametrize(("ranks", "stacks"), SHAPES)
def test_a_deal_is_a_layout_and_is_reached_without_the_ones_before_it(ranks: int, stacks: int) -> None:
    deals = deal(7, 1, 100, ranks=ranks, stacks=stacks)
    assert [deal(7, number, 1, ranks=ranks, stacks=stacks)[0] for number in range(1, 101)] == deals
    assert list(read(enumerate(deals))) == [Layout(line, text) for line, text in enumerate(deals)]


def test_the_default_is_9_ranks_on_9_stacks_and_no_deals_are_none() -> None:
    assert deal(1, 5, 3) == deal(1, 5, 3, ranks=9, stacks=9)
    assert deal(1, 5, 0) == []


@pytest.mark.parametrize(("ranks", "stacks"), [(9, 7), (9, 10), (1, 3), (1, 8), (2, 36)])
def test_stacks_of_unequal_height_are_refused(ranks: int, stacks: int) -> None:
    with pytest.raises(NotFoundError, match=f"{4 * ranks} cards cannot be cut into {stacks} stacks of equal height"):
        deal(1, 1, 1, ranks=ranks, stacks=stacks)


def test_parameters_cover_what_layouts_allow() -> None:
    ranks, stacks = GAME.deals.parameters["ranks"], GAME.deals.parameters["stacks"]
    assert (ranks.least, ranks.default, ranks.most) == (1, 9, 16)
    assert (stacks.least, stacks.default, stacks.most) == (2, 9, 36)
