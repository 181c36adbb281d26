"""Losses by safe cards: the attack on docs/proofs/safe.md, and the plain referee against the compiled one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.compiled.referee import check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import in_order
from dealmill.pipeline.games.patience.losses.safe import (
    SafeMoves,
    safe_cards_are_known,
    safe_cards_prove_losses,
)
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import Verdict
from tests.games.patience import small_claims
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules, seeds
from tests.games.patience.small_claims import (
    EASIER_WON,
    MORE,
    WON,
    assert_that_referees_agree,
    counted,
    counted_in_full,
    reason,
)
from tests.selection import parts_by_hand

LISTS, FEW = 2, 300
"""The random lists for each layout, and the positions that plain code counts."""


def small_decks(seed: int) -> Iterator[tuple[Rules, str, list[str]]]:
    """Yield deals and random positions of small decks by random rules for which the form is made, each with the starts
    of some claims: of all cards, and of random ones."""
    random = Random(seed)
    while True:
        rules = replace(random_rules(random), face_down="none", move="card", removable=False)
        if safe_cards_prove_losses(rules):
            break
    for text in [*to_strings(deal(rules, seed, 1, 2)), *(random_position(rules, random) for _ in range(3))]:
        lists = [[card for card in rules.deck() if random.random() < 0.6] for _ in range(LISTS)]
        yield rules, text, ["safe *", *(f"safe *{''.join(in_order(cards))}" for cards in lists if cards)]


def attack(seeds: Sequence[int]) -> Counter[str]:
    """Return how many games can be won and are lost. What the full count wins, that with safe cards must win, and one
    of all cards wins nothing else."""
    verdicts = Counter[str]()
    for seed in seeds:
        for rules, text, forms in small_decks(seed):
            full = counted_in_full(rules, text)
            if full == MORE:
                continue
            verdicts[WON if full == WON else "lost"] += 1
            claims = [counted(rules, text, form) for form in forms]
            assert (claims[0] == WON) == (full == WON), (rules, text)
            assert full != WON or set(claims[1:]) <= {WON, EASIER_WON}, (rules, text, forms)
    return verdicts


@pytest.mark.parametrize("seeds", seeds(0, 100, quick=30))
def test_what_can_be_won_can_be_won_with_safe_cards(seeds: Sequence[int]) -> None:
    attack(seeds)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("seeds", parts_by_hand(range(100_000, 124_000, 1_000), 1_000))
def test_what_can_be_won_can_be_won_with_safe_cards_in_many_decks(seeds: range) -> None:
    """In more than 100,000 decks in all, each with three claims."""
    verdicts = attack(seeds)
    assert min(verdicts.values()) > 700
    assert verdicts.total() > 3_900


@pytest.mark.parametrize("seeds", seeds(50_000, 100, quick=10))
def test_both_referees_count_the_same_positions(seeds: Sequence[int]) -> None:
    for seed in seeds:
        for rules, text, forms in small_decks(seed):
            for form in forms:
                assert_that_referees_agree(rules, text, form)


@pytest.mark.parametrize("seeds", seeds(60_000, 100, quick=10))
def test_both_referees_count_the_same_positions_without_safe_cards(seeds: Sequence[int]) -> None:
    """Of the game, and of easier ones in which idle cards are absent when they can be moved, or at once."""
    for seed in seeds:
        for rules, text, [form, *lists] in small_decks(seed):
            for claim in (form, *lists, *(each.replace("*", "") for each in lists)):
                assert_that_referees_agree(rules, text, claim.removeprefix("safe "))


@pytest.mark.parametrize("seeds", seeds(50_000, 200, quick=10, slow=80))
def test_safe_cards_are_the_same_in_the_relaxed_game(seeds: Sequence[int]) -> None:
    """By rules of other kinds, with runs, stocks and reserves."""
    for seed in seeds:
        for rules, text in small_claims.small_decks(seed):
            assert_that_referees_agree(rules, text, "cut *")


@pytest.mark.parametrize("seeds", seeds(70_000, 100, quick=10))
def test_a_loss_with_safe_cards_is_one_by_plain_code(seeds: Sequence[int]) -> None:
    """Which shares nothing with the referees."""
    for seed in seeds:
        for rules, text, [form, *_] in small_decks(seed):
            outcome = naive.counted(text, rules, FEW)
            assert outcome is None or outcome[0] == (counted(rules, text, form) == WON), (rules, text)


def test_the_form_is_refused_where_it_proves_nothing() -> None:
    freecell = rules_of("freecell")
    for rules in (rules_of("klondike"), rules_of("fan"), rules_of("golf"), rules_of("spider")):
        assert reason(lambda: read_loss(rules, "safe * 1")).startswith("a count with safe cards proves nothing in")  # noqa: B023
    changes = [{"move": "run"}, {"spaces": "reserve"}, {"stock": 1}, {"reserve": 1}, {"stock": 1, "reserve": 1}]
    changes += [{"face_down": "all-but-top"}, {"decks": 2}, {"hole": "AS"}, {"removable": True}, {"complete": True}]
    for change in (*changes, {"to": "tableau"}, {"build_wraps": True}, {"direction": "either"}):
        assert not safe_cards_prove_losses(replace(freecell, **change))  # type: ignore[arg-type]

    @dataclass(frozen=True)
    class LaterRules(Rules):
        swaps: bool = False

    assert safe_cards_prove_losses(freecell) and not safe_cards_prove_losses(LaterRules(**asdict(freecell)))
    for evidence in ("safe", "safe ", "safe 1", "safe * 0", "safe 8D 1", "safe  * 1", "safe * 1 ", "safes * 1"):
        assert reason(lambda: read_loss(freecell, evidence))  # noqa: B023


@pytest.mark.parametrize(
    ("changes", "known"),
    [
        ({}, True),
        ({"move": "any"}, True),
        ({"run": "same-suit"}, True),
        ({"move": "run"}, True),
        ({"move": "run", "run": "red-black"}, True),
        ({"move": "run", "run": "same-suit"}, False),
        ({"move": "run", "run": "same-suit", "build": "any-suit"}, True),
        ({"move": "run", "run": "same-suit", "build": "same-colour"}, True),
        ({"move": "run", "run": "red-black", "build": "other-suit"}, True),
        ({"move": "run", "run": "same-suit", "build": "other-suit"}, False),
        ({"to": "tableau"}, True),
        ({"to": "tableau", "move": "run"}, True),
        ({"to": "tableau", "move": "run", "run": "red-black"}, False),
        ({"to": "tableau", "move": "any"}, False),
        ({"to": "tableau", "spaces": "reserve"}, False),
        ({"spaces": "reserve"}, True),
        ({"full_columns": True}, False),
        ({"foundation_direction": "both"}, False),
        ({"foundation_direction": "both", "build": "same-suit"}, True),
        ({"foundation_direction": "both", "build": "none"}, True),
        ({"foundation_direction": "both", "build": "same-suit", "move": "run"}, False),
    ],
)
def test_safe_cards_go_up_by_the_rules_of_the_proof(changes: dict[str, str | bool], known: bool) -> None:
    """Which both referees take from here, so that they cannot disagree."""
    rules = replace(rules_of("freecell"), **changes)  # type: ignore[arg-type]
    assert safe_cards_are_known(rules) is known


@pytest.mark.parametrize(
    ("game", "changes", "cards", "foundations"),
    [
        ("yukon", {}, "2C/AS3C3S2S3H2H3D2D/- foundations:ACAHAD", (2, 1, 0, 1)),
        ("yukon", {}, "2C/ADAS3C3S2S3H2H3D2D/- foundations:ACAH", (1, 1, 0, 0)),
        ("yukon", {"removable": True}, "2C/AS3C3S2S3H2H3D2D/- foundations:ACAHAD", (1, 1, 0, 1)),
        ("yukon", {"build": "none"}, "2C/ADAS3C3S2S3H2H3D2D/- foundations:ACAH", (2, 1, 0, 0)),
        ("klondike-deal-1", {}, "2C/2H3SAS2S/AD2D3D foundations:AC stock:AH3H3C", (2, 1, 0, 0)),
        ("klondike-deal-1", {"draw": 2}, "2C/2H3SAS2S/AD2D3D foundations:AC stock:3HAH3C", (2, 0, 0, 0)),
        ("klondike-deal-1", {"passes": 1}, "2C/2H3SAS2S/AD2D3D foundations:AC stock:AH3H3C", (2, 0, 0, 0)),
    ],
)
def test_safe_cards_are_those_that_no_card_needs(
    game: str, changes: dict[str, str | bool], cards: str, foundations: tuple[int, ...]
) -> None:
    """Of a small deck, with clubs, hearts, spades and diamonds on the foundations."""
    small = replace(rules_of(game), ranks=3, sizes=(4, 4, 4), face_down="none", stock=3 * ("stock" in cards))
    moves = SafeMoves(replace(small, **changes))  # type: ignore[arg-type]
    assert moves.position(f"{game} {cards}").foundations == foundations


@pytest.mark.parametrize(
    ("number", "form", "count"), [(3, "safe *", 26), (8, "safe *3C6C8C9CTC3H5H6HJH3S8SQSKS3D5D6D", 10)]
)
def test_altered_claims_are_refused(number: int, form: str, count: int) -> None:
    rules = rules_of("free-cell-1-cell")
    [text] = to_strings(deal(rules, 1, number, 1))
    refusals = {
        count: "",
        count - 1: f"more than {count - 1} positions can be reached",
        count + 1: f"{count} positions can be reached, not {count + 1}",
    }
    for claim, refusal in refusals.items():
        loss = read_loss(rules, f"{form} {claim}")
        assert reason(lambda: loss.check(Referee(rules), Referee(rules).position(text))) == refusal  # noqa: B023
        assert reason(lambda: check_loss(rules, text, loss)) == refusal  # noqa: B023


def test_a_loss_is_told_in_words() -> None:
    rules = rules_of("free-cell-1-cell")
    [text] = to_strings(deal(rules, 1, 6, 1))
    reason_of_loss, first, *_ = Referee(rules).explained(text, Verdict.UNWINNABLE, "safe * 11")
    assert reason_of_loss == (
        "11 positions can be reached, and none of them is won. Cards that nobody needs go up at once."
    )
    assert first.startswith("position 1: column 1: ")
