"""Castles and games like them, whose columns are built in any suits or alternating colours by single cards: small decks
against plain code, and deals that are decided by a wide beam or the long search after it."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.compiled.referee import CompiledReferee
from dealmill.pipeline.games.patience.coverage import counted_with_relaxed_game, counted_with_safe_cards
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine.plain.engine import Winnable
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.searches import PLAIN, RELAXED, SAFE, search_of
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_castle_rules, seeds
from tests.games.patience.small_claims import MORE, WON, assert_that_referees_agree, counted

FEW = 1_000
"""The positions that plain code counts."""


def small_decks(seed: int) -> Iterator[tuple[Rules, str, bool]]:
    """Yield small decks by random rules of castles, and whether plain code wins them."""
    random = Random(seed)
    rules = random_castle_rules(random)
    for text in [*to_strings(deal(rules, seed, 1, 2)), *(random_position(rules, random) for _ in range(3))]:
        if truth := naive.counted(text, rules, FEW):
            yield rules, text, truth[0]


@pytest.mark.parametrize("seeds", seeds(0, 400, quick=10))
def test_counts_of_castles_win_what_plain_code_wins(seeds: Sequence[int]) -> None:
    for seed in seeds:
        for rules, text, is_won in small_decks(seed):
            form = "safe *" if rules.cells else "cut *"
            assert (counted(rules, text, form) in (WON, MORE)) == is_won, (rules, text)
            assert_that_referees_agree(rules, text, form)


@pytest.mark.parametrize("seeds", seeds(10_000, 400, quick=20))
def test_verdicts_of_castles_are_those_of_plain_code(seeds: Sequence[int]) -> None:
    for seed in seeds:
        for rules, text, is_won in small_decks(seed):
            batch = to_batch(Winnable(rules)(to_texts([text]), 100_000))
            [verdict], [evidence] = batch.verdicts, batch.evidence
            assert verdict is (Verdict.WINNABLE if is_won else Verdict.UNWINNABLE), (rules, text)
            assert evidence
            Referee(rules)("winnable", text, verdict, None, evidence)


@pytest.mark.parametrize(
    ("name", "number", "loss"),
    [
        ("beleaguered-castle", 513, "cut * 204605"),
        ("streets-and-alleys", 91, "cut * 137095"),
        ("stronghold", 58, "safe * 172443"),
        ("free-cell-0-cell", 8148, "cut * 161344"),
        ("fore-cell-same-suit", 92, "safe * 13681"),
        ("beleaguered-castle", 90, None),
        ("stronghold", 430, None),
    ],
)
def test_long_searches_decide_castles(name: str, number: int, loss: str | None) -> None:
    """Undecided at a million nodes in version 7, or lost by more positions."""
    rules = rules_of(name)
    layouts = deal(rules, 1, number, 1)
    batch = to_batch(Winnable(rules)(layouts, 1_500_000))
    [text], [verdict], [evidence] = to_strings(layouts), batch.verdicts, batch.evidence
    assert verdict is (Verdict.UNWINNABLE if loss else Verdict.WINNABLE)
    assert evidence and loss in (None, evidence)
    CompiledReferee(rules)("winnable", text, verdict, None, evidence)


def test_the_rules_decide_which_castles_are_searched_long() -> None:
    for name in ("beleaguered-castle", "streets-and-alleys", "bakers-dozen", "free-cell-0-cell", "british-canister"):
        assert search_of(rules_of(name)) is RELAXED
    for name in ("stronghold", "siegecraft", "seahaven-towers"):
        assert search_of(rules_of(name)) is SAFE
    for name in ("delta-star", "thirty", "thirtysix"):
        assert search_of(rules_of(name)) is PLAIN
    assert not counted_with_relaxed_game(rules_of("fan")) and not counted_with_safe_cards(rules_of("fan"))
