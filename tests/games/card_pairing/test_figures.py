"""Figures of the literature on random deals, within five standard deviations of the sample."""

from math import sqrt

from pipeline.games.card_pairing.deal import deal
from pipeline.games.card_pairing.engine import winnable
from pipeline.games.contract import Verdict

KNOWN_9_BY_4 = 0.6882, 0.0003
"""Share of winnable deals of 9 ranks on 9 stacks and its 95 % confidence, from ten million deals."""
KNOWN_13_BY_4 = 0.841, 0.0005
"""The same with 13 ranks on 13 stacks; given with three digits."""


def is_share(found: float, sample: int, known: float, uncertainty: float) -> bool:
    return abs(found - known) < uncertainty + 5 * sqrt(known * (1 - known) / sample)


def test_share_of_winnable_deals() -> None:
    for ranks, sample, known in ((9, 200_000, KNOWN_9_BY_4), (13, 50_000, KNOWN_13_BY_4)):
        verdicts = winnable(deal(1, 1, sample, ranks=ranks, stacks=ranks)).verdicts
        assert is_share(verdicts.count(Verdict.WINNABLE) / sample, sample, *known)


def test_share_of_deals_with_three_of_a_rank_in_one_stack() -> None:
    sample = 100_000
    found = sum(
        any(stack.count(rank) >= 3 for stack in layout.split() for rank in stack[:2]) for layout in deal(2, 1, sample)
    )
    assert is_share(found / sample, sample, 0.162, 0.0005)


def test_certificates_are_short() -> None:
    solved = winnable(deal(3, 1, 50_000))
    lengths = sorted(
        len(evidence or "")
        for verdict, evidence in zip(solved.verdicts, solved.evidence, strict=True)
        if verdict is Verdict.UNWINNABLE
    )
    half, most = len(lengths) // 2, len(lengths) * 99 // 100
    assert lengths[half] == 1
    assert sum(lengths) / len(lengths) < 8.5
    assert lengths[most] < 56
