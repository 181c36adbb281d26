"""The attack on docs/proofs/cut.md: what can be won is won in the count of the cut, too."""

from collections import Counter
from collections.abc import Sequence

import pytest

from dealmill.pipeline.games.patience.losses.cut import CutMoves
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.testing.patiences import naive
from tests.games.patience.random_rules import seeds
from tests.games.patience.small_claims import CLAIM, MORE, WON, counted, counted_in_full, small_decks
from tests.selection import parts_by_hand

FEW = 300


def attack(seeds: Sequence[int]) -> Counter[str]:
    """Return how many games can be won and are lost, which the full count and that of the cut must both say."""
    verdicts = Counter[str]()
    for seed in seeds:
        for rules, text in small_decks(seed):
            full = counted_in_full(rules, text)
            if full != MORE:
                cut = counted(rules, text, "cut *", 10 * CLAIM)  # it visits positions in another order
                assert (full == WON) == (cut == WON), (rules, text)
                verdicts[cut if cut == WON else "lost"] += 1
    return verdicts


@pytest.mark.parametrize("seeds", seeds(0, 100, quick=30))
def test_what_can_be_won_can_be_won_in_the_count_of_the_cut(seeds: Sequence[int]) -> None:
    attack(seeds)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("seeds", parts_by_hand(range(100_000, 180_000, 2_500), 2_500))
def test_what_can_be_won_can_be_won_in_the_count_of_the_cut_of_many_decks(seeds: range) -> None:
    """Of more than 100,000 decks in all."""
    verdicts = attack(seeds)
    assert min(verdicts.values()) > 1_000
    assert verdicts.total() > 3_100


@pytest.mark.parametrize("seeds", seeds(70_000, 200, quick=20))
def test_no_game_is_won_from_a_refuted_position(seeds: Sequence[int]) -> None:
    """By plain code that shares nothing with the referees."""
    for seed in seeds:
        for rules, text in small_decks(seed):
            if CutMoves(rules).is_refuted(Moves(rules).position(text)):
                outcome = naive.counted(text, rules, FEW)
                assert outcome is None or not outcome[0], (rules, text)
