"""Freecell Solver behind the line protocol: its verdicts are proved by the referee of patiences."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from dealmill import check
from dealmill.pipeline.evidence.referee import judge
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.programs import solver
from tests.games.patience.files import rules_of
from tests.programs.freecell import ENGINES, dealt, needs_solver, solved
from tests.servers import dealmill

pytestmark = needs_solver

TRAPS = [739671, 1030730]
"""Deals that the fast search does not solve, because it moves cards in groups; but they can be won."""
LOST = 781948
"""The deal with the smallest certificate among Microsoft's first million."""


@pytest.fixture(autouse=True)
def _stopped() -> Iterator[None]:
    yield
    solver._stop()


def prove(layouts: list[str]) -> list[Verdict]:
    """Have the referee check what Freecell Solver says of some layouts; return the verdicts."""
    batch = solved(layouts)
    for layout, verdict, value, evidence in zip(layouts, batch.verdicts, batch.values, batch.evidence, strict=True):
        assert judge("freecell/winnable", layout, verdict, value, evidence).valid, (layout, evidence)
    return [Verdict(verdict) for verdict in batch.verdicts]


def test_moves_of_groups_become_moves_of_single_cards() -> None:
    assert prove(dealt(1, 300)) == [Verdict.WINNABLE] * 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("freecell", ["-sn"]),
        ("freecell", ["-snx", "--load-config", "lg"]),
        ("free-cell-2-cell", ["-sn", "--freecells-num", "2"]),
        ("seahaven-towers", ["-sn", "--game", "seahaven_towers"]),
        ("bakers-game", ["-sn", "--game", "bakers_game"]),
        ("eight-off", ["-snx", "--game", "eight_off"]),
        ("beleaguered-castle", ["-sn", "--game", "beleaguered_castle"]),
    ],
)
def test_its_standard_notation_is_read_as_wins(game: str, options: list[str]) -> None:
    known, wins = find_game(game), 0
    for layout in to_strings(known.deal(0, 1, 100)):
        command = ["fc-solve", "-m", "-p", "-t", "--max-iters", "100000", *options]
        board = known.writers["board"](layout)
        printed = subprocess.run(command, input=board, capture_output=True, text=True, check=True).stdout
        if "This game is solveable" in printed:
            assert check(game, layout, "winnable", printed, notation="freecell-solver").valid, layout
            wins += 1
    assert wins >= 50


def test_positions_in_the_middle_of_a_game_are_solved() -> None:
    """Those before some moves of a win, with cards in cells and on foundations, and empty columns."""
    referee, random = Referee(rules_of("freecell")), Random(1)
    layouts = dealt(1, 20)
    middles = list[str]()
    for layout, evidence in zip(layouts, solved(layouts).evidence, strict=True):
        assert evidence
        positions = [play.after for play, _ in referee.replayed(referee.position(layout), evidence)]
        middles += [text_of(position) for position in [*random.sample(positions, 5), positions[-1]]]
    assert any("/-" in middle and "cells:" in middle and "foundations:" in middle for middle in middles)
    assert prove(middles) == [Verdict.WINNABLE] * len(middles)


def text_of(position: Position) -> str:
    """Return the canonical text of a position of FreeCell."""
    tops = [(count, suit) for count, suit in zip(position.foundations, "CHSD", strict=True) if count]
    parts = {
        "cells": "".join(position.cells),
        "foundations": "".join("A23456789TJQK"[count - 1] + suit for count, suit in tops),
    }
    columns = "/".join("".join(column) or "-" for column in position.columns)
    return " ".join(["freecell", columns, *(f"{name}:{cards}" for name, cards in parts.items() if cards)])


def test_a_failed_fast_search_proves_nothing() -> None:
    assert prove([dealt(number)[0] for number in TRAPS]) == [Verdict.WINNABLE] * len(TRAPS)


def test_a_loss_has_the_number_of_its_positions_unless_the_limit_is_reached() -> None:
    layouts = dealt(LOST)
    free = solved(layouts)
    assert (free.verdicts, free.evidence) == ([Verdict.UNWINNABLE], ["* 7736"])
    assert prove(layouts) == [Verdict.UNWINNABLE]
    [nodes] = free.nodes
    assert solved(layouts, nodes) == free
    for limit in (1, nodes // 2, nodes - 1):
        limited = solved(layouts, limit)
        assert (limited.verdicts, limited.nodes) == ([Verdict.UNDECIDED], [limit])


def test_the_setting_makes_it_an_engine_of_the_game(tmp_path: Path) -> None:
    env = {"DEALMILL_ENGINES": str(ENGINES)}
    source = f"deal:free-cell:seed=0:{LOST - 1}-{LOST}"
    for command in (("run", source, "--engine", "freecell/fc-solve"), ("audit", "last")):
        ran = dealmill(*command, cwd=tmp_path, env=env)
        assert ran.returncode == 0, ran.stderr
    rows = dealmill("query", "--game", "free-cell", "--nl", cwd=tmp_path, env=env).stdout
    assert '"evidence": "* 7736"' in rows
