"""Certificates of card pairing are accepted exactly if they prove a loss, and refused at the step that is wrong."""

import re
import sys
from collections import Counter
from contextlib import suppress
from functools import cache
from itertools import islice, product
from random import Random

import pytest

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.card_pairing.certificates import LemmaChecker, Option, deal_of
from dealmill.pipeline.games.card_pairing.rules import check, start
from dealmill.pipeline.games.verdict import Verdict
from dealmill.testing.subject import altered_texts
from tests.games.card_pairing.naive import (
    decks,
    is_proof_by_lemmas,
    is_refutation,
    places_of,
    uneven_decks,
    winnable_by_play,
    winning_options,
)
from tests.games.card_pairing.proving import Prover, Winnable, certificate_of
from tests.games.referees import assert_accepts_exactly

LOST, CERTIFICATE = "K7QA Q9T6 TK9K 8978 KJJ8 J8TT AA66 A79J Q6Q7", "KTJJTJJ"


def test_exactly_the_certificates_that_hold_are_accepted() -> None:
    assert_accepts_exactly(
        "card-pairing/winnable",
        decks(4, 4, 30),
        lambda layout, _, certificate: is_refutation(layout, certificate),
        Verdict.UNWINNABLE,
    )


def accepts(layout: str, certificate: str) -> bool:
    with suppress(InvalidEvidence):
        check("winnable", layout, Verdict.UNWINNABLE, None, certificate)
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
        assert accepts(deck, certificate), (deck, certificate)
        kinds.update(set(certificate) - set("0123456789"))
    assert min(kinds[kind] for kind in "+-: glv^") > 20, kinds


@pytest.mark.slow
def test_exactly_the_certificates_are_accepted_that_follow_the_definition() -> None:
    chance = Random(16)
    proved = proofs()
    outcomes = Counter[bool]()
    for deck, certificate in proved:
        texts = [certificate.encode(), certificate.encode(), chance.choice(proved)[1].encode()]
        for text in islice(altered_texts(texts, chance), 30):
            altered = text.decode("utf-8", "replace")
            accepted = accepts(deck, altered)
            assert accepted == is_proof(deck, altered), (deck, altered)
            outcomes[accepted] += 1
    assert min(outcomes[True], outcomes[False]) > 500


def test_every_change_of_one_character_is_judged_by_the_definition() -> None:
    long_enough = [(deck, certificate) for deck, certificate in proofs() if 15 < len(certificate) < 60]
    for deck, certificate in [(UNEVEN, LEMMAS), *long_enough[:4]]:
        for index, character in product(range(len(certificate)), "01234789+-:glv^ "):
            altered = f"{certificate[:index]}{character}{certificate[index + 1 :]}"
            assert accepts(deck, altered) == is_proof(deck, altered), (deck, altered)


@pytest.mark.slow
def test_no_certificate_of_another_deck_is_accepted_for_one_that_some_play_wins() -> None:
    certificates = [certificate for _, certificate in proofs()]
    won = [deck for deck in uneven_decks(18, 400) if winnable_by_play(deck)]
    for deck in won:
        for certificate in certificates:
            assert not accepts(deck, certificate), (deck, certificate)
    assert len(won) > 30


@pytest.mark.slow
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
            checker = LemmaChecker(deal_of(start(deck)))
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
    checker = LemmaChecker(deal_of(start(UNEVEN)))
    *steps, last = LEMMAS.split(" ")
    with pytest.raises(InvalidEvidence, match="ends without a contradiction"):
        checker.check(" ".join(steps))
    monkeypatch.setattr(sys.modules[LemmaChecker.__module__], "MAX_WORK", checker.board.work)
    assert checker.follow(last, checker.root)
    monkeypatch.setattr(sys.modules[LemmaChecker.__module__], "MAX_WORK", checker.board.work - 1)
    with pytest.raises(InvalidEvidence, match="takes too long to check"):
        checker.follow(last, checker.root)
    with pytest.raises(InvalidEvidence, match="takes too long to check"):
        checker.assume(taken=True, option=checker.numbering.option(0), choice=checker.root)


def test_taking_an_option_again_takes_no_work() -> None:
    twice, often = LemmaChecker(deal_of(start(UNEVEN))), LemmaChecker(deal_of(start(UNEVEN)))
    for checker, times in ((twice, 2), (often, 99)):
        for lemma in LEMMAS.split(" ")[:3]:
            checker.lemmas.append(checker.proved(lemma))
        checker.proved(f"-5:l1{'g3' * times}g2")
    assert twice.board.work == often.board.work


LONG_LEMMA = f"+0{'+1' * 200}"


@pytest.mark.parametrize("certificate", ["+0:v " * 9, "+0:^ " * 9, f"{LONG_LEMMA}:v{f' {LONG_LEMMA}:l1' * 3}"])
def test_a_certificate_that_takes_too_long_is_refused(certificate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = sys.modules[LemmaChecker.__module__]
    stack = ",".join(map(str, range(100)))
    layout = f"{stack} {stack} {stack} {stack} A,A,A,A"
    checker = LemmaChecker(deal_of(start(layout)))
    monkeypatch.setattr(certificates, "MAX_WORK", 400)
    with pytest.raises(InvalidEvidence, match="takes too long to check"):
        checker.check(certificate)
    assert checker.board.work < 3_000


def test_the_entries_of_a_tree_are_counted_as_work(monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = sys.modules[LemmaChecker.__module__]
    monkeypatch.setattr(certificates, "MAX_WORK", 40)
    check("winnable", LOST, Verdict.UNWINNABLE, None, CERTIFICATE)
    for limit, step in ((39, 7), (3, 2)):
        monkeypatch.setattr(certificates, "MAX_WORK", limit)
        with pytest.raises(InvalidEvidence, match=f"step {step}: the certificate takes too long to check"):
            check("winnable", LOST, Verdict.UNWINNABLE, None, CERTIFICATE)
