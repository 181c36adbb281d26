"""Covering games in play: positions are layouts that go on as the game does; wins as data; and wins of positions in the
middle of a game, where kings lie in the waste."""

import random

import pytest

import dealmill
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.reading import is_canonical
from dealmill.verdicts import Verdict
from tests.games.test_playback import played

GAMES = ("tripeaks", "pyramid", "pyramid-pysol", "giza", "pyramid:pairs.overlap=true:stock.passes=unlimited")
SLOW = (*GAMES, "tripeaks-no-wrap", "escalator", "pyramid-one-pass", "pyramid:stock.playable=false")


def play_on(name: str, count: int) -> None:
    game, chance = find_game(name), random.Random(name)
    play = game.play
    assert play is not None
    for deal in dealmill.deals(name, seed=3, count=count):
        assert play(deal.text, []).layout == deal.text
        moves = list[str]()
        while len(moves) < 12 and (choices := play(deal.text, moves).choices):
            moves.append(chance.choice(choices).word)
        for number, word in enumerate(moves):
            before, after = (play(deal.text, moves[:count]) for count in (number, number + 1))
            assert is_canonical(game, before.layout)
            again = play(before.layout, [])
            assert play(before.layout, [word]).layout == after.layout
            assert {choice.word for choice in again.choices} == {choice.word for choice in before.choices}
            [choice] = [choice for choice in before.choices if choice.word == word]
            assert word.startswith(choice.piece + "".join(choice.targets))
            assert before.scene({}, [choice.piece]).svg
        result = dealmill.solve(name, play(deal.text, moves).layout)
        assert result.verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE) and result.check().valid


def wins_as_data(name: str, count: int) -> None:
    for result in dealmill.solve(name, dealmill.deals(name, seed=2, count=count)):
        playback = result.playback()
        assert playback and len([card for pile in playback.table.values() for card in pile.pieces]) == 52
        if result.verdict is Verdict.WINNABLE:
            table = played(playback)
            ends = ("hole", "gone") if "pysol" in name or name == "giza" else ("hole", "gone", "stock", "waste")
            assert {name for name, (pieces, _) in table.items() if pieces} <= {*ends}
            assert all(all(sides) for name, (_, sides) in table.items() if name != "stock")
            assert [step.word for step in playback.steps] == str(result.evidence).split(" ")


@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_on_and_its_wins_are_data(name: str) -> None:
    play_on(name, 1)
    wins_as_data(name, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_many_games_go_on_and_their_wins_are_data(name: str) -> None:
    play_on(name, 30)
    wins_as_data(name, 60)


@pytest.mark.parametrize("name", ["tripeaks", "pyramid"])
def test_the_move_that_lost_a_game_is_found(name: str) -> None:
    chance, play = random.Random(name), find_game(name).play
    assert play is not None
    deal = next(
        deal for deal in dealmill.deals(name, count=9) if dealmill.solve(name, deal).verdict is Verdict.WINNABLE
    )
    moves = list[str]()
    while len(moves) < 30 and (choices := play(deal.text, moves).choices):
        moves.append(chance.choice(choices).word)
    after = dealmill.after(name, deal, " ".join(moves))
    lost = after.losing_move
    assert after.result.verdict is Verdict.UNWINNABLE and after.result.check().valid and lost is not None
    before, at_once = (dealmill.after(name, deal, " ".join(moves[:count])).result for count in (lost - 1, lost))
    assert (before.verdict, at_once.verdict) == (Verdict.WINNABLE, Verdict.UNWINNABLE)
