"""The referee of Camelot accepts proofs and refuses everything else, at the step that is wrong."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.errors import InvalidEvidence
from pipeline.games.camelot.deal import deal
from pipeline.games.camelot.engine import winnable
from pipeline.games.camelot.rules import check
from pipeline.games.contract import Verdict

LOST = "AAAA222233334444555566667777888899990000JJJJQQQQKKKK"
WON = "JJJJQQQQKKKKA9A9A9A928282828373737374646464655550000"


def proof(deck: str) -> str:
    [evidence] = winnable([deck]).evidence
    assert evidence is not None
    return evidence


@pytest.mark.parametrize(
    ("trace", "step", "reason"),
    [
        ("abcdefghijklmnop", 1, "J cannot lie in slot a"),
        ("ee", 1, "slot e is occupied"),
        ("eihlbcnoadmp", 2, "the dealing phase is not over"),
        ("eihlbcnoadmpfgjkf", 1, "the removal phase has begun"),
        ("eihlbcnoadmpfgjk", 2, "a removal phase in which nothing is removed"),
        ("eihlbcnoadmpfgjk -e", 2, "J cannot be removed"),
        ("eihlbcnoadmpfgjk -f", 2, "A do not add up to 10"),
        ("eihlbcnoadmpfgjk -fj", 2, "A and A do not add up to 10"),
        ("eihlbcnoadmpfgjk -ff", 2, "neither one slot nor two"),
        ("eihlbcnoadmpfgjk -fgj", 2, "neither one slot nor two"),
        ("eihlbcnoadmpfgjk -fg -fg", 3, "slot f is empty"),
        ("eihlbcnoadmpfgjk -fg f", 5, "the dealing phase is not over"),
        ("eihlbcnoadmpfgjk -fg", 2, "not won"),
        ("-fg", 1, "before anything is dealt"),
        ("eihl x", 2, "names no slots"),
        ("", 1, "names no slots"),
    ],
)
def test_a_wrong_play_is_refused_with_its_reason(trace: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", WON, Verdict.WINNABLE, None, trace)
    assert abs(caught.value.step - step) <= 1


@pytest.mark.parametrize("certificate", ["", "0", "15", "17", "52", "016", "16 ", "x", "16.0", "-16", "１６"])
def test_a_wrong_certificate_is_refused(certificate: str) -> None:
    with pytest.raises(InvalidEvidence):
        check("winnable", LOST, Verdict.UNWINNABLE, None, certificate)


def test_right_proofs_are_accepted() -> None:
    check("winnable", LOST, Verdict.UNWINNABLE, None, "16")
    check("winnable", WON, Verdict.WINNABLE, None, proof(WON))


def test_a_winnable_deck_has_no_certificate() -> None:
    for cards in range(100):
        with pytest.raises(InvalidEvidence):
            check("winnable", WON, Verdict.UNWINNABLE, None, str(cards))


@pytest.mark.parametrize("verdict", [Verdict.SCORED, Verdict.UNDECIDED, Verdict.FAILED, Verdict.UNWINNABLE])
def test_a_trace_proves_nothing_but_a_win(verdict: Verdict) -> None:
    with pytest.raises(InvalidEvidence):
        check("winnable", WON, verdict, None, proof(WON))


@given(st.integers(1, 10_000), st.data())
def test_a_changed_trace_is_refused_or_is_another_win(number: int, data: st.DataObject) -> None:
    [deck] = deal(31, number, 1)
    assume(winnable([deck]).verdicts == [Verdict.WINNABLE])
    trace = proof(deck)
    words = trace.split(" ")
    place = data.draw(st.integers(0, len(words) - 1))
    shortened = words[:place] + words[place + 1 :]
    doubled = words[: place + 1] + words[place:]
    for changed in (shortened, doubled, words[:-1]):
        with pytest.raises(InvalidEvidence):
            check("winnable", deck, Verdict.WINNABLE, None, " ".join(changed))
