"""Losses by cards that wait for one another: the searches for Scorpion and Spider, and both referees, against plain
code."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from dealmill.pipeline.games.batch import Batch, to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.compiled.referee import check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.display.table import written
from dealmill.pipeline.games.patience.engine.whole_suits.spider import Spider
from dealmill.pipeline.games.patience.engine.whole_suits.waits import Waits
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import in_order
from dealmill.pipeline.games.patience.losses.waits import (
    Waiting,
    WaitingForPlaces,
    WaitingSet,
    cards_wait,
    cards_wait_for_places,
)
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.searches import STAGES, WAITING, search_of
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import random_places_rules, random_waiting_rules, seeds

SMALL = replace(rules_of("scorpion"), ranks=4, sizes=(4, 4, 5), face_down=(3, 3, 0), stock=3)
LIMIT, PLAIN_LIMIT, FEW = 5_000, 2_000, 300
"""Positions that the search visits, and plain code; the last one if a beam comes before the search."""


def solved(rules: Rules, layouts: list[str], limit: int = LIMIT) -> Batch:
    return to_batch(Waits(rules)(to_texts(layouts), limit))


def refusals(rules: Rules, text: str, evidence: str) -> list[str]:
    """Return why the plain referee refuses the evidence of a loss, and why the compiled one does."""
    reasons = ["", ""]
    try:
        Referee(rules)("winnable", text, Verdict.UNWINNABLE, None, evidence)
    except InvalidEvidence as error:
        reasons[0] = error.reason
    with suppress(InvalidEvidence):
        loss = read_loss(rules, evidence)
        try:
            check_loss(rules, text, loss)
        except InvalidEvidence as error:
            reasons[1] = error.reason
    return reasons


@pytest.mark.parametrize("seeds", seeds(0, 5_000, quick=10, slow=200))
def test_verdicts_are_those_of_plain_code(seeds: Sequence[int]) -> None:
    """Twenty layouts for each seed, deals and positions of small decks. What is lost by a pair or a set is lost; both
    referees accept the same sets, pairs and counts, also arbitrary ones."""
    for seed in seeds:
        random = Random(seed)
        rules = random_waiting_rules(random)
        layouts = [*to_strings(deal(rules, seed, 1, 10)), *(random_position(rules, random) for _ in range(10))]
        batch = solved(rules, layouts)
        for text, verdict, nodes, evidence in zip(layouts, batch.verdicts, batch.nodes, batch.evidence, strict=True):
            referee, truth = Referee(rules), naive.counted(text, rules, PLAIN_LIMIT)
            waiting = Waiting(rules, referee.position(text))
            if truth is not None:
                assert not (waiting.is_lost() and truth[0]), (rules, text)
                assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE) or nodes == LIMIT, (
                    rules,
                    text,
                )
            if evidence:
                referee("winnable", text, verdict, None, evidence)
            if verdict is Verdict.UNWINNABLE:
                check_loss(rules, text, read_loss(rules, str(evidence)))
                assert waiting.is_lost() == ("*" not in str(evidence)), (rules, text, evidence)
            cards = "".join(in_order(card for card in rules.deck() if random.random() < 0.6)) or rules.deck()[0]
            card, place = random.choice(sorted(waiting.next.items()))
            for claim in (cards, f"{card}>{place}", "* 1"):
                plain, compiled = refusals(rules, text, f"waits {claim}")
                assert bool(plain) == bool(compiled), (rules, text, claim, plain, compiled)
                assert plain or not truth or not truth[0], (rules, text, claim)


@pytest.mark.parametrize("seeds", seeds(0, 5_000, quick=10, slow=100))
def test_verdicts_with_several_places_are_those_of_plain_code(seeds: Sequence[int]) -> None:
    """Twenty layouts for each seed, as above, of games such as Simple Simon and Spiderette."""
    for seed in seeds:
        random = Random(seed)
        rules = random_places_rules(random)
        layouts = [*to_strings(deal(rules, seed, 1, 10)), *(random_position(rules, random) for _ in range(10))]
        batch = to_batch(Spider(rules)(to_texts(layouts), 2 * LIMIT))
        for text, verdict, nodes, evidence in zip(layouts, batch.verdicts, batch.nodes, batch.evidence, strict=True):
            referee, truth = Referee(rules), naive.counted(text, rules, FEW)
            is_lost = WaitingForPlaces(rules, referee.position(text)).is_lost()
            if truth is not None:
                assert not (is_lost and truth[0]), (rules, text)
                decided = Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE
                assert verdict is decided or nodes == 2 * LIMIT, (rules, text)
            if evidence:
                referee("winnable", text, verdict, None, evidence)
            if verdict is Verdict.UNWINNABLE:
                check_loss(rules, text, read_loss(rules, str(evidence)))
                assert str(evidence).startswith("waits * ") and (not is_lost or evidence == "waits * 1"), (rules, text)
            plain, compiled = refusals(rules, text, "waits * 1")
            assert bool(plain) == bool(compiled), (rules, text, plain, compiled)


def test_a_whole_suit_must_not_leave_by_itself_before_the_row_is_dealt() -> None:
    """A card of the stock falls on the whole suit of hearts, and goes to an empty column with it: the game is won, but
    not if hearts have left."""
    text = "scorpion 4sAs4C/AcAh3H/2S4H2H foundations:4D stock:2C3C3S"
    referee, gathering = Referee(SMALL), "2H3H 3H4H AH2H"
    batch = solved(SMALL, [text])
    [verdict], [evidence] = batch.verdicts, batch.evidence
    referee("winnable", text, verdict, None, str(evidence))
    assert verdict is Verdict.WINNABLE and "4Hf" not in str(evidence).partition("2Cd")[0]
    *_, (last, _) = referee.replayed(referee.position(text), f"{gathering} 4Hf")
    later = written(referee, last.after)
    assert solved(SMALL, [later]).verdicts == [Verdict.UNWINNABLE] and naive.counted(later, SMALL, LIMIT) == (False, 9)


PAIR = "scorpion 4sAs4C/Ac3h2H/2S4HAH foundations:4D stock:2C3C3S"
KINGS = "scorpion 3h3sAdAS/2s2c2dAC/4H4DAH3C4S stock:3D2H4C"
"""No king can go to an empty column before others move; one lies on nothing, and waits for none."""


@pytest.mark.parametrize(
    ("layout", "evidence", "reason"),
    [
        (PAIR, "waits 2H>3H", ""),
        (PAIR, "waits AH>2H", "AH does not lie on its only place, face down"),
        (PAIR, "waits 3H>2H", "2H is not the only place of 3H"),
        (PAIR, "waits 2H3H", "2H does not wait for another of these cards"),
        (PAIR, "waits 3H", ""),
        (PAIR, "waits 3H>4S", "4S is not the only place of 3H"),
        (PAIR, "waits KH", "KH is not in the deck"),
        (PAIR, "waits 3H3H", "the cards are not in order: each once, by suits and then by ranks"),
        (PAIR, "waits 2H 3H", "'2H 3H' are not cards that wait, such as 4C>5C or 4C9D, nor a count: * 1357"),
        (PAIR, "waits ", "'' are not cards that wait, such as 4C>5C or 4C9D, nor a count: * 1357"),
        (PAIR, "waits * 0", "'waits * 0' is not the evidence of a loss, such as waits * 7276"),
        (PAIR, "waits *3H 1", "'*3H 1' are not cards that wait, such as 4C>5C or 4C9D, nor a count: * 1357"),
        (KINGS, "waits AC2C3HAS2S3S4SAD2D4D", ""),
        (KINGS, "waits AC2C3H4HAS2S3S4SAD2D4D", "4H does not wait for another of these cards"),
        (PAIR, "waits * 2", "1 position can be reached, not 2"),
        (PAIR, "waits * 4000001", "it claims 4,000,001 positions, more than the limit of 4,000,000"),
    ],
)
def test_a_claim_is_accepted_or_refused_with_a_reason(layout: str, evidence: str, reason: str) -> None:
    assert refusals(SMALL, layout, evidence)[0] == reason


def test_kings_alone_wait_for_nothing() -> None:
    """They need not move."""
    text = "scorpion 2s4c3C/4s3h2h3S/4HAC2C foundations:4D stock:AHAS"
    assert refusals(SMALL, text, "waits 4C") == [
        "only kings wait, which need not move",
        "more than 1 position can be reached",
    ]
    assert refusals(SMALL, text, "waits 3C>4C") == ["", ""]


def test_a_circle_is_told_card_by_card() -> None:
    text = "scorpion 2d2c2s4D/3sAd4c3D/4SAH3H3CAS stock:4H2HAC"
    batch = solved(SMALL, [text])
    assert batch.evidence == ["waits 2C2SAD"]
    assert list(Referee(SMALL).explained(text, Verdict.UNWINNABLE, "waits 2C2SAD")) == [
        "These three cards wait for one another: none of them can be the first to move.",
        "position 1: column 1: 2d 2c 2s 4D; column 2: 3s Ad 4c 3D; column 3: 4S AH 3H 3C AS; stock: 4H 2H AC. "
        "2C lies face down under 2S; 2S waits for 3S, which lies under AD; AD waits for 2D, which lies under 2C.",
    ]


def test_a_pair_and_the_positions_of_a_count_are_told() -> None:
    pair, count = "2h3c4s3S/2s3dAs2D/4H2C4D4CAH stock:3HACAD", "Ah2hAd3S/4s3c3d4D/ACAS2D4C4H stock:3H2S2C"
    first = list(Referee(SMALL).explained(f"scorpion {pair}", Verdict.UNWINNABLE, "waits 3S>4S"))
    assert first[0] == "3S never leaves its only place, on which it lies, so that is never turned up."
    assert first[1].endswith(" 3S lies on 4S, which lies face down.")
    lines = list(Referee(SMALL).explained(f"scorpion {count}", Verdict.UNWINNABLE, "waits * 2"))
    assert lines[0].startswith("2 positions can be reached, and none of them is won. No move is made where cards wait")
    assert lines[1].endswith(" Its moves lead to position 2.")
    assert lines[2].partition("2D 4C 4H 2C. ")[2] == (
        "2C waits for 3C, which lies under 3D; 3D waits for 4D, which lies under 2S; "
        "3H waits for 4H, which lies under 2C; 2S waits for 3S, which lies under 3H."
    )


def test_the_cards_of_the_evidence_are_told_and_otherwise_a_pair_before_a_set() -> None:
    told = [list(Referee(SMALL).explained(PAIR, Verdict.UNWINNABLE, f"waits {claim}")) for claim in ("3H", "* 1")]
    assert told[0][0] == "3H can never move." and told[0][1].endswith(". 3H lies face down under 2H.")
    assert told[1][1].endswith(". 2H lies on 3H, which lies face down.")
    assert WaitingSet(frozenset(SMALL.deck()[:13]), 1).reason.startswith("These 13 cards wait for one another")


def test_cards_that_wait_for_places_are_told() -> None:
    rules = rules_of("simple-simon")
    [text] = to_strings(deal(rules, 1, 171, 1))
    batch = to_batch(Spider(rules)(to_texts([text]), LIMIT))
    assert batch.evidence == ["waits * 1"]
    first, second = Referee(rules).explained(text, Verdict.UNWINNABLE, "waits * 1")
    assert first.startswith("1 position can be reached, and none of them is won. No move is made where cards wait")
    told = second.partition("9D TH. ")[2]
    covers = "4C lies under QS, 4H lies under 8C, 4S lies under 2S, 4D lies under 3D"
    assert told.startswith(f"3C has no place: {covers}; 4C lies under QS; 5C has no place: 6C lies under 9D, ")
    assert told.endswith("; QD lies under KD; KD has no place.")


@pytest.mark.parametrize(
    "changes",
    [
        {"move": "any"},
        {"complete": False},
        {"to": "waste"},
        {"cells": 1},
        {"reserve": 1},
        {"decks": 2},
        {"suits": 2},
        {"foundations": "dealt"},
        {"hole": "AS"},
        {"build_wraps": True},
    ],
)
def test_cards_that_wait_for_places_prove_nothing_by_other_rules(changes: dict[str, object]) -> None:
    rules = replace(rules_of("spiderette"), **changes)  # type: ignore[arg-type]
    assert not cards_wait_for_places(rules)
    with pytest.raises(InvalidEvidence, match="waiting cards prove nothing in spiderette"):
        read_loss(rules, "waits * 5")


def test_a_pair_waits_where_no_set_does() -> None:
    layout = "scorpion 3SAD/4s2D/4d3D2SAS foundations:4C4H"
    waiting = Waiting(SMALL, Referee(SMALL).position(layout))
    assert waiting.is_lost() and not waiting.largest({"3S", "AD", "4S", "2D", "4D", "3D", "2S", "AS"})
    assert refusals(SMALL, layout, "waits * 1") == ["", ""]


PLACES = replace(rules_of("spiderette"), ranks=4, sizes=(5, 5, 6), stock=0)


@pytest.mark.parametrize(
    ("spaces", "layout"),
    [
        ("kings", "spiderette 2hAh3C/2c3h4C/AC4H foundations:4S4D"),
        ("none", "spiderette -/3HAH/2h4H foundations:4C4S4D"),
    ],
    ids=["AH would move with the two on which it lies, but that lies face down", "a king needs no empty column"],
)
def test_cards_wait_for_places(spaces: str, layout: str) -> None:
    rules = replace(PLACES, spaces=spaces)
    assert WaitingForPlaces(rules, Referee(rules).position(layout)).is_lost()
    assert refusals(rules, layout, "waits * 1") == ["", ""]


def test_no_game_has_cards_with_one_place_and_with_several() -> None:
    runs = replace(SMALL, move="run")
    assert cards_wait(runs) and not cards_wait_for_places(runs)


def test_a_list_of_cards_that_wait_proves_nothing_if_they_have_several_places() -> None:
    with pytest.raises(InvalidEvidence, match=r"'waits 4C9D' is not the evidence of a loss, such as waits \* 7276"):
        read_loss(rules_of("spiderette"), "waits 4C9D")


@pytest.mark.parametrize(
    "changes",
    [
        {"spaces": "any"},
        {"build": "any-suit"},
        {"complete": False},
        {"to": "waste"},
        {"cells": 1},
        {"reserve": 1},
        {"decks": 2},
        {"suits": 2},
        {"foundations": "dealt"},
        {"hole": "AS"},
        {"build_wraps": True},
        {"move": "whole-pile"},
    ],
)
def test_waiting_cards_prove_nothing_by_other_rules(changes: dict[str, object]) -> None:
    rules = replace(SMALL, **changes)  # type: ignore[arg-type]
    assert cards_wait(SMALL) and cards_wait(replace(SMALL, stock=0, to="waste")) and not cards_wait(rules)
    with pytest.raises(InvalidEvidence, match="waiting cards prove nothing in scorpion"):
        read_loss(rules, "waits * 5")


def test_the_search_decides_the_games_that_the_statement_covers() -> None:
    assert {name for name, game in FILES.items() if search_of(game.rules) is WAITING} == {"scorpion"}
    several = {name for name, game in FILES.items() if cards_wait_for_places(game.rules)}
    assert several == {"simple-simon", "spiderette", "will-o-the-wisp"}
    assert all(search_of(rules_of(name)) is STAGES for name in several)


def test_a_layout_is_decided_with_its_nodes_and_not_with_one_less() -> None:
    rules = rules_of("scorpion")
    layouts = to_strings(deal(rules, 9, 1, 150))
    batch = solved(rules, layouts, 100_000)
    assert set(batch.verdicts) == {Verdict.WINNABLE, Verdict.UNWINNABLE}
    counted = [number for number, evidence in enumerate(batch.evidence) if "*" in str(evidence)]
    won = [number for number, verdict in enumerate(batch.verdicts) if verdict is Verdict.WINNABLE]
    for number in (*counted[:2], *won[:3]):
        nodes = batch.nodes[number]
        enough, fewer = (solved(rules, [layouts[number]], limit) for limit in (nodes, nodes - 1))
        assert enough.evidence == [batch.evidence[number]] and enough.nodes == [nodes]
        assert (fewer.verdicts, fewer.nodes) == ([Verdict.UNDECIDED], [nodes - 1])
