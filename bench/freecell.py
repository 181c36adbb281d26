"""Benchmarks of Freecell Solver behind the line protocol, and of the referee of FreeCell."""

import subprocess
from functools import partial

from bench.measure import NotInstalled, in_turn, rounded, table
from dealmill.game import CheckEvidence
from dealmill.pipeline.games import find_game
from dealmill.verdicts import Verdict
from tests.programs.freecell import INSTALL, available, dealt, solved

DEALS = 8_000
COMMAND = ["freecell-solver-range-parallel-solve", "1", str(DEALS), str(DEALS), "-l", "lg"]


def against_range_solver() -> str:
    """Return a table: solving by the range solver, which keeps nothing, by the engine, and judging by both referees."""
    if not available():
        raise NotInstalled(INSTALL)
    layouts = dealt(1, DEALS)
    batch = solved(layouts)
    solving, ranging, slower = in_turn(lambda: solved(layouts), _run_range_solver)
    rows = [
        ["range solver", rounded(DEALS / ranging), "1 ×"],
        ["`freecell/fc-solve`, with moves", rounded(DEALS / solving), f"{rounded(slower)} ×"],
    ]
    game = find_game("freecell")
    for name, check in (("referee in plain Python", game.check), ("referee of audits", game.compiled_check)):
        judging, _, share = in_turn(partial(_judge, check, layouts, batch.evidence), lambda: solved(layouts))
        rows.append([name, rounded(DEALS / judging), f"{rounded(slower * share)} ×"])
    return table(["", "deals/s", "time"], rows)


def _run_range_solver() -> None:
    subprocess.run(COMMAND, check=True, capture_output=True)


def _judge(check: CheckEvidence, layouts: list[str], traces: list[str | None]) -> None:
    for layout, trace in zip(layouts, traces, strict=True):
        check("winnable", layout, Verdict.WINNABLE, None, trace or "")
