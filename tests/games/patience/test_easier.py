"""The attack on the statement of docs/proofs/patience.md: a game that can be won can be won in the easier game, too,
whatever the live cards. Both sides are searched to the end by plain code that was written from the statement."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest

from dealmill.pipeline.games.patience.losses.counted import cards_may_be_absent_at_once, easier_game_is_sound
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import PASSED_OVER, WON, attacked, easier, naive, winnable_deals
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules, seeds
from tests.selection import parts_by_hand

TABLE = replace(
    rules_of("klondike"),
    name="table",
    ranks=3,
    sizes=(1, 1, 1, 1),
    deal="rows",
    face_down="none",
    stock=0,
    removable=False,
)


def case(text: str, live: str, **changes: object) -> object:
    rules = replace(TABLE, sizes=(1,) * (text.count("/") + 1), **changes)  # type: ignore[arg-type]
    return pytest.param(rules, text, live, id=text)


COUNTEREXAMPLES = [
    case("table 2CAC4D/AD3D2D/4C3C foundations:4H4S", "AC4CAD2D3D", ranks=4, build="same-suit", removable=True),
    case(
        "table AC/2D/2S/2C stock:ADASAH2H",
        "ACAH2HASAD",
        ranks=2,
        build="same-suit",
        spaces="none",
        removable=True,
        stock=4,
        draw=2,
    ),
    case(
        "table 3D3C/2C foundations:3H3S stock:AD2DAC",
        "ACAD2D",
        build="any-suit",
        move="card",
        removable=True,
        stock=3,
        draw=3,
        passes=1,
    ),
    case("table AD/3D/2D/- foundations:3H3S stock:2CAC3C", "AC3C", spaces="none", stock=3, draw=2),
    case("table 3D/3C2CAD2DAC foundations:3H3S", "2C3CAD2D", spaces="none", removable=True, move="any"),
    case("table 3DAC/3C2D cells:2C hole:AD", "AC", build="none", spaces="none", cells=1, hole="AD", wrap=True),
]
"""Won games that are lost in an easier game that is worded wrongly: R2 for top cards only; a stock of two cards at a
time whose cards become absent at once; one whose cards never do; one from which absent cards are left out; any cards
that move with the one below, and idle ones that are absent at once; a hole into which no absent card goes."""


@pytest.mark.parametrize(("rules", "text", "live"), COUNTEREXAMPLES)
def test_known_counterexamples_of_wrong_wordings_are_won(rules: Rules, text: str, live: str) -> None:
    """By the statement and by the referees."""
    assert naive.counted(text, rules, 10_000) == (True, 0)
    for at_once in {False, cards_may_be_absent_at_once(rules)}:
        assert easier.counted(text, rules, set(naive.cards(live)), 10_000, at_once=at_once) == (True, 0)
        with pytest.raises(InvalidEvidence, match="game can be won"):
            Referee(rules)("winnable", text, Verdict.UNWINNABLE, None, f"{'' if at_once else '*'}{live} 10000")


def attack(seed: int) -> Iterator[bool]:
    """Yield whether the easier games of deals that can be won can be won, by random rules."""
    random, rules = Random(seed), random_rules(Random(seed))
    if not easier_game_is_sound(rules):
        return
    for layout in winnable_deals(rules, seed):
        yield from (outcome == WON for _, outcome in attacked(rules, layout, random) if outcome != PASSED_OVER)


@pytest.mark.parametrize("seeds", seeds(5_000, 150, quick=20))
def test_what_can_be_won_can_be_won_in_the_easier_game(seeds: Sequence[int]) -> None:
    for seed in seeds:
        assert all(attack(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seeds", parts_by_hand(range(6_000, 9_000, 250), 250))
def test_what_can_be_won_can_be_won_in_the_easier_game_of_many_rules(seeds: range) -> None:
    """In more than 30,000 easier games in all."""
    outcomes = [won for seed in seeds for won in attack(seed)]
    assert len(outcomes) > 2_500
    assert all(outcomes)
