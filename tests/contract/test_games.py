"""Every game meets the checks of games, found by itself: a new one is tested without a line here."""

from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.batch import Bytes, Numbers, Results, pack, run_kernel
from dealmill.testing import Check, checks_of
from tests.doing import QUICK_GAMES, SAMPLE_PATIENCES
from tests.fuzz.layouts import unusual_lines

GOLDEN = Path(__file__).parents[1] / "golden"
QUICK = {*(game.name for game in QUICK_GAMES), *SAMPLE_PATIENCES}
"""The games that `make test` checks."""
COSTLY = "no evidence takes too much memory"
"""A check that takes long, which `make test` makes of one game."""
LONG = {
    "card-pairing/odds: the referee accepts every verdict",
    "hi-q/fewest: the referee accepts every verdict",
    "seahaven-towers/winnable: the referee proves no other verdict",
}
"""Checks that take longer than all others of their game. `tests/audit/test_verdicts.py` accepts fewer verdicts of these
engines, and the other patiences have the same referee."""


def is_quick(name: str, check: Check) -> bool:
    """Whether `make test` makes a check of a game."""
    return name == "memory" if check.name == COSTLY else name in QUICK and str(check) not in LONG


CHECKS = [
    pytest.param(check, id=str(check), marks=() if is_quick(name, check) else pytest.mark.slow)
    for name in games()
    for check in checks_of(name, unusual_lines(name), GOLDEN)
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
