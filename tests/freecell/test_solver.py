"""Freecell Solver behind the line protocol, and the contract of games."""

from pathlib import Path

import pytest

from dealmill.testing import checks_of
from dealmill.verdicts import Verdict
from tests.freecell.solving import DISTRIBUTION, dealt, needs_solver, solved
from tests.plugins.conftest import site
from tests.plugins.sites import install

__all__ = ["site"]

GOLDEN = Path(__file__).parent / "golden"
TRAPS = [739671, 1030730]
"""Deals that the fast search does not solve, because it moves cards in groups; but they can be won."""


@pytest.mark.slow
@needs_solver
def test_the_game_meets_the_contract(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(site, "dealmill-freecell", {"freecell": "dealmill_freecell:GAME"}, version="0.1.0")
    monkeypatch.syspath_prepend(str(DISTRIBUTION))
    for check in checks_of("freecell", golden=GOLDEN):
        check()


@needs_solver
def test_a_failed_fast_search_proves_nothing() -> None:
    layouts = [dealt(0, number)[0] for number in TRAPS]
    assert solved(layouts).verdicts == [Verdict.WINNABLE] * len(TRAPS)


@needs_solver
def test_a_loss_has_the_number_of_its_positions_unless_the_limit_is_reached() -> None:
    layouts = dealt(0, 781948)
    free = solved(layouts)
    assert (free.verdicts, free.evidence) == ([Verdict.UNWINNABLE], ["7736"])
    [nodes] = free.nodes
    assert solved(layouts, nodes) == free
    for limit in (1, nodes // 2, nodes - 1):
        limited = solved(layouts, limit)
        assert (limited.verdicts, limited.nodes) == ([Verdict.UNDECIDED], [limit])
