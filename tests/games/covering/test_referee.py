"""The referee of covering games: what it accepts as a position, a move, a win and a loss."""

from dataclasses import fields, replace
from random import Random

import pytest

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.covering import CoveringGame
from dealmill.pipeline.games.covering.counting import CompiledReferee, count_positions
from dealmill.pipeline.games.covering.layout import canonical
from dealmill.pipeline.games.covering.referee import Loss, Referee, read_loss
from dealmill.pipeline.games.covering.rules import Rules, chains_of, lies_face_down, turned_rows, written
from dealmill.testing.covering import faults_of, plainly_won, position_with_few_cards, with_few_cards
from dealmill.verdicts import IllegalMove, InvalidEvidence, Unchecked, Verdict
from tests.games.covering.test_agreement import GAMES

LOWER = "/--------/----------/------------/--------------"
"""The lower four rows of a pyramid, which are gone."""
FEW = 3


def referee_of(name: str) -> Referee:
    game = find_game(name)
    assert isinstance(game, CoveringGame)
    return Referee(Rules(**{each.name: getattr(game.rules, each.name) for each in fields(Rules)}))


def moves(layout: str) -> set[str]:
    referee = referee_of(layout.split(" ", maxsplit=1)[0])
    return {play.word for play in referee.plays(referee.position(layout))}


def test_free_cards_leave_in_pairs_and_kings_alone() -> None:
    assert moves(f"pyramid TS/5DKH/8CQSAH{LOWER} passes:2 stock:3S5C8DKD") == {"QSAH", "8C5C", "5C8D", "KD"}
    assert moves(f"pyramid TS/5DKH/8C----{LOWER} passes:2 stock:3S") == {"KH"}


def test_a_card_that_is_covered_stays_unless_it_may_leave_with_the_only_one_on_it() -> None:
    rows = f"5D/8D--/------{LOWER}"
    assert moves(f"pyramid {rows} passes:0") == set()
    assert moves(f"pyramid:pairs.overlap=true {rows} passes:0") == {"5D8D"}
    assert moves(f"pyramid:pairs.overlap=true 5D/8DKH/------{LOWER} passes:0") == {"KH"}


def test_only_cards_of_the_peaks_lie_face_down_while_they_are_covered() -> None:
    rules = replace(referee_of("giza").rules, face_down="covered")
    places = ["AC"] * len(rules.covers)
    covered = range(sum(rules.row_sizes[:-1]))
    assert [number for number in range(len(places)) if lies_face_down(rules, places, number)] == list(covered)
    places[0] = ""
    assert not lies_face_down(rules, places, 0)


def test_of_a_column_only_the_last_card_is_free() -> None:
    assert moves(f"giza 8D/----/------{LOWER} columns:5D8C/5C/-/-/-/-/-/-") == {"8D5C", "8C5C"}


def test_the_stock_is_turned_as_often_as_passes_are_left() -> None:
    layout = f"pyramid 8D/5H--/------{LOWER} passes:{{}} stock:8S waste:8H5C5S"
    assert moves(layout.format(1)) == {"5H8H", "5H8S", "8H5C", "5S8S"}
    assert moves(layout.format(0)) == {"5H8S", "5S8S"}
    referee = referee_of("pyramid")
    [(play, _)] = referee.replayed(referee.position(layout.format(1)), "5H8H")
    assert play.after[1:4] == (("5C", "5S", "8S"), 0, 0)
    [(play, _)] = referee.replayed(referee.position(layout.format(1)), "5S8S")
    assert play.after[1:4] == (("8H", "5C"), 2, 1)
    assert moves(layout.replace("pyramid", "pyramid:stock.playable=false").format(0)) == {"5H8S"}
    unlimited = layout.replace("pyramid", "pyramid:stock.passes=unlimited").replace(" passes:{}", "")
    assert moves(unlimited) == moves(layout.format(1))


def test_a_card_goes_into_the_hole_onto_a_neighbouring_rank() -> None:
    layout = "tripeaks KC2CQD/------------/------------------/-------------------- hole:AS stock:9D4D"
    assert moves(layout) == {"KCh", "2Ch", "9Dh"}
    assert moves(layout.replace("tripeaks", "tripeaks-no-wrap")) == {"2Ch", "9Dh"}


@pytest.mark.parametrize(
    ("layout", "evidence"),
    [
        ("tripeaks ----3C/--------2C--/------------------/-------------------- hole:AS", "2Ch 3Ch"),
        (f"pyramid 5D/----/------{LOWER} passes:0 stock:8S", "5D8S"),
        (f"pyramid --/----/------{LOWER} passes:0 stock:8S5C", "-"),
        (f"pyramid-pysol 5D/----/------{LOWER} passes:0 stock:8SKD", "5D8S KD"),
    ],
)
def test_a_win_is_replayed_and_is_no_loss(layout: str, evidence: str) -> None:
    layout = layout.replace("3C/--------2C", "3c/--------2C")
    referee = referee_of(layout.split(" ", maxsplit=1)[0])
    referee("winnable", layout, Verdict.WINNABLE, None, evidence)
    for loss in ["* 1", "* 2"] if "tripeaks" in layout else ["*5 1", "*5 2", "stock *A23456 1", "stock *A23456 2"]:
        with pytest.raises(InvalidEvidence):
            referee("winnable", layout, Verdict.UNWINNABLE, None, loss)


@pytest.mark.parametrize(
    ("evidence", "error", "reason"),
    [
        ("5D8S", InvalidEvidence, "the game is not won after the last move"),
        ("5D9S", IllegalMove, "the rules do not allow 5D9S"),
        ("8S5D KD", IllegalMove, "the rules do not allow 8S5D"),
        ("5D8S KDh", InvalidEvidence, "'KDh' is not a move such as QSAH or KD"),
        ("5D-8S", InvalidEvidence, "'5D-8S' is not a move"),
    ],
)
def test_what_is_no_win_is_refused(evidence: str, error: type[InvalidEvidence], reason: str) -> None:
    layout = f"pyramid-pysol 5D/----/------{LOWER} passes:0 stock:8SKD"
    with pytest.raises(error, match=reason):
        referee_of("pyramid-pysol")("winnable", layout, Verdict.WINNABLE, None, evidence)


LOST = f"pyramid 8D/5D--/5C----{LOWER} passes:0 stock:AD8CQH"
"""A five leaves with the eight of the stock; the other one covers the last eight."""


def test_a_loss_is_counted_with_an_open_stock_and_with_the_real_one() -> None:
    """With the real stock, ace and queen can leave, too, once the eight between them is gone."""
    plain = referee_of("pyramid")
    for check in (plain, CompiledReferee(plain.rules)):
        for evidence in ("*5 2", "*A5 2", "stock *5 2", "stock *A5 3"):
            check("winnable", LOST, Verdict.UNWINNABLE, None, evidence)
            kind, count = evidence.rsplit(maxsplit=1)
            for other in (int(count) - 1, int(count) + 1):
                with pytest.raises(InvalidEvidence):
                    check("winnable", LOST, Verdict.UNWINNABLE, None, f"{kind} {other}")
        for evidence in ("*A 1", "* 1", "*5", "*5A 2", "*55 2", "*8 2", "stock * 2", "*5  2", " *5 2", "*5 02", "2"):
            with pytest.raises(InvalidEvidence):
                check("winnable", LOST, Verdict.UNWINNABLE, None, evidence)
        with pytest.raises(InvalidEvidence, match="more than the limit of 20,000,000"):
            check("winnable", LOST, Verdict.UNWINNABLE, None, "stock *5 20000001")
    with pytest.raises(Unchecked, match="more than the 100,000 that plain Python visits"):
        plain("winnable", LOST, Verdict.UNWINNABLE, None, "stock *5 100001")


def test_a_loss_in_a_hole_is_counted_by_ranks() -> None:
    """All cards, or all but one of the twos, with the ace, a two or, later, the king in the hole."""
    referee = referee_of("tripeaks")
    layout = "tripeaks 9C9D9H/--2C2D--5S--/------------------/-------------------- hole:AS stock:KC"
    layout = layout.replace("9C9D9H", "9c9d9h")
    referee("winnable", layout, Verdict.UNWINNABLE, None, "* 6")
    for evidence in ("* 5", "* 7", "*A 6", "stock * 6"):
        with pytest.raises(InvalidEvidence):
            referee("winnable", layout, Verdict.UNWINNABLE, None, evidence)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pyramid 5D/8H--", "the number of rows is 2, expected 7"),
        ("tripeaks 5D/8H-- hole:AS", "the number of rows is 2, expected 4"),
        (f"pyramid 5D/8H/------{LOWER}", "row 2 has 1 places, expected 2: write -- for each gap"),
        (f"pyramid 5D/8X--/------{LOWER}", "row 2 is '8X--', expected cards such as 6H, and -- for each gap"),
        (f"pyramid --/8H--/------{LOWER} stock:5D", "a card is missing under 8H: only free cards leave"),
        (f"pyramid 5D/5D--/------{LOWER} stock:8H8S", "5D occurs 2 times, expected at most once"),
        (f"pyramid 5D/----/------{LOWER}", "1 cards of rank 5 and 0 of rank 8 are left, expected equally many"),
        (f"pyramid 5D/8H--/------{LOWER} waste:KD", "the passes that are left must be known: add passes:0 or passes:1"),
        (f"pyramid 5D/8H--/------{LOWER} passes:3", "passes:3 are left, expected at most 2 after the first"),
        (f"pyramid 5D/8H--/------{LOWER} hole:3S", "'hole:3S' is not a part of a position of pyramid"),
        (f"pyramid 5D/8H--/------{LOWER} stock:", "stock is '', expected the form stock:6H4S"),
        (f"giza 5D/8H--/------{LOWER}", "the part columns is missing, such as columns:6H4S/-"),
        (f"giza 5D/8H--/------{LOWER} columns:-/-", "the number of columns is 2, expected 8"),
        (f"giza 5D/----/------{LOWER} columns:8H3DTDKH/-/-/-/-/-/-/-", "column 1 has 4 cards, expected at most 3"),
        (f"giza 5D/8H--/------{LOWER} waste:8S", "'waste:8S' is not a part of a position of giza"),
        (f"giza 5D/8H--/------{LOWER} stock:8S", "'stock:8S' is not a part of a position of giza"),
        (f"pyramid 5D/8H--/------{LOWER} columns:8S", "'columns:8S' is not a part of a position of pyramid"),
        (
            "tripeaks 9C----/------------/------------------/-------------------- hole:AS waste:KC",
            "'waste:KC' is not a part of a position of tripeaks; there are hole, stock",
        ),
        ("tripeaks 9C----/------------/------------------/--------------------", "the part hole is missing"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadLayout) as raised:
        canonical(referee_of(text.split(maxsplit=1)[0]), text)
    assert reason in "; ".join(raised.value.reasons)


@pytest.mark.parametrize(
    "layout",
    [
        f"giza 8D/5HKC/------{LOWER} columns:5D8C3S/8S5C/-/TD/-/-/-/-",
        f"pyramid 8D/5H--/------{LOWER} passes:1 stock:8S waste:8H5C5S",
        "tripeaks 9c----/2CKD--------/------------------/-------------------- hole:AS stock:KC",
    ],
)
def test_a_position_is_written_as_it_is_read(layout: str) -> None:
    referee = referee_of(layout.split(" ", maxsplit=1)[0])
    assert written(referee.rules, referee.position(layout)) == layout


def test_plain_code_says_the_same() -> None:
    for name in GAMES:
        for number in range(FEW):
            random = Random(number)
            referee = referee_of(name)
            referee = Referee(with_few_cards(referee.rules, random))
            layout = position_with_few_cards(referee.rules, random)
            can_be_won = plainly_won(layout, referee.rules)
            assert list(faults_of(referee, layout, can_be_won=can_be_won)) == [], layout


def test_only_the_right_claims_are_judged() -> None:
    referee = referee_of("pyramid")
    for engine, verdict, value in (
        ("chances", Verdict.UNWINNABLE, None),
        ("winnable", Verdict.UNWINNABLE, 1),
        ("winnable", Verdict.SCORED, None),
    ):
        with pytest.raises(InvalidEvidence) as raised:
            referee(engine, LOST, verdict, value, "*5 2")
        assert raised.value.step == 0
    with pytest.raises(InvalidEvidence, match="the pairs are not in order"):
        referee("winnable", LOST, Verdict.UNWINNABLE, None, "stock * 2")
    with pytest.raises(InvalidEvidence, match="positions can be reached, not 100,000"):
        referee("winnable", LOST, Verdict.UNWINNABLE, None, "*5 100000")
    with pytest.raises(Unchecked):
        referee("winnable", LOST, Verdict.UNWINNABLE, None, "*5 20000000")
    hole = "tripeaks ----9c/--------2C--/------------------/-------------------- hole:AS stock:KC"
    with pytest.raises(InvalidEvidence, match="positions can be reached, not 20,000,001"):
        referee_of("tripeaks")("winnable", hole, Verdict.UNWINNABLE, None, "* 20000001")
    with pytest.raises(InvalidEvidence, match="the game can be won"):
        referee_of("tripeaks")("winnable", hole.replace("9c", "3c"), Verdict.UNWINNABLE, None, "* 4")
    easier, first = referee.easier(referee.position(LOST), read_loss(referee.rules, "stock *A5 3"))
    assert (easier.count(first, 1), easier.count(first, 3)) == (2, 3)


def test_an_open_stock_has_no_waste_that_buries_a_king() -> None:
    layout = f"pyramid 8D/5D--/5C----{LOWER} passes:0 waste:KD8C"
    referee_of("pyramid")("winnable", layout, Verdict.UNWINNABLE, None, "*5 2")


def test_the_next_pass_is_begun_only_for_cards_that_lie_under_others() -> None:
    referee_of("pyramid")("winnable", LOST.replace("passes:0", "passes:1"), Verdict.UNWINNABLE, None, "stock *A5 3")


def test_it_does_not_matter_how_far_a_stock_is_turned_that_is_turned_at_any_time() -> None:
    name = "pyramid-pysol:stock.passes=unlimited"
    referee = referee_of(name)
    position = referee.position(f"{name} AD/5C5H/------{LOWER} stock:8D6S8C2CQH7SJC")
    loss = Loss("A23456", 1_000)
    easier, first = referee.easier(position, loss)
    assert easier.count(first, 1_000) == count_positions(referee.rules, position, loss)


def test_rows_of_other_sizes_stay_as_they_are() -> None:
    assert turned_rows(referee_of("tripeaks").rules, "5D/8H--") == "5D/8H--"


def test_the_chains_of_a_pyramid_are_its_diagonals() -> None:
    assert [len(chain) for chain in chains_of(referee_of("pyramid").rules)] == [7, 6, 5, 4, 3, 2, 1]


def test_a_stock_stays_turned_where_it_was() -> None:
    name = "pyramid:stock.passes=unlimited"
    referee = referee_of(name)
    position = referee.position(f"{name} 8D/5H--/------{LOWER} stock:8S waste:8H5C5S")
    [(play, _)] = referee.replayed(position, "5H8S")
    assert play.after.turned == 3


def test_a_loss_is_explained() -> None:
    referee = referee_of("pyramid")
    reason, *positions = referee.explained(LOST, Verdict.UNWINNABLE, "*5 2")
    assert reason == (
        "Even if all cards but those of 5-8 left the game as soon as they could, and each card of the stock could be "
        "taken at any time, it could not be won. In the easier game, 2 positions can be reached, and none of them is "
        "won."
    )
    assert positions == [
        "position 1: arrangement: 8D 5D 5C; stock: 8C. Its moves lead to position 2.",
        "position 2, from position 1 by 5C8C: arrangement: 8D 5D. No move is possible.",
    ]
    assert " A-Q and 5-8 left the game as soon as they could, it " in next(
        referee.explained(LOST, Verdict.UNWINNABLE, "stock *A5 3")
    )
    assert list(referee.explained(LOST, Verdict.WINNABLE, "*5 2")) == []
    assert referee.placed(referee.position(f"pyramid --/----/------{LOWER} passes:0")) == "arrangement: no cards"
    lost = "tripeaks ----9c/--------2C--/------------------/-------------------- hole:AS stock:KC"
    explained = list(referee_of("tripeaks").explained(lost, Verdict.UNWINNABLE, "* 4"))
    assert explained[0] == "4 positions can be reached, and none of them is won."
    assert "position 2, from position 1 by 2Ch: arrangement: 9C; hole: 2C; stock: KC. Its moves" in explained[2]
