"""Benchmarks of Freecell Solver behind the line protocol, and of the engine and the referees of FreeCell."""

import subprocess
from functools import partial

from bench.measure import NotInstalled, in_turn, rounded, table
from dealmill.game import CheckEvidence
from dealmill.pipeline.games import find_game
from dealmill.pipeline.solving.solve import solve
from dealmill.verdicts import Verdict
from tests.programs.freecell import INSTALL, available, dealt, solved

DEALS, ENGINE = 8_000, "freecell/winnable"
COMMAND = ["freecell-solver-range-parallel-solve", "1", str(DEALS), str(DEALS), "-l", "lg"]


def against_range_solver() -> str:
    """Return a table: solving by the range solver, which keeps nothing, through the protocol, and by the engine of
    Dealmill, and judging by both referees."""
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
    for name, side in (
        (f"`{ENGINE}`, with evidence", partial(solve, ENGINE, layouts)),
        ("referee in plain Python", partial(_judge, game.check, layouts, batch.evidence)),
        ("referee of audits", partial(_judge, game.compiled_check, layouts, batch.evidence)),
    ):
        taken, _, share = in_turn(side, lambda: solved(layouts))
        rows.append([name, rounded(DEALS / taken), f"{rounded(slower * share)} ×"])
    return table(["", "deals/s", "time"], rows)


def _run_range_solver() -> None:
    subprocess.run(COMMAND, check=True, capture_output=True)


def _judge(check: CheckEvidence, layouts: list[str], traces: list[str | None]) -> None:
    for layout, trace in zip(layouts, traces, strict=True):
        check("winnable", layout, Verdict.WINNABLE, None, trace or "")
