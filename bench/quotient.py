"""Benchmark of the search without arrangements, by node limits, and of its referee."""

from time import process_time
from typing import NamedTuple

from bench.measure import rounded, table
from dealmill.pipeline.evidence.referee import referee
from dealmill.pipeline.games.patience import GAMES, Patience
from dealmill.pipeline.games.patience.engine.quotient import words
from dealmill.pipeline.games.patience.engine.quotient.engine import Solver
from dealmill.pipeline.games.patience.searches import MAX_NODES_OF_QUOTIENT
from dealmill.pipeline.solving.loading import load
from dealmill.verdicts import Verdict
from tests.doing import deal

SEED, FIRST_DEALS = 1, 200
"""The first deals are solved and judged once more before, since this compiles all that there is to compile: the
referee compiles its code for wins after a hundred of them."""
LIMITS = 1_000_000, 2_500_000, 5_000_000, MAX_NODES_OF_QUOTIENT
COLUMNS = [
    *("game", "node limit", "won", "lost", "undecided", "deals/s", "nodes of a deal"),
    *("positions of losses: median", "90 %", "most", "time, auditing / solving"),
]


class Deal(NamedTuple):
    """A deal that was solved and judged: its verdict, nodes, positions of the loss, and seconds of both."""

    verdict: Verdict
    nodes: int
    positions: int
    solving: float
    judging: float


def by_limits(count: int = 1_000, names: tuple[str, ...] = ("klondike", "klondike-deal-1")) -> str:
    """Return a table with a row for each game and node limit. A lower limit changes nothing but where the search ends,
    so all deals are solved with the highest one. The others are taken to spend the same time for each node."""
    rows = []
    for name in names:
        deals = _solved(GAMES.load(name, (GAMES.folder / f"{name}.toml").read_text()), count)
        rows += [_row(f"`{name}`", deals, limit) for limit in LIMITS]
    return table(COLUMNS, rows)


def _solved(game: Patience, count: int) -> list[Deal]:
    """Solve deals, and judge the verdicts."""
    engine, solver = game.full_name(game.engines[0]), Solver(game.rules, LIMITS[-1])
    load(engine)
    judge, deals = referee(engine), []
    for layout in [*deal(game, SEED, 1, FIRST_DEALS), *deal(game, SEED, 1, count)]:
        begun = process_time()
        verdict, evidence = solver.solve(layout)
        solved = process_time()
        if verdict is not Verdict.UNDECIDED and not judge(layout, verdict, None, evidence).valid:
            raise RuntimeError(f"{layout}: {verdict.word}, {evidence}")
        nodes = int(solver.arrays.words[words.NODES])
        positions = int(str(evidence).split()[-1]) if verdict is Verdict.UNWINNABLE else 0
        deals.append(Deal(verdict, nodes, positions, solved - begun, process_time() - solved))
    return deals[FIRST_DEALS:]


def _row(name: str, deals: list[Deal], limit: int) -> list[str]:
    decided = [each for each in deals if each.verdict is not Verdict.UNDECIDED and each.nodes <= limit]
    won = sum(each.verdict is Verdict.WINNABLE for each in decided)
    positions = sorted(each.positions for each in decided if each.positions)
    solving = sum(each.solving * min(1, limit / max(1, each.nodes)) for each in deals)
    undecided = len(deals) - len(decided)
    return [
        name,
        f"{limit:,}",
        *(f"{won:,}", f"{len(positions):,}", f"{undecided} ({undecided / len(deals):.2%})"),
        *(rounded(len(deals) / solving), f"{sum(min(limit, each.nodes) for each in deals) / len(deals):,.0f}"),
        *(f"{positions[len(positions) * tenths // 10]:,}" for tenths in (5, 9)),
        f"{positions[-1]:,}",
        f"{sum(each.judging for each in decided) / solving:.2f} ×",
    ]
