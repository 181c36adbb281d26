"""The referees of losses by a relaxed game, plain and compiled, against each other."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.card_pictures import IDLE, LOOKS
from dealmill.pipeline.games.patience.compiled.referee import CompiledReferee
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.display.picture import PatienceDisplay
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import UNLIMITED, Rules
from dealmill.verdicts import Verdict
from tests.games.drawn import parsed
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import seeds
from tests.games.patience.small_claims import assert_that_referees_agree, reason, small_decks

RESERVES = (50_103,)
"""Further rules, by which it matters in the relaxed game what leaves a reserve."""
STACKED = {"spaces": "reserve", "stacked": True}
"""A reserve of which only the last card can move, and which fills spaces."""


@pytest.mark.parametrize("seeds", [*seeds(50_000, 100, quick=10), RESERVES])
def test_both_referees_count_the_same_positions(seeds: Sequence[int]) -> None:
    for seed in seeds:
        for rules, text in small_decks(seed):
            assert_that_referees_agree(rules, text, "cut *")


def test_a_card_of_the_stock_may_be_safe_where_it_goes() -> None:
    """But not in a stock that is turned by two cards: so more happens after its move than that it lies elsewhere."""
    stock: dict[str, Any] = {
        "stock": 5,
        "draw": 2,
        "passes": UNLIMITED,
        "reserve": 3,
        "stacked": False,
        "removable": False,
    }
    columns: dict[str, Any] = {
        "ranks": 3,
        "sizes": (0, 2, 0, 0, 0, 2),
        "build": "none",
        "move": "any",
        "spaces": "kings",
    }
    rules = replace(rules_of("fan"), foundations="2", **stock, **columns)
    layout = "fan AS/AC/-/-/-/3H foundations:3CAD reserve:2H stock:2S3SAH"
    assert_that_referees_agree(rules, layout, "cut *")


def test_the_form_is_refused_where_it_proves_nothing() -> None:
    fan = rules_of("fan")
    for rules in (rules_of("freecell"), rules_of("golf"), rules_of("spider"), rules_of("simple-simon")):
        assert reason(lambda: read_loss(rules, "cut * 1")).startswith("a relaxed game proves nothing in")  # noqa: B023
    for changes in (
        {"move": "whole-pile"},
        {"build_wraps": True},
        {"spaces": "waste"},
        {"to": "reserve"},
        {"decks": 2},
        {"direction": "either"},
    ):
        assert not cut_proves_losses(replace(fan, **changes))
    bisley = rules_of("bisley")
    assert cut_proves_losses(bisley)
    for changes in (
        {"move": "any"},
        {"stock": 1},
        {"reserve": 1},
        {"stock": 1, "reserve": 1},
        {"cells": 1},
        {"build_wraps": True},
    ):
        assert not cut_proves_losses(replace(bisley, **changes))
    assert not cut_proves_losses(replace(fan, hole="AS"))

    @dataclass(frozen=True)
    class LaterRules(Rules):
        swaps: bool = False

    assert cut_proves_losses(fan) and not cut_proves_losses(LaterRules(**asdict(fan)))
    for evidence in ("cut", "cut ", "cut 1", "cut * 0", "cut *8D 1", "cut 8D 1", "cut  * 1", "cut * 1 ", "cuts * 1"):
        assert reason(lambda: read_loss(fan, evidence))  # noqa: B023


def test_altered_claims_are_refused() -> None:
    fan = FILES["fan"].rules
    [text] = to_strings(deal(fan, 1, 14, 1))
    check = CompiledReferee(fan)

    def judged(evidence: str) -> str:
        return reason(lambda: check("winnable", text, Verdict.UNWINNABLE, None, evidence))

    assert judged("cut * 72") == ""
    assert judged("cut * 71") == "more than 71 positions can be reached"
    assert judged("cut * 73") == "72 positions can be reached, not 73"


def test_a_card_that_left_with_those_on_it_is_not_bare() -> None:
    east_haven = rules_of("east-haven")
    [text] = to_strings(deal(east_haven, 1, 64, 1))
    for check in (Referee(east_haven), CompiledReferee(east_haven)):
        assert reason(lambda: check("winnable", text, Verdict.UNWINNABLE, None, "cut * 20")) == ""  # noqa: B023
        assert reason(lambda: check("winnable", text, Verdict.UNWINNABLE, None, "cut * 19"))  # noqa: B023


def test_a_loss_is_told_in_words() -> None:
    fan = rules_of("fan")
    [text] = to_strings(deal(fan, 1, 9, 1))
    reason_of_loss, position = Referee(fan).explained(text, Verdict.UNWINNABLE, "cut * 1")
    assert reason_of_loss.startswith("1 position can be reached, and none of them is won. No move is made")
    stuck = (
        "7H AS 6H 8C KS QH AH JD JS TH 3C 9C 5C 6D QD TC QS 7C KC 5D 9H KD 7S 9S AD TD 3S KH 4D 5S TS 4C 6S QC 4S 2C 2S"
    )
    assert position.endswith(f"Even if no move ever covered a card again, these 37 cards could never move: {stuck}.")


def test_the_picture_of_a_refuted_position_shows_the_cards_that_could_never_move() -> None:
    referee = Referee(rules_of("fan"))
    [layout] = to_strings(deal(referee.rules, 1, 9, 1))
    *_, drawn = PatienceDisplay(referee).scenes(layout, Verdict.UNWINNABLE, "cut * 1")
    [grey] = [group for group in parsed(drawn).iter() if group.get("class") == LOOKS[IDLE].ink["class_"]]
    assert len([card for card in grey if card.text]) == 52 - 37
    *_, board = PatienceDisplay(referee).frames(layout, Verdict.UNWINNABLE, "cut * 1")
    columns, _, caption = board.partition("Position 1 of 1. ")
    shown = re.findall("[2-9TJQKA][CHSD]", columns.partition("-D")[2])
    assert set(shown) == set(re.findall("[2-9TJQKA][CHSD]", caption)) and len(shown) == 37


@pytest.mark.parametrize(
    ("changes", "columns", "parts", "stuck"),
    [
        # no suit has more than all cards
        ({"ranks": 2, "spaces": "none"}, "AC2C", "foundations:2H2S2D", "these 2 cards could never move: AC 2C"),
        # no column is empty
        ({"ranks": 2, "spaces": "any"}, "AC2C", "foundations:2H2S2D", "these 2 cards could never move: AC 2C"),
        (
            {"ranks": 2, "reserve": 2, **STACKED},
            *("AC2D", "foundations:2H2S reserve:AD2C"),
            "these 2 cards could never move: AC 2D",
        ),
        (
            {"ranks": 2, "reserve": 3, **STACKED},
            *("2C", "foundations:2H2S reserve:ADAC2D", "this card could never move: 2C"),
        ),
        (
            {"ranks": 2, "reserve": 2, **STACKED, "spaces": "none"},
            *("-", "foundations:2H2S2D reserve:AC2C", "not all cards could go to the foundations"),
        ),
        # a card that could go up next is not up while another one lies on it
        (
            {"ranks": 3, "spaces": "none", "move": "run", "build": "red-black"},
            *("3S3HAH3C2H", "foundations:2C2S3D", "these 5 cards could never move: 3S 3H AH 3C 2H"),
        ),
    ],
)
def test_positions_are_refuted_in_which_nothing_helps(
    changes: dict[str, object], columns: str, parts: str, stuck: str
) -> None:
    rules = replace(rules_of("fan"), sizes=(0,), **changes)  # type: ignore[arg-type]
    _, position = Referee(rules).explained(f"fan {columns} {parts}", Verdict.UNWINNABLE, "cut * 1")
    assert position.endswith(f" Even if no move ever covered a card again, {stuck}.")
