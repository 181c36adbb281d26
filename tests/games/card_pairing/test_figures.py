"""What is known of random deals of card pairing, found again in samples; five standard deviations are allowed."""

from fractions import Fraction

import pytest

from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.card_pairing.naive import odds_by_play

deal = dealer("card-pairing")
winnable = solver("card-pairing/winnable")
odds = solver("card-pairing/odds")

SAMPLE = 200_000
NEERC = "A96K JQAK 7QJK QTJ9 6TA8 QTK8 89T7 97J7 86A6"
"""The sample of *Double Patience*, problem D of the NEERC 2005, without suits."""


def is_near(count: int, share: float, rounding: float) -> bool:
    sigma: float = (share * (1 - share) / SAMPLE) ** 0.5
    return abs(count / SAMPLE - share) < rounding + 5 * sigma


@pytest.mark.parametrize(("ranks", "share", "rounding"), [(9, 0.6882, 0.0003), (13, 0.841, 0.0005)])
def test_the_winnable_share_of_four_cards_in_each_stack(ranks: int, share: float, rounding: float) -> None:
    solved = winnable(deal(1, 1, SAMPLE, ranks=ranks, stacks=ranks))
    assert is_near(solved.verdicts.count(Verdict.WINNABLE), share, rounding)


def test_the_share_of_deals_with_three_equal_ranks_in_one_stack() -> None:
    assert is_near(sum(has_three(layout) for layout in deal(1, 1, SAMPLE)), 0.162, 0.0005)


def has_three(layout: str) -> bool:
    return any(stack.count(card) >= 3 for stack in layout.split(" ") for card in stack[:2])


def test_half_of_the_lost_deals_are_refuted_by_one_rank_and_few_need_many() -> None:
    solved = winnable(deal(1, 1, SAMPLE))
    lengths = sorted(
        len(evidence)
        for verdict, evidence in zip(solved.verdicts, solved.evidence, strict=True)
        if verdict is Verdict.UNWINNABLE and evidence is not None
    )
    assert 0.48 < lengths.count(1) / len(lengths) < 0.56
    assert 6 < sum(lengths) / len(lengths) < 8.5
    assert lengths[len(lengths) * 99 // 100] < 56


def test_the_contest_sample() -> None:
    assert winnable([NEERC]).verdicts == [Verdict.WINNABLE]
    chance = Fraction(14_259_369_055_191_929, 24_196_548_096_000_000)
    assert odds_by_play(NEERC) == (chance, 76_362_905, 229, 1_904)
    assert odds([NEERC]).evidence == [f"{chance} 76362905 229 1904"]
    assert odds([NEERC]).values == [589_315]
