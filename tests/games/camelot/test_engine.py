"""The engine of Camelot against exhaustive searches, and the lemmas behind it against literal play."""

import random

from dealmill.pipeline.games.camelot.rules import check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.camelot.naive import winnable_by_counts, winnable_by_prefixes

deal = dealer("camelot")
winnable = solver("camelot/winnable")

SAMPLE = 200_000
EXACT = 0.5138032729


def verdicts(decks: list[str]) -> list[bool]:
    return [verdict is Verdict.WINNABLE for verdict in winnable(decks).verdicts]


def test_random_decks_agree_with_a_search_over_all_removals() -> None:
    decks = deal(21, 1, 12)
    assert verdicts(decks) == [winnable_by_counts(deck) for deck in decks]


def test_close_decks_agree_with_the_search() -> None:
    """Court cards early make the margin narrow; the last cards being court cards only is the trap."""
    chance = random.Random(4)
    decks = []
    for _ in range(60):
        court = chance.sample("JJJJQQQQKKKK", 12)
        pips = chance.sample("AAAA222233334444555566667777888899990000", 40)
        split = chance.randint(0, 12)
        decks.append("".join(court[:split] + pips + court[split:]))
    assert verdicts(decks) == [winnable_by_counts(deck) for deck in decks]


def test_thousands_of_decks_agree_with_the_formula_written_again() -> None:
    decks = deal(23, 1, 4_000)
    assert verdicts(decks) == [winnable_by_prefixes(deck, 16) for deck in decks]


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
