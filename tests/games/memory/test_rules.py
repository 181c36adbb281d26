"""The referee of Memory: what it rejects, and why."""

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.memory.rules import Table, check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer
from tests.games.memory.naive import STRATEGIES
from tests.games.referees import assert_accepts_exactly


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


@pytest.mark.parametrize("engine", STRATEGIES)
def test_exactly_the_flips_of_the_strategy_are_accepted(engine: str) -> None:
    layouts = [layout for pairs in range(1, 13) for layout in dealer("memory")(1, 1, 5, pairs=pairs)]
    assert_accepts_exactly(
        f"memory/{engine}",
        layouts,
        lambda layout, _, evidence: evidence == " ".join(map(str, STRATEGIES[engine](layout))),
    )


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
