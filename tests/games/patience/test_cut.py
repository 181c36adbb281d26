"""Losses by a relaxed game: the attack on docs/proofs/cut.md, and both referees against each other."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import pytest

from dealmill.pipeline.games.batch import unpack
from dealmill.pipeline.games.patience.compiled import CompiledReferee, check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.cut import CutMoves, cut_proves_losses
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import random_rules, random_spider_rules, seeds

CLAIM = 2_000
WON, MORE = "the game can be won", f"more than {CLAIM:,} positions can be reached"
FEW = 300


def small_decks(seed: int) -> Iterator[tuple[Rules, str]]:
    """Yield deals and random positions of small decks by random rules for which the form is made."""
    random = Random(seed)
    rules = (random_rules if seed % 2 else random_spider_rules)(random)
    rules = replace(rules, cells=rules.filled)
    if cut_proves_losses(rules):
        yield from ((rules, text) for text in unpack(deal(rules, seed, 1, 2)))
        yield from ((rules, random_position(rules, random)) for _ in range(3))


def reason(check: Callable[[], object]) -> str:
    try:
        check()
    except InvalidEvidence as error:
        return error.reason
    return ""


def counted(rules: Rules, text: str, form: str) -> str:
    """Return what the compiled referee says of a claim that is not true."""
    return reason(lambda: check_loss(rules, text, read_loss(rules, f"{form} {CLAIM}")))


def attack(seeds: Sequence[int]) -> Counter[str]:
    """Return how many games can be won and are lost, which the full count and that of the cut must both say."""
    verdicts = Counter[str]()
    for seed in seeds:
        for rules, text in small_decks(seed):
            full = counted(rules, text, "*")
            if full != MORE:
                cut = counted(rules, text, "cut *")
                assert (full == WON) == (cut == WON), (rules, text)
                verdicts[cut if cut == WON else "lost"] += 1
    return verdicts


@pytest.mark.parametrize("seeds", seeds(0, 100, quick=30))
def test_what_can_be_won_can_be_won_in_the_count_of_the_cut(seeds: Sequence[int]) -> None:
    attack(seeds)


@pytest.mark.slow
def test_what_can_be_won_can_be_won_in_the_count_of_the_cut_of_many_decks() -> None:
    verdicts = attack(range(1_000, 46_000))
    assert min(verdicts.values()) > 30_000
    assert verdicts.total() > 100_000


@pytest.mark.parametrize("seeds", seeds(50_000, 200, quick=10))
def test_both_referees_count_the_same_positions(seeds: Sequence[int]) -> None:
    for seed in seeds:
        for rules, text in small_decks(seed):
            plain = reason(
                lambda: Referee(rules)("winnable", text, Verdict.UNWINNABLE, None, f"cut * {CLAIM}")  # noqa: B023
            )
            compiled = counted(rules, text, "cut *")
            assert plain == compiled or {plain, compiled} == {WON, MORE}, (rules, text)
            if "can be reached, not" in plain:
                loss = read_loss(rules, f"cut * {plain.split(' ')[0].replace(',', '')}")
                position = Referee(rules).position(text)
                assert check_loss(rules, text, loss) == list(loss.counts(Referee(rules), position, CLAIM))


@pytest.mark.parametrize("seeds", seeds(70_000, 200, quick=20))
def test_no_game_is_won_from_a_refuted_position(seeds: Sequence[int]) -> None:
    """By plain code that shares nothing with the referees."""
    for seed in seeds:
        for rules, text in small_decks(seed):
            if CutMoves(rules).is_refuted(Moves(rules).position(text)):
                outcome = naive.counted(text, rules, FEW)
                assert outcome is None or not outcome[0], (rules, text)


def test_the_form_is_refused_where_it_proves_nothing() -> None:
    fan = rules_of("fan")
    for rules in (rules_of("freecell"), rules_of("golf"), rules_of("spider"), rules_of("simple-simon")):
        assert reason(lambda: read_loss(rules, "cut * 1")).startswith("a relaxed game proves nothing in")  # noqa: B023
    for changes in ({"move": "whole-pile"}, {"spaces": "waste"}, {"to": "reserve"}, {"decks": 2}, {"hole": "AS"}):
        assert not cut_proves_losses(replace(fan, **changes))

    @dataclass(frozen=True)
    class LaterRules(Rules):
        swaps: bool = False

    assert cut_proves_losses(fan) and not cut_proves_losses(LaterRules(**vars(fan)))
    for evidence in ("cut", "cut ", "cut 1", "cut * 0", "cut *8D 1", "cut 8D 1", "cut  * 1", "cut * 1 ", "cuts * 1"):
        assert reason(lambda: read_loss(fan, evidence))  # noqa: B023


def test_altered_claims_are_refused() -> None:
    fan = FILES["fan"].rules
    [text] = unpack(deal(fan, 1, 14, 1))
    check = CompiledReferee(fan)

    def judged(evidence: str) -> str:
        return reason(lambda: check("winnable", text, Verdict.UNWINNABLE, None, evidence))

    assert judged("cut * 72") == ""
    assert judged("cut * 71") == "more than 71 positions can be reached"
    assert judged("cut * 73") == "72 positions can be reached, not 73"


def test_a_loss_is_told_in_words() -> None:
    fan = rules_of("fan")
    [text] = unpack(deal(fan, 1, 9, 1))
    reason_of_loss, position = Referee(fan).explained(text, Verdict.UNWINNABLE, "cut * 1")
    assert reason_of_loss.startswith("1 position can be reached, and none of them is won. No move is made")
    assert position.endswith("Even if no move ever covered a card again, not all cards could go to the foundations.")
