"""Games such as Forty Thieves, whose cards exist more than once and go up one by one, against plain code."""

from collections.abc import Sequence
from random import Random

import pytest

from dealmill.game import BadLayout
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.compiled import wins
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.display.picture import PatienceDisplay
from dealmill.pipeline.games.patience.display.playback import playback
from dealmill.pipeline.games.patience.display.table import Table, written
from dealmill.pipeline.games.patience.engine.whole_suits.spider import Spider
from dealmill.pipeline.games.patience.losses.counted import easier_game_is_sound
from dealmill.pipeline.games.patience.player import RefereeOfPlays
from dealmill.pipeline.games.patience.reading.boards import read_boards, read_json, write_board, write_json
from dealmill.pipeline.games.patience.reading.layout import canonical
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules_of_copies, seeds

LIMIT, LIMIT_WITH_RESERVE = 10_000, 20_000
MOVES = 10
"""The moves of a random walk."""
MIDDLE = "forty-thieves KC/KC/KH/KH/KS/KS/KD/KD/QCQHQSQD/QCQHQSQD foundations:JCJCJHTHJSJSJDJD stock:JH"
"""All but one jack can go up."""


def layouts_of(rules: Rules, seed: int) -> list[str]:
    """Deals and random positions."""
    random = Random(seed)
    return [*to_strings(deal(rules, seed, 1, 3)), *(random_position(rules, random) for _ in range(3))]


@pytest.mark.parametrize("seeds", seeds(0, 300, quick=10))
def test_verdicts_are_those_of_plain_code(seeds: Sequence[int]) -> None:
    """Small games are decided, their losses have all positions as evidence, and both referees accept the wins."""
    for seed in seeds:
        rules = random_rules_of_copies(Random(seed))
        layouts, referee = layouts_of(rules, seed), Referee(rules)
        batch = to_batch(Spider(rules)(to_texts(layouts), LIMIT_WITH_RESERVE if rules.reserve else LIMIT))
        for text, verdict, evidence in zip(layouts, batch.verdicts, batch.evidence, strict=True):
            truth = naive.counted(text, rules, 300)
            if truth is not None:
                assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE), (rules, text)
                assert truth[0] or evidence == f"* {truth[1]}", (rules, text)
            if verdict is not Verdict.UNDECIDED:
                referee("winnable", text, verdict, None, str(evidence))
            if verdict is Verdict.WINNABLE:
                assert wins.is_won(rules, referee.position(text), str(evidence)), (rules, text)


@pytest.mark.parametrize("seeds", seeds(1_000, 200, quick=10))
def test_moves_are_those_of_plain_code(seeds: Sequence[int]) -> None:
    """Of plain code, of the referee in Python and of the compiled one; and each position is written as it is read."""
    for seed in seeds:
        random = Random(seed)
        rules = random_rules_of_copies(random)
        referee = Referee(rules)
        for text in to_strings(deal(rules, seed, 1, 2)):
            state, position, words = naive.parsed(text, rules), referee.position(text), list[str]()
            for _ in range(MOVES):
                plays = {play.word: play for play in referee.plays(position)}
                following = dict(naive.following(state, rules))
                assert following.keys() <= plays.keys(), (rules, text, words)
                keys = {referee.key(plays[word].after) for word in following}  # only one empty column is named
                assert {referee.key(play.after) for play in plays.values()} == keys, (rules, text, words)
                if not following:
                    break
                words.append(random.choice(sorted(following)))
                state, position = following[words[-1]], plays[words[-1]].after
                layout = written(referee, position)
                assert canonical(referee, layout) == layout and referee.position(layout) == position
            assert wins.moves_made(rules, referee.position(text), words) >= len(words), (rules, text, words)
            wrong = [*words[:-1], "AS99-1"]
            assert not wins.is_won(rules, referee.position(text), " ".join(wrong))


@pytest.mark.parametrize("seeds", seeds(2_000, 100, quick=10))
def test_the_referee_repeats_the_plays_of_the_careful_player(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules = random_rules_of_copies(Random(seed))
        game = find_game("forty-thieves")
        assert isinstance(game, Patience) and game.rules_text
        chances = Patience(rules, game.rules_text).solvers["chances"]
        texts = to_strings(deal(rules, seed, 1, 1))
        batch = to_batch(chances(to_texts(texts), 1_000))
        for text, value, evidence in zip(texts, batch.values, batch.evidence, strict=True):
            RefereeOfPlays(rules)("chances", text, Verdict.SCORED, value, str(evidence))


def test_a_card_of_the_stock_is_named_by_its_place() -> None:
    """Two copies in the stock are two moves, and what is skipped is in the waste."""
    rules = rules_of("forty-thieves")
    text = MIDDLE.replace("QCQHQSQD/QCQHQSQD", "QCQHQSQD/QHQSQD").replace("stock:JH", "stock:QCJH")
    referee = Referee(rules)
    plays = {play.word: play for play in referee.plays(referee.position(text))}
    assert {"QCs1f", "QCs1-1", "QCs1-2", "JHs2f"} <= plays.keys() and "QDs2f" not in plays
    after = plays["JHs2f"].after
    assert (after.stock, after.turned) == (("QC",), 1)
    assert (
        PatienceDisplay(referee).describe(plays["JHs2f"], referee.position(text))
        == "J of hearts from the stock to a foundation"
    )
    rest = _win(rules, written(referee, after))
    moves = playback(referee, text, Verdict.WINNABLE, f"JHs2f {rest}").steps[0].moves
    places = [(move.source, move.target, move.take) for move in moves]
    assert places == [("stock", "waste", 1), ("stock", "waste", 1), ("waste", "foundation H 2", 1)]


def test_the_stock_is_gone_through_again() -> None:
    """As often as the rules allow; a card that is not offered in this pass costs one."""
    game = find_game("forty-thieves:stock.passes=2")
    assert isinstance(game, Patience)
    rules = game.rules
    text = MIDDLE.replace("forty-thieves", rules.name).replace("QCQHQSQD/QCQHQSQD", "QCQHQSQD/QHQSQD")
    text = text.replace("stock:JH", "passes:1 waste:JHQC")
    referee = Referee(rules)
    plays = {play.word: play for play in referee.plays(referee.position(text))}
    assert (plays["QCs2-1"].after.passes, plays["JHs1f"].after.passes) == (1, 0)
    last = text.replace("passes:1", "passes:0")
    assert not [play for play in referee.plays(referee.position(last)) if play.word.startswith("JH")]
    win = _win(rules, text)
    referee("winnable", text, Verdict.WINNABLE, None, win)
    assert wins.is_won(rules, referee.position(text), win)
    assert not wins.is_won(rules, referee.position(last), f"JHs1f {win}")
    moves = playback(referee, text, Verdict.WINNABLE, f"JHs1f {_win(rules, written(referee, plays['JHs1f'].after))}")
    places = [(move.source, move.target, move.take) for move in moves.steps[0].moves]
    assert places == [("waste", "stock", 2), ("stock", "waste", 1), ("waste", "foundation H 2", 1)]


@pytest.mark.parametrize("passes", ["2", "3", "unlimited"])
def test_deals_are_won_sooner_if_the_stock_is_gone_through_again(passes: str) -> None:
    """None of these is won in one pass with as many nodes."""
    game = find_game(f"forty-thieves:stock.passes={passes}")
    layouts = game.deal(7, 1, 3)
    batch = to_batch(game.solvers["winnable"](layouts, 120_000))
    assert batch.verdicts == [Verdict.WINNABLE] * 3
    for text, evidence in zip(to_strings(layouts), batch.evidence, strict=True):
        game.check("winnable", text, Verdict.WINNABLE, None, str(evidence))


def _win(rules: Rules, text: str) -> str:
    [evidence] = to_batch(Spider(rules)(to_texts([text]), LIMIT)).evidence
    return str(evidence)


def test_a_card_comes_back_from_a_foundation() -> None:
    """The word says that it is on one; of two foundations with the same top card, the last one loses it."""
    game = find_game("gypsy")
    assert isinstance(game, Patience)
    text = "gypsy KC/KC/KS/KS/KH/KH/KD/QDKDQC foundations:QCJCJHJHQSJSQDJD stock:QHQHQS"
    rules, referee = game.rules, Referee(game.rules)
    plays = {play.word: play for play in referee.plays(referee.position(text))}
    assert {"QSf-5", "QCf-5", "QDf-1", "JHf-8", "QC8f"} <= plays.keys()
    assert not {"JSf-1", "JCf-8", "QCf-1", "JHff"} & plays.keys()
    after = plays["JHf-8"].after
    assert written(referee, after) == text.replace("QDKDQC", "QDKDQCJH").replace("JHJH", "JHTH")
    words = "JHf-8 JH8f QC8-5 QC5f KD8-1"
    assert wins.moves_made(rules, referee.position(text), words.split(" ")[:4]) >= 4
    assert wins.moves_made(rules, referee.position(text), words.split(" ")) == 4
    assert (
        PatienceDisplay(referee).describe(plays["JHf-8"], referee.position(text))
        == "J of hearts from a foundation to column 8"
    )
    [move] = playback(referee, text, Verdict.WINNABLE, f"JHf-8 JH8f {_win(rules, text)}").steps[0].moves
    assert (move.source, move.target) == ("foundation H 2", "column 8")
    table = Table(PatienceDisplay(referee), text)
    assert {choice.targets for choice in table.choices if choice.word == "JHf-8"} == {("QC8",)}
    assert "JH" in {choice.piece for choice in table.choices}


@pytest.mark.parametrize("word", ["JSf-1", "JHff", "JHf-9", "QHf-1", "QSf-7"])
def test_cards_that_do_not_come_back_are_refused(word: str) -> None:
    """By both referees."""
    game = find_game("gypsy")
    assert isinstance(game, Patience)
    text = "gypsy KC/KC/KS/KS/KH/KH/KD/QDKDQC foundations:QCJCJHJHQSJSQDJD stock:QHQHQS"
    referee = Referee(game.rules)
    with pytest.raises(InvalidEvidence):
        referee("winnable", text, Verdict.WINNABLE, None, f"{word} {_win(game.rules, text)}")
    assert not wins.is_won(game.rules, referee.position(text), f"{word} {_win(game.rules, text)}")


def test_a_win_is_shown_and_played() -> None:
    rules = rules_of("forty-thieves")
    referee = Referee(rules)
    win = _win(rules, MIDDLE)
    assert win.split(" ")[-1].endswith("f")
    table = Table(PatienceDisplay(referee), MIDDLE, win.split(" "))
    assert table.won and not table.choices
    first = Table(PatienceDisplay(referee), MIDDLE)
    assert {choice.piece for choice in first.choices} >= {"JHs1", "QD9"}
    assert [choice.targets for choice in first.choices if choice.word == "JHs1f"] == [("foundation H",)]
    moves = [move for step in playback(referee, MIDDLE, Verdict.WINNABLE, win).steps for move in step.moves]
    assert len(moves) >= len(win.split(" "))


def test_foundations_of_a_suit_are_in_order() -> None:
    """The text with the higher one first is the canonical one."""
    referee = Referee(rules_of("forty-thieves"))
    other = MIDDLE.replace("JHTH", "THJH")
    assert canonical(referee, other) == MIDDLE
    assert list(referee.reasons(other)) == [
        "the foundations are JCJCTHJHJSJSJDJD, expected JCJCJHTHJSJSJDJD: of a suit, the highest first"
    ]
    with pytest.raises(BadLayout, match="JC occurs 3 times"):
        canonical(referee, MIDDLE.replace("QCQHQSQD/QCQHQSQD", "QCQHQSQDJC/QCQHQSQD"))


def test_boards_and_json_are_read_as_they_are_written() -> None:
    rules = rules_of("forty-thieves")
    referee = Referee(rules)
    for read, text in ((read_boards, write_board(rules, MIDDLE)), (read_json, write_json(rules, MIDDLE))):
        [layout] = read(referee, enumerate(text.splitlines(), start=1))
        assert layout.text == MIDDLE


@pytest.mark.parametrize("word", ["JHs2f", "JHs0f", "JHs1-11", "KC1f", "QC9f", "JH1f", "JHf", "KC1-2"])
def test_moves_that_are_not_legal_are_refused(word: str) -> None:
    """By both referees."""
    rules = rules_of("forty-thieves")
    referee = Referee(rules)
    with pytest.raises(InvalidEvidence):
        referee("winnable", MIDDLE, Verdict.WINNABLE, None, f"{word} {_win(rules, MIDDLE)}")
    assert not wins.is_won(rules, referee.position(MIDDLE), f"{word} {_win(rules, MIDDLE)}")


def test_lists_of_cards_prove_nothing() -> None:
    """The proof of docs/proofs/patience.md is about cards that exist once."""
    rules = rules_of("forty-thieves")
    assert not easier_game_is_sound(rules)
    with pytest.raises(InvalidEvidence, match="such a list of cards proves nothing in forty-thieves"):
        Referee(rules)("winnable", MIDDLE, Verdict.UNWINNABLE, None, "*JH 1")


TOAD = "canfield:deck.decks=2:reserve.size=20:stock.draw=1:stock.passes=1:stock.size=75:tableau.count=8"
END_OF_TOAD = f"{TOAD} QS/QH/QH/QD/QDJC/QC/QC/QS base:K foundations:TCTCJHTHTSTSJDJD reserve:JCJH stock:JS waste:JS"
"""Foundations begin with kings and end with queens."""


def test_a_card_of_the_reserve_is_named_by_its_place() -> None:
    """It goes to a foundation or a column, and fills an empty column by itself, as in American Toad."""
    game = find_game(TOAD)
    assert isinstance(game, Patience)
    referee, display = game.referee, PatienceDisplay(game.referee)
    position = referee.position(END_OF_TOAD)
    plays = {play.word: play for play in referee.plays(position)}
    assert {word for word in plays if word[2] == "r"} == {"JHrf", "JHr-1", "JHr-6", "JHr-7", "JHr-8"}
    assert plays["JHrf"].after.reserve == ("JC",) and plays["JHr-6"].after.columns[5] == ("QC", "JH")
    assert (plays["QH2f"].after.columns[1], plays["QH2f"].after.reserve) == (("JH",), ("JC",))
    assert display.describe(plays["JHr-6"], position) == "J of hearts from the reserve to column 6"
    assert "JHr" in {choice.piece for choice in Table(display, END_OF_TOAD).choices}
    evidence = f"QH2f {_win(game.rules, written(referee, plays['QH2f'].after))}"
    game.check("winnable", END_OF_TOAD, Verdict.WINNABLE, None, evidence)
    assert wins.is_won(game.rules, position, evidence)
    assert not wins.is_won(game.rules, position, evidence.replace("QH2f", "JCrf"))
    moves = playback(referee, END_OF_TOAD, Verdict.WINNABLE, evidence).steps[0].moves
    assert [(move.source, move.target) for move in moves] == [("column 2", "foundation H 1"), ("reserve", "column 2")]
    assert len(list(game.frames(END_OF_TOAD, Verdict.WINNABLE, evidence))) == len(evidence.split(" ")) + 1


def test_foundations_of_a_suit_are_in_the_order_from_their_base() -> None:
    """An ace is higher than a king if they begin with queens; all texts are written so."""
    game = find_game(TOAD)
    assert isinstance(game, Patience)
    text = f"{TOAD} -/-/-/-/-/-/-/- base:Q foundations:KSAS"
    assert "the foundations are KSAS, expected ASKS: of a suit, the highest first" in game.referee.reasons(text)
    with pytest.raises(BadLayout) as error:
        canonical(game.referee, text)
    assert not [reason for reason in error.value.reasons if "the highest first" in reason]
