"""Every game meets the checks of games, found by itself: a new one is tested without a line here."""

from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.batch import Bytes, Numbers, Results, pack, run_kernel
from dealmill.testing import Check, checks_of, pictures
from tests.doing import QUICK, QUICK_PATIENCES
from tests.fuzz.layouts import unusual_lines

GOLDEN = Path(__file__).parents[1] / "golden"
COSTLY = {
    "deals that can be won can be won in the easier game": "canfield",
    "the engine and the referees agree with plain code": "canfield",
    "no evidence takes too much memory": "memory/two-pass",
}
"""Checks that take long, and the game or engine of which `make test` makes them."""
OF_PICTURES = {function.__name__.replace("_", " ") for function in pictures.CHECKS}
"""The checks of pictures, which `make test` makes of one patience: they all have the same."""
LONG = {
    "card-pairing/odds: the referee accepts every verdict",
    "card-pairing/odds: the referee proves no other verdict",
    "hi-q/fewest: the referee accepts every verdict",
}
"""Checks that take longer than all others of their game. `tests/audit/test_verdicts.py` accepts fewer verdicts of these
engines."""
CHANCES, PLAYED = "/chances", ("golf/chances", "klondike/chances")
"""The engine of all patiences whose referee takes seconds for each layout, and the games in which it meets the checks;
`tests/games/patience/test_chances.py` has the rules of others."""


def is_quick(name: str, check: Check) -> bool:
    """Whether `make test` makes a check of a game."""
    if check.subject.endswith(CHANCES):
        return False
    if name not in QUICK or str(check) in LONG or (name in QUICK_PATIENCES[1:] and check.name in OF_PICTURES):
        return False
    return COSTLY.get(check.name, check.subject) == check.subject


CHECKS = [
    pytest.param(check, id=str(check), marks=() if is_quick(name, check) else pytest.mark.slow)
    for name in games()
    for check in checks_of(name, unusual_lines(name), GOLDEN)
    if not check.subject.endswith(CHANCES) or check.subject in PLAYED
]


@pytest.mark.parametrize("check", CHECKS)
def test_every_game_meets_the_checks(check: Check) -> None:
    check()


def test_evidence_longer_than_its_buffer_is_an_error() -> None:
    with pytest.raises(ValueError, match="longer than the maximum of 3 bytes"):
        run_kernel(_wasteful, pack(["layout"]), 1, 3)


def _wasteful(_text: Bytes, _starts: Numbers, first: int, _limit: int, results: Results) -> int:
    results.ends[first] = 4
    return first + 1
