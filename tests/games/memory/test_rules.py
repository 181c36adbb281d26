"""The referee: what it rejects, and that it rejects every change of good evidence."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.contract import Engine
from dealmill.pipeline.games.memory import GAME
from dealmill.pipeline.games.memory.rules import Table, check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import solver

ENGINE_NAMES = [engine.name for engine in GAME.engines]


def solved(engine: Engine, pairs: int, seed: int) -> tuple[str, int, str]:
    cards = list("ABCDEFGHIJKL"[:pairs] * 2)
    Random(seed).shuffle(cards)
    layout = "".join(cards)
    batch = solver(GAME.full_name(engine))([layout])
    value, evidence = batch.values[0], batch.evidence[0]
    assert value is not None
    assert evidence is not None
    return layout, value, evidence


@pytest.mark.parametrize(
    ("evidence", "step", "reason"),
    [
        ("", 1, "is not a card, expected 1 to 4"),
        ("1 2 3 4 1 3 2", 8, "cards are left"),
        ("1 2 3 4 1 3", 7, "2 cards are left"),
        ("1 2 3 4 1 3 2 4 1", 9, "card 1 is not on the table"),
        ("1 1 3 4 1 3 2 4", 2, "already turned up"),
        ("1 2 3 4 1 3 1 4", 7, "card 1 is not on the table"),
        ("1 2 3 4 2 4 1 3", 5, "flips card 1 here"),
        ("1 2 3 5", 4, "'5' is not a card"),
        ("1 2 3 4 1 3  2 4", 7, "'' is not a card"),
        ("01 2 3 4 1 3 2 4", 1, "'01' is not a card"),
    ],
)
def test_broken_flips_are_named_with_their_step(evidence: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("two-pass", "ABAB", Verdict.SCORED, len(evidence.split()), evidence)
    assert caught.value.step == step


@pytest.mark.parametrize(
    ("engine", "layout", "verdict", "value"),
    [
        ("two-pass", "ABAB", Verdict.WINNABLE, 8),
        ("two-pass", "ABAB", Verdict.UNDECIDED, None),
        ("two-pass", "ABAB", Verdict.SCORED, 7),
        ("two-pass", "ABAB", Verdict.SCORED, None),
        ("greedy", "ABAB", Verdict.SCORED, 8),
        ("two-pass", "ABAC", Verdict.SCORED, 8),
        ("two-pass", "AAAA", Verdict.SCORED, 8),
        ("two-pass", "", Verdict.SCORED, 8),
        ("incremental", "ABAB", Verdict.SCORED, 8),
        ("two-pass-last-card", "ABAB", Verdict.SCORED, 8),
    ],
)
def test_good_flips_do_not_prove_another_verdict(engine: str, layout: str, verdict: Verdict, value: int | None) -> None:
    good = "1 2 3 4 1 3 2 4"
    check("two-pass", "ABAB", Verdict.SCORED, 8, good)
    with pytest.raises(InvalidEvidence):
        check(engine, layout, verdict, value, good)


@pytest.mark.parametrize(
    ("engine", "layout", "evidence"),
    [
        ("two-pass", "ABCABC", "1 2 3 4 5 6 1 4 2 5 3 6"),
        ("two-pass", "AABCBC", "1 2 3 4 5 6 3 5 4 6"),
        ("two-pass-last-card", "ABCABC", "1 2 3 4 5 2 1 4 3 6"),
        ("two-pass-last-card", "ABABCC", "1 2 3 4 5 6 1 3 2 4"),
        ("incremental", "ABAB", "1 2 3 1 4 2"),
        ("incremental", "ABBCCA", "1 2 3 2 4 5 6 1"),
    ],
)
def test_the_flips_of_each_strategy_are_accepted(engine: str, layout: str, evidence: str) -> None:
    check(engine, layout, Verdict.SCORED, len(evidence.split()), evidence)


@given(
    engine=st.sampled_from(GAME.engines),
    pairs=st.integers(1, 12),
    seed=st.integers(0, 1000),
    change=st.sampled_from(["shorten", "lengthen", "swap", "replace", "drop a move", "double a move"]),
    data=st.data(),
)
def test_changed_evidence_is_rejected(engine: Engine, pairs: int, seed: int, change: str, data: st.DataObject) -> None:
    layout, value, evidence = solved(engine, pairs, seed)
    check(engine.name, layout, Verdict.SCORED, value, evidence)
    flips = evidence.split()
    changed = list(flips)
    i = data.draw(st.integers(0, len(flips) - 1))
    j = data.draw(st.integers(0, len(flips) - 1))
    match change:
        case "shorten":
            changed = flips[:i]
        case "lengthen":
            changed.insert(i, flips[j])
        case "swap":
            changed[i], changed[j] = flips[j], flips[i]
        case "replace":
            changed[i] = str(data.draw(st.integers(-1, 2 * pairs + 1)))
        case "drop a move":
            del changed[i : i + 2]
        case "double a move":
            changed[i:i] = flips[i : i + 2]
    if changed != flips:
        for claimed in (value, len(changed)):
            with pytest.raises(InvalidEvidence):
                check(engine.name, layout, Verdict.SCORED, claimed, " ".join(changed))


@given(st.sampled_from(ENGINE_NAMES), st.text(alphabet="0123456789 -AB", max_size=40))
def test_noise_is_rejected(engine: str, evidence: str) -> None:
    with pytest.raises(InvalidEvidence):
        check(engine, "ABCABC", Verdict.SCORED, 10, evidence)


def test_a_table_takes_pairs_away_and_turns_other_cards_down() -> None:
    table = Table("ABA")
    assert (table.flip(1), table.flip(2)) == ("A", "B")
    assert table.cards == {1: "A", 2: "B", 3: "A"}
    table.flip(3)
    table.flip(1)
    assert table.cards == {2: "B"}
    with pytest.raises(IllegalMove, match="step 5: card 3 is not on the table"):
        table.flip(3)


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ("", "pairs"),
        ("A", "pairs"),
        ("AAA", "pairs"),
        ("AAB", "pairs"),
        ("11", "letters"),
        ("ää", "letters"),
        ("A A ", "letters"),
    ],
)
def test_a_text_that_is_not_a_layout_is_refused(layout: str, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=f"does not consist of {reason}") as caught:
        check("two-pass", layout, Verdict.SCORED, 2, "1 2")
    assert caught.value.step == 0
