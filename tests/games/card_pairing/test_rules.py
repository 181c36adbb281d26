"""The referee of card pairing accepts proofs and refuses everything else, at the step that is wrong."""

from contextlib import suppress
from itertools import islice
from random import Random

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.card_pairing.rules import check, check_layout, play, start
from dealmill.pipeline.games.verdict import Verdict
from dealmill.testing.subject import altered_texts
from tests.doing import dealer
from tests.games.card_pairing.naive import is_win, some_win, uneven_decks
from tests.games.card_pairing.test_certificates import CERTIFICATE, LOST
from tests.games.card_pairing.test_figures import NEERC
from tests.games.card_pairing.test_random_play import ODDS, VALUE
from tests.games.referees import assert_accepts_exactly

WON = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"
TRACE = "25 46 06 26 36 34 24 14 28 35 78 07 01 03 18 15 57 78"
"""The play that the statement publishes."""


def test_the_play_of_the_statement_is_accepted() -> None:
    check("winnable", WON, Verdict.WINNABLE, None, TRACE)


def test_the_position_that_the_statement_shows_is_reached() -> None:
    stacks = start(WON)
    assert [play(stacks, move, step) for step, move in enumerate(TRACE.split(" ")[:3], start=1)] == ["A", "J", "K"]
    assert stacks == start("98A 7T8T Q6K 9J79 T67 67J 9K 86AQ 8TQQ")


@pytest.mark.parametrize(
    ("trace", "step", "reason"),
    [
        ("", 1, "'' does not name two stacks"),
        ("2", 1, "'2' does not name two stacks"),
        ("255", 1, "'255' does not name two stacks"),
        ("29", 1, "'29' does not name two stacks"),
        ("92", 1, "'92' does not name two stacks"),
        ("2A", 1, "'2A' does not name two stacks"),
        ("２5", 1, "does not name two stacks"),
        ("25  46", 2, "'' does not name two stacks"),
        ("25 46 ", 3, "'' does not name two stacks"),
        ("25,46", 1, "does not name two stacks"),
        ("25 66", 2, "'66' names one stack twice"),
        ("25 25", 2, "K and J are not of the same rank"),
        ("01", 1, "K and T are not of the same rank"),
        ("25 46 06 26 36 66", 6, "'66' names one stack twice"),
        ("25 46 06 26 36 16", 6, "stack 6 is empty"),
        (TRACE + " 78", 19, "stack 7 is empty"),
    ],
)
def test_a_move_that_cannot_be_made_is_refused_with_its_reason(trace: str, step: int, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason) as caught:
        check("winnable", WON, Verdict.WINNABLE, None, trace)
    assert caught.value.step == step


def test_a_play_that_stops_early_is_refused() -> None:
    with pytest.raises(InvalidEvidence, match="2 cards are left: not won") as caught:
        check("winnable", WON, Verdict.WINNABLE, None, TRACE[:-3])
    assert caught.value.step == 17


@pytest.mark.parametrize("verdict", Verdict)
def test_each_evidence_proves_one_verdict_only(verdict: Verdict) -> None:
    for engine, proved, layout, value, evidence in (
        ("winnable", Verdict.WINNABLE, WON, None, TRACE),
        ("winnable", Verdict.UNWINNABLE, LOST, None, CERTIFICATE),
        ("odds", Verdict.SCORED, NEERC, VALUE, ODDS),
    ):
        if verdict is not proved:
            with pytest.raises(InvalidEvidence):
                check(engine, layout, verdict, value, evidence)


@pytest.mark.parametrize(("engine", "value"), [("winnable", 0), ("winnable", 18), ("greedy", None), ("", None)])
def test_evidence_of_another_engine_or_with_a_value_is_refused(engine: str, value: int | None) -> None:
    with pytest.raises(InvalidEvidence):
        check(engine, WON, Verdict.WINNABLE, value, TRACE)


def test_exactly_the_plays_that_win_are_accepted() -> None:
    layouts = dealer("card-pairing")(9, 1, 60)
    assert_accepts_exactly(
        "card-pairing/winnable", layouts, lambda layout, _, trace: is_win(layout, trace), Verdict.WINNABLE
    )


MANY_STACKS = " ".join(["7,12", *["-"] * 35, "12", "7"])


def test_moves_between_more_than_36_stacks_are_numbers() -> None:
    check("winnable", MANY_STACKS, Verdict.WINNABLE, None, "0,36 37,0")


def test_moves_between_36_stacks_are_letters() -> None:
    layout = " ".join(["7,12", *["-"] * 33, "12", "7"])
    check("winnable", layout, Verdict.WINNABLE, None, "0y z0")
    with pytest.raises(IllegalMove, match="step 2: stack y is empty"):
        check("winnable", layout, Verdict.WINNABLE, None, "0y y0")


@pytest.mark.parametrize(
    ("trace", "step", "reason"),
    [
        ("", 1, "'' does not name two stacks"),
        ("0,36", 1, "2 cards are left: not won"),
        ("036", 1, "'036' does not name two stacks"),
        ("0,036", 1, "'0,036' does not name two stacks"),
        ("0,38", 1, "'0,38' does not name two stacks"),
        ("0,36,1", 1, "'0,36,1' does not name two stacks"),
        ("0,\u0663", 1, r"'0,\\u0663' does not name two stacks"),
        (f"0,{'9' * 10**6}", 1, "'0,999999999999999999' does not name two stacks"),
        ("36,36", 1, "'36,36' names one stack twice"),
        ("0,36 0,36", 2, "stack 36 is empty"),
        ("0,36 36,0", 2, "stack 36 is empty"),
        ("0,37", 1, "12 and 7 are not of the same rank"),
    ],
)
def test_a_move_by_numbers_that_cannot_be_made_is_refused(trace: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", MANY_STACKS, Verdict.WINNABLE, None, trace)
    assert caught.value.step == step


def accepts(layout: str, trace: str) -> bool:
    with suppress(InvalidEvidence):
        check("winnable", layout, Verdict.WINNABLE, None, trace)
        return True
    return False


def test_exactly_the_plays_that_win_uneven_decks_are_accepted() -> None:
    chance = Random(14)
    decks_won = [(deck, trace.encode()) for deck in uneven_decks(14, 200) if (trace := some_win(deck))]
    for deck, win in decks_won:
        for text in [win, *islice(altered_texts([win], chance), 20)]:
            trace = text.decode("utf-8", "replace")
            assert accepts(deck, trace) == is_win(deck, trace), (deck, trace)
    assert len(decks_won) > 20


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ("", "1 stacks, expected 2 to 1,024"),
        ("AAAA", "1 stacks, expected 2 to 1,024"),
        (" ".join(["AA"] * 1_025), "1025 stacks, expected 2 to 1,024"),
        (" ".join(["AA"] * 513), "1026 cards, expected 1 to 1,024"),
        ("- -", "0 cards, expected 1 to 1,024"),
        ("A -", "rank A occurs 1 times in the layout, expected an even number"),
        ("AA  AA", "a stack of the layout has no text, expected -"),
        ("AA AA ", "a stack of the layout has no text, expected -"),
        (" AA AA", "a stack of the layout has no text, expected -"),
        ("AAA AA", "rank A occurs 5 times in the layout, expected an even number"),
        ("AAK KKA AA", "rank A occurs 5 times in the layout, expected an even number"),
        ("10,A A,A 9", "rank 10 occurs 1 times in the layout, expected an even number"),
        ("EE EE", "'E' is not a rank"),
        ("aa aa", "'a' is not a rank"),
        ("A-A AA", "'-' is not a rank"),
        ("\xc4\xc4 \xc4\xc4", r"'\\xc4' is not a rank"),
        ("a,a a,a", "'a' is not a rank"),
        ("A,,A A,A", "'' is not a rank"),
        (", A,A", "'' is not a rank"),
        ("A,A,, A,A", "'' is not a rank"),
        ("A,- A,-", "'-' is not a rank"),
        ("A,A  A,A", "a stack of the layout has no text"),
        ("KING45678,KING45678 -", "'KING45678' is not a rank"),
        (f"{'9' * 10**6},A A", "'999999999' is not a rank"),
        ("AA\tAA", "1 stacks"),
        ("K,A A,K", "not in its canonical form"),
        (" ".join([",".join("A23456789TJQKBCD")] * 2), "not in its canonical form"),
        ("12,12, 12,12", "not in its canonical form"),
        ("12, 12,", "not in its canonical form"),
        ("12 12,", "not in its canonical form"),
        ("- 12,Q Q 12,", "not in its canonical form"),
    ],
)
@pytest.mark.parametrize("verdict", [Verdict.WINNABLE, Verdict.UNWINNABLE])
def test_a_text_that_is_not_a_layout_is_refused(layout: str, reason: str, verdict: Verdict) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", layout, verdict, None, "01 01")
    assert caught.value.step == 0


@pytest.mark.parametrize(("stacks", "ranks"), [(2, "A"), (36, "A23456789"), (16, "A23456789TJQKBCD")])
def test_the_smallest_and_the_largest_layouts_of_four_suits_are_accepted(stacks: int, ranks: str) -> None:
    cards = ranks * 4
    check_layout(" ".join(cards[i::stacks] for i in range(stacks)))


@pytest.mark.parametrize(
    "layout",
    [
        "A A",
        "AA -",
        "- A2 - 2A -",
        "12, 12",
        "- KING4567,A A KING4567",
        " ".join(["A"] * 1_024),
        f"{'A' * 1_022} A A",
        " ".join([",".join(map(str, range(512)))] * 2),
        " ".join(["AA", *["-"] * 1_023]),
    ],
)
def test_stacks_of_any_height_and_any_even_number_of_cards_of_a_rank_are_accepted(layout: str) -> None:
    check_layout(layout)
