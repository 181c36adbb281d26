"""Games of whole suits that are proved in Coq, and their losses, against those in Python; see docs/proofs/README.md."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses.counted import in_order
from dealmill.pipeline.games.patience.losses.waits import Waiting, cards_wait, cards_wait_for_places
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import Verdict
from tests.games import proved
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules_by_stages, random_waiting_rules
from tests.games.patience.test_proved import (
    altered,
    altered_texts,
    assert_agrees,
    assert_losses_are_proved,
    assert_same_moves,
    counted,
    disagreements,
    golden_losses,
    reason_of_python,
    within_the_proof,
    write_rules,
)
from tests.games.proved import ClaimedLoss as Claim
from tests.games.proved import refused_by_proof

pytestmark = pytest.mark.slow

SAME = 300
"""The positions that random claims allow."""


def small_deck(seed: int) -> tuple[Rules, list[str]]:
    """Return rules of whole suits for a small deck, and deals and random positions by them."""
    random = Random(seed)
    draw_rules: Callable[[Random], Rules] = random.choice([random_waiting_rules, random_rules_by_stages])
    rules = within_the_proof(replace(draw_rules(random), passes=0))
    positions = [random_position(rules, random) for _ in range(2)] if rules.copies == 1 else []
    return rules, [*to_strings(deal(rules, seed, 1, 2)), *positions]


def random_claims(first_seed: int) -> Iterator[Claim]:
    """Yield claims of small decks without end, true ones where there are any: counts, and cards that wait."""
    seed = first_seed
    while True:
        seed += 1
        rules, layouts = small_deck(seed)
        random = Random(seed)
        for layout in layouts:
            yield counted(Claim(rules, layout, f"* {SAME}"))
            if cards_wait(rules) or cards_wait_for_places(rules):
                yield counted(Claim(rules, layout, f"waits * {SAME}"))
            if cards_wait(rules):
                waiting = Waiting(rules, Referee(rules).position(layout))
                for card in in_order(waiting.pairs()) or random.sample(sorted(waiting.next), min(1, len(waiting.next))):
                    yield Claim(rules, layout, f"waits {card}>{waiting.next[card]}")
                cards = [card for column in waiting.columns for card in column]
                largest = waiting.largest(set(cards)) or {card for card in cards if random.random() < 0.5}
                smallest = waiting.few() if waiting.is_lost() else largest
                for waiting_cards in filter(None, (largest, smallest)):
                    yield Claim(rules, layout, f"waits {''.join(in_order(waiting_cards))}")


def altered_waits(claim: Claim) -> Iterator[Claim]:
    """Yield claims that differ a little, most of them wrong."""
    random = Random(repr(claim))
    form, _, rest = claim.evidence.rpartition(" ")
    if rest.isdigit():
        prefix = form.removesuffix("*")
        yield from (claim._replace(evidence=f"{other}* {rest}") for other in {"", "waits "} - {prefix})
        counts = altered(claim._replace(evidence=f"* {rest}"))
        yield from (each._replace(evidence=f"{prefix}{each.evidence}") for each in counts)
        return
    cards = re.findall("..", rest.replace(">", ""))
    more, fewer = in_order([*cards, random.choice(claim.rules.deck())]), cards[1:]
    for changed in (f"{cards[-1]}>{cards[0]}", "".join(more), "".join(fewer), "".join(cards[::-1]), "".join(cards)):
        yield claim._replace(evidence=f"waits {changed}")
    yield from altered_texts(claim)


def some_claims(number: int, first_seed: int) -> list[Claim]:
    real = [*golden_losses("scorpion", number // 10), *islice(random_claims(first_seed), number)]
    claims = [each for claim in real for each in (claim, *altered_waits(claim))]
    return Random(first_seed).sample(sorted(set(claims), key=repr), number)


def test_the_proved_referee_of_whole_suits_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    claims = some_claims(1_000, 20_000)
    assert disagreements(programs, claims, tmp_path) == []
    accepted = [claim.evidence for claim in claims if not reason_of_python(claim)]
    forms = [re.sub(r"\d+$", "", evidence) if "*" in evidence else evidence[8:9] for evidence in accepted]
    assert {"* ", "waits * ", ">", ""} <= set(forms)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_of_whole_suits_agrees_in_many_cases(programs: Path, tmp_path: Path) -> None:
    assert disagreements(programs, some_claims(20_000, 40_000), tmp_path) == []


@pytest.mark.parametrize("seed", range(8_000, 8_040))
def test_the_game_of_whole_suits_in_the_proofs_is_ours(programs: Path, seed: int, tmp_path: Path) -> None:
    """It has the same moves in positions of deals by random rules."""
    assert_same_moves(programs, *small_deck(seed), tmp_path)


UNPROVED: dict[str, dict[str, object]] = {
    "cells.count": {"cells": 1},
    "foundations.base": {"foundations": "dealt", "initial": "none"},
    "stock.passes": {"stock": 0, "to": "waste", "passes": 2},
    "stock.to": {"to": "waste"},
    "tableau.move": {"move": "whole-pile"},
    "tableau.direction": {"direction": "either"},
    "tableau.wrap": {"build_wraps": True},
    "foundations.direction": {"foundation_direction": "both"},
}
"""Changes of the rules of Scorpion that the proof does not cover, by key."""


def test_rules_of_whole_suits_outside_the_proof_are_not_covered(programs: Path, tmp_path: Path) -> None:
    scorpion = rules_of("scorpion")
    [layout] = to_strings(deal(scorpion, 1, 1, 1))
    row = json.dumps({"layout": layout, "verdict": "unwinnable", "evidence": "walks * 1"})
    (tmp_path / "export.jsonl").write_text(f"{row}\n")
    path = write_rules(scorpion, tmp_path)
    command = [programs / "referee", path, tmp_path / "export.jsonl"]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    first = judged.stdout.splitlines()[0]
    assert (judged.returncode, first) == (1, 'line 1: wrong: "walks * 1" is not the evidence of a loss')
    small = replace(scorpion, ranks=3, sizes=(1, 1, 3, 0, 0), face_down="none", move="card", spaces="none")
    twice = replace(small, suits=2, stock=7, full_columns=True)  # each card exists twice
    count = proved.Claim("scorpion 2S/AH/3H2S3S/-/- stock:3S3H2H2HAHASAS", Verdict.UNWINNABLE, "* 2")
    claims = [count, count._replace(evidence="waits * 2")]
    assert refused_by_proof(programs, write_rules(twice, tmp_path), claims, tmp_path) == {claims[1]}
    write_rules(scorpion, tmp_path)
    for key, change in UNPROVED.items():
        write_rules(replace(scorpion, **change), tmp_path)  # type: ignore[arg-type]
        judged = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (judged.returncode, judged.stdout) == (2, "")
        assert judged.stderr.startswith(f"referee: {path}: the proof does not cover {key}")


def claims_of_places(number: int, first_seed: int) -> list[Claim]:
    """Return counts with cards that wait and have several places, of small decks, real and altered ones."""
    real = (claim for claim in random_claims(first_seed) if cards_wait_for_places(claim.rules))
    claims = (each for claim in real if claim.evidence.startswith("waits") for each in (claim, *altered_waits(claim)))
    return list(dict.fromkeys(islice(claims, number)))


def test_the_proved_referee_of_several_places_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, claims_of_places(700, 140_000), tmp_path)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_of_several_places_agrees_in_many_cases(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, claims_of_places(20_000, 160_000), tmp_path)


def test_losses_with_several_places_are_proved(programs: Path, tmp_path: Path) -> None:
    """Those in the golden files, which our engine has found."""
    claims = dict.fromkeys(chain.from_iterable(map(golden_losses, ("simple-simon", "spiderette", "will-o-the-wisp"))))
    losses = [claim for claim in claims if claim.evidence.startswith("waits")]
    assert_losses_are_proved(programs, losses, tmp_path)
    assert len(losses) > 3


def test_sets_of_cards_with_several_places_are_no_evidence(programs: Path, tmp_path: Path) -> None:
    rules = rules_of("simple-simon")
    [layout] = to_strings(deal(rules, 1, 171, 1))
    claims = [proved.Claim(layout, Verdict.UNWINNABLE, evidence) for evidence in ("waits * 1", "waits 4C")]
    assert refused_by_proof(programs, write_rules(rules, tmp_path), claims, tmp_path) == {claims[1]}
