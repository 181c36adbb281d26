"""The referee of covering games: what it accepts as a position, a move, a win and a loss."""

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.covering import CoveringGame
from dealmill.pipeline.games.covering.counting import CompiledReferee
from dealmill.pipeline.games.covering.referee import Referee
from dealmill.verdicts import IllegalMove, InvalidEvidence, Unchecked, Verdict

LOWER = "/--------/----------/------------/--------------"
"""The lower four rows of a pyramid, which are gone."""


def referee_of(name: str) -> Referee:
    game = find_game(name)
    assert isinstance(game, CoveringGame)
    return Referee(game.rules)


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
