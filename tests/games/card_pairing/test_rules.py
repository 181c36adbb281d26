"""The referee of card pairing accepts proofs and refuses everything else, at the step that is wrong."""

import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.card_pairing.rules import check, check_layout, play, start
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.card_pairing.naive import decks, is_refutation, is_win, winnable_by_play

deal = dealer("card-pairing")
winnable = solver("card-pairing/winnable")

WON = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"
TRACE = "25 46 06 26 36 34 24 14 28 35 78 07 01 03 18 15 57 78"
"""The play that the statement publishes."""


def is_accepted(layout: str, verdict: Verdict, evidence: str) -> bool:
    try:
        check("winnable", layout, verdict, None, evidence)
    except InvalidEvidence:
        return False
    return True


def proofs(layouts: list[str], verdict: Verdict) -> list[tuple[str, str]]:
    """The layouts of that verdict, each with its evidence."""
    solved = winnable(layouts)
    return [
        (layout, evidence)
        for layout, found, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True)
        if found is verdict and evidence is not None
    ]


@cache
def wins() -> list[tuple[str, str]]:
    return proofs(deal(9, 1, 100), Verdict.WINNABLE)


@cache
def losses() -> list[tuple[str, str]]:
    return proofs(deal(9, 1, 100), Verdict.UNWINNABLE)


@cache
def small_losses() -> list[tuple[str, str]]:
    return proofs(decks(4, 4, 300), Verdict.UNWINNABLE)


def one_of(found: Callable[[], list[tuple[str, str]]]) -> st.SearchStrategy[tuple[str, str]]:
    """One of the proofs, which are not searched for before a test runs."""
    return st.deferred(lambda: st.sampled_from(found()))


def with_two_swapped(steps: Sequence[str], data: st.DataObject) -> list[str]:
    swapped = list(steps)
    one, other = (data.draw(st.integers(0, len(steps) - 1)) for _ in range(2))
    swapped[one], swapped[other] = swapped[other], swapped[one]
    return swapped


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


@pytest.mark.parametrize("verdict", set(Verdict) - {Verdict.WINNABLE})
def test_a_play_proves_nothing_but_a_win(verdict: Verdict) -> None:
    assert not is_accepted(WON, verdict, TRACE)


@pytest.mark.parametrize("verdict", set(Verdict) - {Verdict.UNWINNABLE})
def test_a_certificate_proves_nothing_but_a_loss(verdict: Verdict) -> None:
    for layout, certificate in losses():
        assert not is_accepted(layout, verdict, certificate)


@pytest.mark.parametrize(("engine", "value"), [("winnable", 0), ("winnable", 18), ("greedy", None), ("", None)])
def test_evidence_of_another_engine_or_with_a_value_is_refused(engine: str, value: int | None) -> None:
    with pytest.raises(InvalidEvidence):
        check(engine, WON, Verdict.WINNABLE, value, TRACE)


@given(one_of(wins), st.data())
def test_a_changed_play_is_accepted_only_if_it_wins(win: tuple[str, str], data: st.DataObject) -> None:
    layout, trace = win
    moves = trace.split(" ")
    swapped = with_two_swapped(moves, data)
    step = data.draw(st.integers(0, len(moves) - 1))
    place = data.draw(st.integers(0, len(trace) - 1))
    sign = data.draw(st.sampled_from("0123456789a x"))
    for changed in (" ".join(swapped), trace[:place] + sign + trace[place + 1 :]):
        assert is_accepted(layout, Verdict.WINNABLE, changed) == is_win(layout, changed)
    for kept in (moves[:step] + moves[step + 1 :], moves[: step + 1] + moves[step:], moves[:step], moves[step + 1 :]):
        assert not is_accepted(layout, Verdict.WINNABLE, " ".join(kept))


def test_a_play_of_another_deal_is_refused() -> None:
    for (layout, _), (_, trace) in pairwise(wins()):
        assert not is_accepted(layout, Verdict.WINNABLE, trace)


@given(one_of(losses), st.data())
def test_a_shorter_or_longer_certificate_is_refused(loss: tuple[str, str], data: st.DataObject) -> None:
    layout, certificate = loss
    shorter = certificate[: data.draw(st.integers(0, len(certificate) - 1))]
    longer = certificate + data.draw(st.text(alphabet="6789TJQKA x", min_size=1))
    for changed in (shorter, longer):
        assert not is_accepted(layout, Verdict.UNWINNABLE, changed)


@given(one_of(small_losses), st.data())
def test_a_changed_certificate_is_accepted_only_if_it_holds(loss: tuple[str, str], data: st.DataObject) -> None:
    layout, certificate = loss
    swapped = with_two_swapped(certificate, data)
    place = data.draw(st.integers(0, len(certificate)))
    sign = data.draw(st.sampled_from("A234 5x"))
    _, elsewhere = data.draw(one_of(small_losses))
    for changed in (
        "".join(swapped),
        certificate[:place] + sign + certificate[place:],
        certificate[:place] + sign + certificate[place + 1 :],
        certificate[place:],
        elsewhere,
    ):
        assert is_accepted(layout, Verdict.UNWINNABLE, changed) == is_refutation(layout, changed)


def test_a_certificate_says_where_it_is_wrong() -> None:
    layout, certificate = next((layout, text) for layout, text in losses() if len(text) > 3)
    for changed, step, reason in (
        ("", 1, "ends before every way jams"),
        (certificate[:-1], len(certificate), "ends before every way jams"),
        (certificate + "A", len(certificate) + 1, "continues after"),
        ("2" + certificate, 1, "'2' is not a rank"),
        (certificate[0] * 2, 2, "is not a rank that is still to be paired off"),
        (" " + certificate, 1, "' ' is not a rank"),
    ):
        with pytest.raises(InvalidEvidence, match=reason) as caught:
            check("winnable", layout, Verdict.UNWINNABLE, None, changed)
        assert caught.value.step == step


def test_a_winnable_deal_has_no_certificate() -> None:
    chance = random.Random(11)
    for layout, _ in wins():
        for _ in range(20):
            ranks = "".join(chance.choices("6789TJQKA", k=chance.randint(0, 30)))
            assert not is_accepted(layout, Verdict.UNWINNABLE, ranks)


def test_lists_of_ranks_refute_only_what_no_play_wins() -> None:
    chance = random.Random(12)
    accepted = 0
    for layout in decks(4, 4, 300):
        winnable_at_all = winnable_by_play(layout)
        for _ in range(20):
            ranks = "".join(chance.choices("A234", k=chance.randint(1, 4)))
            holds = is_accepted(layout, Verdict.UNWINNABLE, ranks)
            assert not (holds and winnable_at_all), (layout, ranks)
            accepted += holds
    assert accepted > 100


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ("", "1 stacks, expected 2 to 36"),
        ("AAAA", "1 stacks, expected 2 to 36"),
        (" ".join(["AAAA"] * 37), "37 stacks, expected 2 to 36"),
        ("AAA A", "not of equal height"),
        ("AA AA ", "not of equal height"),
        ("A A", "not consist of four cards of each rank"),
        ("AAA AAA", "not consist of four cards of each rank"),
        ("AAAK KKKA AAAA", "not consist of four cards of each rank"),
        ("EE EE", "not consist of four cards of each rank"),
        ("aa aa", "not consist of four cards of each rank"),
        ("AA\tAA", "1 stacks"),
    ],
)
@pytest.mark.parametrize("verdict", [Verdict.WINNABLE, Verdict.UNWINNABLE])
def test_a_text_that_is_not_a_layout_is_refused(layout: str, reason: str, verdict: Verdict) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", layout, verdict, None, "01 01")
    assert caught.value.step == 0


@pytest.mark.parametrize(("stacks", "ranks"), [(2, "A"), (36, "A23456789"), (16, "A23456789TJQKBCD")])
def test_the_smallest_and_the_largest_layouts_are_accepted(stacks: int, ranks: str) -> None:
    cards = ranks * 4
    check_layout(" ".join(cards[i::stacks] for i in range(stacks)))
