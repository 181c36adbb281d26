"""Games in which empty columns are filled from the waste: at once, as in Corona and Fortune's Favor, or not, but from
nowhere else, as in a form of Canfield."""

import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.compiled import wins
from dealmill.pipeline.games.patience.display.picture import PatienceDisplay
from dealmill.pipeline.games.patience.display.playback import playback
from dealmill.pipeline.games.patience.display.table import Table, written
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.searches import PLAIN, search_of
from dealmill.verdicts import InvalidEvidence, Verdict

FORTUNE = "forty-thieves:deck.decks=1:foundations.initial=all:stock.size=36:tableau.count=12:tableau.spaces=waste"
CORONA = "forty-thieves:stock.size=68:tableau.count=12:tableau.spaces=waste"
CANFIELD = "canfield:tableau.spaces=reserve-then-waste"
LAYOUTS = {
    FORTUNE: f"{FORTUNE} KC/KH/KS/KD/QC/QH/QS/QD/JCJH/-/JD/- foundations:TCTHTSTD stock:JS",
    CORONA: f"{CORONA} KC/KC/KH/KH/KS/KS/KD/KD/QCQHQSQD/QC/QHQS/- foundations:JCJCJHTHJSJSJDJD stock:QDJH",
    CANFIELD: f"{CANFIELD} KC/KH/KD/- base:A foundations:JCJHJSJD stock:QSKSQC waste:QHQD",
}
FILLS = {FORTUNE: {"JSe"}, CORONA: {"QDs1-12", "JHs2-12"}}
"""All moves that there are."""


def patience(name: str) -> Patience:
    game = find_game(name)
    assert isinstance(game, Patience)
    return game


@pytest.mark.parametrize("name", FILLS)
def test_an_empty_column_is_filled_before_anything_else_moves(name: str) -> None:
    """Though others could; `/play` offers nothing else, and no referee takes another move."""
    game, text = patience(name), LAYOUTS[name]
    position = game.referee.position(text)
    assert {play.word for play in game.referee.plays(position)} == FILLS[name]
    table = Table(PatienceDisplay(game.referee), text)
    assert {choice.word for choice in table.choices} == FILLS[name]
    other = "JDf" if name == FORTUNE else "QC10f"
    for moves in (other, f"{other} {' '.join(sorted(FILLS[name]))}"):
        with pytest.raises(InvalidEvidence):
            game.check("winnable", text, Verdict.WINNABLE, None, moves)
        assert not wins.is_won(game.rules, position, moves)
    after = next(play.after for play in game.referee.plays(position))
    assert game.referee.position(written(game.referee, after)) == after


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_win_is_found_repeated_and_shown(name: str) -> None:
    game, text = patience(name), LAYOUTS[name]
    [evidence] = to_batch(game.solvers["winnable"](to_texts([text]), 10_000)).evidence
    game.check("winnable", text, Verdict.WINNABLE, None, str(evidence))
    assert wins.is_won(game.rules, game.referee.position(text), str(evidence))
    steps = playback(game.referee, text, Verdict.WINNABLE, str(evidence)).steps
    assert len(steps) == len(str(evidence).split(" "))
    frames = "".join(game.frames(text, Verdict.WINNABLE, str(evidence)))
    assert name == CANFIELD or "to an empty column" in frames or "to column 12" in frames


def test_only_the_waste_fills_columns_after_the_reserve() -> None:
    """Not a king of another column; and other cards may move before."""
    game = patience(CANFIELD)
    words = {play.word for play in game.referee.plays(game.referee.position(LAYOUTS[CANFIELD]))}
    assert {word for word in words if word.endswith("e")} == {"QSe", "QDe", "QCe"} and "QDf" in words
    with_reserve = LAYOUTS[CANFIELD].replace("KD/-", "-/-").replace("stock", "reserve:KD stock")
    assert game.referee.position(with_reserve).columns == (("KC",), ("KH",), ("KD",), ())


def test_a_column_is_filled_before_a_card_comes_back_from_a_foundation() -> None:
    """By both referees, and by the engine."""
    name = CORONA.replace(":stock", ":foundations.removable=true:stock")
    game, text = patience(name), LAYOUTS[CORONA].replace(CORONA, name).replace("QCQHQSQD", "QCQHQS")
    text = text.replace("stock:QD", "stock:QDQD")
    position = game.referee.position(text)
    assert {play.word for play in game.referee.plays(position)} == {"QDs1-12", "QDs2-12", "JHs3-12"}
    assert not wins.is_won(game.rules, position, "JCf-10 QDs1-12")
    [evidence] = to_batch(game.solvers["winnable"](to_texts([text]), 10_000)).evidence
    game.check("winnable", text, Verdict.WINNABLE, None, str(evidence))
    for layout in to_strings(game.deal(3, 1, 2)):
        [evidence] = to_batch(game.solvers["winnable"](to_texts([layout]), 60_000)).evidence
        if evidence:
            game.check("winnable", layout, Verdict.WINNABLE, None, str(evidence))


def test_other_empty_columns_are_filled_by_anything_if_the_stock_is_used_up() -> None:
    text = LAYOUTS[FORTUNE].replace("JD/-", "JS/JD").replace(" stock:JS", "")
    referee = patience(FORTUNE).referee
    assert {"JHe", "JSf"} <= {play.word for play in referee.plays(referee.position(text))}


@pytest.mark.parametrize("name", [FORTUNE, CANFIELD])
def test_no_other_form_of_loss_holds(name: str) -> None:
    """Their proofs are about columns that other cards may fill, too; the plain search counts all positions."""
    game = patience(name)
    assert search_of(game.rules) is PLAIN
    for evidence in ("*JH 1", "JH 1", "quotient * 1", "cut * 1", "safe * 1"):
        with pytest.raises(InvalidEvidence, match=r"prove|is not the evidence"):
            Referee(game.rules)("winnable", LAYOUTS[name], Verdict.UNWINNABLE, None, evidence)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("freecell:tableau.spaces=waste", 'tableau.spaces = "waste": there is no waste'),
        ("klondike:tableau.spaces=reserve-then-waste", "there is no stacked reserve"),
        ("east-haven:tableau.spaces=waste", "there is no waste"),
        ("golf:stock.to=waste:tableau.spaces=waste", "this is not played with a hole"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        find_game(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUTS)
def test_deals_are_won_and_played(name: str) -> None:
    """Their wins are repeated by both referees, and the plays of the careful player by that of the referee."""
    game = patience(name)
    layouts = game.deal(7, 1, 3)
    batch = to_batch(game.solvers["winnable"](layouts, 150_000))
    assert Verdict.WINNABLE in batch.verdicts
    for text, verdict, evidence in zip(to_strings(layouts), batch.verdicts, batch.evidence, strict=True):
        if verdict is Verdict.WINNABLE:
            game.check("winnable", text, verdict, None, str(evidence))
            assert wins.is_won(game.rules, game.referee.position(text), str(evidence))
    plays = to_batch(game.solvers["chances"](game.deal(7, 1, 1)))
    for text, value, evidence in zip(to_strings(layouts), plays.values, plays.evidence, strict=False):
        game.referee.check_plays(text, value, str(evidence), range(1, 4))
