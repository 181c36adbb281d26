"""The referee of patiences, and the engine, against plain code that knows the rules: positions, moves and verdicts over
random rules and small decks."""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from random import Random
from typing import Any

import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import (
    CountedLoss,
    cards_may_be_absent_at_once,
    easier_game_is_sound,
    reached,
)
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import RANKS, UNLIMITED, Rules
from dealmill.pipeline.games.patience.schema import canonical_rules, parse_rules
from dealmill.testing.patiences import easier, naive
from dealmill.verdicts import IllegalMove, InvalidEvidence, Unchecked, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules, random_rules_by_stages, random_spider_rules, seeds

RULES, QUICK = 150, 20
"""Rules of each kind that are tried, and those of them that `make test` tries."""
CLAIM = 2_000
"""The positions that are claimed of a deal that is won."""
POSITIONS = 120
"""A deal with more positions is passed over."""
ABSENT_IN_STOCK = (542, 583, 626, 1_014, 1_234)
"""Further rules, by which it matters which cards of a stock are idle or absent."""
FIRST_SPIDER, FIRST_STAGED = 10_000, 20_000
SEEDS = [ten for first in (0, FIRST_SPIDER, FIRST_STAGED) for ten in seeds(first, RULES, QUICK)]
CARDS = [rank + suit for rank in "A234" for suit in "CHSD"]
WORDS_OF_MOVES = [card + target for card in CARDS for target in (*CARDS, *"fcehd", *(f"e{n}" for n in range(1, 8)))]
FORMS = {False: easier_game_is_sound, True: cards_may_be_absent_at_once}
"""The rules under which lists prove losses, by whether idle cards are absent at once."""


@cache
def known(seed: int) -> tuple[Rules, list[tuple[str, tuple[bool, int] | None]]]:
    """Random rules, and deals with what plain code says of them."""
    kinds = random_rules, random_spider_rules, random_rules_by_stages
    rules = kinds[seed // FIRST_SPIDER](Random(seed))
    return rules, [(text, naive.counted(text, rules, POSITIONS)) for text in to_strings(deal(rules, seed, 1, 2))]


def accepts(rules: Rules, text: str, verdict: Verdict, evidence: str) -> bool:
    try:
        Referee(rules)("winnable", text, verdict, None, evidence)
    except InvalidEvidence:
        return False
    return True


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_referee_counts_the_positions_that_plain_code_reaches(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules, deals = known(seed)
        for text, truth in deals:
            if truth and not truth[0]:
                assert accepts(rules, text, Verdict.UNWINNABLE, f"* {truth[1]}"), (rules, text)
                for wrong in (truth[1] - 1, truth[1] + 1):
                    assert not accepts(rules, text, Verdict.UNWINNABLE, f"* {wrong}"), (rules, text)
            elif truth:
                assert not accepts(rules, text, Verdict.UNWINNABLE, f"* {CLAIM}"), (rules, text)


def written(card: naive.Card) -> str:
    return card.name[0] + card.name[1].lower() if card.down else card.name


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_referee_has_the_moves_of_plain_code(seeds: Sequence[int]) -> None:
    """Along random plays. Moves that differ only in when the stock is turned are one."""
    for seed in seeds:
        rules, deals = known(seed)
        random, referee = Random(seed), Referee(rules)
        for text, _ in deals:
            position, state = referee.position(text), naive.parsed(text, rules)
            for _ in range(12):
                expected = dict(reversed(list(naive.following(state, rules))))
                assert {play.word for play in referee.plays(position)} == expected.keys(), (rules, text)
                words = expected.keys() | random.sample(WORDS_OF_MOVES, 20)
                assert {word for word in words if referee.play(position, word)} == expected.keys(), (rules, text)
                assert referee.won(position) == naive.won(state, rules)
                if not expected:
                    break
                word = random.choice(sorted(expected))
                play = referee.play(position, word)
                assert play
                position, state = play.after, expected[word]
                assert position.columns == tuple(tuple(map(written, column)) for column in state.columns), (rules, text)


@cache
def known_easier(seed: int) -> tuple[Rules, list[tuple[str, str, tuple[bool, int] | None]]]:
    """Random rules, and deals with a list of cards and what plain code says of the easier game."""
    rules, deals = known(seed)
    random, cards = Random(seed), [rank + suit for suit in "CHSD" for rank in RANKS[: rules.ranks]]
    forms = [at_once for at_once, is_sound in FORMS.items() if is_sound(rules)]
    claims = []
    for text, _ in deals:
        for at_once in 2 * forms:
            if live := "".join(card for card in cards if random.random() < 0.6):
                truth = easier.counted(text, rules, set(naive.cards(live)), POSITIONS, at_once=at_once)
                claims.append((text, live if at_once else f"*{live}", truth))
    return rules, claims


@pytest.mark.parametrize("seeds", [*seeds(0, RULES, QUICK), ABSENT_IN_STOCK])
def test_the_referee_counts_the_positions_of_the_easier_game_that_plain_code_reaches(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules, claims = known_easier(seed)
        for text, cards, truth in claims:
            if truth and not truth[0]:
                assert accepts(rules, text, Verdict.UNWINNABLE, f"{cards} {truth[1]}"), (rules, text)
                for wrong in (truth[1] - 1, truth[1] + 1):
                    assert not accepts(rules, text, Verdict.UNWINNABLE, f"{cards} {wrong}"), (rules, text)
            elif truth:
                assert not accepts(rules, text, Verdict.UNWINNABLE, f"{cards} {CLAIM}"), (rules, text)


@pytest.mark.parametrize(
    ("name", "sound"),
    [
        ("klondike", True),
        ("freecell", True),
        ("yukon", True),
        ("black-hole", True),
        ("east-haven", False),
        ("scorpion", False),
    ],
)
def test_lists_of_cards_prove_losses_under_some_rules(name: str, sound: bool) -> None:
    assert easier_game_is_sound(rules_of(name)) is sound


@pytest.mark.parametrize(
    "changes",
    [
        {"spaces": "waste"},
        {"spaces": "reserve-then-waste"},
        {"build_wraps": True},
        {"direction": "either"},
        {"foundation_direction": "both"},
    ],
)
def test_lists_of_cards_prove_nothing_if_cards_go_elsewhere(changes: dict[str, Any]) -> None:
    assert not easier_game_is_sound(replace(rules_of("klondike"), **changes))


KLONDIKE = rules_of("klondike")
"""A deal that is nearly won."""
NEARLY = "klondike KS/-/-/-/-/-/- foundations:KCKHQSQD stock:KD"


@pytest.mark.parametrize(
    ("evidence", "step", "reason"),
    [
        ("KSf", 1, "not won after the last move"),
        ("KSf KDf KDf", 3, "do not allow KDf"),
        ("KDf  KSf", 2, "is not a move"),
        ("KDf KSe", 2, "do not allow KSe"),
        ("KDc", 1, "do not allow KDc"),
        ("KDh", 1, "do not allow KDh"),
        ("KDKS", 1, "do not allow KDKS"),
        ("-", 0, "not won"),
        ("", 1, "is not a move"),
    ],
)
def test_a_wrong_move_is_refused(evidence: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        Referee(KLONDIKE)("winnable", NEARLY, Verdict.WINNABLE, None, evidence)
    assert caught.value.step == step
    assert isinstance(caught.value, IllegalMove) == ("allow" in reason)
    assert accepts(KLONDIKE, NEARLY, Verdict.WINNABLE, "KSf KDf")


TINY = replace(KLONDIKE, name="tiny", ranks=1, sizes=(1, 1, 1), face_down="none", draw=1, stock=0)


@pytest.mark.parametrize(
    ("rules", "parts", "reasons"),
    [
        (replace(TINY, cells=1), "cells:AD", []),
        (TINY, "cells:AD", ["tiny has no cells"]),
        (replace(TINY, reserve=1), "reserve:AD", []),
        (TINY, "reserve:AD", ["tiny has no reserve"]),
        (replace(TINY, stock=1), "stock:AD", []),
        (replace(TINY, stock=1), "waste:AD", []),
        (TINY, "stock:AD", ["tiny has no stock"]),
        (TINY, "waste:AD", ["tiny has no waste"]),
        (replace(TINY, stock=1, to="hole"), "waste:AD", ["tiny has no waste"]),
        (replace(TINY, stock=1, to="tableau"), "waste:AD", ["tiny has no waste"]),
        (replace(TINY, stock=1, to="tableau"), "stock:AD", []),
        *((replace(TINY, stock=1, passes=2), f"{passes}stock:AD", []) for passes in ("passes:1 ", "passes:0 ", "")),
        (replace(TINY, stock=1, passes=2, to="tableau"), "passes:1 stock:AD", ["tiny has no passes"]),
        (replace(TINY, stock=1, passes=2, to="hole"), "passes:1 stock:AD", ["tiny has no passes"]),
        *(
            (replace(TINY, stock=1, passes=2), f"passes:{passes} stock:AD", [f"{passes}, expected 0 to 1"])
            for passes in ("2", "01", "x")
        ),
        (replace(TINY, stock=1, passes=1), "passes:1 stock:AD", ["tiny has no passes"]),
        (replace(TINY, stock=1), "passes:1 stock:AD", ["tiny has no passes"]),
        (replace(TINY, stock=2), "stock:ADAD", ["AD occurs 2 times"]),
    ],
)
def test_a_position_has_the_parts_that_the_rules_give_it(rules: Rules, parts: str, reasons: list[str]) -> None:
    given = list(Referee(rules).reasons(f"tiny AC/AH/AS {parts}"))
    assert len(given) == len(reasons)
    assert all(end.endswith(reason) for end, reason in zip(given, reasons, strict=True))


TWO = replace(TINY, ranks=2, sizes=(2, 2, 2), reserve=2, stock=3)
THREE = replace(TINY, ranks=3, sizes=(3, 3, 3, 3))


@pytest.mark.parametrize(
    ("rules", "layout"),
    [
        (THREE, "2HAC/AH3H3S/2C2S3C/AS3D2DAD"),
        (replace(THREE, move="whole-pile"), "2HAC/AH3H3S/2C2S3C/AS3D2DAD"),
        (replace(THREE, move="whole-pile"), "3DAC/2H/AH3H3S/2S3C2CAS foundations:2D"),
        (replace(THREE, foundation_direction="both"), "2CAC3C/3H2HAH/AS3S2S/AD3D2D"),
        (replace(TWO, spaces="waste"), "-/AH2H/2SAS foundations:2C stock:2DAD"),
        (replace(TWO, spaces="waste"), "-/AH2H/2SAS2DAD foundations:2C"),
        (replace(TWO, spaces="waste"), "AC/AH2H/2SAS stock:2D2CAD"),
        (replace(TWO, spaces="waste", foundations="2", complete=True), "-/AH2H/ASAC2SAD stock:2D2C"),
        (replace(TWO, spaces="reserve-then-waste", stacked=True), "-/AH2H/AD2D foundations:AC2S stock:2C"),
        (replace(TWO, stacked=True), "AC2C/AH2H/AS2S reserve:2DAD"),
        (replace(TWO, stacked=False), "AC2C/AH2H/AS2S reserve:2DAD"),
        (
            replace(TWO, decks=2, sizes=(4, 4), stock=5, stacked=True, removable=True, build="any-suit"),
            "2C2CAH2H/AH2HAS2S foundations:ACAD reserve:AC stock:2SASAD2D2D",
        ),
    ],
)
def test_the_moves_of_a_position_are_those_of_plain_code(rules: Rules, layout: str) -> None:
    text = f"tiny {layout}"
    referee = Referee(rules)
    assert [play.word for play in referee.plays(referee.position(text))] == [
        word for word, _ in naive.following(naive.parsed(text, rules), rules)
    ]


def test_absent_cards_of_a_suit_are_counted_once() -> None:
    easier_game = Moves(TWO, frozenset({"AC", "2C"}))
    position = easier_game.position("tiny AC2C/AH2H/AS2S reserve:2DAD")
    assert position.foundations == (2, 0, 0, 1)  # the ace of diamonds could lie on an absent card


def test_two_decks_have_two_foundations_of_each_suit() -> None:
    rules = replace(TINY, decks=2, ranks=2, sizes=(7, 7))
    layout = "tiny AC2CAC2CAH2HAH/2HAS2SAS2S2D2D foundations:ADAD"
    assert Referee(rules).position(layout).foundations == (0, 0, 0, 0, 0, 0, 1, 1)


def test_suits_that_fit_are_those_of_the_other_colour() -> None:
    clubs, hearts, spades, diamonds = (1 << 13 * number for number in range(4))
    assert KLONDIKE.suits_that_fit == (hearts | diamonds, clubs | spades, hearts | diamonds, clubs | spades)


def test_a_run_is_built_in_some_way() -> None:
    text = canonical_rules(rules_of("spider"))
    assert parse_rules("spider", text) == rules_of("spider")
    with pytest.raises(UsageError, match="run"):
        parse_rules("spider", text.replace('run = "same-suit"', 'run = "none"'))


@pytest.mark.parametrize(("base", "top", "complete"), [("A", "3", False), ("A", "3", True), ("2", "A", True)])
def test_foundations_have_whole_suits_if_only_these_leave_the_columns(base: str, top: str, complete: bool) -> None:
    rules = replace(TINY, ranks=3, sizes=(3, 3, 3), foundations=base, complete=complete)
    columns = "tiny 2C3CAC/2H3HAH/2S3SAS"
    assert list(Referee(rules).reasons(f"{columns} foundations:{top}D")) == []
    given = list(Referee(rules).reasons("tiny 3D2C3CAC/2H3HAH/2S3SAS foundations:2D"))
    assert any("only whole suits leave the columns" in reason for reason in given) == complete


@pytest.mark.parametrize(
    ("up", "reasons"),
    [
        ("2H2H", []),
        ("2H2S", []),
        ("2S2H", ["the suits of the foundations are SH, expected each at most 2 times, in the order HS"]),
        ("2H2H2H", ["the suits of the foundations are HHH, expected each at most 2 times, in the order HS"]),
    ],
)
def test_a_suit_goes_up_as_often_as_its_cards_exist(up: str, reasons: list[str]) -> None:
    rules = replace(TINY, ranks=2, suits=2, sizes=(2, 2), complete=True)
    left = {"2H2H": "AS2S/AS2S", "2H2S": "AH2H/AS2S"}.get(up, "AS2S/AS2S")
    text = f"tiny {left} foundations:{up}"
    assert list(Referee(rules).reasons(text)) == reasons
    if not reasons:
        assert Referee(rules).position(text).foundations == ((2, 2, 0, 0) if up == "2H2H" else (2, 0, 2, 0))


def test_a_whole_suit_goes_to_a_foundation_of_its_own() -> None:
    rules = replace(TINY, ranks=2, suits=2, sizes=(2, 2, 4), complete=True)
    referee = Referee(rules)
    play = referee.play(referee.position("tiny 2SAS/AH2H/AH2H2SAS"), "2S1f")
    assert play
    assert play.after.foundations == (0, 0, 2, 0)


def test_the_order_of_columns_counts_as_long_as_cards_will_be_dealt_to_them() -> None:
    referee = Referee(rules_of("east-haven"))
    position = referee.position(to_strings(deal(referee.rules, 1, 1, 1))[0])
    other = position._replace(columns=position.columns[::-1])
    assert referee.key(position) != referee.key(other)
    assert referee.key(position._replace(stock=())) == referee.key(other._replace(stock=()))


@pytest.mark.parametrize(("draw", "card", "turned"), [(3, "AH", 2), (3, "AD", 0), (1, "AC", 0)])
def test_the_stock_counts_as_not_turned_if_the_same_cards_are_offered(draw: int, card: str, turned: int) -> None:
    referee = Referee(replace(TINY, ranks=3, sizes=(7,), stock=5, draw=draw))
    position = referee.position("tiny 3C3H3S3D2S2D2H stock:2CACAHASAD")
    play = referee.play(position, f"{card}f")
    assert play
    assert play.after.turned == turned


@pytest.mark.parametrize(("passes", "legal"), [(1, True), (0, False)])
def test_the_stock_is_turned_again_only_if_a_pass_is_left(passes: int, legal: bool) -> None:
    referee = Referee(replace(TINY, ranks=3, sizes=(7,), stock=5, draw=1, passes=2))
    position = referee.position(f"tiny 3C3H3S3D2S2D2H passes:{passes} stock:ASAD waste:2CACAH")
    assert (referee.play(position, "ACf") is not None) is legal


@pytest.mark.parametrize("part", ["columns", "cells", "reserve", "stock"])
def test_a_game_with_a_hole_is_won_when_no_card_is_left_anywhere(part: str) -> None:
    referee = Referee(rules_of("black-hole"))
    won = referee.position("/".join(["black-hole -", *["-"] * 16]) + " hole:AS")
    left = won._replace(**{part: (("2C",),) if part == "columns" else ("2C",)})  # type: ignore[arg-type]
    assert referee.won(won) and not referee.won(left)


def test_positions_are_counted_up_to_the_limit() -> None:
    lost = "/".join(["black-hole 3H", "3C", *["-"] * 15]) + " hole:AS"
    for positions, error, reason in (
        (100_000, InvalidEvidence, "can be reached, not 100,000"),
        (100_001, Unchecked, "100,001 positions are more than the 100,000 that plain Python visits"),
        (1_000_000_000, Unchecked, "1,000,000,000 positions are more"),
        (1_000_000_001, InvalidEvidence, "more than the limit of 1,000,000,000"),
    ):
        with pytest.raises(error, match=reason):
            Referee(rules_of("black-hole"))("winnable", lost, Verdict.UNWINNABLE, None, f"* {positions}")
    assert read_loss(rules_of("spider"), "* 100000").positions == 100_000
    with pytest.raises(InvalidEvidence, match="more than the limit of 100,000"):
        read_loss(rules_of("spider"), "* 100001")


def test_a_game_that_can_be_won_is_not_lost_whatever_its_number_of_positions() -> None:
    won = "/".join(["black-hole 3H", "2C", *["-"] * 15]) + " hole:AS"
    for positions in (2, 3, 4):  # it has three, of which the last one is won
        with pytest.raises(InvalidEvidence, match="can be won" if positions > 2 else "more than 2 positions"):
            Referee(rules_of("black-hole"))("winnable", won, Verdict.UNWINNABLE, None, f"* {positions}")


def test_positions_are_counted_by_the_moves_to_them_until_there_are_too_many() -> None:
    referee = Referee(rules_of("black-hole"))
    position = referee.position("/".join(["black-hole 2H", "KC", "3H", "QD", *["-"] * 13]) + " hole:AS")
    every = [1, 3, 5]
    assert list(reached(referee, position, 100)) == every
    for limit in range(1, 7):
        counts = list(reached(referee, position, limit))
        complete = [count for count in every if count <= limit]
        assert counts[: len(complete)] == complete
        assert [count > limit for count in counts[len(complete) :]] == [True] * (limit < every[-1])
        assert counts[-1] <= limit + 2  # the first position has two moves


@pytest.mark.parametrize(
    ("rules", "evidence", "reason"),
    [
        ("klondike", "3C2C 1", "not in order"),
        ("klondike", "2C2C 1", "not in order"),
        ("klondike", "2H2C 1", "not in order"),
        ("klondike", "2C 1 ", "is not the evidence of a loss"),
        ("klondike", "2c 1", "is not the evidence of a loss"),
        ("klondike", "2C", "is not the evidence of a loss"),
        ("klondike", " 1", "is not the evidence of a loss"),
        ("klondike", "quotient *2C 1", r"all cards matter in this form: it is like quotient \* 13289"),
        ("black-hole", "2C 1", "such a list of cards proves nothing in black-hole"),
        ("forty-thieves", "*KD 1", "such a list of cards proves nothing in forty-thieves"),
    ],
)
def test_a_list_of_cards_that_proves_nothing_is_refused(rules: str, evidence: str, reason: str) -> None:
    lost = {
        "klondike": "klondike KS/-/-/-/-/-/- foundations:KCKHQSQD stock:KD",
        "black-hole": "/".join(["black-hole 3H", "3C", *["-"] * 15]) + " hole:AS",
        "forty-thieves": "forty-thieves QDKD/-/-/-/-/-/-/-/-/- foundations:KCKCKHKHKSKSKDJD",
    }
    with pytest.raises(InvalidEvidence, match=reason):
        Referee(rules_of(rules))("winnable", lost[rules], Verdict.UNWINNABLE, None, evidence)


@pytest.mark.parametrize(
    ("evidence", "changes"),
    [
        *[("2C 1", change) for change in ({"hole": "AS"}, {"to": "hole"}, {"move": "any"})],
        *[
            (evidence, change)
            for evidence in ("2C 1", "*2C 1")
            for change in (
                {"hole": "AS", "build": "any-suit"},
                {"to": "tableau"},
                {"move": "whole-pile"},
                {"run": "any-suit"},
                {"complete": True},
            )
        ],
    ],
)
def test_a_list_of_cards_proves_nothing_by_other_rules(evidence: str, changes: dict[str, str | bool]) -> None:
    with pytest.raises(InvalidEvidence, match="a list of cards proves nothing"):
        read_loss(replace(KLONDIKE, **changes), evidence)  # type: ignore[arg-type]


def test_a_list_of_cards_belongs_to_the_deck() -> None:
    with pytest.raises(InvalidEvidence, match="KD is not in the deck"):
        Referee(TINY)("winnable", "tiny AC/AH/AS foundations:AD", Verdict.UNWINNABLE, None, "ACKD 1")


@pytest.mark.parametrize(
    "evidence", ["", "*", "* 0", "*7", "* 07", "7", "* 7 ", "* 1000000001", "* 99999999999", "* 2"]
)
def test_a_wrong_number_of_positions_is_refused(evidence: str) -> None:
    lost = "black-hole 2H/2C/KS foundations:AS"
    rules = rules_of("black-hole")
    with pytest.raises(InvalidEvidence) as caught:
        Referee(rules)("winnable", lost, Verdict.UNWINNABLE, None, evidence)
    assert caught.value.step == 0
    lost = "/".join(["black-hole 3H", "3C", *["-"] * 15]) + " hole:AS"
    with pytest.raises(InvalidEvidence) as caught:
        Referee(rules)("winnable", lost, Verdict.UNWINNABLE, None, evidence)
    assert caught.value.step == 1
    assert accepts(rules, lost, Verdict.UNWINNABLE, "* 1")


LOSSES = {
    CountedLoss(None, 7_276): "7,276 positions can be reached, and none of them is won.",
    CountedLoss(frozenset({"6H"}), 1, True): "Even if all cards but 6H were out of the way, it could not be played.",
    CountedLoss(frozenset({"6H", "5H"}), 2, True): "Even if all cards but these two were out of the way, they",
    CountedLoss(
        frozenset(KLONDIKE.deck()[:13]), 2
    ): "Even if all cards but these 13 left the game as soon as they could be moved, they",
}


@pytest.mark.parametrize(("loss", "reason"), LOSSES.items(), ids=LOSSES.values())
def test_a_loss_has_a_reason_in_words(loss: CountedLoss, reason: str) -> None:
    assert loss.reason.startswith(reason)


def test_few_positions_of_a_loss_are_explained() -> None:
    """Both threes go up, the absent four of clubs after its three, but the hearts are the wrong way round."""
    rules = replace(rules_of("klondike"), name="table", ranks=4, sizes=(1, 1, 1, 1), build="none", spaces="none")
    layout, evidence = "table AH2H/3C/3D/AC2C4CAD2D4D3H4HAS2S3S4S", "3CAH2H3D 4"
    referee = Referee(rules)
    referee("winnable", layout, Verdict.UNWINNABLE, None, evidence)
    assert list(referee.explained(layout, Verdict.UNWINNABLE, evidence)) == [
        "Even if all cards but these four were out of the way, they could not be played. In the easier game, "
        "4 positions can be reached, and none of them is won.",
        "position 1: column 1: AH 2H; column 2: 3C; column 3: 3D. Its moves lead to positions 2 and 3.",
        "position 2, from position 1 by 3Cf: "
        "column 1: AH 2H; column 3: 3D; foundations: 3C. Its moves lead to position 4.",
        "position 3, from position 1 by 3Df: "
        "column 1: AH 2H; column 2: 3C; foundations: 3D. Its moves lead to position 4.",
        "position 4, from position 2 by 3Df: column 1: AH 2H; foundations: 3C 3D. No move is possible.",
    ]
    lost = "/".join(["black-hole 3H", "3C", *["-"] * 15]) + " hole:AS"
    assert list(Referee(rules_of("black-hole")).explained(lost, Verdict.UNWINNABLE, "* 1")) == [
        "1 position can be reached, and none of them is won.",
        "position 1: column 1: 3H; column 2: 3C; hole: AS. No move is possible.",
    ]
    assert list(referee.explained(layout, Verdict.WINNABLE, "3Cf")) == []
    assert len(list(referee.explained(layout, Verdict.UNWINNABLE, "3CAH2H3D 13"))) == 1


@pytest.mark.parametrize(
    ("engine", "verdict", "value"),
    [("other", Verdict.WINNABLE, None), ("winnable", Verdict.SCORED, None), ("winnable", Verdict.WINNABLE, 1)],
)
def test_other_claims_are_refused(engine: str, verdict: Verdict, value: int | None) -> None:
    with pytest.raises(InvalidEvidence):
        Referee(KLONDIKE)(engine, NEARLY, verdict, value, "KSf KDf")


@pytest.mark.parametrize(
    ("to", "passes", "counted"),
    [("waste", 2, True), ("waste", 1, False), ("waste", UNLIMITED, False), ("hole", 2, False)],
)
def test_positions_say_the_passes_only_if_the_rules_limit_them_to_two_or_more(
    to: str, passes: int, counted: bool
) -> None:
    klondike = {field.name: getattr(rules_of("klondike"), field.name) for field in fields(Rules)}
    assert Rules(**{**klondike, "to": to, "passes": passes}).counts_passes is counted


@pytest.mark.parametrize(("column", "reason"), [("8C7h", "a card is missing"), ("8X7h", "expected cards such as 6H")])
def test_only_a_column_of_cards_can_miss_one(column: str, reason: str) -> None:
    rules = rules_of("klondike")
    [text] = to_strings(deal(rules, 1, 1, 1))
    name, columns, *parts = text.split(" ")
    damaged = " ".join([name, "/".join([column, *columns.split("/")[1:]]), *parts])
    with pytest.raises(InvalidEvidence, match=reason):
        Referee(rules)("winnable", damaged, Verdict.WINNABLE, None, "-")
