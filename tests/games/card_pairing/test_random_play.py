"""The odds of card pairing are accepted exactly if they are those of random play."""

import sys
from math import comb

import pytest

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.card_pairing.random_play import Plays, odds_of
from dealmill.pipeline.games.card_pairing.rules import check
from dealmill.pipeline.games.verdict import Verdict
from tests.games.card_pairing.naive import decks, stated_odds, uneven_decks
from tests.games.card_pairing.test_figures import NEERC
from tests.games.referees import assert_accepts_exactly

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
        odds_of(Counted(["A"] * 200), limit)
    assert len(asked) == visited


@pytest.mark.parametrize(
    ("name", "limit", "reason"),
    [("MAX_ODDS_WORK", 22_275, "take too long"), ("MAX_BITS", 19_110, "take too much memory")],
)
def test_odds_that_take_too_much_to_check_are_refused(
    name: str, limit: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[odds_of.__module__], name, limit)
    check("odds", f"{NEERC} - -", Verdict.SCORED, VALUE, ODDS)
    monkeypatch.setattr(sys.modules[odds_of.__module__], name, limit - 1)
    with pytest.raises(InvalidEvidence, match=f"step 4: the odds {reason}"):
        check("odds", NEERC, Verdict.SCORED, VALUE, ODDS)
