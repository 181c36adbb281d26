"""Losses with safe cards and by a relaxed game that are proved in Coq, against those in Python; see
docs/proofs/README.md."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.losses.safe import safe_cards_prove_losses
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences.small import random_position
from tests.games.patience.files import FILES
from tests.games.patience.random_rules import random_rules
from tests.games.patience.test_proved import (
    altered,
    assert_agrees,
    assert_losses_are_proved,
    counted,
    first_claims,
    golden_losses,
    ordered,
    reason_of_python,
    within_the_proof,
)
from tests.games.proved import ClaimedLoss as Claim

pytestmark = pytest.mark.slow

FEW = 90
"""The positions that random claims allow: plain Python counts so many."""


def forms_of(rules: Rules, random: Random) -> list[str]:
    """Return what claims by some rules begin with: a relaxed game, safe cards, and safe cards with random lists."""
    forms = ["cut *"] if cut_proves_losses(rules) else []
    if safe_cards_prove_losses(rules):
        lists = [[card for card in rules.deck() if random.random() < share] for share in (0.3, 0.6)]
        forms += ["safe *", *(f"safe *{''.join(ordered(cards))}" for cards in lists if cards)]
    return forms


def rules_with_safe_cards(random: Random) -> Rules:
    """Rules of small decks, half of them by which only single cards move between columns and cells."""
    rules = within_the_proof(random_rules(random))
    if random.random() < 0.5:
        return replace(rules, face_down="none", move="card", removable=False)
    return replace(rules, cells=rules.filled)


def rules_with_any_cards(random: Random) -> Rules:
    """Rules of small decks by which any cards move with those on them."""
    rules = within_the_proof(random_rules(random))
    return replace(rules, move="any", cells=rules.filled)


def random_claims(first_seed: int, draw_rules: Callable[[Random], Rules] = rules_with_safe_cards) -> Iterator[Claim]:
    """Yield claims of small decks by random rules without end, true ones where there are any."""
    seed = first_seed
    while True:
        seed += 1
        random = Random(seed)
        rules = draw_rules(random)
        if forms := forms_of(rules, random):
            for layout in (*to_strings(deal(rules, seed, 1, 1)), *(random_position(rules, random) for _ in "123")):
                for form in forms:
                    yield counted(Claim(rules, layout, f"{form} {FEW}"))


def altered_claims(claim: Claim) -> Iterator[Claim]:
    """Yield a claim, and if it is true, others that differ a little, most of them wrong."""
    yield claim
    if not reason_of_python(claim):
        word, _, rest = claim.evidence.partition(" ")
        for changed in altered(claim._replace(evidence=rest)):
            yield changed._replace(evidence=f"{word} {changed.evidence}")


def assert_each_form_agrees(programs: Path, claims: list[Claim], folder: Path) -> None:
    """Check the claims of each form."""
    for word in ("cut", "safe"):
        assert_agrees(programs, [claim for claim in claims if claim.evidence.startswith(word)], folder)


def test_the_proved_referee_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    assert_each_form_agrees(programs, first_claims(random_claims(200_000), altered_claims, 700), tmp_path)


def test_the_proved_referee_agrees_on_cuts_where_any_cards_move(programs: Path, tmp_path: Path) -> None:
    claims = first_claims(random_claims(210_000, rules_with_any_cards), altered_claims, 700)
    assert_agrees(programs, claims, tmp_path)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_agrees_on_cuts_where_any_cards_move_in_many_cases(programs: Path, tmp_path: Path) -> None:
    claims = first_claims(random_claims(800_000, rules_with_any_cards), altered_claims, 20_000)
    assert_agrees(programs, claims, tmp_path)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_agrees_with_the_one_in_python_in_many_cases(programs: Path, tmp_path: Path) -> None:
    assert_each_form_agrees(programs, first_claims(random_claims(300_000), altered_claims, 20_000), tmp_path)


def golden_claims() -> Iterator[Claim]:
    """Yield the losses of these forms in the golden files, which our engine has found, but those of columns that are
    built up, too, which the proofs do not cover."""
    for name, game in FILES.items():
        if game.rules.to == "waste" and not game.rules.builds_up:
            yield from (claim for claim in golden_losses(name) if claim.evidence.startswith(("cut", "safe")))


def test_losses_that_our_engine_finds_are_proved(programs: Path, tmp_path: Path) -> None:
    losses = [*dict.fromkeys(golden_claims())]
    assert_losses_are_proved(programs, losses, tmp_path)
    assert len(losses) > 25
