"""Games whose stock goes to the columns, such as East Haven, that are proved in Coq, and their losses, against those in
Python; see docs/proofs/README.md."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences.small import random_position
from tests.games.patience.files import FILES
from tests.games.patience.random_rules import random_rules
from tests.games.patience.test_proved import (
    altered,
    assert_agrees,
    assert_losses_are_proved,
    assert_same_moves,
    counted,
    first_claims,
    golden_losses,
    reason_of_python,
    within_the_proof,
    write_rules,
)
from tests.games.proved import ClaimedLoss as Claim

pytestmark = pytest.mark.slow

FEW = 200
"""The positions that random claims allow."""


def dealt_rules(random: Random) -> Rules:
    """Rules of small decks whose stock goes to the columns, most of them without cells."""
    while True:
        rules = within_the_proof(random_rules(random))
        if rules.hole == "none" and rules.stock:
            cells = rules.cells if random.random() < 0.3 else rules.filled
            return replace(rules, to="tableau", full_columns=random.random() < 0.3, cells=cells)


def layouts_of(rules: Rules, seed: int) -> list[str]:
    """Return a deal and random positions by some rules."""
    random = Random(seed)
    return [*to_strings(deal(rules, seed, 1, 1)), *(random_position(rules, random) for _ in "123")]


def random_claims(first_seed: int) -> Iterator[Claim]:
    """Yield claims of small decks by random rules without end, true ones where there are any."""
    seed = first_seed
    while True:
        seed += 1
        rules = dealt_rules(Random(seed))
        for layout in layouts_of(rules, seed):
            for form in ("*", "cut *") if cut_proves_losses(rules) else ("*",):
                yield counted(Claim(rules, layout, f"{form} {FEW}"))


def altered_claims(claim: Claim) -> Iterator[Claim]:
    """Yield a claim, and if it is true, others that differ a little, but no list of cards, which is not covered."""
    yield claim
    if not reason_of_python(claim):
        form, _, number = claim.evidence.rpartition(" ")
        for changed in altered(claim._replace(evidence=f"* {number}")):
            evidence = form.removesuffix("*") + changed.evidence
            if evidence.startswith(f"{form} "):
                yield changed._replace(evidence=evidence)


def assert_each_form_agrees(programs: Path, claims: list[Claim], folder: Path) -> None:
    """Check the claims of each form."""
    for word in ("cut", "*"):
        assert_agrees(programs, [claim for claim in claims if claim.evidence.startswith(word)], folder)


def test_the_proved_referee_of_dealt_rows_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    assert_each_form_agrees(programs, first_claims(random_claims(220_000), altered_claims, 700), tmp_path)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_of_dealt_rows_agrees_in_many_cases(programs: Path, tmp_path: Path) -> None:
    assert_each_form_agrees(programs, first_claims(random_claims(700_000), altered_claims, 20_000), tmp_path)


@pytest.mark.parametrize("seed", range(9_000, 9_040))
def test_the_game_of_dealt_rows_in_the_proofs_is_ours(programs: Path, seed: int, tmp_path: Path) -> None:
    """It has the same moves in deals and random positions by random rules."""
    rules = dealt_rules(Random(seed))
    assert_same_moves(programs, rules, layouts_of(rules, seed), tmp_path)


def golden_claims() -> Iterator[Claim]:
    """Yield the losses of these games in the golden files, which our engine has found."""
    for name, game in FILES.items():
        if game.rules.to == "tableau" and not game.rules.complete and game.rules.copies == 1:
            yield from (claim for claim in golden_losses(name) if claim.evidence.startswith(("cut", "* ")))


def test_losses_of_dealt_rows_that_our_engine_finds_are_proved(programs: Path, tmp_path: Path) -> None:
    losses = [*dict.fromkeys(golden_claims())]
    assert_losses_are_proved(programs, losses, tmp_path)
    assert len(losses) > 1


def test_evidence_outside_the_proof_is_not_covered(programs: Path, tmp_path: Path) -> None:
    east_haven = FILES["east-haven"].rules
    [layout] = to_strings(deal(east_haven, 1, 1, 1))
    forms = ("*AC 1", "AC 1", "safe * 1", "quotient * 1", "walks * 1", "* 100001")
    rows = [{"layout": layout, "verdict": "unwinnable", "evidence": evidence} for evidence in forms]
    (tmp_path / "export.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    command = [programs / "referee", write_rules(east_haven, tmp_path), tmp_path / "export.jsonl"]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    assert judged.returncode == 3
    reasons = [line.partition(": not covered: ")[2] for line in judged.stdout.splitlines()[:-1]]
    assert reasons == [*["this evidence where the stock goes to the columns"] * 5, "more than 100000 positions"]
