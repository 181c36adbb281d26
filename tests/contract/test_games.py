"""Every game meets the checks of games, found by itself: a new one is tested without a line here."""

from pathlib import Path

import pytest

from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.batch import Bytes, Numbers, Results, run_kernel, to_texts
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.searches import search_of
from dealmill.testing import Check, checks_of, pictures
from tests.doing import QUICK, QUICK_PATIENCES, SAMPLE_PATIENCES
from tests.fuzz.layouts import unusual_lines
from tests.selection import SELECTION

GOLDEN = Path(__file__).parents[1] / "golden"
COSTLY = {
    "deals that can be won can be won in the easier game",
    "no evidence takes too much memory",
    "the engine and the referees agree with plain code",
}
"""Checks that take seconds."""
OF_FEW_GAMES = {
    "a verdict depends only on its layout",
    "every verdict has a word in an answer",
    "only layouts reach an engine",
    "the canonical check agrees with the reader",
    "the referee accepts every verdict",
    "the referee proves no other verdict",
    "the referee refuses evidence of another layout",
    *(function.__name__.replace("_", " ") for function in pictures.CHECKS),
}
"""The checks that `make test` makes of few games, because they try thousands of texts, solve many deals or draw many
pictures."""
OF_ALL_GAMES = {
    "a deal depends only on its seed and number",
    "canonical texts read back as themselves",
    "forms of other programs read back",
    "no other game reads its layouts",
    "the canonical check accepts all layouts",
    "the example deals are the first of seed 1",
    "the output is that of its golden file",
    "the referee accepts every verdict",
}
"""The checks that `make test-slow` makes of all patiences and covering games, of which many differ only in numbers: of
their deals and texts, of what their engine says, and that it is proved."""
THOROUGH = {"camelot", "klondike"}
"""These games, of which the second stands for all patiences: they have the same pictures and referee."""
CHANCES, PLAYED = "/chances", ("golf/chances", "klondike/chances", "tripeaks/chances", "pyramid/chances")
"""The engine of patiences and covering games whose referee takes seconds for each layout, and the games in which it
meets the checks; `tests/games/patience/test_chances.py` and `tests/games/covering/test_player.py` have others."""


def differing_games() -> set[str]:
    """Return the games of `make test`, and patiences and covering games whose rules have all settings that occur, and
    of which each search decides one. All others have the same code, and other numbers."""
    named = (*games(), *QUICK_PATIENCES, *SAMPLE_PATIENCES)
    patiences = [game for game in map(find_game, named) if isinstance(game, Patience)]
    of_searches = {search_of(game.rules): game.name for game in patiences}
    return {*of_searches.values(), *QUICK, *SAMPLE_PATIENCES}


DIFFERING = differing_games()


def is_by_hand(check: Check) -> bool:
    """Whether no target makes a check: of a game like others, those of what it has of its own are enough."""
    name = check.subject.partition("/")[0]
    return bool(find_game(name).rules_text) and name not in DIFFERING and check.name not in OF_ALL_GAMES


def is_quick(check: Check) -> bool:
    """Whether `make test` makes a check of a game: those of few patiences, and of the first engine of a game."""
    name, _, engine = check.subject.partition("/")
    if name not in QUICK or engine not in ("", find_game(name).engines[0].name):
        return False
    return check.name not in COSTLY and (name in THOROUGH or check.name not in OF_FEW_GAMES)


CHECKS = [
    check
    for name in (sorted(QUICK) if SELECTION.quick else games())
    for check in checks_of(name, unusual_lines(name), GOLDEN)
    if not check.subject.endswith(CHANCES) or check.subject in PLAYED
]


@pytest.mark.parametrize("check", SELECTION.parameters(CHECKS, is_quick, is_by_hand), ids=str)
def test_every_game_meets_the_checks(check: Check) -> None:
    check()


def test_evidence_longer_than_its_buffer_is_an_error() -> None:
    with pytest.raises(ValueError, match="longer than the maximum of 3 bytes"):
        run_kernel(_wasteful, to_texts(["layout"]), 1, 3)


def _wasteful(_text: Bytes, _starts: Numbers, first: int, _limit: int, results: Results) -> int:
    results.ends[first] = 4
    return first + 1
