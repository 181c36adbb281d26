"""Numbered deals of card pairing: what they are, that they stay so, and how to make them again."""

from collections import Counter

import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.card_pairing import GAME
from dealmill.pipeline.games.card_pairing.layout import read
from dealmill.pipeline.games.contract import Layout
from tests.doing import dealer
from tests.games.test_philox import Plain

deal = dealer("card-pairing")

SYMBOLS = {1: "A", 2: "KA", 9: "6789TJQKA", 13: "23456789TJQKA", 14: "23456789TJQKAB", 16: "23456789TJQKABCD"}
LAST = (2**64 - 1, 2**63 + 5)


def test_pinned_deals_do_not_change() -> None:
    assert deal(1, 1, 2) == [
        "KJ6T 97J9 KJ76 6K6Q KTAJ AAT8 987A 7Q88 9QTQ",
        "6798 69AK 6KJA 78K8 Q7TT QQ98 QAJT A6JK 9T7J",
    ]
    assert deal(*LAST, 1) == ["KA6Q K987 988J QKKT 7TJ6 TA89 7Q66 9QAA 7JTJ"]
    assert deal(*LAST, 1, ranks=16, stacks=16) == [
        "8T39 4D43 552Q 9QT8 CDB4 T7J3 AC77 DCC5 T7AA BJJQ 5A62 BKK2 K668 6B32 8KD9 4Q9J"
    ]
    assert deal(3, 7, 1, ranks=13, stacks=13) == ["78K5 2QTA 2AQA J565 9K95 266J 87KQ 4483 8Q3T 43T2 3697 T9JA 74JK"]
    assert deal(9, 1_000_000, 1, ranks=16, stacks=16) == [
        "DJ77 K5TD 362Q T7BA 569T 5J26 ACKT 4B8J 8C8B 336Q KAQ4 A734 JC92 5K8D DC94 92QB"
    ]
    assert deal(3, 5, 1, ranks=1, stacks=4) == ["A A A A"]


def test_the_parameters_are_what_layouts_allow() -> None:
    ranks, stacks = GAME.deals.parameters["ranks"], GAME.deals.parameters["stacks"]
    assert (ranks.least, ranks.default, ranks.most) == (1, 9, 16)
    assert (stacks.least, stacks.default, stacks.most) == (2, 9, 36)
    assert deal(1, 5, 3) == deal(1, 5, 3, ranks=9, stacks=9)


@pytest.mark.parametrize(("seed", "number"), [(0, 0), (1, 1), (3, 17), (2**63, 2**64 - 1), LAST])
@pytest.mark.parametrize(("ranks", "stacks"), [(1, 2), (2, 8), (9, 9), (9, 36), (13, 13), (14, 7), (16, 8), (16, 32)])
def test_deals_can_be_made_from_the_documentation_alone(seed: int, number: int, ranks: int, stacks: int) -> None:
    deck = [symbol for symbol in SYMBOLS[ranks] for _ in range(4)]
    cards = "".join(Plain(seed, number).shuffled(deck))
    height = len(cards) // stacks
    cut = [cards[start : start + height] for start in range(0, len(cards), height)]
    assert deal(seed, number, 1, ranks=ranks, stacks=stacks) == [" ".join(cut)]


def test_deals_of_every_shape_are_layouts() -> None:
    for ranks in range(1, 17):
        for stacks in range(2, 37):
            if ranks * 4 % stacks == 0:
                dealt = deal(4, 1, 3, ranks=ranks, stacks=stacks)
                assert list(read(enumerate(dealt, start=1))) == [Layout(i, text) for i, text in enumerate(dealt, 1)]
                assert all(text.count(" ") == stacks - 1 and len(set(text) - {" "}) == ranks for text in dealt)


@pytest.mark.parametrize(("ranks", "stacks"), [(9, 5), (9, 8), (1, 3), (1, 8), (8, 36), (16, 36), (13, 9)])
def test_cards_that_cannot_be_divided_into_equal_stacks_are_refused(ranks: int, stacks: int) -> None:
    with pytest.raises(UsageError, match=f"{4 * ranks} cards cannot be divided into {stacks} stacks of equal height"):
        deal(1, 1, 1, ranks=ranks, stacks=stacks)


def test_every_rank_is_equally_likely_in_every_place() -> None:
    dealt = deal(5, 1, 20_000)
    expected = len(dealt) / 9
    for column in zip(*(text.replace(" ", "") for text in dealt), strict=True):
        counts = Counter(column)
        assert all(abs(counts[rank] - expected) < 5 * (expected * 8 / 9) ** 0.5 for rank in SYMBOLS[9])
