"""The referee of Camelot accepts proofs and refuses everything else, at the step that is wrong."""

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.camelot.rules import Table, check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.camelot.naive import full_prefix, replay_wins
from tests.games.referees import assert_accepts_exactly

winnable = solver("camelot/winnable")

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
        ("eihlbcnoadmpfgjkf", 1, "after the removal phase has begun"),
        ("eihlbcnoadmpfgjk", 2, "nothing is removed in this removal phase"),
        ("eihlbcnoadmpfgjk -e", 2, "J cannot be removed"),
        ("eihlbcnoadmpfgjk -f", 2, "A do not add up to 10"),
        ("eihlbcnoadmpfgjk -fj", 2, "A and A do not add up to 10"),
        ("eihlbcnoadmpfgjk -ff", 2, "does not name one or two slots"),
        ("eihlbcnoadmpfgjk -fgj", 2, "does not name one or two slots"),
        ("eihlbcnoadmpfgjk -fg -fg", 3, "slot f is empty"),
        ("eihlbcnoadmpfgjk -fg f", 5, "the dealing phase is not over"),
        ("eihlbcnoadmpfgjk -fg", 2, "not won"),
        ("eihlbcnoadmpfgjk -fg -jk", 3, "36 cards are in the deck and 12 on the board: not won"),
        ("eihlbcnoadmpfgjk" + 9 * " -fg -jk fgjk" + " -f", 29, "0 cards are in the deck and 15 on the board: not won"),
        ("-fg", 1, "before any card is dealt"),
        ("eihl x", 2, "does not name slots"),
        ("", 1, "does not name slots"),
    ],
)
def test_a_wrong_play_is_refused_with_its_reason(trace: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", WON, Verdict.WINNABLE, None, trace)
    assert abs(caught.value.step - step) <= 1


def test_no_card_is_dealt_from_an_empty_deck() -> None:
    with pytest.raises(IllegalMove, match="step 3: the deck is empty"):
        Table([]).deal("a", 3)


def test_the_last_removal_phase_begins_when_the_deck_is_empty_though_there_are_empty_slots() -> None:
    deck = "JJJJQQQQKKKK0A9A9A9A92828282837373737464646465555000"
    trace = "eihlbcnoadmpfgjk -f f" + 8 * " -fg -jk fgjk" + " -fg -jk fgj -f -g -j"
    check("winnable", deck, Verdict.WINNABLE, None, trace)


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        *((text, "is not a number of cards") for text in ("", "0", "016", "16 ", "x", "16.0", "-16", "１６")),
        *((text, f"the number of cards is {text}, expected 16 to 51") for text in ("10", "15", "52", "99")),
        ("17", "17 is not the least number: the first 16 cards leave"),
    ],
)
def test_a_wrong_certificate_is_refused_with_its_reason(certificate: str, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason):
        check("winnable", LOST, Verdict.UNWINNABLE, None, certificate)


@pytest.mark.parametrize("verdict", [Verdict.SCORED, Verdict.UNDECIDED, Verdict.FAILED, Verdict.UNWINNABLE])
def test_a_trace_proves_nothing_but_a_win(verdict: Verdict) -> None:
    with pytest.raises(InvalidEvidence):
        check("winnable", WON, verdict, None, proof(WON))


@pytest.mark.parametrize(("engine", "value"), [("winnable", 0), ("winnable", 52), ("greedy", None), ("", None)])
def test_evidence_of_another_engine_or_with_a_value_is_refused(engine: str, value: int | None) -> None:
    for deck, verdict, evidence in ((WON, Verdict.WINNABLE, proof(WON)), (LOST, Verdict.UNWINNABLE, "16")):
        with pytest.raises(InvalidEvidence, match=f"{engine} does not give value {value}"):
            check(engine, deck, verdict, value, evidence)


def test_exactly_the_plays_that_win_and_the_least_full_prefixes_are_accepted() -> None:
    def is_proof(deck: str, verdict: Verdict, evidence: str) -> bool:
        return replay_wins(deck, evidence) if verdict is Verdict.WINNABLE else evidence == str(full_prefix(deck))

    assert_accepts_exactly("camelot/winnable", dealer("camelot")(31, 1, 60), is_proof)


@pytest.mark.parametrize("deck", ["", "55", LOST[1:], LOST + "A", LOST.replace("2", "A"), LOST.lower(), LOST + " "])
@pytest.mark.parametrize("verdict", [Verdict.WINNABLE, Verdict.UNWINNABLE])
def test_a_text_that_is_not_a_deck_is_refused(deck: str, verdict: Verdict) -> None:
    with pytest.raises(InvalidEvidence, match="not a deck of 52 cards") as caught:
        check("winnable", deck, verdict, None, "ab -ab")
    assert caught.value.step == 0
