"""Games in play: positions are layouts that go on as the game does; the losing move is the first that cannot be won."""

import random
import re

import pytest
from click.testing import CliRunner

import dealmill
from dealmill.cli import dealmill as commands
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.reading import is_canonical
from dealmill.verdicts import Verdict

GAMES = (
    "klondike",
    "klondike:stock.passes=3",
    "freecell",
    "canfield",
    "golf",
    "yukon",
    "raglan",
    "thirtysix",
    "east-haven",
    "scorpion",
    "spider",
    "spider-1-suit",
)


def played(game: Patience, layout: str, chance: random.Random, most: int) -> list[str]:
    """Return random moves."""
    moves: list[str] = []
    while len(moves) < most and (choices := game.play(layout, moves).choices):
        moves.append(chance.choice(choices).word)
    return moves


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_position_is_a_layout_that_goes_on_as_the_game_does(name: str) -> None:
    game, chance = find_game(name), random.Random(name)
    assert isinstance(game, Patience)
    for deal in dealmill.deals(name, seed=3, count=3):
        assert game.play(deal.text, []).layout == deal.text
        moves = played(game, deal.text, chance, 25)
        for number, word in enumerate(moves):
            before, after = (game.play(deal.text, moves[:count]) for count in (number, number + 1))
            assert is_canonical(game, before.layout)
            again = game.play(before.layout, [])
            assert again.layout == before.layout and game.play(before.layout, [word]).layout == after.layout
            assert {choice.word for choice in again.choices} == {choice.word for choice in before.choices}
            [choice] = [choice for choice in before.choices if choice.word == word]
            assert choice.piece == (word[:2] if "spider" not in name else re.split("[-f]", word)[0])
            assert choice.targets


def test_the_losing_move_is_the_first_after_which_no_play_wins() -> None:
    name, chance, lost = "trigon", random.Random(5), 0
    game = find_game(name)
    assert isinstance(game, Patience)
    for win in dealmill.winnable_deals(name, count=6):
        moves = played(game, win.layout, chance, 12)
        verdicts = [
            dealmill.solve(name, game.play(win.layout, moves[:count]).layout).verdict for count in range(len(moves) + 1)
        ]
        after = dealmill.after(name, win, moves)
        assert after.result.layout == game.play(win.layout, moves).layout and after.result.verdict is verdicts[-1]
        if verdicts[-1] is Verdict.UNWINNABLE:
            lost += 1
            assert after.losing_move == verdicts.index(Verdict.UNWINNABLE) and after.result.check().valid
            shown = CliRunner().invoke(commands, ["show", win.layout, "--moves", " ".join(moves)])
            assert shown.stdout.startswith(f"move {after.losing_move}, {moves[after.losing_move - 1]}, lost it")
        else:
            assert after.losing_move is after.won is after.lost is None
    assert lost


def test_what_cannot_be_played_is_said() -> None:
    [deal] = dealmill.deals("klondike", count=1)
    play = find_game("klondike").play
    assert play is not None
    first = play(deal.text, []).choices[0].word
    legal = " ".join(choice.word for choice in play(deal.text, [first]).choices)
    with pytest.raises(dealmill.IllegalMove, match=f"step 2: the rules do not allow KSQD; legal moves there: {legal}$"):
        dealmill.after("klondike", deal, [first, "KSQD"])
    with pytest.raises(dealmill.InvalidEvidence, match=r"step 1: '6H' is not a move .*; legal moves there: .*"):
        dealmill.after("klondike", deal, ["6H"])
    with pytest.raises(dealmill.UsageError, match="only patiences and covering games can be played on"):
        dealmill.after("memory", "ABBA", "1")
    with pytest.raises(dealmill.BadLayout):
        dealmill.after("klondike", "klondike 6H", "")
