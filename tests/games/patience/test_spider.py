"""The engine of patiences such as Spider, and what all do whose cards exist more than once, against plain code."""

from collections.abc import Sequence
from random import Random

import pytest

from dealmill.game import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Batch, to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.display.table import written
from dealmill.pipeline.games.patience.engine.whole_suits import spider
from dealmill.pipeline.games.patience.engine.whole_suits.spider import Spider
from dealmill.pipeline.games.patience.losses.waits import cards_wait_for_places
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import naive
from dealmill.verdicts import Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules_by_stages, seeds

LIMIT = 10_000
"""Enough for the first beam and the first count. The referee takes long for losses of more positions."""


def solved(rules: Rules, layouts: list[str], limit: int) -> Batch:
    return to_batch(Spider(rules)(to_texts(layouts), limit))


@pytest.mark.parametrize("seeds", seeds(0, 300, quick=30))
def test_verdicts_are_those_of_plain_code(seeds: Sequence[int]) -> None:
    """Small games are decided, and their losses have all positions as evidence, or those that waiting cards leave."""
    for seed in seeds:
        rules = random_rules_by_stages(Random(seed))
        layouts = to_strings(deal(rules, seed, 1, 3))
        batch = solved(rules, layouts, LIMIT)
        for text, verdict, evidence in zip(layouts, batch.verdicts, batch.evidence, strict=True):
            truth = naive.counted(text, rules, 300)
            if truth is not None:
                assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE), (rules, text)
                if not truth[0]:
                    form, _, positions = str(evidence).rpartition(" ")
                    waiting = cards_wait_for_places(rules)
                    assert form == ("waits *" if waiting else "*"), (rules, text)
                    assert int(positions) <= truth[1] and (waiting or int(positions) == truth[1]), (rules, text)
            if verdict is not Verdict.UNDECIDED:
                assert evidence
                Referee(rules)("winnable", text, verdict, None, evidence)


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("spider", "spider-2-suits")),
        "spider-1-suit",
        "spiderette",
    ],
)
def test_a_layout_is_decided_with_its_nodes_and_not_with_one_less(name: str) -> None:
    rules = rules_of(name)
    layouts = to_strings(deal(rules, 9, 1, 6))
    batch = solved(rules, layouts, 60_000)
    assert {*batch.verdicts} != {Verdict.UNDECIDED}
    for text, verdict, nodes, evidence in zip(layouts, batch.verdicts, batch.nodes, batch.evidence, strict=True):
        if verdict is Verdict.UNDECIDED:
            assert nodes == 60_000
            continue
        enough, fewer = solved(rules, [text], nodes), solved(rules, [text], nodes - 1)
        assert (enough.verdicts, enough.nodes, enough.evidence) == ([verdict], [nodes], [evidence]), text
        assert (fewer.verdicts, fewer.nodes, fewer.evidence) == ([Verdict.UNDECIDED], [nodes - 1], [None]), text
    assert name != "spider-1-suit" or set(batch.verdicts) == {Verdict.WINNABLE}


def test_a_search_goes_on_for_many_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each beam disturbs values by a greater number, which stays within 64 bits."""
    monkeypatch.setattr(spider, "WIDTHS", (2,))
    rules = rules_of("spider")
    batch = solved(rules, to_strings(deal(rules, 1, 1, 1)), 20_000)
    assert (batch.verdicts, batch.nodes) == ([Verdict.UNDECIDED], [20_000])


@pytest.mark.parametrize(("number", "limit"), [(131, 110_000), (89, 90_000)])
def test_beams_with_other_weights_win_deals_that_the_first_ones_lose(
    number: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = rules_of("spiderette")
    [text] = to_strings(deal(rules, 1, number, 1))
    batch = solved(rules, [text], limit)
    assert batch.verdicts == [Verdict.WINNABLE]
    Referee(rules)("winnable", text, Verdict.WINNABLE, None, str(batch.evidence[0]))
    monkeypatch.setattr(spider, "WEIGHTS_OF_BEAMS", spider.WEIGHTS_OF_BEAMS[:1])
    assert solved(rules, [text], limit).verdicts == [Verdict.UNDECIDED]


def test_a_position_of_a_game_is_solved_and_refereed() -> None:
    """With two suits up and a part of the stock left: as `Play on` asks."""
    rules = rules_of("spider-1-suit")
    [text] = to_strings(deal(rules, 2, 1, 1))
    [evidence] = solved(rules, [text], 100_000).evidence
    referee = Referee(rules)
    plays = list(referee.replayed(referee.position(text), str(evidence)))
    positions = [before for _, before in plays if sum(before.foundations) == 26 and before.stock]
    later = [written(referee, position) for position in positions]
    batch = solved(rules, later, 100_000)
    assert later and " foundations:KSKS stock:" in later[0]
    for layout, verdict, proof in zip(later, batch.verdicts, batch.evidence, strict=True):
        referee("winnable", layout, verdict, None, str(proof))
        assert verdict is Verdict.WINNABLE


def test_seed_0_is_the_shuffle_of_solvitaire() -> None:
    """Its first deal of Mrs. Mop, as it prints it, but for the order of columns; fewer suits are other names."""
    [text] = to_strings(deal(rules_of("mrs-mop"), 0, 1, 1))
    assert {"KS8DTDKD8C6C4D9H", "QCTS9C6S9C6HASQS", "JD9D5CKS2C7D5DAH"} < set(text.split(" ")[1].split("/"))
    rules = [rules_of(name) for name in ("spider", "spider-2-suits", "spider-1-suit")]
    texts = (to_strings(deal(each, 0, 7, 1))[0] for each in rules)
    four, two, one = (text.partition(" ")[2].replace(" stock:", "/") for text in texts)
    table = str.maketrans("CDcd", "SHsh")
    assert two == four.translate(table) and one == two.replace("H", "S").replace("h", "s")


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (
            "forty-thieves:foundations.base=dealt:foundations.initial=others",
            'foundations.initial = "others" is not played',
        ),
        ("spider:tableau.move=any", "a move would not say which card it means"),
        ("spider:stock.to=waste", "a waste is not played yet if only whole suits leave"),
        ("spider:cells.count=1", "cells and a hole are not played"),
        ("spider-1-suit:numbers=pysol", "these deals have 52 cards or 104"),
        ("spider:numbers=microsoft", "these deals have 52 cards"),
        ("forty-thieves:tableau.move=run:tableau.wrap=true", "a run may have a card twice"),
        ("forty-thieves:tableau.move=any", "a move would not say which card it means"),
        ("forty-thieves:reserve.size=1:stock.size=63", "a reserve is played with them only if it is stacked"),
    ],
)
def test_what_is_not_played_with_copies_is_said(game: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        find_game(game)
