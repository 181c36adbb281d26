"""The referee accepts proofs and refuses everything else, at the step that is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import IllegalMove, InvalidEvidence
from pipeline.games.card_pairing.deal import deal
from pipeline.games.card_pairing.engine import winnable
from pipeline.games.card_pairing.rules import check
from pipeline.games.contract import Verdict
from tests.games.card_pairing.naive import is_refuted, is_win

WON = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"
PLAY = "25 46 06 26 36 34 24 14 28 35 78 07 01 03 18 15 57 78"
"""The statement's own."""
LOST = "KK6A QKT8 9TA9 A7QT QJ7Q 6J66 78JJ T8K9 879A"


def refused(layout: str, verdict: Verdict, evidence: str, value: int | None = None) -> bool:
    try:
        check("winnable", layout, verdict, value, evidence)
    except InvalidEvidence:
        return True
    return False


def test_the_statement_s_play_and_certificate_are_accepted() -> None:
    check("winnable", WON, Verdict.WINNABLE, None, PLAY)
    check("winnable", LOST, Verdict.UNWINNABLE, None, "6")


@pytest.mark.parametrize(
    ("trace", "step", "reason"),
    [
        ("", 1, "'' does not name two stacks"),
        ("2", 1, "'2' does not name two stacks"),
        ("257", 1, "'257' does not name two stacks"),
        ("2 5", 1, "'2' does not name two stacks"),
        ("29", 1, "'29' does not name two stacks"),
        ("2\u0665", 1, "does not name two stacks"),
        ("22", 1, "'22' names one stack twice"),
        ("25 25", 2, "K and J are not of the same rank"),
        ("25  46", 2, "'' does not name two stacks"),
        (PLAY[:-3], 17, "2 cards are left"),
        (PLAY + " 78", 19, "stack 7 is empty"),
        (PLAY + " ", 19, "'' does not name two stacks"),
    ],
)
def test_a_wrong_play_is_refused_at_its_step(trace: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", WON, Verdict.WINNABLE, None, trace)
    assert caught.value.step == step
    assert isinstance(caught.value, IllegalMove) == ("cards are left" not in reason)


@pytest.mark.parametrize(
    ("certificate", "step", "reason"),
    [
        ("", 1, "ends before every way is jammed"),
        ("66", 2, "goes on after 1 entries that are enough"),
        ("6K", 2, "goes on after 1 entries that are enough"),
        ("K", 2, "ends before every way is jammed"),
        ("KK", 2, "'K' is no rank that is still to be paired off"),
        ("2", 1, "'2' is no rank"),
        ("k", 1, "'k' is no rank"),
        (" ", 1, "' ' is no rank"),
    ],
)
def test_a_wrong_certificate_is_refused_at_its_entry(certificate: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", LOST, Verdict.UNWINNABLE, None, certificate)
    assert caught.value.step == step


@pytest.mark.parametrize("verdict", list(Verdict))
def test_evidence_proves_only_the_verdict_it_was_made_for(verdict: Verdict) -> None:
    assert refused(WON, verdict, PLAY) == (verdict is not Verdict.WINNABLE)
    assert refused(LOST, verdict, "6") == (verdict is not Verdict.UNWINNABLE)


def test_a_value_and_an_unknown_engine_are_refused() -> None:
    assert refused(WON, Verdict.WINNABLE, PLAY, value=18)
    with pytest.raises(InvalidEvidence, match="quick"):
        check("quick", WON, Verdict.WINNABLE, None, PLAY)


@given(st.text("6789TJQKA", max_size=40))
def test_a_winnable_layout_has_no_certificate(certificate: str) -> None:
    assert refused(WON, Verdict.UNWINNABLE, certificate)


@given(st.integers(1, 10_000), st.data())
def test_a_changed_play_is_refused_or_is_another_win(number: int, data: st.DataObject) -> None:
    [layout] = deal(41, number, 1, ranks=4, stacks=8)
    [evidence] = winnable([layout]).evidence
    assert evidence is not None
    changed = mutated(evidence.split(" "), data, "01234567")
    assert refused(layout, Verdict.WINNABLE, " ".join(changed)) != is_win(layout, " ".join(changed))
    assert len(changed) == 8 or refused(layout, Verdict.WINNABLE, " ".join(changed))


@given(st.integers(1, 10_000), st.data())
def test_a_changed_certificate_is_refused_or_is_another_one(number: int, data: st.DataObject) -> None:
    [layout] = deal(42, number, 1, ranks=5, stacks=5)
    [evidence] = winnable([layout]).evidence
    assert evidence is not None
    changed = "".join(mutated(list(evidence), data, "TJQKA"))
    assert refused(layout, Verdict.UNWINNABLE, changed) != is_refuted(layout, changed)


@given(st.integers(1, 10_000), st.data())
def test_a_certificate_of_another_length_is_refused(number: int, data: st.DataObject) -> None:
    [layout] = deal(43, number, 1, ranks=5, stacks=5)
    [evidence] = winnable([layout]).evidence
    assert evidence is not None
    assert refused(layout, Verdict.UNWINNABLE, evidence[:-1])
    assert refused(layout, Verdict.UNWINNABLE, evidence + data.draw(st.sampled_from("TJQKA")))


def mutated(words: list[str], data: st.DataObject, signs: str) -> list[str]:
    """Words with one left out, doubled, exchanged with another, or with a sign changed."""
    place, other = (data.draw(st.integers(0, len(words) - 1)) for _ in range(2))
    match data.draw(st.sampled_from(["left out", "doubled", "exchanged", "changed"])):
        case "left out":
            del words[place]
        case "doubled":
            words.insert(place, words[place])
        case "exchanged":
            words[place], words[other] = words[other], words[place]
        case "changed":
            words[place] = data.draw(st.sampled_from(signs)) + words[place][1:]
    return words
