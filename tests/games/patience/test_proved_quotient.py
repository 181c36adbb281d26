"""Losses without the arrangement of moved cards that are proved in Coq, against those in Python; see
docs/proofs/README.md."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.deal import deal
from dealmill.testing.patiences.small import random_position
from tests.games.patience.files import rules_of
from tests.games.patience.test_proved import (
    altered_texts,
    assert_agrees,
    counted,
    first_claims,
    reason_of_python,
    write_rules,
)
from tests.games.patience.test_quotient import quotient_rules
from tests.games.proved import ClaimedLoss as Claim
from tests.games.proved import differences

pytestmark = pytest.mark.slow

FEW = 40
"""The positions that random claims allow: plain Python takes long for more."""
PROVED = ("kings", "none")
"""The proof is about games in which these go to empty columns."""


def random_claims(first_seed: int) -> Iterator[Claim]:
    """Yield claims of small decks by random rules without end, true ones where there are any."""
    seed = first_seed
    while True:
        seed += 1
        random = Random(seed)
        rules = quotient_rules(random)
        if rules.spaces in PROVED:
            for layout in (*to_strings(deal(rules, seed, 1, 1)), *(random_position(rules, random) for _ in "123")):
                yield counted(Claim(rules, layout, f"quotient * {FEW}"))


def altered(claim: Claim) -> Iterator[Claim]:
    """Yield a claim, and if it is true, others that differ a little, most of them wrong."""
    yield claim
    if not reason_of_python(claim):
        number = int(claim.evidence.split(" ")[-1])
        for count in {number + 1, max(1, number - 1)} - {number}:
            yield claim._replace(evidence=f"quotient * {count}")
        yield from altered_texts(claim)


def test_the_proved_referee_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, first_claims(random_claims(90_000), altered, 500), tmp_path)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_agrees_with_the_one_in_python_in_many_cases(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, first_claims(random_claims(100_000), altered, 20_000), tmp_path)


@pytest.mark.parametrize(
    ("name", "losses"),
    [
        ("klondike", {36: 16, 121: 14, 136: 46}),
        ("klondike-deal-1", {18: 1}),
        ("northwest-territory", {35: 192}),
    ],
)
def test_losses_of_deals_are_proved(name: str, losses: dict[int, int], programs: Path, tmp_path: Path) -> None:
    rules = rules_of(name)
    claims = [
        Claim(rules, layout, f"quotient * {positions + more}")
        for number, positions in losses.items()
        for layout in to_strings(deal(rules, 1, number, 1))
        for more in (-1, 0, 1)
    ]
    assert differences(programs, claims, tmp_path, write_rules, reason_of_python) == ([], len(losses))


def test_other_games_are_not_covered(programs: Path, tmp_path: Path) -> None:
    canfield = rules_of("canfield")
    [layout] = to_strings(deal(canfield, 1, 1, 1))
    row = json.dumps({"layout": layout, "verdict": "unwinnable", "evidence": "quotient * 1"})
    (tmp_path / "canfield.jsonl").write_text(f"{row}\n")
    command = [programs / "referee", write_rules(canfield, tmp_path), tmp_path / "canfield.jsonl"]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (judged.returncode, judged.stdout.splitlines()[0]) == (
        3,
        "line 1: not covered: positions without the arrangement of moved cards by these rules",
    )
