"""The engine of Camelot against exhaustive searches, and the lemmas behind it against literal play."""

import random
from itertools import permutations

import pytest

from dealmill.pipeline.games.camelot.layout import SORTED_DECK
from dealmill.pipeline.games.camelot.rules import check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.camelot.naive import winnable_by_counts, winnable_by_prefixes, winnable_literally

deal = dealer("camelot")
winnable = solver("camelot/winnable")

SAMPLE = 200_000
EXACT = 0.5138032729


def verdicts(decks: list[str]) -> list[bool]:
    return [verdict is Verdict.WINNABLE for verdict in winnable(decks).verdicts]


def test_the_statement() -> None:
    decks = [
        "AAAA222233334444555566667777888899990000JJJJQQQQKKKK",
        "JJJJQQQQKKKKA9A9A9A928282828373737374646464655550000",
        "JJJJQQQQKKKKA9A9A9A928282828333377774646464655550000",
        "28333377774646464655550000JJJJQQQQKKKKA9A9A9A9282828",
    ]
    assert verdicts(decks) == [False, True, False, True]
    assert winnable(decks).evidence[0] == "16"


def test_random_decks_agree_with_a_search_over_all_removals() -> None:
    decks = deal(21, 1, 25)
    assert verdicts(decks) == [winnable_by_counts(deck) for deck in decks]


def test_close_decks_agree_with_the_search() -> None:
    """Court cards early make the margin narrow; the last cards being court cards only is the trap."""
    chance = random.Random(4)
    decks = []
    for _ in range(100):
        court = chance.sample("JJJJQQQQKKKK", 12)
        pips = chance.sample("AAAA222233334444555566667777888899990000", 40)
        split = chance.randint(0, 12)
        decks.append("".join(court[:split] + pips + court[split:]))
    assert verdicts(decks) == [winnable_by_counts(deck) for deck in decks]


def test_thousands_of_decks_agree_with_the_formula_written_again() -> None:
    decks = deal(23, 1, 4_000)
    assert verdicts(decks) == [winnable_by_prefixes(deck, 16) for deck in decks]


@pytest.mark.parametrize(
    ("cards", "places", "slots"),
    [
        ("A9A9KQ", {"K": (0,), "Q": (1,)}, 4),
        ("A955KQ0", {"K": (0,), "Q": (1,)}, 4),
        ("A928KK0", {"K": (0, 3)}, 4),
        ("5555KA9", {"K": (1,)}, 3),
        ("A93755J", {"J": (1,)}, 3),
    ],
)
def test_on_small_tables_the_closed_form_is_literal_play(  # with two slots or more for number cards, as in Camelot
    cards: str, places: dict[str, tuple[int, ...]], slots: int
) -> None:
    outcomes = set()
    for deck in sorted({"".join(order) for order in permutations(cards)}):
        literal = winnable_literally(deck, places, slots)
        assert winnable_by_prefixes(deck, slots) == literal, deck
        outcomes.add(literal)
    assert outcomes == {True, False}


def test_every_verdict_of_many_random_decks_is_proved() -> None:
    decks = deal(22, 1, 5_000)
    solved = winnable(decks)
    for deck, verdict, evidence in zip(decks, solved.verdicts, solved.evidence, strict=True):
        assert evidence is not None
        check("winnable", deck, verdict, None, evidence)


def test_decks_whose_last_cards_are_court_cards_are_played_to_the_end() -> None:
    chance = random.Random(8)
    decks = []
    for last in range(1, 13):
        for _ in range(40):
            court = chance.sample("JJJJQQQQKKKK", 12)
            rest = court[last:] + list("A9A9A9A92828282837373737464646465555" + "0000")
            decks.append("".join(chance.sample(rest, len(rest)) + court[:last]))
    solved = winnable(decks)
    assert solved.verdicts.count(Verdict.WINNABLE) > 100
    for deck, verdict, evidence in zip(decks, solved.verdicts, solved.evidence, strict=True):
        assert evidence is not None
        check("winnable", deck, verdict, None, evidence)


def test_the_winnable_share_is_the_exact_one() -> None:
    share = sum(verdicts(deal(1, 1, SAMPLE))) / SAMPLE
    assert abs(share - EXACT) < 5 * (0.25 / SAMPLE) ** 0.5


def test_deals_are_valid_decks_and_do_not_change() -> None:
    assert all(sorted(deck) == SORTED_DECK for deck in deal(2**64 - 1, 2**63 + 5, 100))
    assert deal(1, 1, 1) == ["86J037Q234JA76J5563KA59A8Q92AK2848903J9QKQ274K456070"]
    assert deal(2**64 - 1, 2**63 + 5, 1) == ["J53228A3087AQ746K55300KKQ7Q835QAJ99J94464J2A60K72968"]
