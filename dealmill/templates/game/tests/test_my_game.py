"""The game meets the checks of Dealmill, and its referee knows the rules."""

import dealmill
import pytest
from dealmill.testing import Check, checks_of
from dealmill.verdicts import InvalidEvidence, Verdict

from dealmill_my_game.rules import check


@pytest.mark.parametrize("check", checks_of("my-game"), ids=str)
def test_my_game(check: Check) -> None:
    check()


def test_layouts_solved_by_hand() -> None:
    results = dealmill.solve("my-game", ["1111", "2121", "13119"])
    assert [(result.verdict.word, result.evidence) for result in results] == [
        ("winnable", "1 2 3 4"),
        ("unwinnable", "1 3"),
        ("winnable", "1 2 5"),
    ]


@pytest.mark.parametrize(
    ("verdict", "evidence", "step"),
    [
        (Verdict.WINNABLE, "1 3 4", 2),
        (Verdict.WINNABLE, "1 2 3", 3),
        (Verdict.UNWINNABLE, "1 2", 2),
    ],
)
def test_wrong_evidence_is_refused(verdict: Verdict, evidence: str, step: int) -> None:
    with pytest.raises(InvalidEvidence) as refusal:
        check("winnable", "1111", verdict, None, evidence)
    assert refusal.value.step == step
