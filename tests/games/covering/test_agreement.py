"""The engine and the referees of covering games against plain code, on positions with few cards; and the attack on the
statement of docs/proofs/covering.md: a position that can be won can be won in every easier game, too."""

from random import Random

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.covering import CoveringGame
from dealmill.pipeline.games.covering.referee import Referee
from dealmill.pipeline.games.covering.rules import Rules
from dealmill.testing.covering import (
    all_losses,
    faults_of,
    plainly_won,
    position_with_few_cards,
    refuting,
    with_few_cards,
)
from tests.selection import parts_by_hand

GAMES = (
    "tripeaks",
    "tripeaks-no-wrap",
    "pyramid",
    "pyramid-pysol",
    "giza",
    "pyramid-one-pass:pairs.overlap=true",
    "pyramid:stock.passes=2:stock.playable=false",
    "pyramid-pysol:pairs.overlap=true:stock.passes=unlimited",
    "pyramid-pysol:stock.passes=unlimited:stock.playable=false",
)
MANY = 300


def rules_of(name: str) -> Rules:
    game = find_game(name)
    assert isinstance(game, CoveringGame)
    return game.rules


def agree(names: tuple[str, ...], numbers: range) -> None:
    for name in names:
        for number in numbers:
            random = Random(number)
            rules = with_few_cards(rules_of(name), random)
            layout = position_with_few_cards(rules, random)
            assert list(faults_of(Referee(rules), layout, can_be_won=plainly_won(layout, rules))) == [], layout


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_plain_code_says_the_same_of_more_positions(name: str) -> None:
    agree((name,), range(MANY))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("numbers", parts_by_hand(range(0, 100_000, 5_000), 5_000))
def test_what_can_be_won_can_be_won_in_easier_games(numbers: range) -> None:
    """Each position that can be won, in two easier games."""
    random, won = Random(f"attack {numbers[0]}"), 0
    games = [
        game for name in GAMES if isinstance(game := find_game(name), CoveringGame) and game.rules.moves == "pairs"
    ]
    losses = list(all_losses(games[0].rules))
    for number in numbers:
        rules = with_few_cards(games[number % len(games)].rules, random)
        layout = position_with_few_cards(rules, random)
        if plainly_won(layout, rules):
            won += 1
            assert list(refuting(Referee(rules), layout, random.sample(losses, 2))) == [], layout
    assert won > len(numbers) // 2
