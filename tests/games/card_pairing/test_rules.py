"""The referee of card pairing accepts proofs and refuses everything else, at the step that is wrong."""

import re
import sys
from collections import Counter
from contextlib import suppress
from functools import cache
from itertools import islice, product
from math import comb
from random import Random

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.card_pairing.rules import (
    LemmaChecker,
    Option,
    Plays,
    check,
    check_layout,
    deal_of,
    odds_of,
    play,
    start,
)
from dealmill.pipeline.games.verdict import Verdict
from dealmill.testing.subject import altered_texts
from tests.doing import dealer
from tests.games.card_pairing.naive import (
    decks,
    is_proof_by_lemmas,
    is_refutation,
    is_win,
    places_of,
    some_win,
    stated_odds,
    uneven_decks,
    winnable_by_play,
    winning_options,
)
from tests.games.card_pairing.proving import Prover, Winnable, certificate_of
from tests.games.card_pairing.test_figures import NEERC
from tests.games.referees import assert_accepts_exactly

WON = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"
TRACE = "25 46 06 26 36 34 24 14 28 35 78 07 01 03 18 15 57 78"
"""The play that the statement publishes."""
LOST, CERTIFICATE = "K7QA Q9T6 TK9K 8978 KJJ8 J8TT AA66 A79J Q6Q7", "KTJJTJJ"


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
def test_a_play_proves_a_win_only_and_a_certificate_a_loss_only(verdict: Verdict) -> None:
    for proved, layout, evidence in ((Verdict.WINNABLE, WON, TRACE), (Verdict.UNWINNABLE, LOST, CERTIFICATE)):
        if verdict is not proved:
            with pytest.raises(InvalidEvidence):
                check("winnable", layout, verdict, None, evidence)


@pytest.mark.parametrize(("engine", "value"), [("winnable", 0), ("winnable", 18), ("greedy", None), ("", None)])
def test_evidence_of_another_engine_or_with_a_value_is_refused(engine: str, value: int | None) -> None:
    with pytest.raises(InvalidEvidence):
        check(engine, WON, Verdict.WINNABLE, value, TRACE)


def test_exactly_the_plays_that_win_and_the_certificates_that_hold_are_accepted() -> None:
    def is_proof(layout: str, verdict: Verdict, evidence: str) -> bool:
        return is_win(layout, evidence) if verdict is Verdict.WINNABLE else is_refutation(layout, evidence)

    assert_accepts_exactly("card-pairing/winnable", dealer("card-pairing")(9, 1, 60), is_proof, Verdict.WINNABLE)
    assert_accepts_exactly("card-pairing/winnable", decks(4, 4, 30), is_proof)


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


def test_exactly_the_plays_that_win_uneven_decks_are_accepted() -> None:
    chance = Random(14)
    decks_won = [(deck, trace.encode()) for deck in uneven_decks(14, 200) if (trace := some_win(deck))]
    for deck, win in decks_won:
        for text in [win, *islice(altered_texts([win], chance), 20)]:
            trace = text.decode("utf-8", "replace")
            assert accepts(deck, Verdict.WINNABLE, trace) == is_win(deck, trace), (deck, trace)
    assert len(decks_won) > 20


def accepts(layout: str, verdict: Verdict, evidence: str) -> bool:
    with suppress(InvalidEvidence):
        check("winnable", layout, verdict, None, evidence)
        return True
    return False


def test_lists_of_ranks_refute_only_what_no_play_wins() -> None:
    chance = Random(12)
    accepted = 0
    for layout in decks(4, 4, 300):
        for _ in range(20):
            with suppress(InvalidEvidence):
                check("winnable", layout, Verdict.UNWINNABLE, None, "".join(chance.choices("A234", k=4)))
                assert not winnable_by_play(layout), layout
                accepted += 1
    assert accepted > 30


def test_a_certificate_says_where_it_is_wrong() -> None:
    for changed, step, reason in (
        ("", 1, "ends before every way jams"),
        (CERTIFICATE[:-1], len(CERTIFICATE), "ends before every way jams"),
        (CERTIFICATE + "A", len(CERTIFICATE) + 1, "continues after"),
        ("2" + CERTIFICATE, 1, "'2' is not a rank"),
        (CERTIFICATE[0] * 2, 2, "is not a rank that is still to be paired off"),
        (" " + CERTIFICATE, 1, "' ' is not a rank"),
    ):
        with pytest.raises(InvalidEvidence, match=reason) as caught:
            check("winnable", LOST, Verdict.UNWINNABLE, None, changed)
        assert caught.value.step == step


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


UNEVEN = "10,A,2 K,K 2,A - 10 2,2,K,10,A,A K,10"
LEMMAS = "-8-3:g1 +6+1+1:g2 -11:l2l1^ -5:l1g3g2 l2 g3 l1 g1 v"


@pytest.mark.parametrize(
    ("certificate", "step", "reason"),
    [
        ("", 1, "'' is not a hint"),
        (LEMMAS[:-2], 8, "^the certificate ends without a contradiction"),
        (f"{LEMMAS} ", 9, "^this is a contradiction, but the certificate continues"),
        (f"{LEMMAS} v", 9, "^this is a contradiction, but the certificate continues"),
        (LEMMAS.replace(" ", "  ", 1), 2, "^'' is not a hint"),
        ("V", 1, "'V' is not a hint"),
        ("vv", 1, "'vv' is not a hint"),
        ("K", 1, "'K' is not a hint"),
        ("g01", 1, "'g01' is not a hint"),
        ("g", 1, "'g' is not a hint"),
        ("g\u0663", 1, r"'g\\u0663' is not a hint"),
        (f"g{'9' * 10**6}", 1, "'g9999999999999999999' is not a hint"),
        ("g4", 1, "there is no group 4; the last one is 3"),
        ("g1", 1, "group 1 has 2 open options"),
        ("v", 1, "there is no jam downwards: all cards leave"),
        ("^", 1, "there is no jam upwards: all cards leave"),
        ("l0", 1, "there is no lemma 0 places before"),
        ("l1", 1, "there is no lemma 1 places before"),
        ("-8-3:g1 l0", 2, "there is no lemma 0 places before"),
        ("-8-3:g1 l2", 2, "there is no lemma 2 places before"),
        ("-8-3:g1 l1", 2, r"^2 literals of lemma 1 \(l1\) can be true"),
        ("-8-3:g1 -8:l1 -8:l1v v", 2, "lemma 2: the hints lead to no contradiction"),
        ("-8-3", 1, "lemma 1: there is no colon after the literals"),
        (":g1", 1, "':g1' is not a hint"),
        ("++1:", 1, r"lemma 1: '\+' is not a literal"),
        ("+:g1", 1, r"lemma 1: '\+' is not a literal"),
        ("+1x:", 1, "lemma 1: 'x' is not a literal"),
        ("-01:", 1, "lemma 1: '1' is not a literal"),
        ("+12:", 1, "lemma 1: there is no option 12; the last one is 11"),
        ("-8-4:", 1, "lemma 1: there is no option 12; the last one is 11"),
        ("-8-0:g1", 1, "lemma 1: there are two literals of option 8"),
        (f"+{'9' * 10**6}:", 1, "lemma 1: there is no option 9999999; the last one is 11"),
        ("+1:", 1, "lemma 1: the hints lead to no contradiction"),
        ("-8-3:", 1, "lemma 1: the hints lead to no contradiction"),
        ("-8-3:x", 1, "lemma 1: 'x' is not a hint"),
        ("-8-3: g1", 1, "lemma 1: the hints lead to no contradiction"),
        ("-8-3:g1\n", 1, "lemma 1: the last 1 of its literals and hints come after a contradiction"),
        ("-8-3:g1g1", 1, "lemma 1: the last 1 of its literals and hints come after a contradiction"),
        ("-8-3:^v", 1, "lemma 1: the last 1 of its literals and hints come after a contradiction"),
        ("-6-1:v", 1, "lemma 1: the last 2 of its literals and hints come after a contradiction"),
        ("-6-1-1:", 1, "lemma 1: the last 2 of its literals and hints come after a contradiction"),
    ],
)
def test_lemmas_say_where_they_are_wrong(certificate: str, step: int, reason: str) -> None:
    check("winnable", UNEVEN, Verdict.UNWINNABLE, None, LEMMAS)
    with pytest.raises(InvalidEvidence) as caught:
        check("winnable", UNEVEN, Verdict.UNWINNABLE, None, certificate)
    assert caught.value.step == step
    assert re.search(reason, caught.value.reason), caught.value.reason
    assert caught.value.reason.isascii()


@cache
def proofs() -> list[tuple[str, str]]:
    """Lost decks with their certificates."""
    chance = Random(15)
    decks = uneven_decks(15, 300, (2, 4, 4, 6))
    return [(deck, proof) for deck in decks if (proof := certificate_of(deck, chance))]


def is_proof(deck: str, certificate: str) -> bool:
    """Whether plain code finds that lemmas prove a loss; or a list of ranks, where these are allowed."""
    if any(len(rank) > 1 or len(cards) != 4 for rank, cards in places_of(deck).items()):
        return is_proof_by_lemmas(deck, certificate)
    return is_proof_by_lemmas(deck, certificate) or is_refutation(deck, certificate)


def test_every_loss_has_lemmas_that_are_accepted() -> None:
    kinds = Counter[str]()
    for deck, certificate in proofs():
        assert accepts(deck, Verdict.UNWINNABLE, certificate), (deck, certificate)
        kinds.update(set(certificate) - set("0123456789"))
    assert min(kinds[kind] for kind in "+-: glv^") > 20, kinds


def test_exactly_the_certificates_are_accepted_that_follow_the_definition() -> None:
    chance = Random(16)
    proved = proofs()
    outcomes = Counter[bool]()
    for deck, certificate in proved:
        texts = [certificate.encode(), certificate.encode(), chance.choice(proved)[1].encode()]
        for text in islice(altered_texts(texts, chance), 30):
            altered = text.decode("utf-8", "replace")
            accepted = accepts(deck, Verdict.UNWINNABLE, altered)
            assert accepted == is_proof(deck, altered), (deck, altered)
            outcomes[accepted] += 1
    assert min(outcomes[True], outcomes[False]) > 500


def test_every_change_of_one_character_is_judged_by_the_definition() -> None:
    long_enough = [(deck, certificate) for deck, certificate in proofs() if 15 < len(certificate) < 60]
    for deck, certificate in [(UNEVEN, LEMMAS), *long_enough[:4]]:
        for index, character in product(range(len(certificate)), "01234789+-:glv^ "):
            altered = f"{certificate[:index]}{character}{certificate[index + 1 :]}"
            assert accepts(deck, Verdict.UNWINNABLE, altered) == is_proof(deck, altered), (deck, altered)


def test_no_certificate_of_another_deck_is_accepted_for_one_that_some_play_wins() -> None:
    certificates = [certificate for _, certificate in proofs()]
    won = [deck for deck in uneven_decks(18, 400) if winnable_by_play(deck)]
    for deck in won:
        for certificate in certificates:
            assert not accepts(deck, Verdict.UNWINNABLE, certificate), (deck, certificate)
    assert len(won) > 30


def test_lemmas_that_are_accepted_are_true_of_every_play_that_wins() -> None:
    """Also those of decks that some play wins, of which no certificate can have an end."""
    chance = Random(19)
    counts = Counter[bool]()
    for deck in uneven_decks(19, 300, (4, 4, 6)):
        plays = winning_options(deck)
        if not plays:
            continue
        prover = Prover(deck, chance)
        with suppress(Winnable):
            prover.proof([], [])
        for text in islice(altered_texts([" ".join(prover.steps).encode()], chance), 60) if prover.steps else ():
            checker = LemmaChecker(deal_of(deck))
            with suppress(InvalidEvidence):
                checker.check(text.decode("utf-8", "replace"))
            for lemma in checker.lemmas:
                literals = [(taken, number_of(checker, option)) for taken, option in lemma]
                assert all(any((number in play) == taken for taken, number in literals) for play in plays), (deck, text)
                counts["+" in text.decode("utf-8", "replace")] += 1
    assert min(counts.values()) > 50


def number_of(checker: LemmaChecker, option: Option) -> int:
    numbers = range(checker.numbering.options)
    return next(number for number in numbers if checker.numbering.option(number) == option)


def test_lemmas_prove_losses_of_four_suits_too() -> None:
    chance = Random(20)
    count = 0
    for deck in decks(4, 4, 60):
        certificate = certificate_of(deck, chance)
        assert (certificate is None) == winnable_by_play(deck)
        if certificate:
            check("winnable", deck, Verdict.UNWINNABLE, None, certificate)
            count += 1
    assert count > 10


@pytest.mark.parametrize("layout", ["AAAA 22", "AAAA 2222 222222", "A,A,A,A 10,10,10,10"])
def test_a_list_of_ranks_is_allowed_only_if_each_is_one_character_and_has_four_cards(layout: str) -> None:
    check("winnable", layout, Verdict.UNWINNABLE, None, "g0")
    with pytest.raises(InvalidEvidence, match="step 1: 'A' is not a hint"):
        check("winnable", layout, Verdict.UNWINNABLE, None, "A")


def test_the_work_may_be_as_much_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    checker = LemmaChecker(deal_of(UNEVEN))
    *steps, last = LEMMAS.split(" ")
    with pytest.raises(InvalidEvidence, match="ends without a contradiction"):
        checker.check(" ".join(steps))
    monkeypatch.setattr(sys.modules[check.__module__], "MOST_WORK", checker.board.work)
    assert checker.follow(last, checker.root)
    monkeypatch.setattr(sys.modules[check.__module__], "MOST_WORK", checker.board.work - 1)
    with pytest.raises(InvalidEvidence, match="takes too long to check"):
        checker.follow(last, checker.root)
    with pytest.raises(InvalidEvidence, match="takes too long to check"):
        checker.assume(taken=True, option=checker.numbering.option(0), choice=checker.root)


def test_taking_an_option_again_takes_no_work() -> None:
    twice, often = LemmaChecker(deal_of(UNEVEN)), LemmaChecker(deal_of(UNEVEN))
    for checker, times in ((twice, 2), (often, 99)):
        for lemma in LEMMAS.split(" ")[:3]:
            checker.lemmas.append(checker.proved(lemma))
        checker.proved(f"-5:l1{'g3' * times}g2")
    assert twice.board.work == often.board.work


LONG_LEMMA = f"+0{'+1' * 200}"


@pytest.mark.parametrize("certificate", ["+0:v " * 9, "+0:^ " * 9, f"{LONG_LEMMA}:v{f' {LONG_LEMMA}:l1' * 3}"])
def test_a_certificate_that_takes_too_long_is_refused(certificate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = sys.modules[check.__module__]
    stack = ",".join(map(str, range(100)))
    layout = f"{stack} {stack} {stack} {stack} A,A,A,A"
    checker = LemmaChecker(deal_of(layout))
    monkeypatch.setattr(rules, "MOST_WORK", 400)
    with pytest.raises(InvalidEvidence, match="takes too long to check"):
        checker.check(certificate)
    assert checker.board.work < 3_000


def test_the_entries_of_a_tree_are_counted_as_work(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = sys.modules[check.__module__]
    monkeypatch.setattr(rules, "MOST_WORK", 40)
    check("winnable", LOST, Verdict.UNWINNABLE, None, CERTIFICATE)
    for limit, step in ((39, 7), (3, 2)):
        monkeypatch.setattr(rules, "MOST_WORK", limit)
        with pytest.raises(InvalidEvidence, match=f"step {step}: the certificate takes too long to check"):
            check("winnable", LOST, Verdict.UNWINNABLE, None, CERTIFICATE)


VALUE, ODDS = 589_315, "14259369055191929/24196548096000000 76362905 229 1904"


def test_the_referee_accepts_exactly_what_exhaustive_play_says() -> None:
    layouts = [*decks(4, 4, 60), *uneven_decks(6, 60)]
    assert_accepts_exactly("card-pairing/odds", layouts, lambda layout, _, evidence: stated_odds(layout, evidence))


@pytest.mark.parametrize(
    ("value", "evidence", "step", "reason"),
    [
        (VALUE, "", 0, "'' does not state odds"),
        (VALUE, ODDS + " 1", 0, "does not state odds"),
        (VALUE, f"0{ODDS}", 0, "does not state odds"),
        (VALUE, f"{'9' * 4001}/1 1 1 1", 0, "does not state odds"),
        (VALUE, "3/2 1 1 1", 1, "3/2 is not a chance in lowest terms"),
        (VALUE, "2/4 1 1 1", 1, "2/4 is not a chance in lowest terms"),
        (500_000, "1/2 1 1 1000000", 1, f"the odds are {ODDS}, not 1/2"),
        (VALUE, "1/2 1 1 1000001", 4, "1,000,001 positions are more than the referee visits"),
        (VALUE - 1, ODDS, 1, "the value is 589314, expected 589315"),
        (None, ODDS, 1, "the value is None"),
        (500_000, "1/2 76362905 229 1904", 1, f"the odds are {ODDS}, not 1/2"),
        (VALUE, ODDS.replace("76362905", "76362906"), 2, "the odds are"),
        (VALUE, ODDS.replace("229", "228"), 3, "the odds are"),
        (VALUE, ODDS.replace("1904", "1905"), 4, "the odds are"),
        (VALUE, ODDS.replace("1904", "1903"), 4, "more than 1,903 positions can be reached"),
    ],
)
def test_other_odds_are_refused_with_the_reason(value: int | None, evidence: str, step: int, reason: str) -> None:
    check("odds", NEERC, Verdict.SCORED, VALUE, ODDS)
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("odds", NEERC, Verdict.SCORED, value, evidence)
    assert caught.value.step == step


def test_odds_prove_no_other_verdict() -> None:
    for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        with pytest.raises(InvalidEvidence, match=f"the verdict is {verdict}, but odds only score deals"):
            check("odds", NEERC, verdict, VALUE, ODDS)


@pytest.mark.parametrize(("limit", "visited"), [(100, 1), (1 + comb(200, 2), 2)])
def test_positions_are_counted_while_they_are_visited(limit: int, visited: int) -> None:
    asked = list[int]()

    class Counted(Plays):
        def after(self, position: int) -> list[int]:
            asked.append(position)
            return super().after(position)

    with pytest.raises(InvalidEvidence, match=f"step 4: more than {limit:,} positions can be reached"):
        odds_of(Counted(deal_of(" ".join("A" * 200))), limit)
    assert len(asked) == visited


@pytest.mark.parametrize(
    ("name", "limit", "reason"),
    [("MOST_ODDS_WORK", 22_275, "take too long"), ("MOST_BITS", 19_110, "take too much memory")],
)
def test_odds_that_take_too_much_to_check_are_refused(
    name: str, limit: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[check.__module__], name, limit)
    check("odds", f"{NEERC} - -", Verdict.SCORED, VALUE, ODDS)
    monkeypatch.setattr(sys.modules[check.__module__], name, limit - 1)
    with pytest.raises(InvalidEvidence, match=f"step 4: the odds {reason}"):
        check("odds", NEERC, Verdict.SCORED, VALUE, ODDS)
