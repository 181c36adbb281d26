"""Losses by positions of the quotient where cards move one by one: the engine, both referees and plain code on small
decks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.compiled.referee import CompiledReferee
from dealmill.pipeline.games.patience.coverage import counted_without_arrangements
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine.quotient import singles
from dealmill.pipeline.games.patience.engine.quotient.singles import Singles
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.searches import SINGLES, search_of
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.small_claims import assert_that_referees_agree, counted
from tests.games.patience.test_quotient import quotient_rules
from tests.selection import parts_by_hand

COVERED = {"scotch-patience"}
POSITIONS = 300
"""Small decks with more positions of the game are passed over."""
DECKS = 40
LOST, LOST_POSITIONS = 2, 22_076
"""The number of a deal of Scotch Patience that is lost, and its positions."""
LATE = [(7_288_551, 33, Verdict.UNWINNABLE), (3_634_021, 232, Verdict.WINNABLE)]
"""Deals of Scotch Patience that are decided after the first nodes, and after how many: a loss in the quotient, and a
win that a wider beam finds."""


def _layouts(random: Random) -> Iterator[tuple[Rules, str]]:
    """Yield deals and positions of small decks by rules by which single cards move."""
    while True:
        rules = replace(quotient_rules(random), move="card")
        for layout in to_strings(deal(rules, random.randrange(1_000), 1, 1)):
            yield rules, layout
        for _ in range(3):
            yield rules, random_position(rules, random)


def _number_of_positions(rules: Rules, layout: str) -> int:
    """Return the number of positions of the quotient that the compiled referee counts, 0 if the easier game can be won
    or has very many."""
    number, _, rest = counted(rules, layout, "quotient *").partition(" ")
    return int(number.replace(",", "")) if rest.startswith("position") and "not" in rest else 0


def _attacked(rules: Rules, layout: str) -> tuple[bool, bool] | None:
    """Ask both referees for a claim; return whether the game can be won by plain code, and whether the referees believe
    that it is lost, or None if the game has too many positions."""
    truth = naive.counted(layout, rules, POSITIONS)
    if truth is None:
        return None
    positions = _number_of_positions(rules, layout)
    for referee in (Referee(rules), CompiledReferee(rules)):
        claim = f"quotient * {positions or 10}"
        if positions:
            referee("winnable", layout, Verdict.UNWINNABLE, None, claim)
        else:
            with pytest.raises(InvalidEvidence):
                referee("winnable", layout, Verdict.UNWINNABLE, None, claim)
    assert not (truth[0] and positions), (rules, layout)
    if counted_without_arrangements(rules):
        _check_engine(rules, layout, is_won=truth[0])
    return truth[0], positions > 0


def _check_engine(rules: Rules, layout: str, *, is_won: bool) -> None:
    """Check that the engine says what plain code says, and that the referee believes it."""
    solved = to_batch(Singles(rules)(to_texts([layout]), 100_000))
    [verdict], [evidence] = solved.verdicts, solved.evidence
    assert verdict is (Verdict.WINNABLE if is_won else Verdict.UNWINNABLE), (rules, layout, evidence)
    Referee(rules)("winnable", layout, verdict, None, str(evidence))


def _outcomes(seed: int, count: int) -> Counter[tuple[bool, bool]]:
    """Attack layouts with small decks until so many were; return how many have each outcome."""
    outcomes = Counter[tuple[bool, bool]]()
    layouts = _layouts(Random(seed))
    while outcomes.total() < count:
        if outcome := _attacked(*next(layouts)):
            outcomes[outcome] += 1
    return outcomes


@pytest.fixture
def _only_a_short_plain_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine search all layouts without arrangements: the plain search would decide small decks."""
    monkeypatch.setattr(singles, "FIRST_NODES", 1)


@pytest.mark.usefixtures("_only_a_short_plain_search")
def test_what_referees_believe_is_lost_in_small_decks() -> None:
    outcomes = _outcomes(0, DECKS)
    assert outcomes[True, False] > DECKS // 5
    assert outcomes[False, True] > DECKS // 5


@pytest.mark.slow
@pytest.mark.usefixtures("_only_a_short_plain_search")
@pytest.mark.parametrize("decks", parts_by_hand(range(0, 50_000, 1_000), 1_000))
def test_what_referees_believe_is_lost_in_many_small_decks(decks: range) -> None:
    """Some are lost, but won in the easier game."""
    outcomes = _outcomes(decks.stop, len(decks))
    assert outcomes[True, False] > len(decks) // 5
    assert outcomes[False, True] > len(decks) // 5
    assert outcomes[False, False]


@pytest.mark.parametrize("seed", range(70_000, 70_010))
def test_both_referees_count_the_same_positions(seed: int) -> None:
    layouts = _layouts(Random(seed))
    for rules, layout in (next(layouts) for _ in range(4)):
        assert_that_referees_agree(rules, layout, "quotient *")


def test_a_lost_game_may_be_won_if_runs_move() -> None:
    """The three of hearts with the two of spades on it would go onto the four of spades, and bare both aces."""
    rules = replace(rules_of("scotch-patience"), ranks=4, sizes=(4, 8, 4))
    layout = "scotch-patience ASAC3H2S/4C3C2C4D3D2D4H4S/3S foundations:2HAD"
    assert naive.counted(layout, rules, POSITIONS) == (False, 5)
    for referee in (Referee(rules), CompiledReferee(rules)):
        with pytest.raises(InvalidEvidence, match="the easier game can be won"):
            referee("winnable", layout, Verdict.UNWINNABLE, None, "quotient * 10")


@pytest.mark.parametrize("positions", [LOST_POSITIONS - 1, LOST_POSITIONS, LOST_POSITIONS + 1])
def test_a_loss_has_one_number_of_positions(positions: int) -> None:
    rules = rules_of("scotch-patience")
    [layout] = to_strings(deal(rules, 1, LOST, 1))
    evidence, referee = f"quotient * {positions}", CompiledReferee(rules)
    if positions == LOST_POSITIONS:
        referee("winnable", layout, Verdict.UNWINNABLE, None, evidence)
    else:
        with pytest.raises(InvalidEvidence, match="positions can be reached"):
            referee("winnable", layout, Verdict.UNWINNABLE, None, evidence)


def test_a_loss_says_that_runs_move() -> None:
    assert read_loss(rules_of("scotch-patience"), "quotient * 9").reason.endswith(
        "Runs move, too, which makes the game easier."
    )


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "number", "verdict"), LATE)
def test_a_deal_is_decided_late(nodes: int, number: int, verdict: Verdict) -> None:
    """A smaller limit changes nothing but where the search ends."""
    rules = rules_of("scotch-patience")
    layouts = deal(rules, 1, number, 1)
    solved, limited = (to_batch(Singles(rules)(layouts, limit)) for limit in (nodes, nodes - 1))
    assert (solved.verdicts, solved.nodes) == ([verdict], [nodes])
    CompiledReferee(rules)("winnable", to_strings(layouts)[0], verdict, None, str(solved.evidence[0]))
    assert (limited.verdicts, limited.nodes) == ([Verdict.UNDECIDED], [nodes - 1])


def test_it_searches_games_whose_columns_stay_empty() -> None:
    assert {name for name, game in FILES.items() if search_of(game.rules) is SINGLES} == COVERED
    rules = rules_of("scotch-patience")
    assert search_of(replace(rules, spaces="kings")) is SINGLES
    changes: tuple[dict[str, object], ...] = (
        {"build": "same-suit"},
        {"spaces": "any"},
        {"removable": False},
        {"cells": 1},
        {"complete": True},
    )
    for change in changes:
        assert search_of(replace(rules, **change)) is not SINGLES  # type: ignore[arg-type]
