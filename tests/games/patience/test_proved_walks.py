"""Losses by positions from which a walk is possible that are proved in Coq, against those in Python; see
docs/proofs/README.md."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.deal import deal
from dealmill.testing.patiences.small import random_position
from tests.games.patience.files import rules_of
from tests.games.patience.test_proved import (
    assert_agrees,
    counted,
    first_claims,
    reason_of_python,
    within_the_proof,
    write_rules,
)
from tests.games.patience.test_proved_safe import altered_claims
from tests.games.patience.test_walks import walked_rules
from tests.games.proved import ClaimedLoss as Claim
from tests.games.proved import differences

pytestmark = pytest.mark.slow

FEW = 200
"""The positions that random claims allow: plain Python counts so many."""


def random_claims(first_seed: int) -> Iterator[Claim]:
    """Yield claims of small decks by random rules without end, true ones where there are any; some by rules in which
    walks prove nothing."""
    seed = first_seed
    while True:
        seed += 1
        random = Random(seed)
        rules = within_the_proof(walked_rules(random))
        if seed % 10 == 0:
            rules = replace(rules, wrap=False)
        for layout in (*to_strings(deal(rules, seed, 1, 2)), *(random_position(rules, random) for _ in "12")):
            yield counted(Claim(rules, layout, f"walks * {FEW}"))


def test_the_proved_referee_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, first_claims(random_claims(400_000), altered_claims, 500), tmp_path)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # two minutes
def test_the_proved_referee_agrees_with_the_one_in_python_in_many_cases(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, first_claims(random_claims(500_000), altered_claims, 20_000), tmp_path)


@pytest.mark.parametrize(
    ("name", "losses"), [("black-hole", {12: 1, 28: 139, 22: 221}), ("worm-hole", {830: 22, 1591: 53})]
)
def test_losses_of_deals_are_proved(name: str, losses: dict[int, int], programs: Path, tmp_path: Path) -> None:
    """With one position more or less, none of them is."""
    rules = rules_of(name)
    claims = [
        Claim(rules, layout, f"walks * {positions + more}")
        for number, positions in losses.items()
        for layout in to_strings(deal(rules, 1, number, 1))
        for more in (-1, 0, 1)
    ]
    assert differences(programs, claims, tmp_path, write_rules, reason_of_python) == ([], len(losses))
