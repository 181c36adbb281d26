"""The engine that plays patiences as a careful player does, against the player of the referee, and hostile evidence."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine.chances import Chances
from dealmill.pipeline.games.patience.engine.chances_of_copies import ChancesOfCopies
from dealmill.pipeline.games.patience.player import RefereeOfPlays
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.referees import PLAYS
from dealmill.testing.engines import golden_file, golden_lines
from dealmill.verdicts import Verdict
from tests.games.drawn import parsed
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import (
    random_filled_rules,
    random_rules,
    random_rules_by_stages,
    random_spider_rules,
    seeds,
)
from tests.selection import SELECTION

FEW = range(1, 4)
GOLDEN = Path(__file__).parents[2] / "golden"
WON = "trigon -/-/-/-/-/-/KC foundations:QCKHKSKD"
"""A position in which every play wins by its only move."""


def solved(rules: Rules, layouts: list[str]) -> list[tuple[str, int | None, str]]:
    """What the engine says of layouts: the layout, its value and its evidence."""
    engine = ChancesOfCopies if rules.copies > 1 else Chances
    batch = to_batch(engine(rules)(to_texts(layouts)))
    assert batch.verdicts == [Verdict.SCORED] * len(layouts)
    return list(zip(layouts, batch.values, map(str, batch.evidence), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    "random_rules", [random_rules, random_spider_rules, random_rules_by_stages, random_filled_rules]
)
@pytest.mark.parametrize("seeds", seeds(1_000, 30, quick=0))
def test_the_engine_plays_as_the_plain_player(random_rules: Callable[[Random], Rules], seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules = random_rules(Random(seed))
        for text, value, evidence in solved(rules, to_strings(deal(rules, seed, 1, 2))):
            RefereeOfPlays(rules).check_plays(text, value, evidence, range(1, 40))


@pytest.mark.parametrize("name", SELECTION.parameters(FILES, lambda name: name == "klondike"))
def test_real_games_are_played_as_by_the_plain_player_and_as_before(name: str) -> None:
    game = find_game(name)
    engine = game.engines[1]
    line = golden_file(GOLDEN, game, engine).read_text().splitlines()[1]
    layout, _, value, _, evidence = json.loads(line)
    assert golden_lines(game, engine, [layout]) == [line]
    RefereeOfPlays(rules_of(name)).check_plays(layout, value, evidence, FEW)


def test_a_stock_is_turned_from_where_it_is() -> None:
    """The last card that is missing lies in the waste."""
    rules = rules_of("klondike")
    text = "klondike KCQHJCTH9C8H7C6H5C4H3C2H/KHQCJHTC9H8C7H6C5H4C3H2C/KS/-/-/-/- foundations:ACAHQSQD waste:KD"
    for row in solved(rules, [text]):
        assert row[1] == 1_000_000
        RefereeOfPlays(rules).check_plays(*row, FEW)


@pytest.mark.parametrize(("evidence", "won"), [("v" * 200, 1_000), ("0" * 200, 0), ("g" + "0" * 198 + "3", 3)])
def test_the_plays_that_are_won_are_filled(evidence: str, won: int) -> None:
    game = find_game("trigon")
    *_, board = game.frames(WON, Verdict.SCORED, evidence)
    assert (board.count("●"), board.count("·")) == (won, PLAYS - won)
    *_, grid = game.scenes(WON, Verdict.SCORED, evidence)
    squares = {path.get("class"): str(path.get("d")).count("M") for path in parsed(grid).iter() if path.get("d")}
    assert squares == {look: count for look, count in (("mover", won), ("card", PLAYS - won)) if count}
