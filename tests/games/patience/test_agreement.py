"""The engine and both referees against plain code, by rules files of every kind, as `dealmill check-game` compares
them."""

from collections.abc import Sequence
from random import Random

import pytest

from dealmill.pipeline.games.patience import GAMES, Patience
from dealmill.pipeline.games.patience.engine.plain import engine, soundness
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.schema import canonical_rules, parse_rules
from dealmill.testing.patiences.agreement import (
    compared,
    small_layouts,
    the_engine_and_the_referees_agree_with_plain_code,
)
from dealmill.testing.subject import CheckFailed, Subject
from tests.games.patience.random_rules import any_rules, seeds

ONE_RANK = """
title = "One rank"
deck = { ranks = 1 }
tableau = { sizes = [0], build = "none", move = "run" }
foundations = { base = "dealt", initial = "one", removable = true }
stock = { size = 3, to = "tableau", full-columns = true }
"""
TO_HOLE = """
title = "Stock to hole"
deck = { ranks = 3 }
tableau = { sizes = [0, 0, 0, 1, 0, 0], build = "none", spaces = "kings" }
cells = { count = 1, filled = 1 }
reserve = { size = 1, stacked = true }
stock = { size = 8, to = "hole" }
hole = { base = "AS", wrap = false }
"""
CARRIED = """
title = "Carried away"
deck = { ranks = 2 }
tableau = { sizes = [1, 0, 2, 0], build = "none", move = "any", face-down = [0, 0, 1, 0] }
foundations = { removable = true }
reserve = { size = 3, stacked = true }
stock = { size = 2, to = "tableau", full-columns = true }
"""
WHOLE_SUITS = """
title = "Whole suits"
deck = { ranks = 2 }
tableau = { sizes = [1, 0, 1, 1, 1, 2], build = "any-suit", move = "run", spaces = "none" }
foundations = { base = "2", complete-runs = true }
stock = { size = 2, draw = 4 }
"""
CELLS = """
title = "Cells"
deck = { ranks = 4 }
tableau = { count = 3, build = "red-black" }
cells = { count = 1 }
"""
OTHER_RUNS = """
title = "Runs of other suits"
deck = { ranks = 4 }
tableau = { count = 4, build = "any-suit", move = "run", run = "same-suit", spaces = "kings" }
"""
WRONG_WITH_VERSION_7 = [
    (ONE_RANK, "g - base:A foundations:AC stock:ADAHAS"),
    (TO_HOLE, "g -/2C3H/-/2SAS3DADAH/-/- hole:2D stock:3C"),
    (CARRIED, "g -/-/-/- foundations:2C2S2D stock:AH2H"),
    (WHOLE_SUITS, "g 2C/-/AC/AS/AD/AH2D stock:2S2H"),
]
"""Rules and layouts on which the engine raised an error, or whose loss the referees refused."""


def disagreements(rules: Rules, layouts: list[str], seed: int) -> list[tuple[str, list[str] | None]]:
    """What the engine or a referee says of layouts and plain code does not."""
    game = GAMES.load(rules.name, canonical_rules(rules))
    compare = [(text, compared(rules, game.solvers["winnable"], text, Random(seed))) for text in layouts]
    return [(text, faults) for text, faults in compare if faults]


@pytest.mark.parametrize(("text", "layout"), WRONG_WITH_VERSION_7)
def test_what_was_wrong_with_version_7_is_right_with_version_8(text: str, layout: str) -> None:
    rules = parse_rules("g", text)
    assert GAMES.load("g", text).engines[0].version.startswith("8-")
    assert compared(rules, GAMES.load("g", text).solvers["winnable"], layout, Random(1)) == []


@pytest.mark.parametrize("seeds", seeds(30_000, 300, quick=10))
def test_the_engine_and_the_referees_agree_with_plain_code_by_any_rules(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules = any_rules(Random(seed))
        assert disagreements(rules, small_layouts(rules, seed, Random(seed)), seed) == [], rules


@pytest.mark.slow
@pytest.mark.parametrize("seeds", seeds(31_000, 100, quick=0))
def test_verdicts_do_not_depend_on_the_room_of_a_search(seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A search goes four times as deep where all else is lost, and losses are counted up to four times as many."""
    for constant, value in {"SHALLOW_NODES": 0, "DEPTH": 2, "FIRST_POSITIONS": 2, "FIRST_DEALT": 2}.items():
        monkeypatch.setattr(engine, constant, value)
    monkeypatch.setattr(soundness, "lists_are_tried_early", lambda _rules: False)  # their budgets assume deep searches
    for seed in seeds:
        rules = any_rules(Random(seed))
        assert disagreements(rules, small_layouts(rules, seed, Random(seed)), seed) == [], rules


@pytest.mark.slow
@pytest.mark.parametrize(
    ("belief", "value", "text", "message"),
    [
        ("partial_runs_are_twins", True, WHOLE_SUITS, "two searches of the layout contradict each other"),
        ("cards_go_up_safely", True, ONE_RANK, "two searches of the layout contradict each other"),
        ("lags", [soundness.ANY_LAG] * 16, CELLS, r"the engine says unwinnable, evidence safe \* \d+; it can be won"),
        ("lists_prove_losses", True, OTHER_RUNS, "such a list of cards proves nothing"),
    ],
)
def test_the_check_of_a_game_finds_what_the_engine_believes_wrongly(
    belief: str, value: object, text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = Subject(GAMES.load("g", text))
    assert "searched by plain code" in the_engine_and_the_referees_agree_with_plain_code(subject)
    monkeypatch.setattr(soundness, belief, lambda _rules: value)
    with pytest.raises(CheckFailed, match=message):
        the_engine_and_the_referees_agree_with_plain_code(subject)


def test_rules_whose_outputs_were_right_keep_version_7() -> None:
    for changes in ('spaces = "any"\n[cells]\ncount = 1', 'build = "same-suit"\nmove = "run"'):
        game = GAMES.load("g", f'title = "g"\n[tableau]\n{changes}\n[foundations]\nremovable = true\n')
        assert isinstance(game, Patience)
        assert game.engines[0].version.startswith("7-")
